"""Limits on what a run may use. They are reserved before a call starts and shared by everything that the run calls."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.callee import AgentLike
from remit.contracts.facts import Effect
from remit.contracts.reply import Reply
from remit.core import Place
from remit.core.checks import check_counts
from remit.errors import BudgetError, SetupError


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget(CallLayer):
    """At most ``calls`` calls, ``tokens`` tokens (None for no limit) and ``depth`` levels of nested calls.

    Calls of tools count, and calls of agents and workers below the root.
    """

    place = Place.BUDGET
    calls: int = 256
    tokens: int | None = None
    depth: int = 8

    def __post_init__(self) -> None:
        check_counts("Budget", calls=self.calls, depth=self.depth, tokens=1 if self.tokens is None else self.tokens)
        if min(self.calls, self.depth, 1 if self.tokens is None else self.tokens) < 1:
            raise SetupError(f"{self!r} allows nothing; calls, tokens and depth must be at least 1")

    def __call__(self, inner: CallService, /) -> CallService:
        """Reserve budget before ``inner``."""
        return _Budget(inner, self).__call__


class _Budget:
    __slots__ = ("_inner", "_limits")

    def __init__(self, inner: CallService, limits: Budget) -> None:
        self._inner = inner
        self._limits = limits

    async def __call__(self, call: Call, /) -> Reply:
        limits = self._limits
        if call.caller.depth > limits.depth:
            raise BudgetError(
                f"calls are nested {call.caller.depth} levels deep; the limit of this run is {limits.depth}"
            )
        if limits.tokens is not None:
            usage = call.ledger.usage_totals()
            if usage.prompt_tokens + usage.completion_tokens >= limits.tokens:
                raise BudgetError(f"the run has used its {limits.tokens:,} tokens")
        if _is_counted(call) and not call.ledger.reserve_call(call.id, limits.calls):
            raise BudgetError(f"the run has made its {limits.calls:,} calls")
        return await self._inner(call)


def _is_counted(call: Call) -> bool:
    """Whether a call counts against the limit. Composed callees other than agents do not."""
    if call.callee.facts.effect is not Effect.COMPOSED:
        return True
    return bool(call.caller.call) and isinstance(call.callee, AgentLike)
