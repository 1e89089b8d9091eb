"""Tools of MCP servers that people run: adopted, used, put in quarantine when they change, and killed in a call."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import shutil
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, ParamSpec

import pytest

from figures.figure import BUILD
from remit import App, Effect, Principal, Runtime
from remit.artifacts import Artifact
from remit.mcp import mcp_process
from remit.runtime import RunResult
from remit.sources import PinFolder, Source, Trust
from scripts.build_console import node_home

pytestmark = pytest.mark.process

P = ParamSpec("P")

SERVERS: Final = BUILD / "edges" / "mcp_servers" / "node_modules"
ADA: Final = Principal("ada", permissions=frozenset({"*"}))


def in_own_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test in a thread with a loop of its own: tests with a browser leave one running in theirs."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, test(*args, **kwargs)).result()

    return run


@pytest.fixture
def run_server(tmp_path: Path) -> Callable[..., Source]:
    """Makes the source of a server of Node: its name, its program, its arguments, and what is trusted."""

    def make(name: str, program: str, *arguments: str, effects: Mapping[str, Effect]) -> Source:
        if not (SERVERS / program).exists():
            pytest.skip("npm could not install the servers of others")
        node = node_home() / "bin/node"
        path = f"{node.parent}{os.pathsep}{os.environ['PATH']}"
        line = [str(node), str(SERVERS / program), *arguments]
        return mcp_process(name, line, PinFolder(tmp_path / "pins"), trust=Trust(effects=effects), env={"PATH": path})

    return make


def _runtime(source: Source) -> Runtime:
    return Runtime(App(name="desk", tools=source.tools, resources=[source]))


async def _approve(runtime: Runtime, result: RunResult[Any]) -> RunResult[Any]:
    """Say yes to all that a call asks."""
    client = runtime.client(ADA)
    while result.status == "waiting":
        for question in result.questions:
            await client.decide(question, approved=True)
        result = await client.resume(result.run)
    return result


@in_own_loop
async def test_the_filesystem_server_reads_writes_after_a_yes_and_refuses_what_is_elsewhere(
    run_server: Callable[..., Source], tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    program = "@modelcontextprotocol/server-filesystem/dist/index.js"
    effects = {"list_directory": Effect.PURE, "read_text_file": Effect.PURE}
    async with run_server("files", program, str(folder), effects=effects) as source, _runtime(source) as runtime:
        client = runtime.client(ADA)
        assert len(source.tools) == 14
        asked = await client.call("files_write_file", {"path": str(folder / "a.txt"), "content": "hello"})
        assert asked.status == "waiting"
        assert not [*folder.iterdir()]
        assert (await _approve(runtime, asked)).status == "done"
        assert (folder / "a.txt").read_text() == "hello"
        read = await client.call("files_read_text_file", {"path": str(folder / "a.txt")})
        assert "hello" in read.text
        refused = await client.call("files_read_text_file", {"path": "/etc/passwd"})
        assert json.loads(refused.text)["errorCode"] == "TOOL_FAILED"
        assert (await runtime.replay(asked.run)).is_identical


@in_own_loop
async def test_the_everything_server_sends_pictures_progress_and_a_long_wait(run_server: Callable[..., Source]) -> None:
    program = "@modelcontextprotocol/server-everything/dist/index.js"
    effects = dict.fromkeys(("echo", "get-sum", "get-tiny-image", "trigger-long-running-operation"), Effect.PURE)
    async with run_server("all", program, "stdio", effects=effects) as source, _runtime(source) as runtime:
        client = runtime.client(ADA)
        assert "hello" in (await client.call("all_echo", {"message": "hello"})).text
        assert "5" in (await client.call("all_get-sum", {"a": 2, "b": 3})).text
        parts = (await client.call("all_get-tiny-image", {})).value()
        pictures = [Artifact.model_validate(each) for each in parts if isinstance(each, dict)]
        assert [each.media_type for each in pictures] == ["image/png"]
        assert (await runtime.artifacts.read(pictures[0], by=ADA)).startswith(b"\x89PNG")
        waited = await client.call("all_trigger-long-running-operation", {"duration": 1, "steps": 2})
        assert waited.status == "done"


@in_own_loop
async def test_the_browser_server_opens_a_page(run_server: Callable[..., Source], tmp_path: Path) -> None:
    chromium = os.environ.get("REMIT_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no Chromium")
    arguments = ("--headless", "--isolated", "--executable-path", chromium, "--no-sandbox")
    effects = {"browser_navigate": Effect.IDEMPOTENT, "browser_snapshot": Effect.PURE}
    server = run_server("web", "@playwright/mcp/cli.js", *arguments, effects=effects)
    async with server as source, _runtime(source) as runtime:
        assert len(source.tools) > 20
        page = "data:text/html,<title>Hi</title><h1>Good morning</h1>"
        opened = await _approve(runtime, await runtime.client(ADA).call("web_browser_navigate", {"url": page}))
        shown = await _approve(runtime, await runtime.client(ADA).call("web_browser_snapshot", {}))
        assert "Good morning" in opened.text + shown.text


@in_own_loop
async def test_a_server_that_is_updated_is_in_quarantine_and_one_that_is_killed_is_started_again(
    run_server: Callable[..., Source], tmp_path: Path
) -> None:
    program = "@modelcontextprotocol/server-filesystem/dist/index.js"
    effects = {"list_directory": Effect.PURE}
    async with run_server("files", program, str(tmp_path), effects=effects) as source:
        pass
    pins = tmp_path / "pins" / "files.json"
    pins.write_text(pins.read_text().replace("Get a detailed listing of all files", "An older description of files"))
    async with run_server("files", program, str(tmp_path), effects=effects) as source, _runtime(source) as runtime:
        client = runtime.client(ADA)
        refused = await client.call("files_list_directory", {"path": str(tmp_path)})
        assert "is in quarantine" in refused.text
        for each in (await source.refresh()).tools_to_accept:
            assert any("Get a detailed listing" in line for line in each.lines)
            await source.accept(each.digest, by=ADA, tool=each.name)
        assert (await client.call("files_list_directory", {"path": str(tmp_path)})).status == "done"
        _kill_servers(str(SERVERS / program))
        listed = await client.call("files_list_directory", {"path": str(tmp_path)})
        while listed.status != "done":  # the call that finds out that the server is gone
            assert json.loads(listed.text)["errorCode"] in ("ANSWER_LOST", "EXTERNAL_SERVICE_ERROR")
            listed = await client.call("files_list_directory", {"path": str(tmp_path)})


def _kill_servers(program: str) -> None:
    """Kill the processes of this one that run a program."""
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            line, parent = _read_process(each)
            if program in line and parent == os.getpid():
                os.kill(int(each.name), 9)


def _read_process(folder: Path) -> tuple[str, int]:
    try:
        line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return line, int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return "", 0
