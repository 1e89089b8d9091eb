"""A source of tools: opened with the runtime, compared with its pins, and called only for what was accepted."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, Self

from msgspec import structs

from remit.call.callee import LeafContext
from remit.call.tool import Tool
from remit.core.call_checks import check_arguments, check_calls, check_types
from remit.errors import (
    BlockedError,
    CallError,
    ContractError,
    ExternalError,
    RequestConflictError,
    RequestDeniedError,
    RequestNotFoundError,
    SetupError,
)
from remit.record.principal import Principal, check_principal
from remit.shown import show_value
from remit.sources.adoption import Trust, adopt_offer, choose_names, why_in_quarantine
from remit.sources.offer import Offer, Snapshot
from remit.sources.pins import FIRST_USE, Act, PinFolder, Pins, check_source_name, replace_offer
from remit.sources.review import OfferState, Review, review

_LOG: Final = logging.getLogger("remit.sources")
ACCEPT: Final = "sources:accept"
"""The permission to accept what a source offers."""

_MOST_CONNECTIONS: Final = 3
_REASONS: Final = {
    OfferState.CHANGED: "it is not as it was accepted",
    OfferState.NEW: "it has not been accepted",
}


class NewConnectionError(Exception):
    """A call was not made, because the connection is another one than that whose offer was compared."""


class Origin(Protocol):
    """The other side of a source, such as an MCP server."""

    @property
    def version(self) -> object:
        """Changes with each new connection, after which the offer may be another one; None before the first one."""
        ...

    async def open(self, on_change: Callable[[], None]) -> None:
        """Begin. ``on_change`` is called when the other side says that its offer has changed."""
        ...

    async def close(self) -> None:
        """End all connections."""
        ...

    async def read(self) -> Snapshot:
        """What it offers now.

        Raises:
            ExternalError: it cannot be reached, or does not describe its tools.
        """
        ...

    async def call(self, name: str, arguments: Mapping[str, Any], ctx: LeafContext, version: object, /) -> Any:
        """Call a tool over the connection of a version, and return its result.

        Raises:
            NewConnectionError: the connection is another one; nothing was called.
            CallError: the call failed.
        """
        ...


@check_calls
@check_arguments()
class Source:
    """The tools of one server of another program. ``async with`` opens it; list it in ``App(resources=…)``.

    When it is opened for the first time, all that it offers is accepted. What changes or appears later is in quarantine
    until a person accepts it.

    Args:
        name: the name of the source, which begins the names of its tools.
        origin: the other side.
        pins: the folder with what was accepted.
        trust: what a person says about its tools.
        check_seconds: after how long a call looks first whether the offer has changed.
        clock: seconds since the epoch.

    Raises:
        SetupError: the name is not valid, or the pins cannot be read.
    """

    def __init__(
        self,
        name: str,
        origin: Origin,
        pins: PinFolder,
        trust: Trust | None = None,
        *,
        check_seconds: float = 300.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_source_name(name)
        self.name, self.trust = name, trust or Trust()
        self._origin, self._folder, self._clock, self._check_seconds = origin, pins, clock, check_seconds
        self._pins = pins.read(name)
        self._found: Review | None = None
        self._seen: object = None
        self._checked = 0.0
        self._is_dirty = False
        self._users, self._lock = 0, asyncio.Lock()
        self._followers = list[Callable[[], object]]()
        self._refreshing: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    async def __aenter__(self) -> Self:
        """Open it. If it cannot be reached, its tools fail until it can."""
        self._users += 1
        if self._users == 1:
            await self._origin.open(self._note_change)
            try:
                await self.refresh()
            except ExternalError as error:
                _LOG.warning("%s: %s", self.name, error.message)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._users -= 1
        if self._users == 0:
            if self._refreshing is not None:
                self._refreshing.cancel()
                await asyncio.gather(self._refreshing, return_exceptions=True)
            await self._origin.close()

    @property
    def tools(self) -> tuple[Tool[..., Any], ...]:
        """The tools that were accepted, also those that are in quarantine now, which refuse all calls.

        They come from the pins, so they are known before the source is opened, and if it cannot be reached.
        """
        offers = {each.name: each for each in self._list_offers()}
        made = list[Tool[..., Any]]()
        for name, shown in self._choose_names([*offers]).items():
            try:
                made.append(self._adopt(shown, offers[name]))
            except ContractError as error:
                _LOG.warning("%s: its tool %.100s is left out: %s", self.name, name, error.message)
        return tuple(made)

    def _list_offers(self) -> Iterable[Offer]:
        """The offers of which tools are made."""
        return () if self._pins is None else self._pins.snapshot.offers

    def _choose_names(self, names: list[str]) -> dict[str, str]:
        """The names that models see, by those in the source."""
        return choose_names(self.name, names)

    def _adopt(self, name: str, offer: Offer) -> Tool[..., Any]:
        """The tool of an offer.

        Raises:
            ContractError: it cannot be a tool.
        """
        return adopt_offer(self.name, name, offer, self.trust, self._call, self.why_closed)

    @property
    def acts(self) -> Sequence[Act]:
        """Who accepted what, the first first."""
        return () if self._pins is None else self._pins.acts

    def follow(self, changed: Callable[[], object]) -> None:
        """Call ``changed`` whenever what is accepted or in quarantine changes, such as to serve another version."""
        self._followers.append(changed)

    async def refresh(self) -> Review:
        """Read what the source offers now, and compare it with the pins.

        Raises:
            ExternalError: it cannot be reached. SetupError: the pins cannot be read or written.
        """
        async with self._lock:
            self._is_dirty = False  # a notice that arrives while the offer is read makes it old again
            try:
                version, offered = await self._read()
            except BaseException:
                self._is_dirty = True
                raise
            pins = self._folder.read(self.name)
            if pins is None:
                digests = {"": offered.digest} | {each.name: each.digest for each in offered.offers}
                now = self._clock()
                acts = (Act(by=FIRST_USE, at=now, digest=digest, tool=name) for name, digest in digests.items())
                pins = Pins(source=self.name, snapshot=offered, acts=(*acts,))
                self._folder.write(pins)
            self._seen, self._checked = version, self._clock()
            before, self._pins, found = self._found, pins, review(pins, offered)
            self._found = found
        if before != found:
            self._tell_followers()
        return found

    async def accept(self, digest: str, *, by: Principal, tool: str = "") -> None:
        """Accept a tool as it is offered now, or without ``tool`` what the source says of itself.

        Args:
            digest: that of what the person has seen, from `Review`; empty for a tool that is gone, which is forgotten.
            by: who accepts it.
            tool: the name of the tool in the source.

        Raises:
            RequestDeniedError: ``by`` lacks the permission ``sources:accept``.
            RequestConflictError: it is offered otherwise by now. RequestNotFoundError: it is unknown.
            ExternalError: the source cannot be reached.
        """
        check_principal("by", by)
        if not by.may(ACCEPT):
            raise RequestDeniedError(f"{by.name} lacks the permission {ACCEPT}")
        found = await self.refresh()
        reviewed = found.find(tool)
        if tool and reviewed is None:
            raise RequestNotFoundError(f"{self.name} has no tool {show_value(tool)}")
        present = found.offered.digest if reviewed is None else reviewed.digest
        if digest != present:
            raise RequestConflictError(f"{self.name} offers something else than was accepted by now; look at it again")
        async with self._lock:
            assert self._pins is not None  # noqa: S101 - refresh() has read or made them
            pinned = self._pins.snapshot
            if reviewed is not None:
                pinned = replace_offer(pinned, tool, reviewed.offered)
            else:
                pinned = structs.replace(pinned, address=found.offered.address, instructions=found.offered.instructions)
            act = Act(by=by.name, at=self._clock(), digest=digest, tool=tool)
            pins = structs.replace(self._pins, snapshot=pinned, acts=(*self._pins.acts, act))
            self._folder.write(pins)
            self._pins, self._found = pins, review(pins, found.offered)
        self._tell_followers()

    def why_closed(self, name: str) -> CallError | None:
        """The error of a tool that must not be called now. All that decides about tools of the source asks this."""
        found = self._found
        if found is None:
            return None  # not opened, or away: a call finds out
        if found.is_moved:
            return why_in_quarantine(self.name, name, "the command, host or instructions of its server have changed")
        reviewed = found.find(name)
        if reviewed is None:
            return why_in_quarantine(self.name, name, "it is unknown")
        if reviewed.state is OfferState.GONE:
            return BlockedError(f"{self.name} offers its tool {name} no longer")
        reason = _REASONS.get(reviewed.state)
        return None if reason is None else why_in_quarantine(self.name, name, reason)

    async def _call(self, name: str, ctx: LeafContext, arguments: dict[str, Any]) -> Any:
        """Call a tool, after a look at the offer if that may have changed."""
        if not self._users:
            raise ExternalError(f"{self.name} is not open; list it in App(resources=…), and enter the runtime")
        for _ in range(_MOST_CONNECTIONS):
            is_old = self._clock() - self._checked >= self._check_seconds
            if self._is_dirty or is_old or self._found is None or self._seen != self._origin.version:
                await self.refresh()
            if refused := self.why_closed(name):
                raise refused
            with contextlib.suppress(NewConnectionError):
                return await self._origin.call(name, arguments, ctx, self._seen)
        raise ExternalError(f"{self.name} does not keep its connections")

    async def _read(self) -> tuple[object, Snapshot]:
        """What the source offers now, and the version of the connection over which it said so."""
        while True:
            before = self._origin.version
            read = await self._origin.read()
            if self._origin.version == before or before is None:
                first = dict[str, Offer]()
                for each in read.offers:
                    first.setdefault(each.name, each)  # of two with one name, the first counts
                return self._origin.version, structs.replace(read, offers=(*first.values(),))

    def _note_change(self) -> None:
        """Look at the offer again, because the source says that it has changed. Until then, calls look first."""
        self._is_dirty = True
        if self._users and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.get_running_loop().create_task(self._refresh_aside())

    async def _refresh_aside(self) -> None:
        try:
            while self._is_dirty:
                await self.refresh()
        except (ExternalError, SetupError) as error:
            _LOG.warning("%s: %s", self.name, error.message)

    def _tell_followers(self) -> None:
        for changed in self._followers:
            changed()


@check_types
def find_sources(resources: Sequence[object]) -> list[Source]:
    """The sources among the resources of an application."""
    return [each for each in resources if isinstance(each, Source)]
