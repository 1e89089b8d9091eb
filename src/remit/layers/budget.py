"""Limits on a run's use, reserved before each call and model request and shared by all calls below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import PositiveFloat, PositiveInt

from remit.call.call import Call, CallLayer, CallService
from remit.call.callee import AgentLike
from remit.call.facts import Effect
from remit.call.reply import Reply
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.errors import BudgetError
from remit.record.ledger import is_of_open_run
from remit.record.meter import UsageLimit

DEFAULT_WINDOW: Final = 60.0
"""The window of an open run's limits, in seconds."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Budget(CallLayer):
    """Limits a run's calls and nesting and, unless None, its tokens, US dollars (``cost``) and ``seconds``.

    Calls of tools count, and calls of agents and workers below the root. Tokens and dollars are estimated and reserved
    before a model is asked. Seconds are summed over all executions of the run; when they are used up, no call or
    request starts. In an open run, all limits except depth apply to any period of ``window`` seconds instead.
    """

    place = Place.BUDGET
    calls: PositiveInt = 256
    tokens: PositiveInt | None = None
    depth: PositiveInt = 8
    cost: PositiveFloat | None = None
    seconds: PositiveFloat | None = None
    window: PositiveFloat = DEFAULT_WINDOW

    def __call__(self, inner: CallService, /) -> CallService:
        """Reserve budget before ``inner``."""
        return _Budget(inner, self).__call__

    @property
    def limits_cost(self) -> bool:
        """Whether the budget has a limit in US dollars."""
        return self.cost is not None

    def _optional(self) -> tuple[tuple[str, float | None], ...]:
        return (("cost", self.cost), ("seconds", self.seconds))

    def __repr__(self) -> str:
        added = "".join(f", {name}={value!r}" for name, value in self._optional() if value is not None)
        added += "" if self.window == DEFAULT_WINDOW else f", window={self.window!r}"
        return f"Budget(calls={self.calls!r}, tokens={self.tokens!r}, depth={self.depth!r}{added})"


class _Budget:
    __slots__ = ("_inner", "_limits", "_usage")

    def __init__(self, inner: CallService, limits: Budget) -> None:
        self._inner = inner
        self._limits = limits
        usage = UsageLimit("the run", "its Budget", is_of_run=True)
        limited = usage._replace(tokens=limits.tokens, cost=limits.cost, seconds=limits.seconds)
        self._usage = None if limited == usage else limited._replace(window=limits.window)

    async def __call__(self, call: Call, /) -> Reply:
        limits = self._limits
        if call.caller.depth > limits.depth:
            raise BudgetError(
                f"calls are nested {call.caller.depth} levels deep; the limit of this run is {limits.depth}"
            )
        if self._usage is not None:
            call.ledger.meter.check_limit(self._usage, call.id)
            call.ledger.meter.add_limit(call.id, self._usage)
        is_tool = call.callee.facts.effect is not Effect.COMPOSED
        reserve = call.ledger.reservations.reserve_call
        if (is_tool or _is_agent_below(call)) and not reserve(call.id, limits.calls, limits.window):
            of_window = f" of {limits.window:g} s" if is_of_open_run(call.ledger, call.caller.run) else ""
            raise BudgetError(f"the run has used all of its calls ({limits.calls:,}{of_window})")
        return await self._inner(call)


def _is_agent_below(call: Call) -> bool:
    """Whether an agent is called below the root. Other composed callees do not count against the limit."""
    return bool(call.caller.call) and isinstance(call.callee, AgentLike)
