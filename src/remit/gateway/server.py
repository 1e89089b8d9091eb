"""Answers the clients of a wrapped server: their calls are governed, and everything else is passed on unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field, structs

from remit.app import App
from remit.call.tool import Tool
from remit.chat.encoded_json import encode_json
from remit.engine.result import Result as CallResult
from remit.errors import ExternalError
from remit.gateway.session_runs import SessionRuns
from remit.gateway.wrapped_source import WrappedSource
from remit.mcp.calls import AskedCall
from remit.mcp.results import text_result
from remit.mcp.server import INSTRUCTIONS, CallAsked, McpServer, Sender, read_arguments
from remit.mcp.settings import McpSettings
from remit.mcp.upstream.connection import OnProgress, ServerFacts
from remit.mcp.upstream.incoming import read_object
from remit.mcp.wire import INTERNAL_ERROR, INVALID_PARAMS, Ident, Message, ProtocolError, Result, read_params
from remit.record.secret import KNOWN_SECRETS, contains_secret, redact_secrets_in_content
from remit.runtime import Runtime

_UNKNOWN: Final = ServerFacts(revision="")
_TRACE_PARTS: Final = 4
_CACHED: Final = ("prompts/list", "resources/list", "resources/templates/list", "resources/read")
_UNCACHED: Final[Result] = {"ttlMs": 0, "cacheScope": "private"}
"""What a result of the newest revision says about its age, if the server itself speaks an older one."""

_PASSED_NOTIFICATIONS: Final = ("notifications/roots/list_changed",)


class _Meta(Struct, kw_only=True):
    """What a client says with a call: how it is told of progress, and to which run the call belongs."""

    progress: Ident | UnsetType = field(default=UNSET, name="progressToken")
    run: str = field(default="", name="remit/run")
    trace: str = field(default="", name="traceparent")

    @property
    def session(self) -> str:
        """The session that the client names, by a run of its own or by the trace that the call belongs to."""
        trace = self.trace.split("-")
        return f"run {self.run}" if self.run else f"trace {trace[1]}" if len(trace) == _TRACE_PARTS else ""


class _Described(Struct, kw_only=True):
    meta: _Meta = field(default_factory=_Meta, name="_meta")


class WrappedServer(McpServer):
    """One server behind the policy of an application, for one client.

    Args:
        runtime: executes the calls. Its first application has no tools, and nothing that names one.
        settings: the key and the times.
        source: the server and its tools, which is open.
        runs: the runs to which the calls belong.
        govern: makes the application that governs some tools, under the name of the first one.
    """

    def __init__(
        self,
        runtime: Runtime,
        settings: McpSettings,
        source: WrappedSource,
        runs: SessionRuns,
        govern: Callable[[Sequence[Tool[..., Any]]], App],
    ) -> None:
        super().__init__(runtime, settings, self)
        self._source, self._origin, self._runs, self._govern = source, source.origin, runs, govern
        self._relay, self._facts = source.origin.relay, _UNKNOWN
        self._served: tuple[Tool[..., Any], ...] | None = None
        self._listing = asyncio.Lock()
        self._methods = {"tools/list": self._list_tools, "tools/call": self._call}
        self._methods_without_session = {"server/discover": self._discover}
        source.follow(self._note_change)

    @property
    def info(self) -> Result:
        """What the server calls itself."""
        return {**self._facts.info} or super().info

    @property
    def capabilities(self) -> Result:
        """What the server can do."""
        return {"tools": {}, **self._facts.capabilities}

    @property
    def instructions(self) -> str:
        """What the server says of itself, and what a model should know of calls that wait."""
        return "\n\n".join(each for each in (self._facts.instructions, INSTRUCTIONS) if each)

    async def begin(self, client_capabilities: Raw) -> None:
        """Connect to the server as a client with these capabilities."""
        with suppress(ProtocolError):
            self._relay.declare(read_object(client_capabilities))
        await self._connect()

    async def answer(self, sender: Sender, method: str, params: Raw) -> Result:
        """The result of a request, without the credentials of the gateway, whatever the server sends.

        Raises:
            ProtocolError: it is refused.
        """
        try:
            return _redact(await super().answer(sender, method, params))
        except ProtocolError as error:
            told = _redact({"message": error.message, "data": error.data if error.data is not UNSET else None})
            data = told["data"] if error.data is not UNSET else UNSET
            raise ProtocolError(error.code, told["message"], data) from None

    async def forward(self, sender: Sender, method: str, params: Raw) -> Result:
        """The answer of the server to a request that is no call."""
        await self._connect()
        given, about = read_object(params), read_params(params, _Described).meta
        with self._report_unreachable():
            sending = self._origin.upstream.request(method, given, on_progress=_reporter(sender, about))
            result = read_object(await sending)
        return {**_UNCACHED, **result} if method in _CACHED else result

    def connect(self, write: Callable[[bytes], None]) -> None:
        """Send the client what the server sends by itself."""
        self._relay.connect(write)

    def take_response(self, message: Message) -> bool:
        """Take the client's answer to a request of the server."""
        return self._relay.take_answer(message)

    async def take_notification(self, method: str, params: Raw) -> None:
        """Pass a notification of the client on, if it concerns the server."""
        if method in _PASSED_NOTIFICATIONS:
            with suppress(ExternalError, ProtocolError):
                await self._origin.upstream.notify(method, read_object(params))

    async def make(self, asked: AskedCall, /) -> CallResult[Any]:
        """Make a call in the run that it belongs to."""
        return await self._runs.call(asked.name, asked.arguments, asked.session)

    def tell(self, _asked: AskedCall, result: CallResult[Any], /) -> Result:
        """The result as the server gave it, or the error."""
        if result.status == "done":
            return dict(result.value())
        reply = result.reply
        error = None if reply is None else reply.error
        return text_result(result.text if error is None else error.message, is_error=True)

    async def _discover(self, sender: Sender, params: Raw) -> Result:
        await self._connect()
        return await super()._discover(sender, params)

    async def _list_tools(self, sender: Sender, _params: Raw) -> Result:
        with self._report_unreachable():
            await self._source.refresh()
            await self._serve()
        allowed = {each.name for each in await sender.client.tools(target=sender.target)}
        return {**_UNCACHED, "tools": [each for each in self._origin.listed if each["name"] in allowed]}

    async def _call(self, sender: Sender, params: Raw) -> Result:
        asked, about = read_params(params, CallAsked), read_params(params, _Described).meta
        with self._report_unreachable():
            await self._serve()
        if sender.client.contract(asked.name) is None:
            raise ProtocolError(INVALID_PARAMS, f"there is no tool {asked.name[:100]!r}")
        peer = structs.replace(sender.peer, can_fetch=False)  # a task is a run, and these calls share one
        arguments = read_arguments(asked)
        call = self._describe_call(structs.replace(sender, peer=peer), asked, asked.name, arguments)
        with self._origin.report_progress(asked.name, arguments, _reporter(sender, about)):
            return await self._calls.call(structs.replace(call, session=about.session))

    async def _connect(self) -> None:
        with self._report_unreachable():
            self._facts = await self._origin.upstream.facts()

    @contextmanager
    def _report_unreachable(self) -> Generator[None]:
        """Tell the client why the server cannot be reached.

        Raises:
            ProtocolError: it cannot.
        """
        try:
            yield
        except ExternalError as error:
            raise ProtocolError(INTERNAL_ERROR, error.message) from error

    def _note_change(self) -> None:
        """Serve other tools from the next request on."""
        self._served = None

    async def _serve(self) -> None:
        """Govern the tools that the source has now.

        Raises:
            SetupError: the policy cannot be applied to them.
        """
        if self._served is not None:
            return
        async with self._listing:
            tools = self._source.tools or (await self._source.refresh() and self._source.tools)
            self.runtime.update(self._govern(tools))
            self._runs.renew()
            self._served = tools


def _reporter(sender: Sender, about: _Meta) -> OnProgress | None:
    """Tells the client of the progress of its request, if it wants to know."""
    if about.progress is UNSET:
        return None
    return lambda params: sender.tell("notifications/progress", {**params, "progressToken": about.progress})


def _redact(result: Result) -> Result:
    """A result without the values of secrets."""
    if not KNOWN_SECRETS.spellings.replacements:
        return result
    content = encode_json(result).decode()
    if not contains_secret(content):
        return result
    redacted: Result = msgspec.json.decode(redact_secrets_in_content(content))
    return redacted
