"""The runs of an in-memory store, and their summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from remit.journal.change_memory import ChangesInMemory
from remit.journal.index import with_expiry
from remit.journal.run_row import RunRow
from remit.journal.run_summary import RunSummary, UsageRow
from remit.journal.run_totals import RunTotals
from remit.record.items import Position
from remit.record.usage import NO_TOKENS, ModelName, TokenCounts


class RunState(Struct):
    """A run in memory. ``totals`` covers its first ``counted`` items."""

    epoch: int = 0
    executor: str = ""
    leased_until: float = 0.0
    items: list[Position] = field(default_factory=list[Position])
    questions: list[str] = field(default_factory=list[str])
    row: RunRow | None = None
    number: int = 0
    wake: float = 0.0
    waits_for: tuple[str, ...] = ()
    cancel_requested_by: str = ""
    totals: RunTotals = field(default_factory=RunTotals)
    counted: int = 0


class RunsInMemory(ChangesInMemory):
    """The run summaries of an in-memory store, which are computed when they are read."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: dict[str, RunState] = {}

    async def read_summaries(self, runs: Sequence[str]) -> Mapping[str, RunSummary]:
        """The summaries of the opened ones among ``runs``, by run."""
        now = self._clock()
        asked = Counter(
            each.question.run for each in self._questions.values() if with_expiry(each, now).status == "open"
        )
        rows = {run: row for run in runs if (row := self._row_of(run)) is not None}
        return {run: self._summarize(row, asked[run]) for run, row in rows.items()}

    async def read_usage(
        self, *, tenant: str, application: str = "", principal: str = "", since: float, until: float
    ) -> Sequence[UsageRow]:
        """The model usage of runs opened from ``since`` until ``until``, by target and model."""
        found: dict[tuple[str, ModelName], TokenCounts] = {}
        for row in self._opened_runs():
            if row.tenant != tenant or not since <= row.opened < until:
                continue
            if application in ("", row.application) and principal in ("", row.principal):
                for name, counts in self._total(row.run).used.items():
                    key = row.target, name
                    found[key] = found.get(key, NO_TOKENS).plus(counts)
        return [UsageRow(*key, counts) for key, counts in found.items()]

    def _row_of(self, run: str) -> RunRow | None:
        return self._runs[run].row if run in self._runs else None

    def _opened_runs(self) -> list[RunRow]:
        return [state.row for state in self._runs.values() if state.row is not None]

    def _items_of(self, run: str) -> list[Position]:
        return self._runs[run].items if run in self._runs else []

    def _count_items(self, run: str) -> list[Position]:
        """Count a run's items before some of them are erased."""
        self._total(run)
        return self._items_of(run)

    def _total(self, run: str) -> RunTotals:
        """Update a run's totals with the items added since the last read."""
        state = self._runs.get(run, RunState())
        for position in state.items[state.counted :]:
            state.totals.add(position.item, position.at, position.seq)
        state.counted = len(state.items)
        return state.totals

    def _summarize(self, row: RunRow, open_questions: int) -> RunSummary:
        totals, items = self._total(row.run), self._items_of(row.run)
        failure = totals.failure
        is_kept = failure is not None and items[totals.failed].item is failure  # the item may have been erased
        return RunSummary(
            title="" if row.erased else totals.title,
            calls=totals.calls,
            open_questions=open_questions,
            used=dict(totals.used),
            worked=totals.worked,
            waited=totals.waited,
            due=totals.due or 0.0,
            failure=(failure, totals.failed_at) if failure is not None and is_kept else None,
        )
