"""One message a line: requests at once, cancelled, forged and too many."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any, Self

import pytest

from remit.mcp.peers import REVISION, SESSION_REVISIONS
from remit.mcp.stdio import Connection
from tests.mcp.kit import ADA, Desk

pytestmark = pytest.mark.looptime
_CALL = {"name": "erase", "arguments": {"text": "about"}}


class _Pipe:
    """A client at the other end of a connection."""

    def __init__(self, desk: Desk, **settings: Any) -> None:
        self._lines = asyncio.Queue[bytes]()
        self.received = asyncio.Queue[dict[str, Any]]()
        server = desk.process(**settings)
        connection = Connection(server, server.runtime.client(ADA), self._write, page=lambda _question: "")
        self._serving = asyncio.create_task(connection.serve(self._read()))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._lines.put_nowait(b"")
        await self._serving

    async def _write(self, content: bytes) -> None:
        assert b"\n" not in content
        self.received.put_nowait(json.loads(content))

    async def _read(self) -> AsyncGenerator[bytes]:
        while line := await self._lines.get():
            yield line

    def send(self, message: dict[str, Any] | bytes) -> None:
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._lines.put_nowait(content + b"\n")

    def request(self, ident: Any, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params or {}})

    async def begin(self, **capabilities: Any) -> None:
        self.request(0, "initialize", {"protocolVersion": SESSION_REVISIONS[0], "capabilities": capabilities})
        assert (await self.received.get())["result"]["protocolVersion"] == SESSION_REVISIONS[0]


async def test_a_request_without_a_session_says_who_sends_it() -> None:
    async with _Pipe(Desk()) as pipe:
        pipe.request(1, "tools/list")
        assert (await pipe.received.get())["error"]["code"] == -32602
        await pipe.begin()
        pipe.request(2, "tools/list")
        assert "resultType" not in (await pipe.received.get())["result"]
        meta: dict[str, Any] = {"protocolVersion": REVISION, "clientCapabilities": {}}
        pipe.request(3, "tools/list", {"_meta": {f"io.modelcontextprotocol/{name}": meta[name] for name in meta}})
        assert (await pipe.received.get())["result"]["resultType"] == "complete"


async def test_requests_are_answered_while_another_one_is_held() -> None:
    async with _Pipe(Desk()) as pipe:
        await pipe.begin()
        pipe.request("held", "tools/call", _CALL)
        pipe.request("quick", "tools/call", {"name": "look", "arguments": {"text": "a"}})
        answers = [await pipe.received.get() for _ in range(2)]
    assert [each["id"] for each in answers] == ["quick", "held"]


async def test_a_cancelled_request_is_not_answered_and_its_call_waits_for_the_same_call() -> None:
    desk = Desk()
    async with _Pipe(desk) as pipe:
        await pipe.begin()
        pipe.request("held", "tools/call", _CALL)
        question = await desk.next_question()
        for ident in ("held", "other", None):
            pipe.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}})
        await desk.client().decide(question, approved=True)
        await asyncio.sleep(60)
        assert (pipe.received.empty(), desk.erased) == (True, [])
        pipe.request("again", "tools/call", _CALL)
        assert (await pipe.received.get())["result"]["structuredContent"] == {"erased": "about"}


async def test_an_end_of_the_lines_ends_held_requests_and_no_call() -> None:
    desk = Desk()
    async with _Pipe(desk) as pipe:
        await pipe.begin()
        pipe.request("held", "tools/call", _CALL)
        question = await desk.next_question()
    await desk.client().decide(question, approved=True)
    async with _Pipe(desk) as pipe:
        await pipe.begin()
        pipe.request("again", "tools/call", _CALL)
        assert (await pipe.received.get())["result"]["structuredContent"] == {"erased": "about"}
    assert desk.erased == ["about"]


async def test_a_form_is_answered_by_a_response_to_the_servers_own_request() -> None:
    desk = Desk("confirm")
    async with _Pipe(desk) as pipe:
        await pipe.begin(elicitation={})
        pipe.request("call", "tools/call", _CALL)
        asked = await pipe.received.get()
        for ident in ("forged", 7):
            pipe.send({"jsonrpc": "2.0", "id": ident, "result": {"action": "accept", "content": {"approve": True}}})
        pipe.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 1, "message": "no"}})
        await asyncio.sleep(1)
        assert desk.erased == []
        pipe.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"approve": True}}})
        assert (await pipe.received.get())["result"]["structuredContent"] == {"erased": "about"}


async def test_what_is_no_message_is_refused_and_the_others_go_on() -> None:
    async with _Pipe(Desk()) as pipe:
        await pipe.begin()
        for line in (b"{", b"[]", b'{"jsonrpc":"2.0"}'):
            pipe.send(line)
            assert (await pipe.received.get())["id"] is None
        pipe.send(b"  ")
        pipe.request(1, "ping")
        assert (await pipe.received.get())["result"] == {}


async def test_an_id_is_used_once_at_a_time_and_requests_at_once_are_limited() -> None:
    async with _Pipe(Desk()) as pipe:
        await pipe.begin()
        for ident in [*range(100), 0, 100]:
            pipe.request(ident, "tools/call", {"name": "erase", "arguments": {"text": str(ident)}})
        refused = [await pipe.received.get() for _ in range(2)]
    assert [(each["id"], each["error"]["code"]) for each in refused] == [(0, -32600), (100, -32600)]
