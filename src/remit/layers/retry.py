"""Retries of failed calls, if the effect and the error allow them and the retry budget is not used up."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import NonNegativeFloat, PositiveInt

from remit.call.call import Call, CallLayer, CallService, describe_unread_key
from remit.call.facts import Effect
from remit.call.reply import Reply
from remit.call.retry_budget import FIRST_ATTEMPT_REFUND, RETRY_COST, RetryBudget, backoff
from remit.core import Place
from remit.core.argument_types import Converted
from remit.core.call_checks import callback, check_arguments
from remit.core.checks import as_items, check_subclass
from remit.errors import CallError, DeadlineError, InternalError, RemitError, SetupError, StillRunningError
from remit.record.items import AttemptStarted

TIMEOUT_RETRY_COST: Final = 10
"""Tokens for a retry after a deadline. It is expensive because the previous attempt may still be running."""


def _as_exceptions(what: str, given: Any) -> tuple[type[Exception], ...]:
    kinds: tuple[Any, ...] = (given,) if isinstance(given, (type, str)) else as_items(what, given)
    for kind in kinds:
        check_subclass("Retry: an item of on", kind, Exception, "give a class of exceptions, such as on=(OSError,)")
        if issubclass(kind, RemitError):
            raise SetupError(f"{what} has {kind.__name__}, an error of Remit; set retryable = True on a subclass")
    return kinds


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(CallLayer):
    """Retries pure, idempotent and keyed calls after a ``retryable`` error, but never unsafe or composed calls.

    Retryable are `ExternalError`, `RateLimitedError` and `DeadlineError`, the errors of connections, name servers and
    time limits that httpx, requests, urllib3, aiohttp and sockets raise, and ``on``: exception classes of your own.

    ``attempts`` is the total. The delay starts at ``base_delay`` seconds and doubles up to ``max_delay``. Up to half of
    it is cut at random, so that callers do not return at the same time. A call still running after its deadline is
    retried only if it is pure or keyed. A keyed call whose body has not read ``ctx.key`` is not retried, because a
    repetition would do its work again. Each retry takes tokens from a bucket per tool, because the tool bears the sum
    of all retries. When the bucket is empty, calls are not retried.
    """

    place = Place.RETRY
    attempts: PositiveInt = 3
    base_delay: NonNegativeFloat = 0.5
    max_delay: float = 10.0
    on: Annotated[tuple[type[Exception], ...], Converted(_as_exceptions)] = ()
    jitter: Annotated[Callable[[], float], callback(is_async=False)] = field(default=random.random, repr=False)
    _budget: RetryBudget = field(init=False, repr=False, compare=False, default_factory=RetryBudget)

    def __post_init__(self) -> None:
        if self.base_delay > self.max_delay:
            raise SetupError(f"{self!r}: base_delay must be at most max_delay")

    def __call__(self, inner: CallService, /) -> CallService:
        """Retry calls of ``inner``."""
        return _Retry(inner, self, self._budget).__call__

    def delay_after(self, attempt: int) -> float:
        """Seconds to wait after attempt number ``attempt``."""
        return backoff(attempt, self.base_delay, self.max_delay, self.jitter)


class _Retry:
    __slots__ = ("_budget", "_inner", "_policy")

    def __init__(self, inner: CallService, policy: Retry, budget: RetryBudget) -> None:
        self._inner = inner
        self._policy = policy
        self._budget = budget

    async def __call__(self, call: Call, /) -> Reply:
        if call.callee.facts.effect in (Effect.UNSAFE, Effect.COMPOSED):
            return await self._inner(call)
        if self._policy.on:
            call = call.replace(retry_on=(*call.retry_on, *self._policy.on))
        attempt, cost = 1, FIRST_ATTEMPT_REFUND
        while True:
            try:
                reply = await self._inner(call.replace(attempt=attempt) if attempt > 1 else call)
            except CallError as error:
                if call.id in call.ledger.unread_keys and _is_retryable(call, error):
                    raise InternalError(f"{error.message}; it is not repeated: {describe_unread_key(call)}") from error
                if attempt >= self._policy.attempts or not _is_retryable(call, error):
                    raise
                is_recorded = _is_attempt_recorded(call, attempt + 1)
                cost = TIMEOUT_RETRY_COST if isinstance(error, DeadlineError) else RETRY_COST
                if not is_recorded and not self._budget.try_spend(call.callee.name, cost):
                    raise
            else:
                if reply.outcome == "ok":
                    self._budget.refund(call.callee.name, cost)
                return reply
            if not is_recorded:
                await asyncio.sleep(self._policy.delay_after(attempt))
            attempt += 1


def _is_retryable(call: Call, error: CallError) -> bool:
    if isinstance(error, StillRunningError):
        return call.callee.facts.effect in (Effect.PURE, Effect.KEYED)
    return error.retryable


def _is_attempt_recorded(call: Call, attempt: int) -> bool:
    """Whether the journal records that attempt, so that its delay and cost were paid in an earlier execution."""
    return any(isinstance(item, AttemptStarted) and item.attempt == attempt for item in call.ledger.items_for(call.id))
