"""The tools of a wrapped server: under their own names, with the results that it gives, and pinned."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import structs

from remit.call.callee import LeafContext
from remit.call.facts import Effect
from remit.call.tool import Tool
from remit.errors import CallError, ToolFailed
from remit.gateway.relay import Relay
from remit.mcp.upstream.connection import OnProgress
from remit.mcp.upstream.incoming import as_list, as_object, as_text
from remit.mcp.upstream.origin import McpOrigin
from remit.mcp.upstream.transport import Transport
from remit.mcp.upstream.upstream import Upstream
from remit.mcp.wire import ProtocolError, Result
from remit.sources.adoption import Trust, adopt_offer
from remit.sources.offer import Offer
from remit.sources.pins import PinFolder
from remit.sources.review import OfferState
from remit.sources.source import Source

_NO_TEXT: Final = "the tool failed, and says nothing about it"


class _Reported(NamedTuple):
    """A call of a client that wants to know of its progress: the tool, the arguments as sent, and who takes it."""

    name: str
    arguments: Mapping[str, Any]
    report: OnProgress


class WrappedOrigin(McpOrigin):
    """A server whose results are kept as they arrive, and that is told what its client answers.

    Args:
        name: the name of the server.
        connect: makes a transport to it.
        relay: what the server and the client send each other beside calls.
    """

    def __init__(self, name: str, connect: Callable[[], Transport], relay: Relay, **revision: str) -> None:
        super().__init__(name, connect, None, **revision)
        self.relay = relay
        self._reported: list[_Reported] = []

    @contextmanager
    def report_progress(self, name: str, arguments: str, report: OnProgress | None) -> Generator[None]:
        """Tell a client of the progress of its call, whatever run makes it."""
        reported = None if report is None else _Reported(name, _read_object(arguments), report)
        self._reported += [] if reported is None else [reported]
        try:
            yield
        finally:
            self._reported = [each for each in self._reported if each is not reported]

    def _find_report(self, name: str, arguments: Mapping[str, Any]) -> OnProgress | None:
        """Who takes the progress of a call, which has defaults beside the arguments that were sent."""
        found = (each for each in self._reported if each.name == name and each.arguments.items() <= arguments.items())
        return next((each.report for each in found), None)

    @property
    def upstream(self) -> Upstream:
        """The server itself.

        Raises:
            ExternalError: it is not open.
        """
        return self._get_upstream()

    async def open(self, on_change: Callable[[], None]) -> None:
        """Begin. The server is connected to when it is first needed."""
        self._upstream = Upstream(self._name, self._connect, self.relay.make_hooks(on_change), **self._revision)

    async def call(self, name: str, arguments: Mapping[str, Any], _ctx: LeafContext, version: object, /) -> Any:
        """Call a tool, and return its result as it arrived.

        Raises:
            NewConnectionError: the connection is another one; nothing was called.
            ToolFailed: the server answers that the call has failed.
            CallError: it cannot be reached, or its answer is lost.
        """
        generation = version if isinstance(version, int) else 0
        try:
            report = self._find_report(name, arguments)
            result = await self.upstream.call_tool(name, arguments, on_progress=report, generation=generation)
        except ProtocolError as error:
            raise ToolFailed(error.message) from error
        if result.get("isError"):
            raise ToolFailed(_read_text(result) or _NO_TEXT)
        return {key: value for key, value in result.items() if key != "resultType"}


def _read_object(arguments: str) -> Mapping[str, Any]:
    """Arguments as sent; none if they are not an object, because such a call is refused."""
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(arguments, type=dict[str, Any])
    return {}


class WrappedSource(Source):
    """The tools of a wrapped server.

    Args:
        name: the name of the server.
        origin: the server.
        pins: the folder with what was accepted.
        pure: the tools that a person has declared to change nothing. All others are unsafe.
        enforces: whether tools that are not accepted as they are now are in quarantine. Otherwise they are called.
    """

    def __init__(
        self, name: str, origin: WrappedOrigin, pins: PinFolder, pure: Iterable[str] = (), *, enforces: bool = True
    ) -> None:
        trust = Trust(effects=dict.fromkeys(pure, Effect.PURE), permissions=frozenset())
        super().__init__(name, origin, pins, trust)
        self.origin, self._enforces = origin, enforces

    def why_closed(self, name: str) -> CallError | None:
        """The error of a tool that must not be called now."""
        found = self._found
        if self._enforces or found is None:
            return super().why_closed(name)
        reviewed = found.find(name)
        is_offered = reviewed is not None and reviewed.state is not OfferState.GONE
        return None if is_offered else super().why_closed(name)

    def _list_offers(self) -> Iterable[Offer]:
        if self._enforces or self._found is None:
            return super()._list_offers()
        return self._found.offered.offers

    def _choose_names(self, names: list[str]) -> dict[str, str]:
        """The tools keep their names."""
        return {each: each for each in names}

    def _adopt(self, name: str, offer: Offer) -> Tool[..., Any]:
        """The tool of an offer. Its result has more than what the schema of its output describes."""
        described = structs.replace(offer, output_schema=None)
        return adopt_offer(self.name, name, described, self.trust, self._call, self.why_closed)


def _read_text(result: Result) -> str:
    """The text in the content of a result."""
    texts = [as_text(as_object(each).get("text")) for each in as_list(result.get("content"))]
    return "\n".join(each for each in texts if each)
