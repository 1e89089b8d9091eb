"""What calls use of the windows of a budget: amounts that are reserved before a call starts, and when they count."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final, Literal, NamedTuple, TypeAlias

Every: TypeAlias = Literal["hour", "day", "month"] | float | None
"""How long a use counts: until the end of the hour, day or month (UTC), for a number of seconds, or always (None)."""

_MARGIN: Final = 1e-9
"""The part of a limit by which sums of floats may exceed it, so that ten times 0.1 is not more than 1."""


class UseRequest(NamedTuple):
    """A request to use ``amount`` of a window: uses that still count may add up to ``limit``.

    ``subject`` identifies, in the store, the window and whose uses it counts; it is empty if it counts those of the
    run, which its ledger counts alone.
    """

    window: str
    subject: str
    amount: float
    limit: float
    every: Every = None

    def fits(self, used: float) -> bool:
        """Whether the amount fits beside what is ``used``."""
        return used + self.amount <= self.limit + abs(self.limit) * _MARGIN


class UseRefusal(NamedTuple):
    """The request that did not fit, and what of its window is used."""

    request: UseRequest
    used: float


class Use(NamedTuple):
    """The amount that a call uses, and when it was reserved."""

    at: float
    amount: float


def counts_after(every: Every, now: float) -> float:
    """The time after which uses still count at ``now``, in seconds since the epoch."""
    if every is None:
        return -math.inf
    if not isinstance(every, str):
        return now - every
    moment = datetime.fromtimestamp(now, UTC).replace(minute=0, second=0, microsecond=0)
    if every != "hour":
        moment = moment.replace(hour=0)
    if every == "month":
        moment = moment.replace(day=1)
    return math.nextafter(moment.timestamp(), -math.inf)


def counts_again(every: Every, now: float) -> datetime | None:
    """When a calendar window that counts at ``now`` begins anew; None for windows that are not of the calendar."""
    if not isinstance(every, str):
        return None
    begun = datetime.fromtimestamp(math.nextafter(counts_after(every, now), math.inf), UTC)
    if every == "month":
        return begun.replace(year=begun.year + begun.month // 12, month=begun.month % 12 + 1)
    return datetime.fromtimestamp(begun.timestamp() + (3600.0 if every == "hour" else 86400.0), UTC)


class UsesInRun:
    """The uses of the calls of one run, by window, in the order in which they were reserved."""

    def __init__(self) -> None:
        self._windows: dict[str, dict[str, Use]] = {}
        self._totals: dict[str, float] = {}

    def find(self, window: str, call: str) -> Use | None:
        """What a call uses of a window; None if it uses nothing."""
        return self._windows.get(window, {}).get(call)

    def add(self, window: str, call: str, use: Use) -> None:
        """Count a use, in place of an earlier one of the call."""
        self.remove(window, call)
        self._windows.setdefault(window, {})[call] = use
        self._totals[window] = self._totals.get(window, 0.0) + use.amount

    def remove(self, window: str, call: str) -> None:
        """Count nothing of a call in a window any more."""
        removed = self._windows.get(window, {}).pop(call, None)
        if removed is not None:
            self._totals[window] -= removed.amount

    def total(self, window: str, since: float, *, but: str = "") -> float:
        """The sum of what calls have reserved after ``since``, without the call ``but``."""
        uses = self._windows.get(window, {})
        own = uses.get(but)
        if since == -math.inf:
            return self._totals.get(window, 0.0) - (own.amount if own else 0.0)
        recent = takewhile(lambda use: use.at > since, reversed(uses.values()))
        total = math.fsum(use.amount for use in recent)
        return total - (own.amount if own and own.at > since else 0.0)
