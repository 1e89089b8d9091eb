"""A circuit breaker: stops calling a tool that keeps failing, per tenant and process."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field

from pydantic import PositiveFloat, PositiveInt

from remit.call.call import Call, CallLayer, CallService
from remit.call.facts import Effect
from remit.call.reply import Reply
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.errors import BreakerOpenError, CallError

Key = tuple[str, str]


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker(CallLayer):
    """Refuses calls of a tool for ``seconds`` after ``failures`` consecutive failures for one tenant.

    Then the breaker is half-open: ``probes`` calls pass. It closes when all of them succeed and opens again when one
    fails. Retryable errors, deadlines included, count as failures. Other errors, like bad arguments or a denial, do not
    count. Composed callees pass, because the calls that they make have breakers.
    """

    place = Place.BREAKER
    failures: PositiveInt = 5
    seconds: PositiveFloat = 30.0
    probes: PositiveInt = 1
    _circuits: dict[Key, _Circuit] = field(
        init=False, repr=False, compare=False, default_factory=dict["Key", "_Circuit"]
    )

    def __call__(self, inner: CallService, /) -> CallService:
        """Call ``inner`` unless the circuit is open."""

        async def call_unless_open(call: Call, /) -> Reply:
            if call.callee.facts.effect is Effect.COMPOSED:
                return await inner(call)
            key = (call.caller.principal.tenant, call.callee.name)
            circuit = self._circuits.get(key) or self._circuits.setdefault(key, _Circuit(self))
            period = circuit.begin_call(call.callee.name)
            succeeded: bool | None = None
            try:
                reply = await inner(call)
                succeeded = True if reply.outcome == "ok" else _failure_or_none(reply.error)
            except CallError as error:
                succeeded = _failure_or_none(error)
                raise
            finally:
                circuit.end_call(period, succeeded=succeeded)
            return reply

        return call_unless_open


def _failure_or_none(error: CallError | None) -> bool | None:
    """Return False if the error is a failure of the tool, or None if it says nothing about the tool."""
    return False if error is not None and error.retryable else None


class _Circuit:
    """Closed while ``_open_until`` is None, open until that time, then half-open.

    A call counts only in the period in which it began; its result is ignored if the circuit has opened or closed since.
    """

    __slots__ = ("_active_probes", "_breaker", "_failures", "_open_until", "_period", "_successful_probes")

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker
        self._failures = 0
        self._open_until: float | None = None
        self._period = self._active_probes = self._successful_probes = 0

    def begin_call(self, name: str) -> int:
        """Begin a call and return its period."""
        if self._open_until is not None:
            remaining = self._open_until - asyncio.get_running_loop().time()
            failed = f"{name} has failed {self._failures:,} times in a row"
            if remaining > 0:
                raise BreakerOpenError(f"{failed}; try again in {math.ceil(remaining):,} seconds")
            if self._active_probes + self._successful_probes >= self._breaker.probes:
                raise BreakerOpenError(f"{failed}; a probe is under way, try again when it has ended")
            self._active_probes += 1
        return self._period

    def end_call(self, period: int, *, succeeded: bool | None) -> None:
        """End a call of ``period``. ``succeeded`` is None if the result says nothing about the tool."""
        if period != self._period:
            return
        probe = self._open_until is not None
        if probe:
            self._active_probes -= 1
        if succeeded is False:
            self._failures += 1
            if probe or self._failures >= self._breaker.failures:
                self._start_period(asyncio.get_running_loop().time() + self._breaker.seconds)
        elif succeeded:
            self._successful_probes += probe
            if not probe or self._successful_probes >= self._breaker.probes:
                self._failures = 0
                if probe:
                    self._start_period(None)

    def _start_period(self, until: float | None) -> None:
        """Open or close the circuit, which starts a new period."""
        self._open_until = until
        self._period += 1
        self._active_probes = self._successful_probes = 0
