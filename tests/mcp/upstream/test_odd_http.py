"""What a server behind an address may send: each answer ends one request, and says whether it was carried out."""

from __future__ import annotations

import asyncio
import base64

import pytest

from remit.errors import DeniedError, ExternalError, LostAnswerError, RateLimitedError, SetupError
from remit.mcp.peers import REVISION, SESSION_REVISIONS
from remit.mcp.upstream.connection import Hooks
from remit.mcp.upstream.http import HttpTransport
from remit.mcp.upstream.upstream import Upstream
from remit.mcp.wire import ProtocolError, Result
from remit.secrets import Secret
from tests.mcp.upstream.kit import (
    Params,
    Received,
    answer_discovery,
    behind,
    frame,
    respond,
    result_for,
    scripted,
    stream,
)

TEXT: Params = {"content": [{"type": "text", "text": "done"}]}
CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"


async def _call(server: Upstream, **arguments: object) -> Result:
    return await server.call_tool("act", arguments)


@pytest.mark.parametrize(
    ("response", "error", "message"),
    [
        (respond(None, 503), LostAnswerError, "status 503; the request may have been carried out"),
        (respond(None, 401), DeniedError, "refuses the credentials"),
        (respond(None, 403), DeniedError, "refuses the credentials"),
        (respond(None, 429), RateLimitedError, "limits the rate"),
        (
            respond(None, 302, location="http://elsewhere.example/"),
            ExternalError,
            "refused the request with the status 302",
        ),
        (respond(None, 200), LostAnswerError, "without an answer"),
        (respond(None, 200, "text/html"), LostAnswerError, "without an answer"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{", LostAnswerError, "ends in the middle"),
        (b"this is not HTTP\r\n\r\n", LostAnswerError, "gave no response"),
        (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: -5\r\n\r\n",
            LostAnswerError,
            "ends in",
        ),
        (CHUNKED + b"zz\r\n", LostAnswerError, "ends in the middle"),
        (b"", LostAnswerError, "gave no response"),
        (
            stream(frame({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})),
            LostAnswerError,
            "without",
        ),
        (stream("data: " + "x" * 5_000_000 + "\n\n"), LostAnswerError, "longer than"),
        (respond({"jsonrpc": "2.0", "x": "y" * 5_000_000}), LostAnswerError, "longer than"),
    ],
)
async def test_a_response_without_an_answer_says_whether_the_call_may_have_happened(
    response: bytes, error: type[Exception], message: str
) -> None:
    def script(received: Received) -> bytes:
        return respond(answer_discovery(received)) if received.method == "server/discover" else response

    async with scripted(script) as port, behind(port) as server:
        with pytest.raises(error, match=message) as raised:
            await _call(server)
        assert isinstance(raised.value, LostAnswerError) == (error is LostAnswerError)


async def test_a_server_that_is_away_was_sent_nothing() -> None:
    async with scripted(lambda received: respond(answer_discovery(received))) as port:
        pass
    async with behind(port) as server:
        with pytest.raises(ExternalError, match="the MCP server files: it cannot be reached") as raised:
            await _call(server)
    assert not isinstance(raised.value, LostAnswerError)


async def test_headers_say_what_the_body_says_and_carry_the_credentials() -> None:
    seen = dict[str, Received]()

    def script(received: Received) -> bytes:
        seen[received.method] = received
        if received.method == "server/discover":
            return respond(answer_discovery(received))
        schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
        bad = {"type": "object", "properties": {"n": {"type": "number", "x-mcp-header": "N"}}}
        if received.method == "tools/list":
            tools = [{"name": "ändern", "inputSchema": schema}, {"name": "bad", "inputSchema": bad}, {"no": "name"}]
            return respond(result_for(received, {"tools": tools}))
        return respond(result_for(received, TEXT))

    credentials = {"Authorization": Secret("env:TOKEN", "Bearer canary")}
    async with scripted(script) as port, behind(port, headers=credentials) as server:
        assert [each["name"] for each in await server.list_tools()] == ["ändern"]
        await server.call_tool("ändern", {"region": "eu"})
    call = seen["tools/call"]
    assert call.headers["mcp-protocol-version"] == REVISION
    assert call.headers["mcp-method"] == "tools/call"
    encoded = call.headers["mcp-name"].removeprefix("=?base64?").removesuffix("?=")
    assert base64.b64decode(encoded).decode() == "ändern"
    assert call.headers["mcp-param-region"] == "eu"
    assert call.headers["authorization"] == "Bearer canary"
    assert call.message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == REVISION


async def test_credentials_are_in_no_error() -> None:
    async with scripted(lambda _received: respond(None, 401)) as port:
        secret = Secret("env:TOKEN", "Bearer canary")
        async with behind(port, headers={"authorization": secret}) as server:
            with pytest.raises((DeniedError, ExternalError)) as raised:
                await _call(server)
        assert "canary" not in repr(raised.value)


def _with_session(received: Received, answer: bytes) -> bytes:
    if received.method == "initialize":
        told: Params = {"protocolVersion": SESSION_REVISIONS[0], "capabilities": {}}
        return respond(result_for(received, told), mcp_session_id=f"s{received.message['id']}")
    if received.method == "server/discover":
        return respond(None, 400)
    return respond(None, 202) if "id" not in received.message else answer


async def test_a_session_is_kept_and_begun_again_when_the_server_has_forgotten_it() -> None:
    sessions = list[str]()

    def script(received: Received) -> bytes:
        if received.method != "tools/call":
            return _with_session(received, b"")
        sessions.append(received.headers["mcp-session-id"])
        return respond(None, 404) if len(sessions) == 2 else respond(result_for(received, TEXT))

    async with scripted(script) as port, behind(port) as server:
        for _ in range(3):
            assert await _call(server) == TEXT
    assert len(sessions) == 4
    assert sessions[0] == sessions[1]


async def test_a_stream_that_breaks_off_is_joined_again_at_its_last_event() -> None:
    joined = list[str]()

    def script(received: Received) -> bytes:
        if received.verb == "GET":
            joined.append(received.headers["last-event-id"])
            return stream(frame({"jsonrpc": "2.0", "id": calls[0], "result": TEXT}, id="e2"))
        if received.method == "tools/call":
            calls.append(received.message["id"])
            return stream("id: e1\nretry: 1\ndata:\n\n")
        return _with_session(received, b"")

    calls = list[int]()
    async with scripted(script) as port, behind(port) as server:
        assert await _call(server) == TEXT
    assert joined == ["e1"]


async def test_a_question_in_a_stream_is_answered_by_a_request_of_its_own() -> None:
    answered = asyncio.Event()

    async def script(received: Received) -> bytes:
        if received.method == "tools/call":
            asked = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {"message": "Sure?"}}
            return stream(
                frame(asked),
                frame({"jsonrpc": "2.0", "id": "r", "method": "roots/list"}),
                frame(await _later(received)),
            )
        if received.message.get("id") == "q" and "result" in received.message:
            assert received.message["result"] == {"action": "decline"}
            answered.set()
        return _with_session(received, respond(None, 202))

    async def _later(received: Received) -> Params:
        return result_for(received, TEXT)

    async def decline(_method: str, _params: Result) -> Result:
        return {"action": "decline"}

    hooks = Hooks(capabilities={"elicitation": {"form": {}}}, answer=decline)
    async with scripted(script) as port, behind(port, hooks=hooks) as server:
        assert await _call(server) == TEXT
        await answered.wait()


async def test_pages_are_joined_and_those_without_end_are_refused() -> None:
    def script(received: Received) -> bytes:
        if received.method == "server/discover":
            return respond(answer_discovery(received))
        cursor = received.message["params"].get("cursor", "0")
        following = {"nextCursor": str(int(cursor) + 1)} if loops or cursor < "2" else {}
        return respond(result_for(received, {"tools": [{"name": f"t{cursor}", "inputSchema": {}}], **following}))

    loops = False
    async with scripted(script) as port, behind(port) as server:
        assert [each["name"] for each in await server.list_tools()] == ["t0", "t1", "t2"]
        loops = True
        with pytest.raises(ProtocolError, match="does not end"):
            await server.list_tools()


async def test_a_server_that_asks_for_ever_gives_no_result() -> None:
    def script(received: Received) -> bytes:
        if received.method == "server/discover":
            return respond(answer_discovery(received))
        asked: Params = {"q": {"method": "roots/list", "params": {}}}
        return respond(
            result_for(received, {"resultType": "input_required", "inputRequests": asked, "requestState": "s"})
        )

    async def answer(_method: str, _params: Result) -> Result:
        return {"roots": []}

    async with scripted(script) as port, behind(port, hooks=Hooks(capabilities={"roots": {}}, answer=answer)) as server:
        with pytest.raises(ProtocolError, match="asked 10 times"):
            await _call(server)


@pytest.mark.parametrize(
    "url", ["ftp://host/", "http://", "http://user:pw@host/", "http://host:x/", "http://ho st/", "file:///x"]
)
def test_an_address_that_is_none_of_http_is_refused(url: str) -> None:
    with pytest.raises(SetupError):
        HttpTransport("files", url)


def test_the_address_that_is_shown_has_no_query() -> None:
    assert HttpTransport("files", "https://Host.example:8443/mcp?key=canary").address == "https://host.example:8443/mcp"
