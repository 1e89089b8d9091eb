"""A process that misbehaves ends one call, and never the application."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Final

import pytest

from remit.errors import ExternalError, LostAnswerError
from remit.mcp.upstream.upstream import Upstream
from remit.mcp.wire import ProtocolError
from remit.secrets import Secret
from tests.mcp.upstream.kit import BOTH, ODD, child

pytestmark = pytest.mark.process

MOST: Final = 100_000


async def _text(server: Upstream, name: str, **arguments: object) -> str:
    return (await server.call_tool(name, arguments))["content"][0]["text"]


@pytest.mark.parametrize("era", ["new", "old"])
async def test_the_revision_is_found_out(era: str) -> None:
    async with child((*ODD, era)) as server:
        facts = await server.facts()
        assert facts.revision == BOTH[0 if era == "new" else 1]
        assert facts.instructions == "Be odd."


async def test_garbage_is_passed_over() -> None:
    async with child(ODD) as server:
        assert await _text(server, "garble") == "still here"
        assert await _text(server, "mixed") == "in a list"
        assert await _text(server, "wrong") == "an id as text"
        assert await _text(server, "pair") == "first"
        assert await _text(server, "answer", a=1) == 'answer: {"a": 1}'


@pytest.mark.parametrize(("name", "why"), [("none", "no object"), ("nested", "cannot be read")])
async def test_a_result_that_is_no_object_is_an_error(name: str, why: str) -> None:
    async with child(ODD) as server:
        with pytest.raises(ProtocolError, match=why):
            await server.call_tool(name, {})
        assert await _text(server, "answer")


async def test_an_answer_that_is_too_long_is_dropped_and_the_next_one_is_read() -> None:
    async with child(ODD, most_bytes=MOST) as server:
        with pytest.raises(ProtocolError, match="longer than 100000 bytes"):
            await server.call_tool("large", {"chars": 3 * MOST})
        assert len(await _text(server, "large", chars=MOST // 2)) == MOST // 2


async def test_a_server_that_dies_loses_the_answers_of_its_calls_and_is_started_again() -> None:
    async with child(ODD) as server:
        await server.facts()
        lingering = asyncio.create_task(server.call_tool("answer", {}))
        with pytest.raises(LostAnswerError, match="files is gone: it ended with status 3, and wrote: out of memory"):
            await server.call_tool("die", {})
        await asyncio.gather(lingering, return_exceptions=True)
        assert await _text(server, "answer", again=True) == 'answer: {"again": true}'


async def test_a_command_that_is_missing_fails_by_name_and_is_not_tried_at_once_again() -> None:
    async with child(("/nowhere/server",)) as server:
        with pytest.raises(ExternalError, match="the MCP server files cannot be started: No such file"):
            await server.list_tools()
        with pytest.raises(ExternalError, match="it is tried again in"):
            await server.list_tools()


async def test_a_command_that_is_no_server_fails_with_what_it_wrote() -> None:
    async with child((sys.executable, "-c", "raise SystemExit('no such database')")) as server:
        with pytest.raises(ExternalError, match="it ended with status 1, and wrote: no such database"):
            await server.list_tools()


async def test_closing_ends_what_the_server_has_started_too() -> None:
    async with child(ODD) as server:
        left = int(await _text(server, "child"))
    while _runs(left):  # noqa: ASYNC110 - a process of its own, which this one is not told about
        await asyncio.sleep(0.01)


def _runs(process: int) -> bool:
    """Whether a process has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_closing_ends_a_server_that_does_not_end_by_itself_and_its_calls() -> None:
    async with child(ODD) as server:
        await server.facts()
        lingering = asyncio.create_task(server.call_tool("linger", {}))
        await asyncio.sleep(0)
    with pytest.raises((LostAnswerError, ExternalError)):
        await lingering


async def test_a_server_gets_the_given_variables_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    program = (
        "import json,os,sys\n"
        "for line in sys.stdin:\n"
        " m = json.loads(line)\n"
        " if m.get('id'): print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': {'supportedVersions':"
        " ['2026-07-28'], 'instructions': json.dumps(dict(os.environ))}}), flush=True)"
    )
    given = {"TOKEN": Secret("env:TOKEN", "canary-one")}
    async with child((sys.executable, "-c", program), env=given) as server:
        seen = (await server.facts()).instructions
    assert "canary-one" in seen
    assert "sk-secret" not in seen
