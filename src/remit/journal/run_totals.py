"""The totals of a run as a single fold of its items, for the index of runs, views and usage."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from remit.chat.wire import replace_surrogates
from remit.journal.conversations import first_message, shorten_title
from remit.journal.index import status_after
from remit.journal.run_row import RunStatus
from remit.record.items import (
    DETACHED,
    OPEN_RUN,
    ErasedItem,
    Item,
    ModelFailure,
    ModelUsage,
    Position,
    RunFinished,
    RunOpened,
    RunResumed,
    RunScheduled,
    RunStalled,
    ToolOutput,
)
from remit.record.usage import NO_TOKENS, ModelName, Prices, TokenCounts, UsageTotals


class RunTotals(Struct, kw_only=True):
    """The totals of the items of a run, which are passed to `add` in order.

    ``calls`` counts the calls that the run made and that have ended, and a direct call's own, which is the work of its
    run. ``title`` is what a decision without a message was about, if one opened the run; otherwise the beginning of the
    first text in the arguments, or in the metadata of an open run, or else the callee. ``worked`` are the seconds of
    all executions, each up to its last item, and ``waited`` the seconds without an executor. ``since`` is the time of
    the last item, and ``due`` the time when a resting run continues by itself (epoch seconds, 0 for never). ``failed``
    is the number of ``failure``, the first item that reports a failure.

    The totals of a later part of the items have no ``status`` until an item determines it. ``untold`` are the seconds
    before that, which count as worked or waited depending on the preceding part.
    """

    status: RunStatus | None = None
    title: str = ""
    error: str = ""
    calls: int = 0
    used: dict[ModelName, TokenCounts] = {}
    worked: float = 0.0
    waited: float = 0.0
    untold: float = 0.0
    since: float | None = None
    due: float | None = None
    failure: ToolOutput | ModelFailure | None = None
    failed: int = -1
    failed_at: float = 0.0

    @classmethod
    def of(cls, positions: Iterable[Position]) -> RunTotals:
        """Compute the totals of a run's items."""
        totals = cls()
        for position in positions:
            totals.add(position.item, position.at, position.seq)
        return totals

    def add(self, item: Item, at: float, number: int) -> None:
        """Add the next item, which was written at ``at`` (epoch seconds)."""
        if self.since is not None and at > self.since:
            self._add_seconds(item, at - self.since)
        self.since = at
        status = status_after(item)
        if status is not None:
            self.status, self.due = status, 0.0
        match item:
            case ToolOutput():
                self.calls += bool(item.parent)
                if item.outcome == "error":
                    self._fail(item, at, number)
            case ModelUsage():
                name = ModelName(_storable(item.requested), _storable(item.model))
                self.used[name] = self.used.get(name, NO_TOKENS).add(item)
            case ModelFailure() if item.retry_at is None:
                self._fail(item, at, number)
            case RunOpened():
                self.status, self.due = "queued" if item.queued else "running", 0.0
                self.title = _storable(_title_of(item))
                self.calls = int(item.after == DETACHED and item.callee != OPEN_RUN)
            case RunStalled():
                self.due = item.retry_at
            case RunScheduled():
                self.due = item.at
            case RunFinished():
                self.error = item.error
            case ErasedItem() if item.was == RunFinished.kind:
                self.status = "done"
            case _:
                pass

    def usage(self, prices: Prices) -> UsageTotals:
        """The tokens used by the run's models, and their cost."""
        return UsageTotals.of(self.used.items(), prices)

    def _add_seconds(self, item: Item, seconds: float) -> None:
        if isinstance(item, RunResumed):
            self.waited += seconds
        elif self.status is None:
            self.untold += seconds
        elif self.status == "running":
            self.worked += seconds
        else:
            self.waited += seconds

    def _fail(self, item: ToolOutput | ModelFailure, at: float, number: int) -> None:
        if self.failure is None:
            self.failure, self.failed, self.failed_at = item, number, at


def _title_of(header: RunOpened) -> str:
    if header.about:
        return shorten_title(header.about)
    title = first_message(header.metadata if header.callee == OPEN_RUN else header.arguments)
    return title or header.callee


def _storable(text: str) -> str:
    """Replace the characters that JSON can write but a database cannot store."""
    return replace_surrogates(text).replace("\0", "\ufffd")
