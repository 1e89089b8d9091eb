"""The ledger of an executing run: its history, and new items that are not stored yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from remit.chat.chat import decode_message
from remit.errors import DivergedError, JournalError, RequestError
from remit.journal.codec import encode_item, link_items
from remit.journal.ports import AppendFuture, Store
from remit.record.grant import Grant
from remit.record.items import (
    AttemptEnded,
    AttemptStarted,
    CallItem,
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
)
from remit.record.ledger import Consumption, TurnRequest
from remit.record.meter import Meter
from remit.record.question import Decision, Question
from remit.record.usage import Prices

STALL_TIMEOUT: Final = 5.0
"""Seconds on the loop's clock after which a body that makes no further recorded call has diverged."""

FLUSH_DELAY: Final = 0.05
"""Seconds on the loop's clock within which written items are stored, so that consumers see them."""

StoredCallback = Callable[[Sequence[Position]], None]
"""Called with the items of each append, once they are stored."""


class RunLedger:
    """Appends items to memory at once and to the store in order: with the next commit, or shortly after.

    A crash loses only items on which no effect depends. Close the ledger when its executor stops.
    """

    is_replaying = was_cancelled = is_early = False

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
        self.is_stopping = is_stopping
        self.starts_at = self.starts_before = 0.0
        self._application = ""
        self.prior_messages = prior_messages
        self._store = store
        self._epoch = epoch
        self._conversation = conversation
        self._clock = clock
        self._on_stored = on_stored
        self._seq = history[-1].seq if history else -1
        self._chain = history[-1].chain if history else b""
        self._items: list[Item] = []
        self._items_by_call: dict[str, list[Item]] = {}
        self._calls_by_question: dict[str, list[str]] = {}
        self._decided_pairs: set[tuple[str, str]] = set()
        self._append_in_progress: AppendFuture | None = None
        self._flush_again = self._is_closed = False
        self._flush_timer: asyncio.TimerHandle | None = None
        self._pending: list[tuple[Item, float, str]] = []
        self._reserved_calls: dict[str, float] = {}
        self._turns: set[tuple[str, int, str]] = set()
        self._agent_calls: set[str] = set()
        self._reserved_handoffs: set[tuple[str, int]] = set()
        self.meter = Meter(prices, clock, history)
        self.unread_keys: set[str] = set()
        self._store_error: JournalError | None = None
        self._unclaimed_calls: dict[str, set[str]] = {}
        self._claim_waiters: list[asyncio.Future[None]] = []
        for position in history:
            self._index_item(position.item, position.at)
            child = position.item
            if isinstance(child, CallItem) and child.parent:
                self.meter.add_call(child.parent, child.call)
                self._unclaimed_calls.setdefault(child.parent, set()).add(child.call)

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock()

    def items_for(self, call: str) -> Sequence[Item]:
        """All items stored under ``call``, in order."""
        return self._items_by_call.get(call, ())

    @property
    def user_message(self) -> str:
        """The user's message that began the run, as wire text; empty if it began without one."""
        texts = (item.text for item in self.recorded_items() if isinstance(item, Message) and item.call == item.agent)
        return next((text for text in texts if decode_message(text)["role"] == "user"), "")

    def recorded_items(self) -> Sequence[Item]:
        """All items of the run, in order."""
        return self._items

    def add(self, item: Item) -> None:
        """Write one item. It is stored with the next committed item, or shortly after.

        Raises:
            JournalError: an earlier write failed. The ledger accepts no more items; its executor must stop. Or it is
                closed; in a task that is being cancelled, as at the end of a program, its CancelledError continues.
        """
        if self._is_closed and not isinstance(item, (AttemptEnded, QuestionClosed)):
            raise self._refuse_straggler()
        if self._store_error is not None:
            raise self._store_error
        now = self._clock()
        self._pending.append((item, now, encode_item(item)))  # what cannot be stored fails here, alone
        self._index_item(item, now)
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
        """Drop items that are not stored, and accept no more: a call that a body left behind starts nothing.

        Only the end of an attempt that outlives its run is stored, because its outcome would be in doubt otherwise.
        """
        self._is_closed = True
        self._pending.clear()
        self._flush_again = False
        if self._flush_timer is not None:
            self._flush_timer.cancel()

    def _refuse_straggler(self) -> BaseException:
        """The error for an item that comes too late; asyncio does not log it if no code awaits the task."""
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            return asyncio.CancelledError()
        if task is not None:
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        return JournalError(f"run {self.run} is no longer executing; await each call in the body that makes it")

    def claim_call(self, parent: str, call: str) -> bool:
        """Report that the body of ``parent`` makes ``call``; return whether it may start at once."""
        self.meter.add_call(parent, call)
        unclaimed = self._unclaimed_calls.get(parent)
        if unclaimed is None or call in self._items_by_call:
            if unclaimed is not None:
                unclaimed.discard(call)
                for waiter in self._claim_waiters:
                    waiter.set_result(None)
                self._claim_waiters.clear()
            return True
        return not unclaimed

    async def wait_for_recorded_calls(self, parent: str, call: str, is_busy: Callable[[], bool]) -> None:
        """Wait until the body of ``parent`` has made all its recorded calls.

        Raises:
            DivergedError: it does not make them, and none of its calls is in progress.
        """
        while self._unclaimed_calls.get(parent):
            claimed = asyncio.get_running_loop().create_future()
            self._claim_waiters.append(claimed)
            await asyncio.wait([claimed], timeout=STALL_TIMEOUT)
            if not claimed.done() and not is_busy():
                self.finish_body(parent)

    def expects_calls(self, parent: str) -> bool:
        """Whether the journal records calls of the body of ``parent`` that it has not made yet."""
        return bool(self._unclaimed_calls.get(parent))

    def finish_body(self, parent: str) -> None:
        """Report that the body of ``parent`` makes no more calls.

        Raises:
            DivergedError: the journal records a call that it has not made.
        """
        if unclaimed := self._unclaimed_calls.get(parent):
            first = self._items_by_call[min(unclaimed)][0]
            name = first.callee if isinstance(first, ToolOutput) else first.call[:8]
            raise DivergedError(
                f"the journal records a call ({name}) that the current code does not make; nothing was run"
            )

    def calls_waiting_for(self, question: str) -> list[str]:
        """The calls of this run that wait for the decision on a question."""
        return self._calls_by_question.get(question, [])

    def undecided_questions(self) -> list[tuple[str, str]]:
        """The questions of this run without a decision, each with its call."""
        if not self._calls_by_question:
            return []
        pairs = [(question, call) for question, calls in self._calls_by_question.items() for call in calls]
        return [pair for pair in pairs if pair not in self._decided_pairs]

    async def find_usable_question(self, match: str) -> tuple[Question, Decision | None] | None:
        """The open or unused question of this conversation that matches, with its decision if there is one.

        A question that another call of this run uses already is not returned.
        """
        row = await self._store.find_usable_question(self._conversation, match) if self._conversation else None
        is_free = row is not None and all(call == match for call in self.calls_waiting_for(row.question.id))
        return (row.question, row.decision) if row is not None and is_free else None

    async def find_last_approval(
        self, *, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> tuple[Question, Decision] | None:
        """The newest approved question of a rule about an asker's calls of a tool for a target, in this application."""
        row = await self._store.find_last_approval(
            application=self._application, tenant=tenant, asker=asker, target=target, tool=tool, rule=rule
        )
        return (row.question, row.decision) if row is not None and row.decision is not None else None

    async def is_used_elsewhere(self, question: str, call: str) -> bool:
        """Whether a call other than ``call`` has used the decision on a question."""
        row = await self._store.find_question(question)
        return row is not None and row.consumed_by not in (None, (self.run, call))

    async def decide(self, decision: Decision) -> Decision | None:
        """Store a decision made in this process; return the first decision stored, None if the question is over."""
        try:
            await self._store.decide(decision)
        except RequestError:
            row = await self._store.find_question(decision.question)
            return row.decision if row is not None else None
        return decision

    async def usable_grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """The grants that can still approve calls of a tool."""
        rows = await self._store.list_grants(tenant=tenant, tool=tool)
        return [row.grant for row in rows if row.is_usable(self._clock())]

    async def is_grant_valid(self, tenant: str, grant: str) -> bool:
        """Whether a grant that approved a call is still valid."""
        row = await self._store.find_grant(grant)
        return row is not None and row.grant.tenant == tenant and not row.revoked_by and row.grant.expires > self.now()

    async def use_grant(self, grant: str) -> bool:
        """Use one call of a grant."""
        return await self._store.use_grant(grant, self.run, self._epoch)

    async def take_turn(self, call: str, attempt: int, request: TurnRequest) -> float:
        """Take a turn for an attempt of a call; return the seconds until it starts."""
        turn = (call, attempt, request.rate)
        if turn in self._turns:
            return 0.0
        self._turns.add(turn)
        return await self._store.take_turn(request)

    def reserve_call(self, call: str, limit: int, window: float = 0.0) -> bool:
        """Reserve one of the run's ``limit`` calls for ``call``; False if none is left. Idempotent."""
        if call not in self._reserved_calls:
            if self._count_reserved(window) >= limit:
                return False
            self._reserved_calls[call] = self._clock()
        return True

    def _count_reserved(self, window: float) -> int:
        """The calls that count: all, or in an open run those that were reserved in the last ``window`` seconds."""
        if not (window and self.meter.is_open):
            return len(self._reserved_calls)
        since = self._clock() - window
        return sum(1 for _ in takewhile(lambda at: at > since, reversed(self._reserved_calls.values())))

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Reserve the next handoff in the call ``agent``; False if the run has none left."""
        following = (agent, self._count_handoffs(agent))
        if following not in self._reserved_handoffs:
            outer = self.meter.call_from_outside(agent)
            if sum(self.meter.call_from_outside(each) == outer for each, _ in self._reserved_handoffs) >= limit:
                return False
            self._reserved_handoffs.add(following)
        return True

    def _count_handoffs(self, agent: str) -> int:
        return sum(isinstance(item, Handoff) for item in self.items_for(agent))

    def _index_item(self, item: Item, at: float) -> None:
        call = item.call
        self._items.append(item)
        call_items = self._items_by_call.get(call)
        if call_items is None:
            self._items_by_call[call] = [item]
        else:
            call_items.append(item)
        match item:
            case AttemptStarted():
                self._reserved_calls.setdefault(call, at)
            case ToolOutput():
                if call in self._agent_calls:
                    self._reserved_calls.setdefault(call, at)
            case Message():
                self._agent_calls.add(item.agent)
            case ModelUsage():
                self.meter.add_usage(item, at)
            case QuestionItem():
                self._calls_by_question.setdefault(item.question, []).append(call)
            case DecisionItem():
                self._decided_pairs.add((item.question, call))
            case Handoff():
                self._reserved_handoffs.add((call, self._count_handoffs(call) - 1))
            case RunOpened():
                self._application = item.application
                self.starts_at, self.starts_before = item.starts_at, item.starts_before
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
        """Report stored items, or keep the error."""
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
