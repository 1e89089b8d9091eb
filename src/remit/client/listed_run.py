"""A run in a list, read from the index alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from remit.journal.run_row import RunRow
from remit.journal.run_summary import RunSummary
from remit.record.usage import NO_USAGE, Prices, UsageTotals
from remit.views import FailureView


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun(RunRow):
    """The index row of a run with a summary of its stored items, made without reading the items.

    ``title`` is the beginning of its prompt, or of the first text among the arguments of a call or the metadata of an
    open run, such as the name of a session, or else the callee. ``calls`` counts the calls that it made and that have
    ended; a direct call counts itself. ``open_questions`` can be decided now. ``worked`` and ``waited`` are the seconds
    with and without an executor. A resting run continues automatically at ``due`` (epoch seconds, 0 for never).
    ``failure`` is the first failure.
    """

    title: str = ""
    calls: int = 0
    open_questions: int = 0
    usage: UsageTotals = NO_USAGE
    worked: float = 0.0
    waited: float = 0.0
    due: float = 0.0
    failure: FailureView | None = None

    @property
    def row(self) -> RunRow:
        """The index row alone, as `Client.status` and `Client.watch` give it."""
        return RunRow(**{each.name: getattr(self, each.name) for each in fields(RunRow)})

    @staticmethod
    def of(row: RunRow, summary: RunSummary, prices: Prices) -> ListedRun:
        """Make a listed run from its row and its summary."""
        return ListedRun(
            **asdict(row),
            title=summary.title,
            calls=summary.calls,
            open_questions=summary.open_questions,
            usage=UsageTotals.of(summary.used.items(), prices),
            worked=summary.worked,
            waited=summary.waited,
            due=summary.due,
            failure=None if summary.failure is None else FailureView.of(*summary.failure),
        )
