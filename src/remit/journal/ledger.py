"""The ledger of an executing run: its history, and new items still to be stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from remit.errors import JournalError
from remit.journal.before_calls import RecordedCalls, RunReservations
from remit.journal.codec import encode_item, link_items
from remit.journal.ports import AppendFuture, Store
from remit.journal.run_decisions import RunDecisions
from remit.record.items import (
    AttemptEnded,
    AttemptStarted,
    CallEntered,
    DecisionItem,
    Handoff,
    Item,
    Message,
    ModelUsage,
    Position,
    QuestionClosed,
    QuestionItem,
    RunOpened,
    ToolOutput,
    UsesReserved,
)
from remit.record.ledger import Consumption, Execution
from remit.record.meter import Meter
from remit.record.past import CallEdge, PastCalls
from remit.record.usage import Prices

FLUSH_DELAY: Final = 0.05
"""Seconds on the loop's clock within which written items are stored, so that consumers see them."""

StoredCallback = Callable[[Sequence[Position]], None]
"""Called with the items of each append after they are stored."""


class RunLedger:
    """Appends items to memory at once and to the store in order: with the next commit, or shortly after.

    A crash loses only items on which no effect depends. The ledger must be closed when its executor stops.
    """

    def __init__(
        self,
        store: Store,
        run: str,
        epoch: int,
        *,
        conversation: str = "",
        prior_messages: Sequence[str] = (),
        clock: Callable[[], float],
        on_stored: StoredCallback,
        history: Sequence[Position] = (),
        is_stopping: bool = False,
        prices: Prices = MappingProxyType({}),
    ) -> None:
        self.run = run
        self.execution = Execution(is_stopping=is_stopping)
        self.prior_messages = prior_messages
        self._store = store
        self._epoch = epoch
        self._clock = clock
        self._on_stored = on_stored
        self._seq = history[-1].seq if history else -1
        self._chain = history[-1].chain if history else b""
        self._items: list[Item] = []
        self._items_by_call: dict[str, list[Item]] = {}
        self._append_in_progress: AppendFuture | None = None
        self._flush_again = self._is_closed = False
        self._flush_timer: asyncio.TimerHandle | None = None
        self._pending: list[tuple[Item, float, str]] = []
        self._agent_calls: set[str] = set()
        self.meter = Meter(prices, clock, history)
        self.unread_keys: set[str] = set()
        self._store_error: JournalError | None = None
        self.decisions = RunDecisions(store, run, epoch, conversation, clock)
        self.reservations = RunReservations(store, run, self._items_by_call, self.meter, clock)
        self._begun_and_ended: list[tuple[CallEdge, float]] = []
        self._past: PastCalls | None = None
        for position in history:
            self._index_item(position.item, position.at)
        self.order = RecordedCalls(self._items_by_call, self.meter, history)

    @property
    def past(self) -> PastCalls:
        """The calls before, for rules that read them: most runs have none."""
        if self._past is None:
            self._past = PastCalls(self._begun_and_ended)
        return self._past

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock()

    def items_for(self, call: str) -> Sequence[Item]:
        """All items stored under ``call``, in order."""
        return self._items_by_call.get(call, ())

    def recorded_items(self) -> Sequence[Item]:
        """All items of the run, in order."""
        return self._items

    def add(self, item: Item) -> None:
        """Write one item. It is stored with the next committed item, or shortly after.

        Raises:
            JournalError: an earlier write failed, so the ledger accepts no more items and its executor must stop; or
                the ledger is closed. In a task that is being cancelled, as at the end of a program, the CancelledError
                is raised instead.
        """
        if self._is_closed and not isinstance(item, (AttemptEnded, QuestionClosed)):
            raise self._refuse_straggler()
        if self._store_error is not None:
            raise self._store_error
        now = self._clock()
        # an item that cannot be stored fails here without affecting others
        self._pending.append((item, now, encode_item(item)))
        unused = self._index_item(item, now)
        if unused:
            self.reservations.release_uses(item.call, unused)
        if self._flush_timer is None:
            self._flush_timer = asyncio.get_running_loop().call_later(FLUSH_DELAY, self._on_flush_timer)

    async def commit(self, item: Item, consumption: Consumption | None = None) -> None:
        """Write one item and return when it and all earlier items are stored.

        Raises:
            JournalError: the store refused. The ledger accepts no more items; its executor must stop.
        """
        self.add(item)
        await _wait_until_stored(self._append_pending(consumption))

    def start_flush(self) -> None:
        """Start storing the items written so far, or do so when the append in progress ends.

        Raises:
            JournalError: an earlier write failed.
        """
        if self._store_error is not None:
            raise self._store_error
        if self._append_in_progress is not None:
            self._flush_again = True
        elif self._pending:
            self._append_pending(None)

    async def flush(self) -> None:
        """Return when all items written so far are stored.

        Raises:
            JournalError: this write or an earlier one failed.
        """
        if self._pending:
            await _wait_until_stored(self._append_pending(None))
        elif self._append_in_progress is not None:
            await _wait_until_stored(self._append_in_progress)
        if self._store_error is not None:
            raise self._store_error

    def close(self) -> None:
        """Drop items that are not stored and accept no more, so that calls left behind by a body start nothing.

        Only the end of an attempt that outlives its run is stored, because its outcome would otherwise be unknown.
        """
        self._is_closed = True
        self._pending.clear()
        self._flush_again = False
        if self._flush_timer is not None:
            self._flush_timer.cancel()

    def _refuse_straggler(self) -> BaseException:
        """The error for an item that comes too late. asyncio does not log it even if no code awaits the task."""
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            return asyncio.CancelledError()
        if task is not None:
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        return JournalError(f"run {self.run} is no longer executing; await each call in the body that makes it")

    def _index_item(self, item: Item, at: float) -> list[str]:
        """Index an item; return the subjects of what its call has reserved in the store, if that is not needed."""
        call = item.call
        self._items.append(item)
        call_items = self._items_by_call.get(call)
        if call_items is None:
            self._items_by_call[call] = [item]
        else:
            call_items.append(item)
        match item:
            case AttemptStarted() | CallEntered():
                if type(item) is AttemptStarted:
                    self.reservations.calls.setdefault(call, at)
                if self.reservations.held:
                    self.reservations.held.pop(call, None)
                self._begun_and_ended.append((item, at))
            case ToolOutput():
                if call in self._agent_calls:
                    self.reservations.calls.setdefault(call, at)
                self._begun_and_ended.append((item, at))
                return self.reservations.drop_uses(call) if self.reservations.held else []
            case Message():
                self._agent_calls.add(item.agent)
            case ModelUsage():
                self.meter.add_usage(item, at)
            case RunOpened():
                self.decisions.application = item.application
                self.execution.starts_at, self.execution.starts_before = item.starts_at, item.starts_before
            case _:
                self._index_rare_item(item, at)
        return []

    def _index_rare_item(self, item: Item, at: float) -> None:
        match item:
            case UsesReserved():
                self.reservations.hold_uses(item, at)
            case QuestionItem():
                self.decisions.calls_by_question.setdefault(item.question, []).append(item.call)
            case DecisionItem():
                self.decisions.decided_pairs.add((item.question, item.call))
            case Handoff():
                self.reservations.handoffs.add((item.call, self.reservations.count_handoffs(item.call) - 1))
            case _:
                pass

    def _append_pending(self, consumption: Consumption | None) -> AppendFuture:
        pending, self._pending = self._pending, []
        batch = link_items(self.run, self._epoch, self._seq, self._chain, pending)
        self._seq, self._chain = batch[-1].seq, batch[-1].chain
        stored = self._store.append(self.run, self._epoch, batch, consumption)
        if stored.done():
            self._on_append_done(batch, stored)
        else:
            self._append_in_progress = stored
            stored.add_done_callback(partial(self._on_append_done, batch))
        return stored

    def _on_append_done(self, batch: Sequence[Position], stored: asyncio.Future[None]) -> None:
        """Report stored items or keep the error."""
        if self._append_in_progress is stored:
            self._append_in_progress = None
        error = stored.exception()
        if isinstance(error, JournalError):
            self._store_error = self._store_error or error
        if error is None:
            self._on_stored(batch)
            if self._flush_again and self._append_in_progress is None:
                self._flush_again = False
                self.start_flush()

    def _on_flush_timer(self) -> None:
        self._flush_timer = None
        if self._store_error is None:
            self.start_flush()


async def _wait_until_stored(stored: AppendFuture) -> None:
    """Wait for an append. Cancelling the wait does not cancel the append."""
    if stored.done():
        stored.result()
    else:
        await asyncio.shield(stored)
