"""Limits on a run's use, reserved before each call and model request and shared by all calls below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import PositiveFloat, PositiveInt

from remit.call.call import Call, CallLayer, CallService
from remit.call.callee import AgentLike
from remit.call.facts import Effect
from remit.call.gate import has_begun_body
from remit.call.reply import Reply
from remit.call.window import Window
from remit.core import Place
from remit.core.call_checks import check_arguments
from remit.errors import BudgetError, SetupError
from remit.record.items import UsesReserved
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

    ``windows`` limit calls, or sums of their arguments, further: per run, conversation, principal, tenant or agent, and
    in a time, over all processes of the store. What a call uses is reserved before a person is asked and before it
    begins, and returned if it ends without having begun.
    """

    place = Place.BUDGET
    calls: PositiveInt = 256
    tokens: PositiveInt | None = None
    depth: PositiveInt = 8
    cost: PositiveFloat | None = None
    seconds: PositiveFloat | None = None
    window: PositiveFloat = DEFAULT_WINDOW
    windows: Sequence[Window] = ()

    def __post_init__(self) -> None:
        names = [window.name for window in self.windows]
        for name in names:
            if names.count(name) > 1:
                raise SetupError(f"Budget: two windows are named {name!r}; give each its own name")

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
        added += f", windows={[each.name for each in self.windows]!r}" if self.windows else ""
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
        if limits.windows and not call.ledger.execution.is_replaying:
            is_counted = is_tool or _is_agent_below(call)
            windows = [each for each in limits.windows if (is_counted or each.tools) and each.covers(call)]
            if windows:
                reserve = _Reserve(windows)
                await reserve(call)
                call = call.replace(budgets=(*call.budgets, reserve))
        return await self._inner(call)


class _Reserve:
    """Reserves what a call uses of windows, unless it has begun: then it has what it reserved before."""

    __slots__ = ("_windows",)

    def __init__(self, windows: Sequence[Window]) -> None:
        self._windows = windows

    async def __call__(self, call: Call, /) -> None:
        ledger = call.ledger
        items = ledger.items_for(call.id)
        if has_begun_body(items):
            return
        requests = [window.request(call) for window in self._windows]
        refusal = await ledger.reservations.reserve_uses(call.id, requests)
        if refusal is not None:
            window = next(each for each in self._windows if each.name == refusal.request.window)
            raise window.make_error(call, refusal)
        names = {window.name for window in self._windows}
        others = next((item.uses for item in reversed(items) if isinstance(item, UsesReserved)), ())
        uses = [use for use in others if use[0] not in names]
        uses += [(each.window, each.subject, each.amount) for each in requests]
        ledger.add(UsesReserved(call=call.id, uses=tuple(uses)))


def _is_agent_below(call: Call) -> bool:
    """Whether an agent is called below the root. Other composed callees do not count against the limit."""
    return bool(call.caller.call) and isinstance(call.callee, AgentLike)
