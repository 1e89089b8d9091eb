"""The official client, over stdio and over HTTP on this machine, in both revisions."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters

from tests.cli.kit import ROOT, command
from tests.mcp.kit import Desk
from tests.mcp.official import MODES, accept, connected, serving, still


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_lists_reads_and_is_refused_over_http(mode: str) -> None:
    async with serving(Desk(clock=still)) as url, connected(url, mode) as client:
        listed = {each.name: each for each in (await client.list_tools()).tools}
        assert {*listed} == {"erase", "launch", "look"}
        assert listed["look"].annotations == types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
        looked = await client.call_tool("look", {"text": "about"})
        assert (looked.content[0], looked.is_error) == (types.TextContent(type="text", text="about is there"), False)
        wrong = await client.call_tool("look", {"text": 7})
        assert wrong.is_error
        with pytest.raises(MCPError, match="nothing"):
            await client.call_tool("nothing", {})
        assert (await client.list_resources()).resources == []


@pytest.mark.parametrize("mode", MODES)
async def test_its_person_confirms_in_a_form(mode: str) -> None:
    desk = Desk("confirm", clock=still)
    async with (
        serving(desk, ask_seconds=0.01) as url,
        connected(url, mode, elicitation_callback=accept) as client,
    ):
        result = await client.call_tool("erase", {"text": "about"})
    assert (result.structured_content, result.is_error, desk.erased) == ({"erased": "about"}, False, ["about"])


@pytest.mark.parametrize("mode", MODES)
async def test_a_held_call_returns_the_result_when_someone_else_approves(mode: str) -> None:
    desk = Desk(clock=still)
    async with serving(desk, hold_seconds=60) as url, connected(url, mode) as client:
        held = asyncio.create_task(client.call_tool("erase", {"text": "about"}))
        await desk.client().decide(await desk.next_question(), approved=True)
        result = await held
    assert (result.structured_content, desk.erased) == ({"erased": "about"}, ["about"])


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_that_waits_is_continued_by_the_same_call_to_another_server(mode: str) -> None:
    desk = Desk(clock=still)
    async with serving(desk, hold_seconds=0) as url, connected(url, mode) as client:
        waiting = await client.call_tool("erase", {"text": "about"})
    (question,) = await desk.questions()
    told = waiting.content[0]
    assert isinstance(told, types.TextContent)
    assert (waiting.is_error, f"/approvals/{question}" in told.text) == (True, True)
    await desk.client().decide(question, approved=True)
    async with serving(desk) as url, connected(url, mode) as client:
        result = await client.call_tool("erase", {"text": "about"})
    assert (result.structured_content, desk.erased) == ({"erased": "about"}, ["about"])
    assert await desk.questions() == [question]


@pytest.fixture
def process(tmp_path: Path) -> StdioServerParameters:
    """The command that a client starts, at a home of its own."""
    environ = {**os.environ, "REMIT_HOME": str(tmp_path / "home"), "SHOP": str(tmp_path / "book")}
    environ = {name: value for name, value in environ.items() if name not in ("REMIT_DATABASE", "REMIT_MODEL")}
    program, *arguments = command("mcp", "tests.cli.shop:app", "--hold", "0")
    return StdioServerParameters(command=program, args=arguments, env=environ, cwd=ROOT)


@pytest.mark.process
@pytest.mark.parametrize("mode", MODES)
async def test_a_process_is_killed_while_a_call_waits_and_the_next_one_continues_it(
    mode: Any, process: StdioServerParameters, tmp_path: Path
) -> None:
    book = tmp_path / "book"
    async with Client(process, mode=mode) as client:
        found = await client.call_tool("find", {"name": "bread"})
        assert found.structured_content == {"name": "bread", "price": 3}
        waiting = await client.call_tool("burn", {"name": "bread"})
    assert waiting.structured_content is not None
    assert (waiting.structured_content["status"], book.exists()) == ("waiting", False)
    (question,) = waiting.structured_content["questions"]
    decide = command("approvals", "approve", question, "--app", "tests.cli.shop:app")
    ended = await asyncio.to_thread(subprocess.run, decide, env=process.env, cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == 0
    async with Client(process, mode=mode) as client:
        result = await client.call_tool("burn", {"name": "bread"})
    told = result.content[0]
    assert isinstance(told, types.TextContent)
    assert (told.text, book.read_text(encoding="utf-8")) == ("burnt bread", "burn bread\n")
