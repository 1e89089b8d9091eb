"""Turns under rate limits in the memory of this process."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from remit.journal.index import latest_start, plan_turn
from remit.record.ledger import TurnRequest


class TurnsInMemory:
    """The turns of a store in memory: when the latest of each lane of a rate begins."""

    _clock: Callable[[], float]

    def __init__(self) -> None:
        self._turns: dict[str, list[float]] = {}

    async def take_turn(self, request: TurnRequest) -> float:
        """Take the next turn of a rate, and return the seconds until it starts."""
        now = self._clock()
        latest = latest_start(request, now)
        lanes = self._turns[request.rate] = [
            min(each, now) if each > latest else each for each in self._turns.get(request.rate, ())
        ]
        heapq.heapify(lanes)
        plan = plan_turn(request, lanes[0] if lanes else None, len(lanes), now)
        if plan.start - now <= request.max_wait:
            (heapq.heappush if plan.is_new_lane else heapq.heapreplace)(lanes, plan.start)
        return plan.start - now
