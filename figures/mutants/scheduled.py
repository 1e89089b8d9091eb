"""Mutants of the figures about scheduled calls."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.mutants.mutant import edited, mutants_of
from figures.scheduled import measure

_SCHEDULE: Final = "remit.engine.schedule"

MUTANTS: Final = (
    *mutants_of(
        "scheduled.lost",
        {
            "a scheduled run is never due": edited("remit.journal.index:wake_time", "return item.at", "return NEVER"),
            "the next run is not opened by an executor": edited(
                f"{_SCHEDULE}:next_occurrence", "if not header.schedule or", "if not header.schedule or items or"
            ),
            "the next run does not recur": edited(
                f"{_SCHEDULE}:_start_at",
                "if recurrence.every else",
                "if recurrence.every and recurrence.first == time else",
            ),
        },
    ),
    *mutants_of(
        "scheduled.doubled",
        {
            "a scheduled run does not wait": edited(
                "remit.dispatch.attempts:check_time",
                "ledger.execution.is_early or now < ledger.execution.starts_at",
                "False",
            ),
            "a header in the journal has no time": edited(
                "remit.journal.ledger:RunLedger._index_item", "item.starts_at, item.starts_before", "0.0, 0.0"
            ),
        },
    ),
    *mutants_of(
        "scheduled.doubled",
        {
            "each executor opens a next run of its own": edited(
                f"{_SCHEDULE}:next_occurrence", "repr(time)", "__import__('uuid').uuid4().hex"
            ),
        },
        partial(measure, every=4),  # few kills come between the opening of that run and its record
    ),
)
