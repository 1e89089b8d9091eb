"""Limits on the rate and concurrency of calls, per tool and tenant. Rates hold across the processes of a journal.

Composed callees pass, because their calls are limited. Holding a permit while waiting for these calls could cause a
deadlock.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from dataclasses import dataclass, field

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from remit.call.call import Call, CallLayer, CallService
from remit.call.facts import Effect
from remit.call.reply import Reply
from remit.core import Place
from remit.core.amounts import format_seconds
from remit.core.call_checks import check_arguments
from remit.errors import RateLimitedError
from remit.record.arguments import content_digest
from remit.record.ledger import TurnRequest

LimitKey = tuple[str, str]


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit(CallLayer):
    """At most ``calls`` calls of one tool start for one tenant in any ``seconds``.

    A call above the rate waits for its turn. If the wait would exceed ``max_wait`` seconds, the call is refused at
    once, and the error says when to try again. Calls of one process wait in order, and then take a turn in the journal.
    There, turns are counted over all processes of an application, separately for each pair of ``calls`` and
    ``seconds``.
    """

    place = Place.LIMIT
    calls: PositiveInt
    seconds: PositiveFloat
    max_wait: NonNegativeFloat = 10.0
    _windows: dict[LimitKey, _Window] = field(
        init=False, repr=False, compare=False, default_factory=dict["LimitKey", "_Window"]
    )

    def __call__(self, inner: CallService, /) -> CallService:
        """Delay calls of ``inner`` until their turn."""

        async def call_in_turn(call: Call, /) -> Reply:
            if call.callee.facts.effect is not Effect.COMPOSED:
                key = (call.caller.principal.tenant, call.callee.name)
                window = self._windows.get(key) or self._windows.setdefault(key, _Window(self))
                await window.wait_for_turn(call.callee.name)
                await self._take_shared_turn(call)
            return await inner(call)

        return call_in_turn

    async def _take_shared_turn(self, call: Call) -> None:
        """Wait until the journal, which counts the calls of all processes, allows another start."""
        caller, name = call.caller, call.callee.name
        numbers = f"{self.calls} {self.seconds} {self.max_wait}"
        rate = content_digest(caller.application, caller.principal.tenant, name, numbers)
        request = TurnRequest(rate, self.calls, self.seconds, self.max_wait)
        wait = await call.ledger.reservations.take_turn(call.id, call.attempt, request)
        if wait > self.max_wait:
            raise _too_early(self, name, wait)
        if wait > 0:
            await asyncio.sleep(wait)


class _Window:
    """The times of the last starts, oldest first, and the calls that wait because the window is full."""

    __slots__ = ("_rate", "_started", "_timer", "_waiting")

    def __init__(self, rate: RateLimit) -> None:
        self._rate = rate
        self._started = deque[float]()
        self._waiting = deque[asyncio.Future[float]]()
        self._timer: asyncio.TimerHandle | None = None

    async def wait_for_turn(self, name: str) -> None:
        """Wait until one more call may start."""
        loop = asyncio.get_running_loop()
        self._admit_waiting()
        if len(self._started) < self._rate.calls:
            self._started.append(loop.time())
            return
        wait = self._next_start() - loop.time()
        if wait > self._rate.max_wait:
            raise _too_early(self._rate, name, wait)
        waiter = loop.create_future()
        self._waiting.append(waiter)
        self._admit_waiting()
        try:
            await waiter
        except asyncio.CancelledError:
            self._remove_waiter(waiter)
            raise

    def _next_start(self) -> float:
        """The time when a call that queues now may start. Each call waits for the one ``calls`` places ahead."""
        rounds, before = divmod(len(self._waiting), self._rate.calls)
        return self._started[before] + self._rate.seconds * (rounds + 1)

    def _admit_waiting(self) -> None:
        """Start waiting calls in order, and set a timer for the next one."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        while self._started and self._started[0] + self._rate.seconds <= now:
            self._started.popleft()
        while self._waiting and len(self._started) < self._rate.calls:
            waiter = self._waiting.popleft()
            if not waiter.done():
                self._started.append(now)
                waiter.set_result(now)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            self._timer = loop.call_at(self._started[0] + self._rate.seconds, self._admit_waiting)

    def _remove_waiter(self, waiter: asyncio.Future[float]) -> None:
        """Leave the queue, or return a turn granted after the call was cancelled."""
        with contextlib.suppress(ValueError):
            if waiter.cancelled():
                self._waiting.remove(waiter)
            else:
                self._started.remove(waiter.result())
        self._admit_waiting()


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Concurrency(CallLayer):
    """At most ``calls`` calls of one tool run at once for one tenant; ``max_queued`` more wait in order.

    A call is refused at once if the queue is full, and otherwise after waiting ``max_wait`` seconds. A body that
    outlives its timeout no longer counts, because its call has ended.
    """

    place = Place.LIMIT
    calls: PositiveInt
    max_queued: NonNegativeInt = 100
    max_wait: NonNegativeFloat = 10.0
    _permits: dict[LimitKey, _Permits] = field(
        init=False, repr=False, compare=False, default_factory=dict["LimitKey", "_Permits"]
    )

    def __call__(self, inner: CallService, /) -> CallService:
        """Hold a permit while ``inner`` runs."""

        async def call_with_permit(call: Call, /) -> Reply:
            if call.callee.facts.effect is Effect.COMPOSED:
                return await inner(call)
            key = (call.caller.principal.tenant, call.callee.name)
            permits = self._permits.get(key) or self._permits.setdefault(key, _Permits(self))
            await permits.acquire(call.callee.name)
            try:
                return await inner(call)
            finally:
                permits.release()

        return call_with_permit


class _Permits:
    """Counts permits and queues waiting calls. A released permit goes to the first of them."""

    __slots__ = ("_held_count", "_limit", "_waiting")

    def __init__(self, limit: Concurrency) -> None:
        self._limit = limit
        self._held_count = 0
        self._waiting = deque[asyncio.Future[bool]]()

    async def acquire(self, name: str) -> None:
        """Wait for a permit."""
        limit = self._limit
        if self._held_count < limit.calls:
            self._held_count += 1
            return
        busy = f"{limit.calls:,} calls of {name} are under way"
        if len(self._waiting) >= limit.max_queued:
            raise RateLimitedError(f"{busy} and {len(self._waiting):,} wait; try again when one has ended")
        if not await self._wait_for_permit():
            raise RateLimitedError(f"{busy}, and none ended within {format_seconds(limit.max_wait)}; try again later")

    async def _wait_for_permit(self) -> bool:
        """Wait for a permit; return False if the wait timed out."""
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiting.append(waiter)
        timer = loop.call_at(loop.time() + self._limit.max_wait, self._expire_waiter, waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self._remove_waiter(waiter)
            elif waiter.result():
                self.release()
            raise
        finally:
            timer.cancel()

    def _expire_waiter(self, waiter: asyncio.Future[bool]) -> None:
        if not waiter.done():
            self._remove_waiter(waiter)
            waiter.set_result(False)

    def _remove_waiter(self, waiter: asyncio.Future[bool]) -> None:
        with contextlib.suppress(ValueError):
            self._waiting.remove(waiter)

    def release(self) -> None:
        """Pass the permit to the next waiting call, or free it."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(True)
                return
        self._held_count -= 1


def _too_early(rate: RateLimit, name: str, wait: float) -> RateLimitedError:
    """The error for a call that would have to wait too long."""
    limit = f"{name} may be called {rate.calls:,} times in {rate.seconds:,g} seconds"
    return RateLimitedError(f"{limit}; try again in {math.ceil(wait):,} seconds")
