"""``/mcp``: MCP over streamable HTTP, one message a request."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
from collections.abc import AsyncGenerator
from typing import Any, Final
from urllib.parse import quote

from msgspec import UNSET, UnsetType, field, structs
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from remit.client.client import Client
from remit.mcp.peers import REVISION, SESSION_REVISIONS, Asked, Peer, read_peer, refuse_revision
from remit.mcp.server import McpServer, Sender
from remit.mcp.sessions import Sessions
from remit.mcp.settings import McpSettings
from remit.mcp.state_signer import ForeignStateError
from remit.mcp.wire import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Ident,
    Message,
    ProtocolError,
    Result,
    read_message,
    read_params,
    write_error,
    write_request,
    write_result,
)
from remit.server.responses import JSON
from remit.server.serving import Serving
from remit.server.sse import EVENT_STREAM

SESSION_HEADER: Final = "mcp-session-id"
REVISION_HEADER: Final = "mcp-protocol-version"
_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_OF_A_TASK: Final = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})
_ENCODED_START, _ENCODED_END = "=?base64?", "?="


class _Named(Asked, kw_only=True):
    """The parameters that a header repeats."""

    name: str | UnsetType = UNSET
    uri: str | UnsetType = UNSET
    task: str | UnsetType = field(default=UNSET, name="taskId")


def mcp_route(serving: Serving, settings: McpSettings) -> Route:
    """The route ``/mcp``."""
    endpoint = _Endpoint(serving, McpServer(serving.runtime, settings))
    return Route("/mcp", endpoint.answer, methods=["POST"], name="mcp")


class _Endpoint:
    """Answers one message a request. A client is known by its token or session cookie, as everywhere."""

    def __init__(self, serving: Serving, server: McpServer) -> None:
        self._serving, self._server = serving, server
        self._sessions = Sessions(server)

    async def answer(self, request: Request) -> Response:
        """The response to a request."""
        client = await self._serving.client(request)
        content = await self._serving.read_body(request, self._serving.settings.body_bytes)
        ident: Ident | None = None
        try:
            message = read_message(content)
            ident = None if message.id is UNSET else message.id
            revision = request.headers.get(REVISION_HEADER, "")
            if message.method == "initialize" and ident is not None and revision != REVISION:
                peer, result = await self._sessions.begin(message.params)
                headers = {SESSION_HEADER: self._sessions.name(client, peer)}
                return Response(write_result(ident, result), media_type=JSON, headers=headers)
            if revision in SESSION_REVISIONS:
                return await self._answer_in_session(request, client, message)
            return await self._answer_alone(request, client, message)
        except ProtocolError as error:
            return _refuse(ident, error)

    async def _answer_in_session(self, request: Request, client: Client, message: Message) -> Response:
        """The response to a message of a session, of whose requests some are answered by a stream."""
        try:
            peer = self._sessions.find(client, request.headers.get(SESSION_HEADER, ""))
        except ForeignStateError:
            error = ProtocolError(INVALID_REQUEST, "there is no such session; begin one with initialize")
            return _refuse(None, error, 404)
        if message.method is UNSET:
            await self._sessions.take_answer(client, message)
        if message.method is UNSET or message.id is UNSET:
            return Response(status_code=202)
        frames = asyncio.Queue[bytes]()

        def send(question: str, params: Result) -> None:
            ident = self._sessions.name_request(client, question, params)
            frames.put_nowait(_frame(write_request(ident, "elicitation/create", params)))

        sender = structs.replace(self._sender(request, client, peer), send=send)
        work = asyncio.create_task(self._work(sender, message.id, message.method, message))
        first = asyncio.create_task(frames.get())
        await self._attend(request, work, first)
        if work.done() and frames.empty() and not first.done():
            first.cancel()
            return Response(work.result(), media_type=JSON, headers=_HEADERS)
        stream = _stream(first, frames, work, self._serving.stopping)
        return StreamingResponse(stream, media_type=EVENT_STREAM, headers=_HEADERS)

    async def _answer_alone(self, request: Request, client: Client, message: Message) -> Response:
        """The response to a message that says itself who sends it."""
        asked = read_params(message.params, _Named)
        _check_revision(request.headers.get(REVISION_HEADER, ""), asked)
        if message.method is UNSET:
            raise ProtocolError(INVALID_REQUEST, f"a client of revision {REVISION} sends no responses")
        if message.id is UNSET:
            return Response(status_code=202)
        if message.method == "initialize":
            raise ProtocolError(METHOD_NOT_FOUND, f"revision {REVISION} has no initialize")
        peer = read_peer(asked.meta)
        _check_headers(request, message.method, asked)
        sender = self._sender(request, client, peer)
        work = asyncio.create_task(self._server.answer(sender, message.method, message.params))
        await self._attend(request, work)
        return Response(write_result(message.id, work.result()), media_type=JSON, headers=_HEADERS)

    def _sender(self, request: Request, client: Client, peer: Peer) -> Sender:
        base = str(request.base_url).rstrip("/")
        return Sender(
            client=client,
            peer=peer,
            target=request.query_params.get("target", ""),
            page=lambda question: f"{base}/approvals/{quote(question, safe='')}",
        )

    async def _work(self, sender: Sender, ident: Ident, method: str, message: Message) -> bytes:
        """The response to a request of a session, which has the status 200 whatever came of it."""
        try:
            return write_result(ident, await self._server.answer(sender, method, message.params))
        except ProtocolError as error:
            return write_error(ident, error)

    async def _attend(
        self, request: Request, work: asyncio.Task[object], first: asyncio.Task[bytes] | None = None
    ) -> None:
        """Wait for the work, or for its first message, as long as the client does and the server does not stop.

        A client that has left has not read the result: the work ends, and the next same call has it.

        Raises:
            ProtocolError: the server stops.
        """
        leaving = asyncio.create_task(_wait_until_left(request))
        stopping = asyncio.create_task(self._serving.stopping.wait())
        waited: set[asyncio.Task[object]] = {work, leaving, stopping}
        if first is not None:
            waited.add(first)
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if work.done() or (first is not None and first.done()):
                return
            await _end(work, first)
            raise ProtocolError(INTERNAL_ERROR, "the server stops; make the same request again")
        except asyncio.CancelledError:
            await _end(work, first)
            raise
        finally:
            await _end(leaving, stopping)


async def _stream(
    first: asyncio.Task[bytes],
    frames: asyncio.Queue[bytes],
    work: asyncio.Task[bytes],
    stopping: asyncio.Event,
) -> AsyncGenerator[bytes]:
    """The messages to the client, and the response as the last one, unless the server stops."""
    stop = asyncio.create_task(stopping.wait())
    try:
        while True:
            waited: set[asyncio.Task[Any]] = {first, work, stop}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if stop.done():
                return
            if first.done():
                yield first.result()
                first = asyncio.create_task(frames.get())
                continue
            await _end(first)
            while not frames.empty():
                yield frames.get_nowait()
            yield _frame(work.result())
            return
    finally:
        await _end(first, work, stop)


async def _end(*tasks: asyncio.Task[object] | None) -> None:
    """Cancel tasks, and wait until they have ended."""
    running = [each for each in tasks if each is not None]
    for each in running:
        each.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def _wait_until_left(request: Request) -> None:
    """Wait until the client has closed the connection. The body was read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _check_revision(revision: str, asked: _Named) -> None:
    """Refuse a request without a revision in its header, with another one than in its body, or with an unknown one.

    Raises:
        ProtocolError: says which.
    """
    if not revision:
        raise ProtocolError(HEADER_MISMATCH, f"the header {REVISION_HEADER} is missing")
    if asked.meta.revision not in (UNSET, revision):
        raise ProtocolError(HEADER_MISMATCH, f"the header {REVISION_HEADER} does not say what the body says")
    if revision != REVISION:
        raise refuse_revision(revision[:100])


def _check_headers(request: Request, method: str, asked: _Named) -> None:
    """Refuse headers that say something else than the body, by which something before the server may have judged.

    Raises:
        ProtocolError: names the header.
    """
    named = {"tools/call": asked.name, "resources/read": asked.uri}
    name = asked.task if method in _OF_A_TASK else named.get(method, UNSET)
    expected = {"mcp-method": method} if name is UNSET else {"mcp-method": method, "mcp-name": name}
    for header, value in expected.items():
        if _decode(request.headers.get(header, "")) != value:
            raise ProtocolError(HEADER_MISMATCH, f"the header {header} does not say what the body says")


def _decode(value: str) -> str | None:
    """The value of a header, which is encoded where it has other characters than headers may have."""
    if not (value.startswith(_ENCODED_START) and value.endswith(_ENCODED_END)):
        return value
    with contextlib.suppress(binascii.Error, ValueError):
        return base64.b64decode(value[len(_ENCODED_START) : -len(_ENCODED_END)], validate=True).decode()
    return None


def _refuse(ident: Ident | None, error: ProtocolError, status: int = 0) -> Response:
    """The response with an error, whose status tells a client of which revision the server is."""
    known = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 500}
    return Response(write_error(ident, error), status or known.get(error.code, 400), media_type=JSON, headers=_HEADERS)


def _frame(content: bytes) -> bytes:
    return b"event: message\ndata: %b\n\n" % content
