"""The budget from which retries are paid, so that they add little load to a service that keeps failing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

BUCKET_TOKENS: Final = 500
"""Capacity of a bucket."""
RETRY_COST: Final = 5
"""Tokens for one retry."""
FIRST_ATTEMPT_REFUND: Final = 1
"""Tokens refunded by success at the first attempt. Success after a retry refunds the cost of that retry."""


def backoff(attempt: int, base_delay: float, max_delay: float, jitter: Callable[[], float]) -> float:
    """Seconds to wait after an attempt: doubled each time up to ``max_delay``, of which a random half is cut."""
    return min(base_delay * 2.0 ** min(attempt - 1, 1000), max_delay) * (0.5 + jitter() / 2)


class RetryBudget:
    """One bucket of tokens for each name; without tokens, no retry. ``spent_tokens`` has those that are used up."""

    __slots__ = ("spent_tokens",)

    def __init__(self) -> None:
        self.spent_tokens: dict[str, int] = {}

    def try_spend(self, name: str, tokens: int) -> bool:
        """Pay a retry; False if the bucket does not have as much."""
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
