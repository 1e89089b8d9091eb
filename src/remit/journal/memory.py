"""An in-memory store for tests and scripts, and as the baseline of benchmarks."""

from __future__ import annotations

import asyncio
import time
from bisect import insort
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Unpack

from remit.core.call_checks import check_arguments
from remit.core.checks import as_clock
from remit.journal.answers import InMemoryAnswers
from remit.journal.artifact_memory import ArtifactsInMemory
from remit.journal.attached_calls import CallsInMemory
from remit.journal.changes import ChangeKind
from remit.journal.codec import ERASED_BODY
from remit.journal.conversations import ConversationsInMemory, conversation_key
from remit.journal.grant_memory import GrantsInMemory
from remit.journal.index import (
    INDEXED_ITEMS,
    UNFINISHED_STATUSES,
    approval_key,
    approval_key_of,
    check_consumable,
    check_decidable,
    check_sequence,
    decision_of_header,
    erase_question_row,
    is_at_rest,
    is_expired,
    lease_held_error,
    lease_lost_error,
    run_row_from_header,
    status_after,
    wake_time,
    with_expiry,
)
from remit.journal.listing import list_questions, list_runs
from remit.journal.ports import (
    FIRST_EPOCH,
    AcquiredLease,
    AppendFuture,
    ConversationChange,
    ConversationFilter,
    ConversationKey,
    ConversationRow,
    QuestionFilter,
    QuestionRow,
    RunFilter,
    RunRow,
)
from remit.journal.run_memory import RunsInMemory, RunState
from remit.journal.turn_memory import TurnsInMemory
from remit.journal.use_counter import UsesInMemory
from remit.record.items import (
    DETACHED,
    DecisionItem,
    ErasedItem,
    Position,
    QuestionClosed,
    QuestionItem,
    RunFinished,
    RunOpened,
    RunStalled,
    RunSuspended,
)
from remit.record.ledger import Consumption
from remit.record.question import Decision, Question, QuestionStatus


@check_arguments()
class InMemoryStore(
    InMemoryAnswers, ArtifactsInMemory, CallsInMemory, RunsInMemory, GrantsInMemory, TurnsInMemory, UsesInMemory
):
    """A store in this process's memory, for tests and single runs."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        InMemoryAnswers.__init__(self, as_clock("InMemoryStore", clock))
        ArtifactsInMemory.__init__(self)
        CallsInMemory.__init__(self)
        RunsInMemory.__init__(self)
        GrantsInMemory.__init__(self)
        TurnsInMemory.__init__(self)
        UsesInMemory.__init__(self)
        self._unfinished: dict[str, RunState] = {}
        self._conversations = ConversationsInMemory(self._row_of)
        self._questions: dict[str, QuestionRow] = {}
        self._approvals: dict[str, list[tuple[float, str]]] = {}

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Append items to a run and consume decisions: all or nothing."""
        stored: AppendFuture = asyncio.get_running_loop().create_future()
        try:
            self._append(run, epoch, items, consumption)
        except Exception as error:  # noqa: BLE001 - raised where the append is awaited
            stored.set_exception(error)
        else:
            stored.set_result(None)
        return stored

    def _append(self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None) -> None:
        state = self._runs.get(run)
        if state is None or state.epoch != epoch:
            raise lease_lost_error(run)
        expected = state.items[-1].seq + 1 if state.items else 0
        check_sequence(run, items, expected)
        indexed = [position for position in items if type(position.item) in INDEXED_ITEMS]
        if indexed:
            self._check_indexable(indexed)
        if consumption is not None:
            self._consume_decisions(consumption)
        state.items.extend(items)
        for position in indexed:
            self._index_item(state, position)

    async def read(self, run: str, after: int = -1) -> list[Position]:
        """The items of a run with a seq above ``after``, in order."""
        return [p for p in self._items_of(run) if p.seq > after]

    async def erase(self, run: str, seqs: Sequence[int]) -> None:
        """Erase the bodies of items permanently."""
        items = self._count_items(run)
        self._erase_artifacts(run, {position.seq: position.body for position in items}, seqs)
        for p in [p for p in items if p.seq in seqs and not isinstance(p.item, ErasedItem)]:
            if isinstance(p.item, (QuestionItem, DecisionItem)):
                self._erase_question(p.item)
            tombstone = ErasedItem(call=p.item.call, was=p.item.kind)
            items[p.seq] = Position(p.run, p.epoch, p.seq, p.at, tombstone, ERASED_BODY, p.digest, p.chain)
        row = self._row_of(run)
        if row is not None and 0 in seqs:
            self._runs[run].row = replace(row, erased=1)
            if self._conversations.erase_header(row):
                self._mark_changed(ChangeKind.CONVERSATION, conversation_key(row))

    def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> Awaitable[AcquiredLease]:
        """Acquire the lease of a run and read its state, or open a new run."""
        acquired: asyncio.Future[AcquiredLease] = asyncio.get_running_loop().create_future()
        try:
            acquired.set_result(self._acquire(run, executor, seconds, after, opening))
        except Exception as error:  # noqa: BLE001 - raised where the lease is awaited
            acquired.set_exception(error)
        return acquired

    def _acquire(
        self, run: str, executor: str, seconds: float, after: int, opening: Sequence[Position]
    ) -> AcquiredLease:
        until = self._clock() + seconds if seconds else 0.0
        if opening and run not in self._runs:
            self._runs[run] = RunState(FIRST_EPOCH, executor, until)
            try:
                self._append(run, FIRST_EPOCH, opening, None)
            except BaseException:
                del self._runs[run]
                raise
            return AcquiredLease(FIRST_EPOCH, is_opened=True)
        state = self._runs.setdefault(run, RunState())
        if state.leased_until > self._clock():
            raise lease_held_error(run, state.executor)
        epoch = state.epoch + 1
        if state.row is None or state.row.status in UNFINISHED_STATUSES:
            state.epoch, state.executor, state.leased_until = epoch, executor, until
        items = [each for each in state.items if each.seq > after]
        questions = [self._questions[each] for each in state.questions]
        return AcquiredLease(epoch, items, len(state.items), state.row, state.cancel_requested_by, questions)

    async def renew(self, run: str, epoch: int, seconds: float) -> None:
        """Extend the lease."""
        state = self._runs.get(run)
        if state is None or state.epoch != epoch:
            raise lease_lost_error(run)
        state.leased_until = self._clock() + seconds

    async def release(self, run: str, epoch: int) -> None:
        """Release the lease if it is still held."""
        state = self._runs.get(run)
        if state is not None and state.epoch == epoch:
            state.leased_until = 0.0

    async def decide(self, decision: Decision) -> None:
        """Store a decision in the inbox of the run. The first decision counts."""
        check_decidable(self._questions, decision, self._clock())
        self._store_decision(decision)

    async def request_cancel(self, run: str, by: str) -> None:
        """Ask the executor of a run to cancel it."""
        if run in self._runs:
            self._runs[run].cancel_requested_by = by
            self._runs[run].wake = 0.0

    async def cancel_requested_by(self, run: str) -> str:
        """The name of the principal that requested the run's cancellation, or empty."""
        return self._runs[run].cancel_requested_by if run in self._runs else ""

    async def list_runs(self, **run_filter: Unpack[RunFilter]) -> list[RunRow]:
        """The newest runs, newest first."""
        return list_runs([(self._runs[row.run].number, row) for row in self._opened_runs()], run_filter)

    async def find_latest_run(self, conversation: str, *, tenant: str, application: str) -> RunRow | None:
        """The run opened last in a conversation, ignoring direct calls."""
        return self._conversations.latest_run(ConversationKey(tenant, application, conversation))

    async def list_due_runs(self, application: str, limit: int = 1000) -> list[str]:
        """An application's runs that can continue and that no executor holds, the longest due first."""
        now = self._clock()
        due = [
            (state.wake, run)
            for run, state in self._unfinished.items()
            if state.row is not None
            and state.row.application == application
            and max(state.wake, state.leased_until) <= now
            and not (state.row.status == "queued" and self._unfinished_run(conversation_key(state.row), state.number))
        ]
        return [run for _, run in sorted(due)[:limit]]

    async def is_held(self, run: str) -> bool:
        """Whether an executor holds a run."""
        return run in self._runs and self._runs[run].leased_until > self._clock()

    async def postpone(self, run: str, seconds: float) -> None:
        """Postpone a run by at least ``seconds``, unless a decision or cancellation arrives earlier."""
        if run in self._runs:
            self._runs[run].wake = self._clock() + seconds

    async def find_run(self, run: str) -> RunRow | None:
        """The run with this id."""
        return self._row_of(run)

    async def list_questions(self, **question_filter: Unpack[QuestionFilter]) -> list[QuestionRow]:
        """Questions, oldest first unless the filter says otherwise."""
        now, stored = self._clock(), list_questions(self._questions.values(), question_filter)
        keeps_expired = "limit" in question_filter or not question_filter.get("only_open", True)
        return [row for row in (with_expiry(each, now) for each in stored) if keeps_expired or row.status == "open"]

    async def find_question(self, question: str) -> QuestionRow | None:
        """The question with this id."""
        row = self._questions.get(question)
        return with_expiry(row, self._clock()) if row else None

    async def find_usable_question(self, conversation: str, match: str) -> QuestionRow | None:
        """The newest matching question of a conversation that is open or has an unused decision."""
        for row in reversed([with_expiry(row, self._clock()) for row in self._questions.values()]):
            at = (row.question.conversation, row.question.match)
            if at == (conversation, match) and row.consumed_by is None and not is_expired(row, self._clock()):
                return row
        return None

    async def find_last_approval(
        self, *, application: str, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> QuestionRow | None:
        """The newest approved question with that rule, asker, tool and target."""
        key = approval_key(tenant=tenant, asker=asker, target=target, tool=tool, rule=rule)
        newest_first = (self._questions[question] for _, question in reversed(self._approvals.get(key, ())))
        return next((row for row in newest_first if approval_key_of(row) and self._is_of(row, application)), None)

    def _is_of(self, question: QuestionRow, application: str) -> bool:
        run = self._row_of(question.question.run)
        return run is not None and run.application == application

    async def find_conversation(self, key: ConversationKey) -> ConversationRow | None:
        """The conversation with this key, even if it was deleted."""
        return self._conversations.find(key)

    async def list_conversations(self, **conversation_filter: Unpack[ConversationFilter]) -> list[ConversationRow]:
        """A page of conversations, the most recently active first."""
        return self._conversations.list(conversation_filter)

    async def change_conversation(self, key: ConversationKey, **change: Unpack[ConversationChange]) -> None:
        """Change a conversation."""
        self._conversations.change(key, self._unfinished_run(key), change)
        self._mark_changed(ChangeKind.CONVERSATION, key)

    def _find_talk(self, key: ConversationKey) -> ConversationRow | None:
        return self._conversations.find(key)

    def _set_question(self, question: str, row: QuestionRow) -> None:
        self._questions[question] = row
        self._mark_changed(ChangeKind.QUESTION, question)

    def _epoch_of(self, run: str) -> int:
        return self._runs[run].epoch if run in self._runs else 0

    async def close(self) -> None:
        """Do nothing."""

    def _unfinished_run(self, key: ConversationKey, before: float = inf) -> str:
        """The first unfinished run of a conversation with a number below ``before``, ignoring direct calls."""
        found = (
            (state.number, state.row.run)
            for state in self._unfinished.values()
            if state.row and conversation_key(state.row) == key and state.row.after != DETACHED
        )
        return min((each for each in found if each[0] < before), default=(0, ""))[1]

    def _is_open(self, question: str) -> bool:
        row = self._questions.get(question)
        return row is not None and row.status == "open"

    def _erase_question(self, item: QuestionItem | DecisionItem) -> None:
        """Erase the copy of an item in the row of its question."""
        row = self._questions.get(item.question)
        if row is not None:
            self._set_question(item.question, erase_question_row(row, item))
            self._wake_waiting_runs(item.question)

    def _cancel_questions(self, run: str) -> None:
        """Close the open questions of a cancelled run."""
        for question, row in self._questions.items():
            if row.question.run == run and row.status == "open":
                self._end_question(question, "cancelled")

    def _end_question(self, question: str, status: QuestionStatus) -> None:
        self._set_question(question, self._questions[question]._replace(status=status))
        self._wake_waiting_runs(question)

    def _wake_waiting_runs(self, question: str) -> None:
        for state in self._unfinished.values():
            if question in state.waits_for:
                state.wake = 0.0

    def _store_decision(self, decision: Decision) -> None:
        status: QuestionStatus = "approved" if decision.approved else "denied"
        row = self._questions[decision.question]._replace(status=status, decision=decision)
        self._set_question(decision.question, row)
        if key := approval_key_of(row):
            insort(self._approvals.setdefault(key, []), (row.question.asked, row.question.id))
        self._wake_waiting_runs(decision.question)

    def _check_indexable(self, items: Sequence[Position]) -> None:
        """Refuse items that cannot be indexed, before anything is stored."""
        if decided := decision_of_header(items):
            check_decidable(self._questions, decided, self._clock())
        for position in items:
            if isinstance(position.item, QuestionItem):
                Question.from_json(position.item.body)
            elif isinstance(position.item, RunOpened):
                self._conversations.check_open(run_row_from_header(position, position.item), self._unfinished_run)

    def _consume_decisions(self, consumption: Consumption) -> None:
        consumed: dict[str, QuestionRow] = {}
        for question in consumption.questions:
            row = self._questions.get(question)
            grant = self._grants.get(row.decision.grant) if row and row.decision else None
            row = check_consumable(row, question, consumption, self._clock(), grant)
            consumed[question] = row._replace(status="taken", consumed_by=(consumption.run, consumption.call))
        for question, row in consumed.items():
            self._set_question(question, row)

    def _index_item(self, state: RunState, position: Position) -> None:
        item = position.item
        if isinstance(item, RunOpened):
            state.row = run_row_from_header(position, item)
            self._unfinished[position.run] = state
            if item.conversation:
                state.number = self._conversations.open(state.row, item.arguments)
                if item.after != DETACHED:
                    self._mark_changed(ChangeKind.CONVERSATION, conversation_key(state.row))
            self._mark_changed(ChangeKind.RUN, position.run)
            self._own_artifacts(position, item)
        elif isinstance(item, QuestionItem) and item.question not in self._questions:
            question = Question.from_json(item.body)
            self._set_question(item.question, QuestionRow(question, "open", None, None))
            self._runs.setdefault(question.run, RunState()).questions.append(item.question)
        elif isinstance(item, DecisionItem) and self._is_open(item.question):
            self._store_decision(Decision.from_json(item.body))
        elif isinstance(item, QuestionClosed) and self._is_open(item.question):
            self._end_question(item.question, "closed")
        status = status_after(item)
        if status and state.row:
            ended = position.at if isinstance(item, RunFinished) else 0.0
            state.row = replace(state.row, status=status, ended=ended)
            self._mark_changed(ChangeKind.RUN, position.run)
            state.waits_for = item.questions if isinstance(item, (RunSuspended, RunStalled)) else ()
            state.wake = wake_time(item, self._questions.get)
        if is_at_rest(item):
            state.leased_until = 0.0
        if isinstance(item, RunFinished):
            self._unfinished.pop(position.run, None)
        if status == "cancelled":
            self._cancel_questions(position.run)
