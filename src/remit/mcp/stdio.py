"""The transport over a pair of streams: one message a line, in any order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Final

from msgspec import UNSET, Raw, Struct, UnsetType, field

from remit.client.client import Client
from remit.mcp.peers import Asked, Peer, read_peer
from remit.mcp.server import McpServer, Sender
from remit.mcp.sessions import Sessions
from remit.mcp.wire import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Ident,
    ProtocolError,
    Result,
    read_message,
    read_params,
    write_error,
    write_notification,
    write_request,
    write_result,
)

_LOG: Final = logging.getLogger("remit.mcp")
_MOST_REQUESTS: Final = 100
"""The most requests that are answered at once."""

Write = Callable[[bytes], Coroutine[object, object, None]]
"""Writes one message."""


class Cancelled(Struct, kw_only=True):
    """The notification that the client no longer waits for a request."""

    request: Ident | UnsetType = field(default=UNSET, name="requestId")


class Connection:
    """One client at the other end of two streams, who acts as one principal.

    Args:
        server: answers its requests.
        client: the client of the principal.
        write: writes a message to it.
        target: the target of its calls.
        page: gives the address of the page of a question, empty without one.
    """

    def __init__(
        self, server: McpServer, client: Client, write: Write, *, target: str = "", page: Callable[[str], str]
    ) -> None:
        self._server, self._client, self._write = server, client, write
        self._target, self._page = target, page
        self._sessions = Sessions(server)
        self._peer: Peer | None = None
        self._tasks = dict[Ident, asyncio.Task[None]]()
        self._sending = set[asyncio.Task[None]]()
        server.connect(self._write_aside)

    async def serve(self, lines: AsyncIterator[bytes]) -> None:
        """Answer messages until the lines end. A call that has begun goes on by itself, and the same call joins it."""
        try:
            async for line in lines:
                if line.strip():
                    await self._take(line)
        finally:
            tasks = [*self._tasks.values(), *self._sending]
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self, line: bytes) -> None:
        try:
            message = read_message(line)
        except ProtocolError as error:
            await self._write(write_error(None, error))
            return
        ident, method = message.id, message.method
        if method is UNSET:
            with contextlib.suppress(ProtocolError):  # an answer has no answer
                if not self._server.take_response(message):
                    await self._sessions.take_answer(self._client, message)
        elif ident is UNSET:
            self._take_notification(method, message.params)
            await self._server.take_notification(method, message.params)
        elif ident in self._tasks or len(self._tasks) >= _MOST_REQUESTS:
            why = "a request with this id is being answered" if ident in self._tasks else "too many requests at once"
            await self._write(write_error(ident, ProtocolError(INVALID_REQUEST, why)))
        else:
            task = self._tasks[ident] = asyncio.create_task(self._answer(ident, method, message.params))
            task.add_done_callback(lambda _task: self._tasks.pop(ident, None))

    def _take_notification(self, method: str, params: Raw) -> None:
        """Stop waiting for a request that was cancelled. All other notifications change nothing."""
        if method != "notifications/cancelled":
            return
        with contextlib.suppress(ProtocolError):
            ident = read_params(params, Cancelled).request
            if ident is not UNSET and (task := self._tasks.get(ident)):
                task.cancel()

    async def _answer(self, ident: Ident, method: str, params: Raw) -> None:
        try:
            response = write_result(ident, await self._find_result(method, params))
        except ProtocolError as error:
            response = write_error(ident, error)
        except Exception:  # noqa: BLE001 - whatever it is, the client learns nothing of it, and the others go on
            _LOG.exception("a request failed")
            response = write_error(ident, ProtocolError(INTERNAL_ERROR, "the server met an error; its log says which"))
        await self._write(response)

    async def _find_result(self, method: str, params: Raw) -> Result:
        if method == "initialize":
            self._peer, result = await self._sessions.begin(params)
            return result
        meta = read_params(params, Asked).meta
        peer = self._peer if self._peer is not None and meta.revision is UNSET else read_peer(meta)
        sender = Sender(
            client=self._client, peer=peer, target=self._target, page=self._page, send=self._send, tell=self._tell
        )
        return await self._server.answer(sender, method, params)

    def _send(self, question: str, params: Result) -> None:
        """Ask the client about a question."""
        ident = self._sessions.name_request(self._client, question, params)
        self._write_aside(write_request(ident, "elicitation/create", params))

    def _tell(self, method: str, params: Result) -> None:
        """Send a notification."""
        self._write_aside(write_notification(method, params))

    def _write_aside(self, content: bytes) -> None:
        task = asyncio.create_task(self._write(content))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
