"""A connection to an MCP server: requests in parallel, what the server asks in return, and how it begins."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final, cast

from msgspec import UNSET, Raw

from remit.chat.encoded_json import encode_json
from remit.errors import ExternalError, LostAnswerError
from remit.mcp.peers import META_CAPABILITIES, META_CLIENT, META_REVISION, REVISION, SERVER_INFO, SESSION_REVISIONS
from remit.mcp.upstream.http import SessionEndedError
from remit.mcp.upstream.incoming import Incoming, as_list, as_object, as_text, read_incoming, read_object, read_refusal
from remit.mcp.upstream.transport import Outgoing, Transport
from remit.mcp.wire import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_REVISION,
    Ident,
    ProtocolError,
    Result,
    write_error,
    write_request,
    write_result,
)

_LOG: Final = logging.getLogger("remit.mcp")
_BEGIN_SECONDS: Final = 60.0
_PROBE_SECONDS: Final = 5.0
_OLD_REVISIONS: Final = (*SESSION_REVISIONS, "2025-03-26", "2024-11-05")
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that a header repeats, by method."""

CLIENT_INFO: Final = {"name": "remit", "version": version("remit")}

OnProgress = Callable[[Result], None]
"""Takes the parameters of a progress notification."""

OnNotification = Callable[[str, Result], None]
"""Takes the method and the parameters of another notification."""

AnswerRequest = Callable[[str, Result], Awaitable[Result]]
"""Answers a request of a server by its method and parameters. Raises a `ProtocolError` to refuse it."""


async def refuse_request(method: str, _params: Result) -> Result:
    """Refuse a request of a server.

    Raises:
        ProtocolError: always.
    """
    raise ProtocolError(METHOD_NOT_FOUND, f"this client does not answer {method[:100]!r}")


def _ignore(_method: str, _params: Result) -> None:
    """Do nothing about a notification."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What a connection does about messages that a server sends by itself.

    ``capabilities`` are declared to the server, such as ``{"elicitation": {"form": {}}}`` with an ``answer``.
    """

    capabilities: Mapping[str, Any] = field(default_factory=dict[str, Any])
    answer: AnswerRequest = refuse_request
    notify: OnNotification = _ignore


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What a server says of itself when a connection begins."""

    revision: str
    capabilities: Mapping[str, Any] = field(default_factory=dict[str, Any])
    instructions: str = ""
    info: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def has_session(self) -> bool:
        """Whether its revision has sessions."""
        return self.revision != REVISION


class _Pending:
    """A request whose answer has not arrived."""

    __slots__ = ("answer", "on_progress")

    def __init__(self, on_progress: OnProgress | None) -> None:
        self.answer: asyncio.Future[Raw] = asyncio.get_running_loop().create_future()
        self.on_progress = on_progress


class Connection:
    """One connection, from its beginning to its end. It is not opened again.

    Args:
        name: the name of the server, for errors.
        transport: carries its messages.
        hooks: what to do about messages that the server sends by itself.
        newest: the newest revision that is spoken.
    """

    def __init__(self, name: str, transport: Transport, hooks: Hooks, newest: str = REVISION) -> None:
        self.name, self._transport, self._hooks, self._newest = name, transport, hooks, newest
        self.facts = ServerFacts(revision=REVISION)
        self.lost = ""
        """Why no more messages can arrive; empty as long as they can."""
        self._pending = dict[Ident, _Pending]()
        self._answering = dict[Ident, asyncio.Task[None]]()
        self._sending = set[asyncio.Task[None]]()
        self._next = 0

    async def open(self) -> None:
        """Begin: find out which revision the server speaks, and what it says of itself.

        Raises:
            ExternalError: it cannot be reached, or speaks another protocol.
        """
        try:
            await self._transport.open(self._take, self._lose)
            async with asyncio.timeout(_BEGIN_SECONDS):
                found = await self._discover(_PROBE_SECONDS) if self._newest == REVISION else None
                self.facts = found or await self._initialize()
        except TimeoutError as error:
            raise ExternalError(f"the MCP server {self.name} does not answer in {_BEGIN_SECONDS:.0f} s") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ExternalError(f"the MCP server {self.name} cannot be started: {reason}") from error
        except ProtocolError as error:
            raise ExternalError(f"the MCP server {self.name} refuses to begin: {error.message}") from error

    async def close(self) -> None:
        """End it. All requests that wait for an answer fail."""
        self._lose("the connection was closed")
        tasks = [*self._answering.values(), *self._sending]
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._transport.close()

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        headers: Mapping[str, str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Raw:
        """Send a request, and return its result as it arrived.

        If the caller is cancelled, the server is told.

        Raises:
            ProtocolError: the server answers with an error.
            ExternalError: it was not sent.
            LostAnswerError: it was sent, and its answer cannot arrive.
        """
        return await self._request(self.facts.revision, method, params, headers, on_progress)

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification.

        Raises:
            ExternalError: it was not sent.
        """
        content = encode_json({"jsonrpc": "2.0", "method": method, "params": params})
        await self._transport.send(Outgoing(content=content, method=method))

    async def _request(
        self,
        revision: str,
        method: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Raw:
        if self.lost:
            raise ExternalError(f"the MCP server {self.name} is gone: {self.lost}")
        self._next += 1
        ident = self._next
        pending = self._pending[ident] = _Pending(on_progress)
        message = Outgoing(
            content=write_request(ident, method, self._add_meta(revision, ident, params, on_progress)),
            method=method,
            name=str(params.get(_NAMED.get(method, ""), "")),
            headers=headers or {},
            has_answer=True,
            is_settled=pending.answer.done,
        )
        try:
            await self._transport.send(message)
            return await pending.answer
        except asyncio.CancelledError:
            if not pending.answer.done() and not self._transport.cancels_by_closing:
                cancelled = {"requestId": ident, "reason": "the caller was cancelled"}
                self._send_aside(self.notify("notifications/cancelled", cancelled))
            raise
        finally:
            pending.answer.cancel()
            self._pending.pop(ident, None)

    def _add_meta(
        self, revision: str, ident: int, params: Mapping[str, Any], on_progress: OnProgress | None
    ) -> dict[str, Any]:
        """The parameters with what the revision and the progress of a request need."""
        given: object = params.get("_meta")
        meta = dict(cast("dict[str, Any]", given)) if isinstance(given, dict) else {}
        if revision == REVISION:
            meta |= {
                META_REVISION: REVISION,
                META_CAPABILITIES: self._hooks.capabilities,
                META_CLIENT: CLIENT_INFO,
            }
        if on_progress is not None:
            meta["progressToken"] = ident
        return {**params, "_meta": meta} if meta else dict(params)

    async def _discover(self, seconds: float) -> ServerFacts | None:
        """What a server of `REVISION` says; None if it is none, or says nothing in time as some older ones."""
        headers = {"mcp-protocol-version": REVISION}
        try:
            async with asyncio.timeout(seconds):
                raw = await self._request(REVISION, "server/discover", {}, headers)
            told = read_object(raw)
        except (ProtocolError, TimeoutError) as error:
            if isinstance(error, ProtocolError) and not _may_have_sessions(error):
                raise
            return None
        except ExternalError:
            if self.lost:
                raise
            return None  # such as the status 400 without a message
        if REVISION not in as_list(told.get("supportedVersions")):
            return None
        self._transport.begin_session(REVISION)
        meta = as_object(told.get("_meta"))
        return ServerFacts(
            revision=REVISION,
            capabilities=as_object(told.get("capabilities")),
            instructions=as_text(told.get("instructions")),
            info=as_object(meta.get(SERVER_INFO)),
        )

    async def _initialize(self) -> ServerFacts:
        asked = {
            "protocolVersion": SESSION_REVISIONS[0],
            "capabilities": self._hooks.capabilities,
            "clientInfo": CLIENT_INFO,
        }
        try:
            told = read_object(await self._request(SESSION_REVISIONS[0], "initialize", asked))
        except ProtocolError as error:
            late = await self._discover(_BEGIN_SECONDS) if error.code == UNSUPPORTED_REVISION else None
            if late is None:
                raise
            return late  # it began slowly, and has understood the first request meanwhile
        revision = as_text(told.get("protocolVersion"))
        if revision not in _OLD_REVISIONS:
            raise ProtocolError(UNSUPPORTED_REVISION, f"it speaks revision {revision[:100]!r}")
        self._transport.begin_session(revision)
        await self.notify("notifications/initialized", {})
        return ServerFacts(
            revision=revision,
            capabilities=as_object(told.get("capabilities")),
            instructions=as_text(told.get("instructions")),
            info=as_object(told.get("serverInfo")),
        )

    def _take(self, content: bytes) -> None:
        """Take what arrived. What is no message, and answers to no request, are left out."""
        for message in read_incoming(content):
            if message.method is None:
                self._settle(message)
            elif message.id is None or isinstance(message.id, float):
                self._take_notification(message.method, message.params)
            else:
                task = asyncio.create_task(self._answer(message.id, message.method, message.params))
                self._answering[message.id] = task
                task.add_done_callback(lambda _task, ident=message.id: self._answering.pop(ident, None))

    def _settle(self, message: Incoming) -> None:
        ident = int(message.id) if isinstance(message.id, str) and message.id.isdigit() else message.id
        pending = self._pending.get(cast("Ident", ident))
        if pending is None or pending.answer.done():
            return
        if message.error is not UNSET and message.has_error:
            pending.answer.set_exception(read_refusal(message.error))
            pending.answer.exception()  # a cancelled caller does not read it
        elif message.result is not UNSET:
            pending.answer.set_result(message.result)

    def _take_notification(self, method: str, raw: Raw) -> None:
        with contextlib.suppress(ProtocolError):
            params = read_object(raw)
            if method == "notifications/progress":
                pending = self._pending.get(params.get("progressToken", ""))
                if pending is not None and pending.on_progress is not None:
                    pending.on_progress(params)
            elif method == "notifications/cancelled":
                task = self._answering.get(params.get("requestId", ""))
                if task is not None:
                    task.cancel()
            else:
                self._hooks.notify(method, params)

    async def _answer(self, ident: Ident, method: str, params: Raw) -> None:
        """Answer a request of the server."""
        try:
            response = write_result(ident, {} if method == "ping" else await self.answer(method, read_object(params)))
        except ProtocolError as error:
            response = write_error(ident, error)
        with contextlib.suppress(ExternalError, SessionEndedError):
            await self._transport.send(Outgoing(content=response))

    async def answer(self, method: str, params: Result) -> Result:
        """The answer to what the server asks, by a request or in a result.

        Raises:
            ProtocolError: it is refused.
        """
        if method not in ("elicitation/create", "sampling/createMessage", "roots/list"):
            raise ProtocolError(METHOD_NOT_FOUND, f"there is no method {method[:100]!r}")
        if not all(name in self._hooks.capabilities for name in (method.partition("/")[0],)):
            raise ProtocolError(INVALID_PARAMS, f"this client does not declare that it answers {method!r}")
        try:
            return await self._hooks.answer(method, params)
        except ProtocolError:
            raise
        except Exception as error:
            _LOG.exception("a request of the MCP server %s could not be answered", self.name)
            raise ProtocolError(INTERNAL_ERROR, "the client cannot answer this now") from error

    def _lose(self, reason: str) -> None:
        """Fail all requests that wait, because no answer can arrive."""
        self.lost = self.lost or reason
        for each in [*self._pending.values()]:
            if not each.answer.done():
                each.answer.set_exception(
                    LostAnswerError(
                        f"the MCP server {self.name} is gone: {reason}; the request may have been carried out"
                    )
                )
                each.answer.exception()

    def _send_aside(self, sending: Coroutine[Any, Any, None]) -> None:
        async def send() -> None:
            with contextlib.suppress(ExternalError, SessionEndedError):
                await sending

        task = asyncio.create_task(send())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)


def _may_have_sessions(error: ProtocolError) -> bool:
    """Whether a server that refuses the newest revision may speak an older one."""
    if error.code != UNSUPPORTED_REVISION:
        return True
    supported = as_list(as_object(error.data).get("supported"))
    return not supported or any(each in _OLD_REVISIONS for each in supported)
