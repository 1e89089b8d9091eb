"""The budget for retries, which limits the load that they add to a failing service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

BUCKET_TOKENS: Final = 500
"""Capacity of a bucket."""
RETRY_COST: Final = 5
"""Tokens for one retry."""
FIRST_ATTEMPT_REFUND: Final = 1
"""Tokens refunded by a success at the first attempt. A success after a retry refunds that retry's cost."""


def backoff(attempt: int, base_delay: float, max_delay: float, jitter: Callable[[], float]) -> float:
    """Seconds to wait after an attempt: doubled each time up to ``max_delay``, with up to half cut at random."""
    return min(base_delay * 2.0 ** min(attempt - 1, 1000), max_delay) * (0.5 + jitter() / 2)


class RetryBudget:
    """One bucket of tokens per name; an empty bucket allows no retry. ``spent_tokens`` holds the used tokens."""

    __slots__ = ("spent_tokens",)

    def __init__(self) -> None:
        self.spent_tokens: dict[str, int] = {}

    def try_spend(self, name: str, tokens: int) -> bool:
        """Pay for a retry; False if the bucket does not have enough tokens."""
        total = self.spent_tokens.get(name, 0) + tokens
        if total > BUCKET_TOKENS:
            return False
        self.spent_tokens[name] = total
        return True

    def refund(self, name: str, tokens: int) -> None:
        """Refund tokens after a success."""
        if self.spent_tokens:
            total = self.spent_tokens.pop(name, 0) - tokens
            if total > 0:
                self.spent_tokens[name] = total
