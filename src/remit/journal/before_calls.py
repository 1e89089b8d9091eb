"""Waits and reservations of an executing run's calls before they are made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from remit.errors import DivergedError
from remit.journal.ports import Store
from remit.record.items import CallItem, Handoff, Item, Position, ToolOutput, UsesReserved
from remit.record.ledger import TurnRequest
from remit.record.meter import Meter
from remit.record.uses import Use, UseRefusal, UseRequest, UsesInRun, counts_after

STALL_TIMEOUT: Final = 5.0
"""Seconds on the loop's clock without a further recorded call after which a body counts as diverged."""


class RecordedCalls:
    """The order of an executing run's calls. ``items`` are the run's items by call, which its ledger updates."""

    def __init__(self, items: Mapping[str, Sequence[Item]], meter: Meter, history: Iterable[Position]) -> None:
        self._items_by_call = items
        self._meter = meter
        self._unclaimed_calls: dict[str, set[str]] = {}
        self._claim_waiters: list[asyncio.Future[None]] = []
        for position in history:
            item = position.item
            if isinstance(item, CallItem) and item.parent:
                meter.add_call(item.parent, item.call)
                self._unclaimed_calls.setdefault(item.parent, set()).add(item.call)

    def claim(self, parent: str, call: str) -> bool:
        """Report that the body of ``parent`` makes ``call``; return whether it may start at once."""
        self._meter.add_call(parent, call)
        unclaimed = self._unclaimed_calls.get(parent)
        if unclaimed is None or call in self._items_by_call:
            if unclaimed is not None:
                unclaimed.discard(call)
                for waiter in self._claim_waiters:
                    waiter.set_result(None)
                self._claim_waiters.clear()
            return True
        return not unclaimed

    async def wait(self, parent: str, call: str, is_busy: Callable[[], bool]) -> None:
        """Wait until the body of ``parent`` has made all its recorded calls.

        Raises:
            DivergedError: the body does not make them, and none of its calls is in progress.
        """
        while self._unclaimed_calls.get(parent):
            claimed = asyncio.get_running_loop().create_future()
            self._claim_waiters.append(claimed)
            await asyncio.wait([claimed], timeout=STALL_TIMEOUT)
            if not claimed.done() and not is_busy():
                self.finish(parent)

    def expects(self, parent: str) -> bool:
        """Whether the body of ``parent`` has still to make recorded calls."""
        return bool(self._unclaimed_calls.get(parent))

    def finish(self, parent: str) -> None:
        """Report that the body of ``parent`` makes no more calls.

        Raises:
            DivergedError: the body has not made a recorded call.
        """
        if unclaimed := self._unclaimed_calls.get(parent):
            first = self._items_by_call[min(unclaimed)][0]
            name = first.callee if isinstance(first, ToolOutput) else first.call[:8]
            raise DivergedError(
                f"the journal records a call ({name}) that the current code does not make; nothing was run"
            )


class RunReservations:
    """Reserves calls, uses of windows and handoffs of the run, and what the store counts over all processes.

    As the ledger reads and writes items, it updates ``calls``, with their times, ``handoffs``, and ``held``: what calls
    have reserved that have not begun.
    """

    def __init__(
        self, store: Store, run: str, items: Mapping[str, Sequence[Item]], meter: Meter, clock: Callable[[], float]
    ) -> None:
        self.calls: dict[str, float] = {}
        self.handoffs: set[tuple[str, int]] = set()
        self.held: dict[str, UsesReserved] = {}
        self._uses_in_run: UsesInRun | None = None
        self._turns: set[tuple[str, int, str]] = set()
        self._store = store
        self._run = run
        self._items_by_call = items
        self._meter = meter
        self._clock = clock

    async def take_turn(self, call: str, attempt: int, request: TurnRequest) -> float:
        """Take a turn for an attempt of a call; return the seconds until it starts."""
        turn = (call, attempt, request.rate)
        if turn in self._turns:
            return 0.0
        self._turns.add(turn)
        return await self._store.take_turn(request)

    @property
    def _uses(self) -> UsesInRun:
        if self._uses_in_run is None:
            self._uses_in_run = UsesInRun()
        return self._uses_in_run

    def hold_uses(self, item: UsesReserved, at: float) -> None:
        """Count the uses of a call on record."""
        self.held[item.call] = item
        for window, _, amount in item.uses:
            self._uses.add(window, item.call, Use(at, amount))

    def drop_uses(self, call: str) -> list[str]:
        """Count nothing of a call that has ended without having begun; return the subjects of its uses in the store."""
        item = self.held.pop(call, None)
        if item is None:
            return []
        for window, _, _ in item.uses:
            self._uses.remove(window, call)
        return [subject for _, subject, _ in item.uses if subject]

    def release_uses(self, call: str, subjects: Sequence[str]) -> None:
        """Return what an ended call has reserved in the store. If that is lost in a crash, the uses count on."""
        released = self._store.release_uses(self._run, call, subjects)
        released.add_done_callback(lambda done: done.cancelled() or done.exception())

    def reserve_call(self, call: str, limit: int, window: float = 0.0) -> bool:
        """Reserve one of the run's ``limit`` calls for ``call``; False if none is left. Idempotent."""
        if call not in self.calls:
            if self._count_reserved(window) >= limit:
                return False
            self.calls[call] = self._clock()
        return True

    def _count_reserved(self, window: float) -> int:
        """The number of counted calls: all or, in an open run, those reserved in the last ``window`` seconds."""
        if not (window and self._meter.is_open):
            return len(self.calls)
        since = self._clock() - window
        return sum(1 for _ in takewhile(lambda at: at > since, reversed(self.calls.values())))

    async def reserve_uses(self, call: str, requests: Sequence[UseRequest]) -> UseRefusal | None:
        """Reserve all of what a call would use of windows, or nothing; return the first request that does not fit.

        The uses within the run are counted before the store is asked, so that calls at once cannot exceed them.
        """
        in_run = [each for each in requests if not each.subject]
        before = [(each.window, self._uses.find(each.window, call)) for each in in_run]
        refusal: UseRefusal | None = None
        is_reserved = False
        try:
            for request in in_run:
                refusal = refusal or self._reserve_in_run(call, request)
            shared = [each for each in requests if each.subject]
            if refusal is None and shared:
                refusal = await self._store.reserve_uses(self._run, call, shared)
            is_reserved = refusal is None
        finally:
            for window, use in [] if is_reserved else before:
                self._uses.remove(window, call)
                if use is not None:
                    self._uses.add(window, call, use)
        return refusal

    async def latest_use(self, subject: str, call: str) -> float | None:
        """When another call than ``call`` last used what ``subject`` identifies in the store; None for never."""
        return await self._store.latest_use(subject, self._run, call)

    def _reserve_in_run(self, call: str, request: UseRequest) -> UseRefusal | None:
        now = self._clock()
        used = self._uses.total(request.window, counts_after(request.every, now), but=call)
        if not request.fits(used):
            return UseRefusal(request, used)
        self._uses.add(request.window, call, Use(now, request.amount))
        return None

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Reserve the next handoff in the call ``agent``; False if the run has none left."""
        following = (agent, self.count_handoffs(agent))
        if following not in self.handoffs:
            outer = self._meter.call_from_outside(agent)
            if sum(self._meter.call_from_outside(each) == outer for each, _ in self.handoffs) >= limit:
                return False
            self.handoffs.add(following)
        return True

    def count_handoffs(self, agent: str) -> int:
        """The number of handoffs that an agent's call has made."""
        return sum(isinstance(item, Handoff) for item in self._items_by_call.get(agent, ()))
