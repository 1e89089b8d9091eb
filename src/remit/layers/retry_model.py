"""Retries of model requests: busy and unreachable models, and empty answers."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, TypeVar

from pydantic import NonNegativeFloat, PositiveInt

from remit.call.asking import AttemptRecord, current_attempts
from remit.call.call import ModelLayer, ModelService
from remit.call.retry_budget import FIRST_ATTEMPT_REFUND, RETRY_COST, RetryBudget, backoff
from remit.chat.chat import ChatRequest, Completion
from remit.chat.finish import Ending, read_finish
from remit.core.call_checks import callback, check_arguments
from remit.errors import CompletionError, ModelError, SetupError

R = TypeVar("R")


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class RetryModel(ModelLayer):
    """Repeats a model request after a ``retryable`` error, or if the answer is empty.

    Every agent has this layer next to its model by default. ``attempts`` is the total. The delay starts at
    ``base_delay`` seconds and doubles up to ``max_delay``; up to half of it is cut at random, but it is at least as
    long as the provider demands. If the provider demands more than ``max_delay``, the request is not repeated here: the
    run rests as stalled until then. Each retry takes tokens from a bucket, as in `Retry`. Each failure is recorded
    before the next attempt, so after a crash the run continues with that attempt when it is due.
    """

    attempts: PositiveInt = 3
    base_delay: NonNegativeFloat = 0.5
    max_delay: float = 20.0
    jitter: Annotated[Callable[[], float], callback(is_async=False)] = field(default=random.random, repr=False)
    _budget: RetryBudget = field(init=False, repr=False, compare=False, default_factory=RetryBudget)

    def __post_init__(self) -> None:
        if self.base_delay > self.max_delay:
            raise SetupError(f"{self!r}: base_delay must be at most max_delay")

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Repeat requests to ``inner``."""

        async def ask(request: ChatRequest, /) -> Completion:
            return await self.repeat(lambda: inner(request), partial(is_incomplete, request), current_attempts())

        return ask

    async def repeat(
        self,
        ask: Callable[[], Awaitable[R]],
        is_incomplete: Callable[[R], bool],
        record: AttemptRecord | None = None,
    ) -> R:
        """Call ``ask`` until its answer is complete, or return or raise the outcome of the last attempt.

        Attempts on ``record`` are not repeated; the next one starts when it is due.
        """
        attempt, delay = (1, 0.0) if record is None else record.next_attempt()
        if delay:
            await asyncio.sleep(min(delay, self.max_delay))
        while True:
            try:
                answer = await ask()
            except ModelError as error:
                failure = error
                delay = self._delay_after(attempt, error)
                if delay is None:
                    raise
            else:
                if not is_incomplete(answer):
                    if self._budget.spent_tokens:
                        self._budget.refund("", FIRST_ATTEMPT_REFUND if attempt == 1 else RETRY_COST)
                    return answer
                failure = CompletionError("the model's answer is empty; it is asked again")
                delay = self._delay_after(attempt, None)
                if delay is None:
                    return answer
            if record is not None:
                record.add(failure, attempt, delay)
            await asyncio.sleep(delay)
            attempt += 1

    def _delay_after(self, attempt: int, error: ModelError | None) -> float | None:
        """Seconds to wait before the next attempt; None if no attempt is left."""
        if attempt >= self.attempts or (error is not None and not error.retryable):
            return None
        delay = backoff(attempt, self.base_delay, self.max_delay, self.jitter)
        if error is not None and error.retry_after is not None:
            delay = max(error.retry_after, delay)
        return delay if delay <= self.max_delay and self._budget.try_spend("", RETRY_COST) else None


def is_incomplete(request: ChatRequest, answer: Completion) -> bool:
    """Whether an answer is worth another attempt: it is empty, and does not end a turn with calls.

    An answer cut off by a token limit or a filter would be cut off again.
    """
    if answer.tool_calls or (answer.content or "").strip():
        return False
    if read_finish(answer.finish_reason) in (Ending.CUT, Ending.FILTERED):
        return False
    last = request.history[-1] if len(request.history) else ""
    return not last.startswith('{"role":"tool"')
