"""``remit wrap``: the official client talks to a server of somebody else through it, in both kinds of revisions."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from tests.cli.kit import ROOT, command
from tests.mcp.official import MODES

_SERVER = (sys.executable, "tests/gateway/echo.py")


class Wrapped:
    """The wrapped server at a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.home, self.book = folder / "home", folder / "book"
        kept = {name: value for name, value in os.environ.items() if name not in ("REMIT_DATABASE", "REMIT_MODEL")}
        self.environ = {**kept, "REMIT_HOME": str(self.home), "ECHO_BOOK": str(self.book)}

    def parameters(self, *options: str) -> StdioServerParameters:
        """What a client starts."""
        program, *arguments = command("wrap", *options, "--", *_SERVER)
        return StdioServerParameters(command=program, args=arguments, env=self.environ, cwd=ROOT)

    async def remit(self, *arguments: str) -> str:
        """The output of another command at the same home."""
        ended = await asyncio.to_thread(
            subprocess.run, command(*arguments), env=self.environ, cwd=ROOT, capture_output=True, text=True, check=False
        )
        return ended.stdout

    @property
    def erased(self) -> list[str]:
        """What the server has erased."""
        return self.book.read_text(encoding="utf-8").splitlines() if self.book.exists() else []


@pytest.fixture
def wrapped(tmp_path: Path) -> Wrapped:
    return Wrapped(tmp_path)


@pytest.mark.process
@pytest.mark.parametrize("mode", MODES)
async def test_without_enforcing_everything_passes_and_calls_are_on_record(mode: Any, wrapped: Wrapped) -> None:
    told = list[tuple[float, float | None, str | None]]()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with Client(wrapped.parameters(), mode=mode) as client:
        assert [each.name for each in (await client.list_tools()).tools] == ["look", "erase", "fail", "walk"]
        looked = await client.call_tool("look", {"text": "about"})
        assert looked.structured_content == {"result": "about is there"}
        assert (await client.call_tool("erase", {"text": "about"})).is_error is False
        assert (await client.call_tool("fail", {"text": "about"})).is_error is True
        assert (await client.call_tool("walk", {}, progress_callback=on_progress)).is_error is False
        (message,) = (await client.get_prompt("greet", {"name": "Ada"})).messages
        assert message.content == types.TextContent(type="text", text="Greet Ada.")
        (content,) = (await client.read_resource("echo://about")).contents
        assert isinstance(content, types.TextResourceContents)
        assert content.text == "An echo."
    assert (wrapped.erased, told) == (["about"], [(1.0, 2.0, "half")])
    assert "echo-py" in await wrapped.remit("runs")


@pytest.mark.process
@pytest.mark.parametrize("mode", MODES)
async def test_a_call_waits_for_a_person_past_the_end_of_the_process(mode: Any, wrapped: Wrapped) -> None:
    parameters = wrapped.parameters("--enforce", "--pure", "look", "--hold", "0")
    async with Client(parameters, mode=mode) as client:
        assert (await client.call_tool("look", {"text": "about"})).is_error is False
        waiting = await client.call_tool("erase", {"text": "about"})
    assert waiting.structured_content is not None
    (question,) = waiting.structured_content["questions"]
    await wrapped.remit("approvals", "approve", question)
    assert wrapped.erased == []
    async with Client(parameters, mode=mode) as client:
        done = await client.call_tool("erase", {"text": "about"})
    assert (done.is_error, done.structured_content) == (False, {"result": "erased about"})
    assert wrapped.erased == ["about"]
