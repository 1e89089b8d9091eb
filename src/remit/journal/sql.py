"""A store in an SQL database (SQLite now, Postgres by the same code): SQLAlchemy Core on one writer thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import URL, Connection, Engine, Row, Select, Update, bindparam, insert, make_url, select, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from remit.contracts.items import Asked, Decided, Finished, Item, Opened, Position
from remit.contracts.ledger import Take
from remit.contracts.question import Decision, Question, Status
from remit.errors import JournalError, LeaseError
from remit.journal.codec import ERASED, decode
from remit.journal.index import (
    INDEXED,
    check_free,
    check_open,
    check_sequence,
    check_take,
    row_of,
    seen,
    spent,
    status_of,
)
from remit.journal.migrations import migrate
from remit.journal.ports import QuestionRow, RunRow, Stored
from remit.journal.tables import ITEMS, QUESTIONS, RUNS, open_engine
from remit.journal.writer import Work, Writer

T = TypeVar("T")


class SqlStore:
    """All four ports over three tables. Opens and migrates its database when first used."""

    def __init__(self, url: URL | str, clock: Callable[[], float] = time.time) -> None:
        self._url = make_url(url)
        self._clock = clock
        self._engine = open_engine(self._url)
        self._writer = Writer(self._engine, _together, self._prepare)

    @staticmethod
    def at(path: Path, clock: Callable[[], float] = time.time) -> SqlStore:
        """A store in the SQLite file at ``path``; its folder is made, for its owner alone."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        return SqlStore(URL.create("sqlite", database=str(path)), clock)

    def append(self, run: str, epoch: int, items: Sequence[Position], take: Take | None = None) -> Stored:
        """Store items at the end of a run, and take an approval, in one transaction."""
        stored: Stored = asyncio.get_running_loop().create_future()
        try:
            self._writer.submit(_Append(run, epoch, items, take, self._clock), stored)
        except JournalError as error:
            stored.set_exception(error)
        return stored

    async def read(self, run: str, after: int = -1) -> list[Position]:
        """The items of a run with a seq above ``after``, in order."""
        rows = await self._read(select(ITEMS).where(ITEMS.c.run == run, ITEMS.c.seq > after).order_by(ITEMS.c.seq))
        return [
            Position(r.run, r.epoch, r.seq, r.at, decode(r.kind, r.call, r.body), r.body, r.digest, r.chain)
            for r in rows
        ]

    async def erase(self, run: str, seqs: Sequence[int]) -> None:
        """Erase the bodies of items, for good."""
        gone = update(ITEMS).where(ITEMS.c.run == run, ITEMS.c.seq.in_(seqs)).values(body=ERASED)
        await self._write(lambda connection: connection.execute(gone))

    async def acquire(self, run: str, driver: str, seconds: float) -> int:
        """Become the driver of a run; the number of this epoch."""

        def work(connection: Connection) -> int:
            row = connection.execute(select(RUNS.c.epoch, RUNS.c.until, RUNS.c.driver).where(RUNS.c.run == run)).first()
            now = self._clock()
            held = {"driver": driver, "until": now + seconds}
            if row is None:
                connection.execute(insert(RUNS).values(run=run, epoch=1, **held, **_UNKNOWN_RUN))
                return 1
            if row.until > now:
                raise LeaseError(f"run {run} is being driven by {row.driver}; wait, or stop that one")
            connection.execute(update(RUNS).where(RUNS.c.run == run).values(epoch=row.epoch + 1, **held))
            return cast("int", row.epoch) + 1

        return await self._write(work)

    async def renew(self, run: str, epoch: int, seconds: float) -> None:
        """Hold on to the lease."""

        def work(connection: Connection) -> None:
            until = self._clock() + seconds
            held = update(RUNS).where(RUNS.c.run == run, RUNS.c.epoch == epoch).values(until=until)
            if connection.execute(held).rowcount != 1:
                raise LeaseError(f"run {run}: another driver has taken over")

        await self._write(work)

    async def release(self, run: str, epoch: int) -> None:
        """Let the lease go, if it is still held."""
        done = update(RUNS).where(RUNS.c.run == run, RUNS.c.epoch == epoch).values(until=0.0)
        await self._write(lambda connection: connection.execute(done))

    async def decide(self, decision: Decision) -> None:
        """Store a decision for the run that asked; the first one counts."""

        def work(connection: Connection) -> None:
            at = QUESTIONS.c.question == decision.question
            row = connection.execute(select(QUESTIONS).where(at)).first()
            check_open(_question(row) if row else None, decision.question, self._clock())
            connection.execute(_decided(decision))

        await self._write(work)

    async def cancel(self, run: str, by: str) -> None:
        """Ask the driver of a run to cancel it."""
        asked = update(RUNS).where(RUNS.c.run == run).values(cancelled=by)
        await self._write(lambda connection: connection.execute(asked))

    async def cancelled(self, run: str) -> str:
        """Who asked for the run to be cancelled."""
        rows = await self._read(select(RUNS.c.cancelled).where(RUNS.c.run == run))
        return rows[0].cancelled if rows else ""

    async def incoming(self, run: str) -> list[Decision]:
        """All decisions for a run, oldest first."""
        where = (QUESTIONS.c.run == run, QUESTIONS.c.decision != "")
        rows = await self._read(select(QUESTIONS.c.decision).where(*where).order_by(QUESTIONS.c.asked))
        return sorted((Decision.of(row.decision) for row in rows), key=lambda decision: decision.at)

    async def runs(
        self, *, conversation: str = "", tenant: str = "", application: str = "", limit: int = 50
    ) -> list[RunRow]:
        """The newest runs, newest first."""
        wanted = select(RUNS).where(_OPENED).order_by(RUNS.c.opened.desc()).limit(limit)
        named = ((RUNS.c.conversation, conversation), (RUNS.c.tenant, tenant), (RUNS.c.application, application))
        for column, value in named:
            if value:
                wanted = wanted.where(column == value)
        return [_run(row) for row in await self._read(wanted)]

    async def find_run(self, run: str) -> RunRow | None:
        """The run with this id."""
        rows = await self._read(select(RUNS).where(RUNS.c.run == run, _OPENED))
        return _run(rows[0]) if rows else None

    async def questions(self, *, only_open: bool = True, conversation: str = "") -> list[QuestionRow]:
        """Questions, oldest first."""
        wanted = select(QUESTIONS).order_by(QUESTIONS.c.asked)
        if conversation:
            wanted = wanted.where(QUESTIONS.c.conversation == conversation)
        if only_open:
            wanted = wanted.where(QUESTIONS.c.status == "open")
        found = [seen(_question(row), self._clock()) for row in await self._read(wanted)]
        return [row for row in found if row.status == "open" or not only_open]

    async def find_question(self, question: str) -> QuestionRow | None:
        """The question with this id."""
        rows = await self._read(select(QUESTIONS).where(QUESTIONS.c.question == question))
        return seen(_question(rows[0]), self._clock()) if rows else None

    async def standing(self, conversation: str, match: str) -> QuestionRow | None:
        """The newest question of a conversation with this match that is open, or decided and not taken."""
        where = (QUESTIONS.c.conversation == conversation, QUESTIONS.c.match == match, QUESTIONS.c.taken_run == "")
        rows = await self._read(select(QUESTIONS).where(*where).order_by(QUESTIONS.c.asked.desc()))
        found = [seen(_question(row), self._clock()) for row in rows]
        return next((row for row in found if not spent(row, self._clock())), None)

    async def close(self) -> None:
        """Finish what was submitted and close the database."""
        await asyncio.to_thread(self._writer.close)
        self._engine.dispose()

    async def _write(self, work: Callable[[Connection], T]) -> T:
        return await self._writer.submit(work)

    async def _read(self, wanted: Select[Any]) -> Sequence[Row[Any]]:
        await self._writer.ready()

        def work() -> Sequence[Row[Any]]:
            with self._engine.connect().execution_options(remit_reads=True) as connection:
                return connection.execute(wanted).all()

        with self._named():
            return await asyncio.to_thread(work)

    def _prepare(self, engine: Engine) -> None:
        with self._named():
            migrate(engine)

    @contextmanager
    def _named(self) -> Generator[None]:
        """What the database says against it, as an error of ours that names it."""
        try:
            yield
        except (SQLAlchemyError, UnicodeEncodeError) as error:
            said = str(error.orig) if isinstance(error, DBAPIError) else str(error)
            raise JournalError(f"the journal {self._url.database} could not be read: {said}") from error


_OPENED = RUNS.c.callee != ""
"""Of a run that was acquired and not opened nothing is known yet."""

_UNKNOWN_RUN = {
    "next_seq": 0,
    "status": "running",
    "opened": 0.0,
    "ended": 0.0,
    "cancelled": "",
    **dict.fromkeys(("tenant", "principal", "application", "agent", "callee", "conversation", "after"), ""),
}


@dataclass(frozen=True, slots=True)
class _Append:
    """The append of one run, as a work of the writer."""

    run: str
    epoch: int
    items: Sequence[Position]
    take: Take | None
    clock: Callable[[], float]

    def __call__(self, connection: Connection) -> None:
        _store(connection, [self])
        self.index(connection)

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


def _together(connection: Connection, works: Sequence[Work]) -> list[Any]:
    """All works; the appends among them with one statement that moves their runs on, and one for their items."""
    appends = [work for work in works if isinstance(work, _Append)]
    if appends:
        _store(connection, appends)
    return [work.index(connection) if isinstance(work, _Append) else work(connection) for work in works]


def _store(connection: Connection, appends: Sequence[_Append]) -> None:
    if connection.execute(_ADVANCE, [append.move() for append in appends]).rowcount != len(appends):
        raise LeaseError(f"run {appends[0].run}: another driver has taken over")
    connection.execute(_INSERT, [_row(position) for append in appends for position in append.items])


_INSERT = insert(ITEMS)
_ADVANCE = (
    update(RUNS)
    .where(
        RUNS.c.run == bindparam("the_run"),
        RUNS.c.epoch == bindparam("the_epoch"),
        RUNS.c.next_seq == bindparam("first"),
    )
    .values(next_seq=bindparam("next"))
)


def _take(connection: Connection, take: Take, now: float) -> None:
    at = QUESTIONS.c.question == take.question
    row = connection.execute(select(QUESTIONS).where(at)).first()
    check_take(_question(row) if row else None, take, now)
    taken = {"status": "taken", "taken_run": take.run, "taken_call": take.call}
    connection.execute(update(QUESTIONS).where(at).values(**taken))


def _index(connection: Connection, position: Position) -> None:
    item = position.item
    if isinstance(item, Opened):
        row = row_of(position, item)
        check_free(row, _newest(connection, row))
        values = {name: getattr(row, name) for name in RunRow.__slots__ if name != "run"}
        connection.execute(update(RUNS).where(RUNS.c.run == position.run).values(**values))
    elif isinstance(item, Asked):
        _index_question(connection, item)
    elif isinstance(item, Decided):
        connection.execute(_decided(Decision.of(item.body)))
    status = status_of(item)
    if status:
        ended = position.at if isinstance(item, Finished) else 0.0
        values = {"status": status, "ended": ended, **({"until": 0.0} if ended else {})}
        connection.execute(update(RUNS).where(RUNS.c.run == position.run).values(**values))
    if status == "cancelled":
        asked = (QUESTIONS.c.run == position.run, QUESTIONS.c.status == "open")
        connection.execute(update(QUESTIONS).where(*asked).values(status="expired"))


def _newest(connection: Connection, row: RunRow) -> RunRow | None:
    """The newest run of the conversation of ``row``."""
    if not row.conversation:
        return None
    same = (
        RUNS.c.conversation == row.conversation,
        RUNS.c.tenant == row.tenant,
        RUNS.c.application == row.application,
    )
    found = connection.execute(select(RUNS).where(*same, _OPENED).order_by(RUNS.c.opened.desc()).limit(1)).first()
    return _run(found) if found else None


def _decided(decision: Decision) -> Update:
    status = "approved" if decision.approved else "denied"
    at = (QUESTIONS.c.question == decision.question, QUESTIONS.c.status == "open")
    return update(QUESTIONS).where(*at).values(status=status, decision=decision.json())


def _index_question(connection: Connection, item: Asked) -> None:
    if connection.execute(select(QUESTIONS.c.run).where(QUESTIONS.c.question == item.question)).first():
        return
    question = Question.of(item.body)
    connection.execute(
        insert(QUESTIONS).values(
            question=item.question,
            run=question.run,
            conversation=question.conversation,
            match=question.match,
            status="open",
            asked=question.asked,
            body=item.body,
            decision="",
            taken_run="",
            taken_call="",
        )
    )


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


def _run(row: Row[Any]) -> RunRow:
    return RunRow(**{name: getattr(row, name) for name in RunRow.__slots__})


def _question(row: Row[Any]) -> QuestionRow:
    decision = Decision.of(row.decision) if row.decision else None
    taken = (row.taken_run, row.taken_call) if row.taken_run else None
    return QuestionRow(Question.of(row.body), cast("Status", row.status), decision, taken)
