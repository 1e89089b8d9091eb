"""Servers of the official SDK, over both transports, in both kinds of revisions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit.mcp.upstream.connection import Hooks
from remit.mcp.upstream.upstream import Upstream
from remit.mcp.wire import Result
from tests.mcp.upstream.kit import BOTH, OFFICIAL, behind, child, official_http

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.parametrize("revision", BOTH)]

_NAMES = {"add", "erase", "fail", "picture", "count", "wait", "confirm"}


async def _answer(method: str, params: Result) -> Result:
    """The answer of a person who is sure."""
    assert (method, params["message"]) == ("elicitation/create", "Are you sure?")
    return {"action": "accept", "content": {"sure": True}}


HOOKS = Hooks(capabilities={"elicitation": {"form": {}}}, answer=_answer)


async def _check_all(server: Upstream, revision: str) -> None:
    """Tools are listed and called, also in parallel; progress, questions and cancelled calls find their way."""
    facts = await server.facts()
    assert (facts.revision, facts.instructions, facts.info["name"]) == (
        revision,
        "Use these tools with care.",
        "official",
    )
    tools = {each["name"]: each for each in await server.list_tools()}
    assert {*tools} == _NAMES
    assert tools["erase"]["annotations"]["destructiveHint"] is True
    assert (await server.call_tool("fail", {}))["isError"] is True
    assert (await server.call_tool("picture", {}))["content"][0]["mimeType"] == "image/png"

    sums = await asyncio.gather(*(server.call_tool("add", {"a": each, "b": 1}) for each in range(20)))
    assert [each["structuredContent"]["sum"] for each in sums] == [*range(1, 21)]

    told = list[Any]()
    counted = await server.call_tool("count", {"to": 3}, on_progress=lambda each: told.append(each["progress"]))
    assert (counted["content"][0]["text"], told) == ("counted to 3", [1, 2, 3])

    assert (await server.call_tool("confirm", {}))["content"][0]["text"] == "sure: True"

    waiting = asyncio.create_task(server.call_tool("wait", {"seconds": 600}))
    await server.call_tool("add", {"a": 1, "b": 2})
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await server.call_tool("add", {"a": 2, "b": 2}))["structuredContent"] == {"sum": 4}


async def test_an_official_server_is_used_over_stdio(revision: str) -> None:
    async with child(OFFICIAL, revision, HOOKS) as server:
        await _check_all(server, revision)


async def test_an_official_server_is_used_over_http(revision: str) -> None:
    async with official_http() as port, behind(port, revision, HOOKS) as server:
        await _check_all(server, revision)
