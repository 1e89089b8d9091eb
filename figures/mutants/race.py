"""Mutants of the figures about processes that race for one run, and for one approval."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, edited

_INDEX: Final = "remit.journal.index"

MUTANTS: Final = (
    Mutant(
        figure="approval.race.executions",
        defect="an approval can be used a second time",
        plant=edited(
            f"{_INDEX}:check_consumable", "row.consumed_by not in (None, (consumption.run, consumption.call))", "False"
        ),
    ),
)
