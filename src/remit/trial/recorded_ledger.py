"""The journal of a run as it was when a call was judged, for rules that read it."""

from __future__ import annotations

from collections.abc import Sequence

from remit.errors import JournalError
from remit.journal.replayed_calls import ReplayedCalls
from remit.journal.replayed_decisions import NoReservations, ReplayedDecisions
from remit.record.items import Item
from remit.record.ledger import Consumption, Execution
from remit.record.meter import Meter
from remit.record.past import CallEdge, PastCalls


class RecordedLedger:
    """The items of a run up to a moment. `add_recorded` moves the moment on; nothing can be written."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.execution = Execution()
        self.prior_messages: Sequence[str] = ()
        self.at = 0.0
        self.unread_keys: set[str] = set()
        self.reservations = NoReservations()
        self.meter = Meter({}, self.now)
        self._unread: list[tuple[CallEdge, float]] = []
        self.past = PastCalls(self._unread)
        self._items: list[Item] = []
        self._items_by_call: dict[str, list[Item]] = {}
        self.decisions = ReplayedDecisions(self._items_by_call)
        self.order = ReplayedCalls((), self._items_by_call, was_cancelled=False)

    def add_recorded(self, item: Item, at: float) -> None:
        """Add the next item of the run, which was written at a time."""
        if isinstance(item, CallEdge):
            self._unread.append((item, at))
        self._items.append(item)
        self._items_by_call.setdefault(item.call, []).append(item)

    def now(self) -> float:
        """When the call was judged."""
        return self.at

    def items_for(self, call: str) -> Sequence[Item]:
        """The items stored under ``call`` before the moment."""
        return self._items_by_call.get(call, ())

    def recorded_items(self) -> Sequence[Item]:
        """The items of the run before the moment."""
        return self._items

    def add(self, item: Item) -> None:
        """Refuse to write.

        Raises:
            JournalError: always.
        """
        raise _read_only(item)

    async def commit(self, item: Item, consumption: Consumption | None = None) -> None:
        """Refuse to write.

        Raises:
            JournalError: always.
        """
        raise _read_only(item)

    def start_flush(self) -> None:
        """Do nothing: nothing is written."""


def _read_only(item: Item) -> JournalError:
    return JournalError(f"a trial only reads runs, and writes no item of the kind {item.kind!r}")
