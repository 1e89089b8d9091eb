"""Mutants of the figure about limits."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_LIMIT: Final = "remit.layers.limit"

MUTANTS: Final = mutants_of(
    "limits.over",
    {
        "one call more than the budget starts": edited(
            "remit.journal.before_calls:RunReservations.reserve_call",
            "if self._count_reserved(window) >= limit:",
            "if self._count_reserved(window) > limit:",
        ),
        "calls of composed tools do not count": edited(
            "remit.layers.budget:_Budget.__call__", "if (is_tool or _is_agent_below(call)) and", "if call.wire_id and"
        ),
        "a rate admits as many again as soon as half of its time is over": edited(
            f"{_LIMIT}:_Window._admit_waiting",
            "self._started[0] + self._rate.seconds <= now",
            "self._started[0] + self._rate.seconds / 2 <= now",
        ),
        "a call that waited for its turn is not counted": edited(
            f"{_LIMIT}:_Window._admit_waiting", "self._started.append(now)", "pass"
        ),
        "one call more than the concurrency runs": edited(
            f"{_LIMIT}:_Permits.acquire", "if self._held_count < limit.calls:", "if self._held_count <= limit.calls:"
        ),
        "a permit that is passed on is returned as well": edited(
            f"{_LIMIT}:_Permits.release", "waiter.set_result(True)\n            return", "waiter.set_result(True)"
        ),
        "a waiting call that is cancelled gives back a permit it never had": edited(
            f"{_LIMIT}:_Permits._wait_for_permit", "self._remove_waiter(waiter)", "self.release()"
        ),
    },
)
