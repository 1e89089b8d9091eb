"""What a run has done so far, as one fold of its items: of the index of runs, of views, and of usage."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from remit.chat.wire import replace_surrogates
from remit.journal.conversations import first_message
from remit.journal.index import status_after
from remit.journal.run_row import RunStatus
from remit.record.items import (
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
from remit.record.usage import ModelName, Prices, TokenCounts, UsageTotals

NO_TOKENS = TokenCounts()


class RunTotals(Struct, kw_only=True):
    """The totals of a run as far as its items go: `add` them in their order.

    ``calls`` have ended; that of the run itself is not counted. ``worked`` are the seconds of its executions, each up
    to its last item, and ``waited`` those in which no executor had it. ``since`` is the time of the last item, and
    ``due`` that at which a resting run continues by itself (epoch seconds, 0 for never). ``failed`` is the number of
    the item ``failure``, the first one that reports a failure.

    The totals of a part of the items have no ``status`` until an item tells it, and ``untold`` are the seconds before
    that: the run has worked or waited as the part before says.
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
        """The totals of a run as far as these items go."""
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
                self.title = _storable(first_message(item.arguments))
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
        """The tokens that its models have used, and their cost."""
        return UsageTotals.of(self.used, prices)

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


def _storable(text: str) -> str:
    """The text with replacements for what is no text to a database, though JSON can write it."""
    return replace_surrogates(text).replace("\0", "\ufffd")
