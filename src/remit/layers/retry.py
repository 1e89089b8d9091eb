"""Another try, where the effect allows one and the error is worth it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.facts import Effect
from remit.contracts.reply import Reply
from remit.core import Place
from remit.errors import CallError, SetupError


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(CallLayer):
    """Tries pure, idempotent and keyed calls again after a ``retryable`` error; unsafe and composed ones never.

    ``attempts`` in all; between them ``base`` seconds, doubled each time up to ``most``, of which a random part from
    half to all is waited, so that many callers do not come back at once.
    """

    place = Place.RETRY
    attempts: int = 3
    base: float = 0.5
    most: float = 10.0
    chance: Callable[[], float] = field(default=random.random, repr=False)

    def __post_init__(self) -> None:
        if self.attempts < 1 or not 0 <= self.base <= self.most:
            raise SetupError(f"{self!r}: give at least one attempt, and 0 <= base <= most")

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that tries ``inner`` again."""
        return _Retry(inner, self).__call__

    def pause(self, attempt: int) -> float:
        """Seconds to wait after attempt number ``attempt``."""
        return min(self.base * 2.0 ** min(attempt - 1, 1000), self.most) * (0.5 + self.chance() / 2)


class _Retry:
    __slots__ = ("_inner", "_policy")

    def __init__(self, inner: CallService, policy: Retry) -> None:
        self._inner = inner
        self._policy = policy

    async def __call__(self, call: Call, /) -> Reply:
        if call.callee.facts.effect in (Effect.UNSAFE, Effect.COMPOSED):
            return await self._inner(call)
        attempt = 1
        while True:
            try:
                return await self._inner(call._replace(attempt=attempt) if attempt > 1 else call)
            except CallError as error:
                if not error.retryable or attempt >= self._policy.attempts:
                    raise
            await asyncio.sleep(self._policy.pause(attempt))
            attempt += 1
