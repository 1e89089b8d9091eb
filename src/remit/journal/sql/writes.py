"""Write operations of the writer thread, as values so that they can be batched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar, cast

from msgspec import Struct
from sqlalchemy import Connection, Row, Select, bindparam, insert, select, update

from remit.errors import BrokenJournalError
from remit.journal.codec import ERASED_BODY, decode_item
from remit.journal.conversations import conversation_key
from remit.journal.index import (
    INDEXED_ITEMS,
    RESTING_STATUSES,
    approval_key_of,
    artifacts_of_header,
    check_consumable,
    check_conversation_free,
    decision_of_header,
    erase_question_row,
    find_named_artifacts,
    is_at_rest,
    run_row_from_header,
    status_after,
    wake_time,
)
from remit.journal.ports import QuestionRow, RunRow
from remit.journal.sql.advances import RunItems, append_items
from remit.journal.sql.artifacts import find_owners, insert_owner
from remit.journal.sql.change_number import announcement, with_number
from remit.journal.sql.conversations import erase_first_message, find_unfinished_run, open_conversation
from remit.journal.sql.grants import find_grant
from remit.journal.sql.locks import LockKeys, conversation_lock, lock_statements
from remit.journal.sql.question_rows import SELECT_QUESTION, check_decidable, find_question
from remit.journal.sql.rows import RUN_COLUMNS, check_question_signature, question_row, run_row
from remit.journal.sql.run_totals import add_to_days
from remit.journal.sql.signatures import columns_of, signer_of
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import ITEMS, QUESTIONS, RUNS, begin_transaction, one_of
from remit.journal.sql.worker_thread import DatabaseOperation
from remit.record.items import (
    DETACHED,
    AttemptStarted,
    DecisionItem,
    Position,
    QuestionClosed,
    QuestionItem,
    RunFinished,
    RunOpened,
    RunStalled,
    RunSuspended,
)
from remit.record.ledger import Consumption
from remit.record.question import Decision, Question

T_co = TypeVar("T_co", covariant=True)

RUN_IS_OPENED = RUNS.c.callee != ""
"""A run that is leased but not opened has no header yet."""


class Change(Struct, Generic[T_co], frozen=True):
    """An operation that changes one run, grant or question.

    ``is_seen``: those who watch conversations, questions and runs see the change.
    """

    operation: Callable[[Connection], T_co]
    lock_keys: LockKeys
    is_seen: bool = False

    def __call__(self, connection: Connection) -> T_co:
        """Run the operation."""
        return self.operation(connection)


class Append(Struct, frozen=True):
    """An append to one run.

    ``is_header_stored``: if the items open the run, its row has the `header_values` already.
    """

    run: str
    epoch: int
    items: Sequence[Position]
    consumption: Consumption | None
    now: Callable[[Connection], float]
    is_header_stored: bool = False

    def __call__(self, connection: Connection) -> None:
        """Store the items of this append alone."""
        run_operations(connection, [self])

    @property
    def is_seen(self) -> bool:
        """Whether watchers see the change."""
        return any(type(position.item) in INDEXED_ITEMS for position in self.items) or self.consumption is not None

    @property
    def lock_keys(self) -> LockKeys:
        """The run, its conversation and artifacts if the append opens it, and every question that the items concern."""
        items = [position.item for position in self.items]
        opened = {
            conversation_lock(conversation_key(item))
            for item in items
            if isinstance(item, RunOpened) and item.conversation
        }
        opened.update(*(find_named_artifacts(each) for each in self.items if isinstance(each.item, RunOpened)))
        questions = {item.question for item in items if isinstance(item, (QuestionItem, DecisionItem, QuestionClosed))}
        questions.update(*(item.questions for item in items if isinstance(item, (RunSuspended, RunStalled))))
        consumed = self.consumption.questions if self.consumption else ()
        if (decided := decision_of_header(self.items)) and decided.request_key:
            opened.add(decided.request_key)
        return LockKeys(frozenset({self.run, *opened}), frozenset(questions.union(consumed)))

    def update_index(self, connection: Connection) -> None:
        """Consume the decisions, and update the index of runs and questions."""
        if decided := decision_of_header(self.items):
            check_decidable(connection, decided, self.now(connection))
        if self.consumption is not None:
            now = self.now(connection)
            for question in self.consumption.questions:
                _consume_decision(connection, question, self.consumption, now)
        for position in self.items:
            item = position.item
            if isinstance(item, RunOpened):
                self._index_header(connection, position, item)
            elif type(item) in INDEXED_ITEMS:
                _index_item(connection, position)

    def _index_header(self, connection: Connection, position: Position, header: RunOpened) -> None:
        if not self.is_header_stored:
            _UPDATE_HEADER.execute(connection, {"the_run": self.run, **header_values(connection, position, header)})
        for digest, owner in artifacts_of_header(position, header, partial(find_owners, connection)):
            insert_owner(connection, digest, owner)


def begin_operations(connection: Connection, operations: Sequence[DatabaseOperation]) -> None:
    """Begin a transaction that locks everything that the operations change, and announces what watchers see."""
    first = lock_statements(connection, (each.lock_keys for each in operations if isinstance(each, (Append, Change))))
    if are_seen(operations):
        first.append(announcement(connection))
    begin_transaction(connection, first)


def are_seen(operations: Sequence[DatabaseOperation]) -> bool:
    """Whether watchers see the changes of the operations."""
    return any(isinstance(each, (Append, Change)) and each.is_seen for each in operations)


def run_operations(connection: Connection, operations: Sequence[DatabaseOperation]) -> list[Any]:
    """Run all operations. Appends share the statements that advance their runs and insert their items."""
    appends = [each for each in operations if isinstance(each, Append)]
    if appends:
        append_items(connection, [RunItems(each.run, each.epoch, each.items) for each in appends])
    results = [each.update_index(connection) if isinstance(each, Append) else each(connection) for each in operations]
    add_to_days(connection, [each.run for each in appends if isinstance(each.items[-1].item, RunFinished)])
    return results


_UPDATE_HEADER = Command(
    update(RUNS).where(RUNS.c.run == bindparam("the_run")).values(with_number((*RUN_COLUMNS, "number")))
)
_IN_CONVERSATION = (
    RUNS.c.conversation == bindparam("conversation"),
    RUNS.c.tenant == bindparam("tenant"),
    RUNS.c.application == bindparam("application"),
    RUN_IS_OPENED,
)
_SELECT_LAST_NUMBER = Query(select(RUNS.c.number).where(*_IN_CONVERSATION).order_by(RUNS.c.number.desc()).limit(1))
SELECT_LATEST_RUN = Query(
    select(RUNS).where(*_IN_CONVERSATION, RUNS.c.after != DETACHED).order_by(RUNS.c.number.desc()).limit(1)
)
_SELECT_WAITING_RUNS = Query(
    select(RUNS.c.run)
    .where(RUNS.c.conversation == bindparam("conversation"), one_of(RUNS.c.status, RESTING_STATUSES))
    .order_by(RUNS.c.run)
)
_SELECT_SUSPENSION = Query(
    select(ITEMS.c.kind, ITEMS.c.call, ITEMS.c.body)
    .where(ITEMS.c.run == bindparam("run"), one_of(ITEMS.c.kind, (RunSuspended.kind, RunStalled.kind)))
    .order_by(ITEMS.c.seq.desc())
    .limit(1)
)
_SELECT_USES = (
    select(ITEMS.c.run, ITEMS.c.call)
    .join(RUNS, ITEMS.c.run == RUNS.c.run)
    .where(RUNS.c.conversation == bindparam("conversation"), ITEMS.c.kind == AttemptStarted.kind)
    .where(ITEMS.c.body.contains(bindparam("use")))
)
_INSERT_QUESTION = Command(insert(QUESTIONS).values(with_number(each.name for each in QUESTIONS.columns)))
_CHANGING_COLUMNS = ("status", "body", "decision", "taken_run", "taken_call", "signature", "approval", "request_key")
_UPDATE_QUESTION = Command(
    update(QUESTIONS).where(QUESTIONS.c.question == bindparam("the_question")).values(with_number(_CHANGING_COLUMNS))
)
_SELECT_OPEN_QUESTIONS = Query(
    select(QUESTIONS).where(QUESTIONS.c.run == bindparam("run"), QUESTIONS.c.status == "open")
)
_UPDATE_RUN = update(RUNS).where(RUNS.c.run == bindparam("the_run"))
_SET_STATUS = _UPDATE_RUN.values(with_number(("status",)))
_SET_RUNNING = Command(_SET_STATUS.values(ended=0.0, wake=0.0))
_SET_AT_REST = Command(_SET_STATUS.values(ended=bindparam("ended"), wake=bindparam("wake"), until=0.0))
_WAKE_RUN = Command(_UPDATE_RUN.values(wake=0.0))


def _consume_decision(connection: Connection, question: str, consumption: Consumption, now: float) -> None:
    stored = SELECT_QUESTION.first(connection, question=question)
    row = question_row(stored, signer_of(connection)) if stored else None
    grant = find_grant(connection, row.decision.grant) if row and row.decision and row.decision.grant else None
    row = check_consumable(row, question, consumption, now, grant)
    if row.question.run != consumption.run:
        _check_unused(connection, row.question, consumption)
    values = {"status": "taken", "taken_run": consumption.run, "taken_call": consumption.call}
    _update_question(connection, cast("Row[Any]", stored), **values)


def _check_unused(connection: Connection, question: Question, consumption: Consumption) -> None:
    """Refuse an approval that another call of its conversation has used: its row was restored from an older copy."""
    values = {"conversation": question.conversation, "use": f'"{question.id}"'}
    for use in connection.execute(_SELECT_USES, values):
        if (use.run, use.call) != (consumption.run, consumption.call):
            raise BrokenJournalError(f"the row of question {question.id} was changed: run {use.run} has used it")


def _update_question(connection: Connection, stored: Row[Any], **changes: str) -> None:
    """Change the row of a question, whose signature was checked, and sign it again."""
    values: dict[str, Any] = {**columns_of(stored), **changes, "the_question": stored.question}
    decision = Decision.from_json(values["decision"]) if values["decision"] else None
    values["request_key"] = decision.request_key if decision is not None else ""
    values["approval"] = approval_key_of(
        QuestionRow(Question.from_json(values["body"]), values["status"], decision, None)
    )
    _UPDATE_QUESTION.execute(connection, {**values, "signature": signer_of(connection).sign("question", values)})


def _index_item(connection: Connection, position: Position) -> None:
    item = position.item
    if isinstance(item, QuestionItem):
        _insert_question(connection, item)
    elif isinstance(item, DecisionItem):
        store_decision(connection, Decision.from_json(item.body))
    elif isinstance(item, QuestionClosed):
        _settle_question(connection, item.question, status="closed")
    status = status_after(item)
    if status:
        ended = position.at if isinstance(item, RunFinished) else 0.0
        wake = wake_time(item, lambda question: find_question(connection, question))
        command = _SET_AT_REST if is_at_rest(item) else _SET_RUNNING
        command.execute(connection, {"the_run": position.run, "status": status, "ended": ended, "wake": wake})
    if status == "cancelled":
        for stored in _SELECT_OPEN_QUESTIONS.all(connection, run=position.run):
            _settle_question(connection, stored.question, status="cancelled")


def header_values(connection: Connection, position: Position, header: RunOpened) -> dict[str, object]:
    """The columns of a run that is opened now, which enters its conversation.

    Raises:
        RequestError: the conversation is busy, has continued, or was deleted.
    """
    row = run_row_from_header(position, header)
    number = _enter_conversation(connection, row, header.arguments) if row.conversation else 0
    return {**{name: getattr(row, name) for name in RUN_COLUMNS}, "number": number}


def _enter_conversation(connection: Connection, row: RunRow, arguments: str) -> int:
    """Enter a run that is opened into its conversation, and return its number there.

    Raises:
        RequestError: the conversation is busy, has continued, or was deleted.
    """
    key = conversation_key(row)._asdict()
    latest = SELECT_LATEST_RUN.first(connection, **key)
    newest = run_row(latest) if latest else None
    check_conversation_free(row, newest, lambda: find_unfinished_run(connection, conversation_key(row)))
    if row.after != DETACHED:
        open_conversation(connection, row, arguments, is_first=latest is None)
    last = _SELECT_LAST_NUMBER.first(connection, **key)
    return last.number + 1 if last else 1


def store_decision(connection: Connection, decision: Decision) -> None:
    """Store a decision if the question is still open, and wake the runs that wait for it."""
    status = "approved" if decision.approved else "denied"
    _settle_question(connection, decision.question, status=status, decision=decision.to_json())


def _settle_question(connection: Connection, question: str, **changes: str) -> None:
    """Change a question if it is still open, and wake the runs that wait for it."""
    stored = SELECT_QUESTION.first(connection, question=question)
    if stored and stored.status == "open":
        check_question_signature(stored, signer_of(connection))
        _update_question(connection, stored, **changes)
        _wake_waiting_runs(connection, stored)


def _wake_waiting_runs(connection: Connection, question: Row[Any]) -> None:
    """Wake the runs that wait for a question: the run that asked it, and others of its conversation."""
    key = question.conversation
    others = [row.run for row in _SELECT_WAITING_RUNS.all(connection, conversation=key)] if key else []
    for run in sorted({question.run, *others}):
        row = _SELECT_SUSPENSION.first(connection, run=run)
        suspension = decode_item(row.kind, row.call, row.body) if row else None
        if isinstance(suspension, (RunSuspended, RunStalled)) and question.question in suspension.questions:
            _WAKE_RUN.execute(connection, {"the_run": run})


def select_question_items(run: str, seqs: Sequence[int]) -> Select[Any]:
    """Select the unerased items among ``seqs`` whose content the row of a question repeats."""
    kinds = ITEMS.c.kind.in_((QuestionItem.kind, DecisionItem.kind))
    return select(ITEMS).where(ITEMS.c.run == run, ITEMS.c.seq.in_(seqs), kinds, ITEMS.c.body != ERASED_BODY)


def decode_question_items(rows: Sequence[Row[Any]]) -> list[QuestionItem | DecisionItem]:
    """Decode the items of `select_question_items`.

    Raises:
        JournalFormatError: an item cannot be read, so its question is unknown.
    """
    return [cast("QuestionItem | DecisionItem", decode_item(row.kind, row.call, row.body)) for row in rows]


def erase_items(connection: Connection, run: str, seqs: Sequence[int]) -> None:
    """Erase the bodies of items, and their copies in the rows of questions."""
    for item in decode_question_items(connection.execute(select_question_items(run, seqs)).all()):
        stored = SELECT_QUESTION.first(connection, question=item.question)
        if stored:
            row = erase_question_row(question_row(stored, signer_of(connection)), item)
            decision = row.decision.to_json() if row.decision else ""
            _update_question(connection, stored, status=row.status, body=row.question.to_json(), decision=decision)
            _wake_waiting_runs(connection, stored)
    connection.execute(update(ITEMS).where(ITEMS.c.run == run, ITEMS.c.seq.in_(seqs)).values(body=ERASED_BODY))
    if 0 in seqs:
        erase_first_message(connection, run)


def _insert_question(connection: Connection, item: QuestionItem) -> None:
    if SELECT_QUESTION.first(connection, question=item.question):
        return
    question = Question.from_json(item.body)
    row = {
        "question": item.question,
        "run": question.run,
        "conversation": question.conversation,
        "match": question.match,
        "status": "open",
        "asked": question.asked,
        "body": item.body,
        "decision": "",
        "taken_run": "",
        "taken_call": "",
        "approval": "",
        "request_key": "",
        "tenant": question.tenant,
        "expires": question.expires,
    }
    _INSERT_QUESTION.execute(connection, {**row, "signature": signer_of(connection).sign("question", row)})
