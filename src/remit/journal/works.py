"""What the writer does for the store, as values: the append of a run, and every other change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Connection, Row, Select, Update, bindparam, insert, select, update

from remit.contracts.grant import Grant, GrantRow
from remit.contracts.items import BESIDE, Asked, Decided, Finished, Item, Opened, Position
from remit.contracts.ledger import Take
from remit.contracts.question import Decision, Question, Status
from remit.core.frozen import frozen
from remit.journal.batches import Work
from remit.journal.codec import ERASED, decode
from remit.journal.index import INDEXED, check_free, check_sequence, check_take, erased, row_of, status_of, taken_over
from remit.journal.locks import Touches, lock
from remit.journal.ports import QuestionRow, RunRow
from remit.journal.statements import Command, Query
from remit.journal.tables import GRANTS, ITEMS, QUESTIONS, RUNS

T_co = TypeVar("T_co", covariant=True)

QUESTION = Query(select(QUESTIONS).where(QUESTIONS.c.question == bindparam("question")))

ROW = tuple(each.name for each in fields(RunRow))
"""The columns of the line about a run."""

OPENED = RUNS.c.callee != ""
"""Of a run that was acquired and not opened nothing is known yet."""


@frozen(kw_only=False)
class Change(Generic[T_co]):
    """A change of one run, or of a question."""

    work: Callable[[Connection], T_co]
    touches: Touches

    def __call__(self, connection: Connection) -> T_co:
        """Make it."""
        return self.work(connection)


@frozen(kw_only=False)
class Append:
    """The append of one run, as a work of the writer."""

    run: str
    epoch: int
    items: Sequence[Position]
    take: Take | None
    clock: Callable[[], float]

    def __call__(self, connection: Connection) -> None:
        """Store the items, for themselves."""
        _store(connection, [self])
        self.index(connection)

    @property
    def touches(self) -> Touches:
        """The run, its conversation where it is opened, and every question that the items are about."""
        items = [position.item for position in self.items if type(position.item) in INDEXED]
        opened = {"\0".join(_conversation(item)) for item in items if isinstance(item, Opened) and item.conversation}
        questions = {item.question for item in items if isinstance(item, (Asked, Decided))}
        taken = {self.take.question} if self.take else set[str]()
        return Touches(frozenset({self.run, *opened}), frozenset(questions | taken))

    def move(self) -> dict[str, str | int]:
        """How the run moves on: from the item before the first of these, to the one after the last."""
        first = self.items[0].seq
        check_sequence(self.run, self.items, first)
        return {"the_run": self.run, "the_epoch": self.epoch, "first": first, "next": first + len(self.items)}

    def index(self, connection: Connection) -> None:
        """What comes of the items besides: the approval taken, runs and questions that can be found."""
        if self.take is not None:
            _take(connection, self.take, self.clock())
        for position in self.items:
            if type(position.item) in INDEXED:
                _index(connection, position)


def lock_all(connection: Connection, works: Sequence[Work]) -> None:
    """Keep everybody else from what the works touch."""
    lock(connection, (work.touches for work in works if isinstance(work, (Append, Change))))


def together(connection: Connection, works: Sequence[Work]) -> list[Any]:
    """All works; the appends among them with one statement that moves their runs on, and one for their items."""
    appends = [work for work in works if isinstance(work, Append)]
    if appends:
        _store(connection, appends)
    return [work.index(connection) if isinstance(work, Append) else work(connection) for work in works]


def _store(connection: Connection, appends: Sequence[Append]) -> None:
    if _ADVANCE.run(connection, *[append.move() for append in appends]) != len(appends):
        raise taken_over(appends[0].run)
    _INSERT.run(connection, *[_row(position) for append in appends for position in append.items])


_INSERT = Command(insert(ITEMS))
_ADVANCE = Command(
    update(RUNS)
    .where(
        RUNS.c.run == bindparam("the_run"),
        RUNS.c.epoch == bindparam("the_epoch"),
        RUNS.c.next_seq == bindparam("first"),
    )
    .values(next_seq=bindparam("next"))
)
_OPENED = Command(
    update(RUNS)
    .where(RUNS.c.run == bindparam("the_run"))
    .values({name: bindparam(name) for name in ROW if name != "run"})
)
_NEWEST = Query(
    select(RUNS)
    .where(
        RUNS.c.conversation == bindparam("conversation"),
        RUNS.c.tenant == bindparam("tenant"),
        RUNS.c.application == bindparam("application"),
        RUNS.c.after != BESIDE,
        OPENED,
    )
    .order_by(RUNS.c.opened.desc())
    .limit(1)
)
_ASKED = Command(insert(QUESTIONS))
_TAKEN = Command(
    update(QUESTIONS)
    .where(QUESTIONS.c.question == bindparam("the_question"))
    .values(status="taken", taken_run=bindparam("taken_run"), taken_call=bindparam("taken_call"))
)
_DECIDED = Command(
    update(QUESTIONS)
    .where(QUESTIONS.c.question == bindparam("the_question"), QUESTIONS.c.status == "open")
    .values(status=bindparam("status"), decision=bindparam("decision"))
)
_ERASED = Command(
    update(QUESTIONS)
    .where(QUESTIONS.c.question == bindparam("the_question"))
    .values(status=bindparam("status"), body=bindparam("body"), decision=bindparam("decision"))
)
_EXPIRED = Command(
    update(QUESTIONS)
    .where(QUESTIONS.c.run == bindparam("the_run"), QUESTIONS.c.status == "open")
    .values(status="expired")
)
_MOVED = update(RUNS).where(RUNS.c.run == bindparam("the_run"))
_STATUS = Command(_MOVED.values(status=bindparam("status"), ended=0.0))
_ENDED = Command(_MOVED.values(status=bindparam("status"), ended=bindparam("ended"), until=0.0))


def _take(connection: Connection, take: Take, now: float) -> None:
    found = QUESTION.first(connection, question=take.question)
    row = question_row(found) if found else None
    grant = find_grant(connection, row.decision.grant) if row and row.decision and row.decision.grant else None
    check_take(row, take, now, grant)
    _TAKEN.run(connection, {"the_question": take.question, "taken_run": take.run, "taken_call": take.call})


def _index(connection: Connection, position: Position) -> None:
    item = position.item
    if isinstance(item, Opened):
        row = row_of(position, item)
        check_free(row, _newest(connection, row))
        _OPENED.run(connection, {"the_run": row.run, **{name: getattr(row, name) for name in ROW}})
    elif isinstance(item, Asked):
        _index_question(connection, item)
    elif isinstance(item, Decided):
        decide(connection, Decision.of(item.body))
    status = status_of(item)
    if status:
        moved = _ENDED if isinstance(item, Finished) else _STATUS
        moved.run(connection, {"the_run": position.run, "status": status, "ended": position.at})
    if status == "cancelled":
        _EXPIRED.run(connection, {"the_run": position.run})


def _newest(connection: Connection, row: RunRow) -> RunRow | None:
    """The newest run of the conversation of ``row``, those beside it left out."""
    if not row.conversation:
        return None
    same = {"conversation": row.conversation, "tenant": row.tenant, "application": row.application}
    found = _NEWEST.first(connection, **same)
    return run_row(found) if found else None


def decide(connection: Connection, decision: Decision) -> None:
    """Store a decision, if it is the first on its question."""
    status = "approved" if decision.approved else "denied"
    values = {"the_question": decision.question, "status": status, "decision": decision.json()}
    _DECIDED.run(connection, values)


def about_questions(run: str, seqs: Sequence[int]) -> Select[Any]:
    """Those of the items ``seqs`` of a run that say what also stands in the row of a question."""
    kinds = ITEMS.c.kind.in_((Asked.kind, Decided.kind))
    return select(ITEMS).where(ITEMS.c.run == run, ITEMS.c.seq.in_(seqs), kinds, ITEMS.c.body != ERASED)


def questioning(rows: Sequence[Row[Any]]) -> list[Asked | Decided]:
    """The items that `about_questions` finds.

    Raises:
        FormatError: one cannot be read, so that nobody knows which question it is about.
    """
    return [cast("Asked | Decided", decode(row.kind, row.call, row.body)) for row in rows]


def erase(connection: Connection, run: str, seqs: Sequence[int]) -> None:
    """Erase the bodies of items, and what the rows of questions have of them."""
    for item in questioning(connection.execute(about_questions(run, seqs)).all()):
        found = QUESTION.first(connection, question=item.question)
        if found:
            row = erased(question_row(found), item)
            decision = row.decision.json() if row.decision else ""
            values = {"status": row.status, "body": row.question.json(), "decision": decision}
            _ERASED.run(connection, {"the_question": item.question, **values})
    connection.execute(update(ITEMS).where(ITEMS.c.run == run, ITEMS.c.seq.in_(seqs)).values(body=ERASED))


def _index_question(connection: Connection, item: Asked) -> None:
    if QUESTION.first(connection, question=item.question):
        return
    question = Question.of(item.body)
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
    }
    _ASKED.run(connection, row)


def _conversation(item: Opened) -> tuple[str, str, str]:
    return item.tenant, item.application, item.conversation


def _row(position: Position) -> dict[str, Any]:
    item: Item = position.item
    return {
        "run": position.run,
        "seq": position.seq,
        "epoch": position.epoch,
        "at": position.at,
        "kind": item.kind,
        "call": item.call,
        "body": position.body,
        "digest": position.digest,
        "chain": position.chain,
    }


def find_grant(connection: Connection, grant: str) -> GrantRow | None:
    """The grant with this id, as it stands in this transaction."""
    row = connection.execute(select(GRANTS).where(GRANTS.c.grant == grant)).first()
    return grant_row(row) if row else None


def used(grant: str, now: float) -> Update:
    """Counts one more call of a grant, if it allows one."""
    stands = (GRANTS.c.revoked == "", GRANTS.c.expires > now, GRANTS.c.used < GRANTS.c.count)
    return update(GRANTS).where(GRANTS.c.grant == grant, *stands).values(used=GRANTS.c.used + 1)


def grant_row(row: Row[Any]) -> GrantRow:
    """A grant and what became of it, as they are stored."""
    return GrantRow(Grant.of(row.body), row.used, row.revoked)


def run_row(row: Row[Any]) -> RunRow:
    """The line about a run, as it is stored."""
    return RunRow(**{name: getattr(row, name) for name in ROW})


def question_row(row: Row[Any]) -> QuestionRow:
    """A question and what became of it, as they are stored."""
    decision = Decision.of(row.decision) if row.decision else None
    taken = (row.taken_run, row.taken_call) if row.taken_run else None
    return QuestionRow(Question.of(row.body), cast("Status", row.status), decision, taken)
