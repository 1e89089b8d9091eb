"""Mutants of the figure about the index of runs."""

from __future__ import annotations

from typing import Final

from figures import run_index
from figures.mutants.mutant import edited, mutants_of

_TOTALS: Final = "remit.journal.run_totals:RunTotals"
_VALUES: Final = "remit.journal.sql.run_totals:totals_values"
_DAYS: Final = "remit.journal.sql.run_totals:add_to_days"
_SUMMARIES: Final = "remit.journal.sql.run_summaries"

MUTANTS: Final = mutants_of(
    "index.differs",
    {
        "the time since a crash counts as work": edited(_VALUES, "int(isinstance(first.item, RunResumed))", "0"),
        "the time within an append is lost": edited(_VALUES, '"more_worked": totals.worked', '"more_worked": 0.0'),
        "the time before an append is lost": edited(_VALUES, "first.at if first.seq else 0.0", "0.0"),
        "calls of an append replace those before": edited(_VALUES, '"more_calls": totals.calls', '"more_calls": 1'),
        "a failure is forgotten by the next append": edited(
            _VALUES, '"first_failed": totals.failed', '"first_failed": -1'
        ),
        "usage is not kept by run": edited(
            "remit.journal.sql.run_totals:usage_rows", "in models.items()", "in list(models.items())[:0]"
        ),
        "usage of the runs of a day is not added up": edited(_DAYS, "if sums:", "if not sums:"),
        "a run counts on the day after it was opened": edited(
            "remit.journal.sql.run_totals:_day_of", "opened // DAY", "opened // DAY + 1"
        ),
        "runs that have not ended are left out of usage": edited(
            f"{_SUMMARIES}:_select_usage", "(unfinished, (opened >= since", "((opened >= since"
        ),
        "parts of days are left out of usage": edited(
            f"{_SUMMARIES}:_select_usage", "opened < min(begin, until)", "opened < since"
        ),
        "the call of an agent's run itself counts": edited(f"{_TOTALS}.add", "bool(item.parent)", "1"),
        "a direct call does not count": edited(f"{_TOTALS}.add", "item.after == DETACHED", "False"),
    },
    lambda: [run_index.measure(60)],  # some meet few runs: a clock jumps as often as it is asked
)
