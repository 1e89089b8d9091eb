"""A store in an SQL database, SQLite or Postgres by the same code: SQLAlchemy Core on one writer thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from sqlalchemy import URL, Connection, Engine, Row, Select, bindparam, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from remit.contracts.grant import Grant, GrantRow
from remit.contracts.items import BESIDE, Position
from remit.contracts.ledger import Take
from remit.contracts.question import Decision
from remit.errors import JournalError
from remit.journal.batches import Batches, Job
from remit.journal.codec import decode
from remit.journal.index import check_open, check_standing, held_by, seen, spent, taken_over
from remit.journal.locks import Touches
from remit.journal.migrations import migrate
from remit.journal.ports import Held, QuestionRow, RunRow, RunStatus, Stored
from remit.journal.statements import Command, Query
from remit.journal.tables import GRANTS, ITEMS, QUESTIONS, RUNS, open_engine, place, read_url
from remit.journal.works import (
    OPENED,
    QUESTION,
    Append,
    Change,
    about_questions,
    decide,
    erase,
    find_grant,
    grant_row,
    lock_all,
    question_row,
    questioning,
    run_row,
    together,
    used,
)
from remit.journal.writer import Writer, said

T = TypeVar("T")


class SqlStore:
    """All five ports over four tables. Opens and migrates its database when first used.

    Args:
        url: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/DATABASE``.
        clock: seconds since the epoch. Processes that share a journal need clocks that agree.

    Raises:
        SetupError: it is neither, or what it needs is not installed.
    """

    def __init__(self, url: URL | str, clock: Callable[[], float] = time.time) -> None:
        self._url = read_url(url)
        self._clock = clock
        self._engine = open_engine(self._url)
        self._writer = Writer(self._engine, together, lock=lock_all, prepare=self._prepare)
        self._reads = Batches("remit-journal-reads", self._read_all)

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
            self._writer.submit(Append(run, epoch, items, take, self._clock), stored)
        except JournalError as error:
            stored.set_exception(error)
        return stored

    async def read(self, run: str, after: int = -1) -> list[Position]:
        """The items of a run with a seq above ``after``, in order."""
        return _positions(await self._ask(_ITEMS, run=run, after=after))

    async def erase(self, run: str, seqs: Sequence[int]) -> None:
        """Erase the bodies of items, for good."""
        items = questioning(await self._find(about_questions(run, seqs)))
        touches = Touches(frozenset({run}), frozenset(item.question for item in items))
        await self._writer.submit(Change(lambda connection: erase(connection, run, seqs), touches))

    async def acquire(self, run: str, driver: str, seconds: float, after: int = -1) -> Held:
        """Become the driver of a run; what it has to know, read in the same transaction."""

        def work(connection: Connection) -> _Taken:
            row = _LEASE.first(connection, run=run)
            now = self._clock()
            held = {"driver": driver, "until": now + seconds}
            if row is None:
                _NEW.run(connection, {"run": run, "epoch": 1, **held, **_UNKNOWN_RUN})
                return _Taken(1)
            if row.until > now:
                raise held_by(run, row.driver)
            _HOLD.run(connection, {"the_run": run, "epoch": row.epoch + 1, **held})
            items = _ITEMS.all(connection, run=run, after=after)
            decisions = _DECISIONS.all(connection, run=run)
            return _Taken(row.epoch + 1, items, row.status if row.callee else "", row.cancelled, decisions)

        epoch, items, status, cancelled, rows = await self._write(work, run)
        decisions = sorted((Decision.of(row.decision) for row in rows), key=lambda decision: decision.at)
        return Held(epoch, _positions(items), status, cancelled, decisions)

    async def renew(self, run: str, epoch: int, seconds: float) -> None:
        """Hold on to the lease."""

        def work(connection: Connection) -> None:
            held = {"the_run": run, "the_epoch": epoch, "until": self._clock() + seconds}
            if _UNTIL.run(connection, held) != 1:
                raise taken_over(run)

        await self._write(work, run)

    async def release(self, run: str, epoch: int) -> None:
        """Let the lease go, if it is still held."""
        done = {"the_run": run, "the_epoch": epoch, "until": 0.0}
        await self._write(lambda connection: _UNTIL.run(connection, done), run)

    async def decide(self, decision: Decision) -> None:
        """Store a decision for the run that asked; the first one counts."""

        def work(connection: Connection) -> None:
            row = QUESTION.first(connection, question=decision.question)
            check_open(question_row(row) if row else None, decision.question, self._clock())
            decide(connection, decision)

        await self._writer.submit(Change(work, Touches(questions=frozenset({decision.question}))))

    async def cancel(self, run: str, by: str) -> None:
        """Ask the driver of a run to cancel it."""
        asked = update(RUNS).where(RUNS.c.run == run).values(cancelled=by)
        await self._write(lambda connection: connection.execute(asked), run)

    async def cancelled(self, run: str) -> str:
        """Who asked for the run to be cancelled."""
        rows = await self._ask(_CANCELLED, run=run)
        return rows[0].cancelled if rows else ""

    async def runs(
        self,
        *,
        conversation: str = "",
        tenant: str = "",
        principal: str = "",
        application: str = "",
        beside: bool = True,
        limit: int = 50,
    ) -> list[RunRow]:
        """The newest runs, newest first."""
        wanted = select(RUNS).where(OPENED).order_by(RUNS.c.opened.desc()).limit(limit)
        named = {"conversation": conversation, "tenant": tenant, "principal": principal, "application": application}
        for column, value in named.items():
            if value:
                wanted = wanted.where(RUNS.c[column] == value)
        if not beside:
            wanted = wanted.where(RUNS.c.after != BESIDE)
        return [run_row(row) for row in await self._find(wanted)]

    async def find_run(self, run: str) -> RunRow | None:
        """The run with this id."""
        rows = await self._ask(_RUN, run=run)
        return run_row(rows[0]) if rows else None

    async def questions(self, *, only_open: bool = True, conversation: str = "") -> list[QuestionRow]:
        """Questions, oldest first."""
        wanted = select(QUESTIONS).order_by(QUESTIONS.c.asked)
        if conversation:
            wanted = wanted.where(QUESTIONS.c.conversation == conversation)
        if only_open:
            wanted = wanted.where(QUESTIONS.c.status == "open")
        found = [seen(question_row(row), self._clock()) for row in await self._find(wanted)]
        return [row for row in found if row.status == "open" or not only_open]

    async def find_question(self, question: str) -> QuestionRow | None:
        """The question with this id."""
        rows = await self._ask(QUESTION, question=question)
        return seen(question_row(rows[0]), self._clock()) if rows else None

    async def standing(self, conversation: str, match: str) -> QuestionRow | None:
        """The newest question of a conversation with this match that is open, or decided and not taken."""
        where = (QUESTIONS.c.conversation == conversation, QUESTIONS.c.match == match, QUESTIONS.c.taken_run == "")
        rows = await self._find(select(QUESTIONS).where(*where).order_by(QUESTIONS.c.asked.desc()))
        found = [seen(question_row(row), self._clock()) for row in rows]
        return next((row for row in found if not spent(row, self._clock())), None)

    async def give(self, grant: Grant) -> None:
        """Keep a grant."""
        named = {name: getattr(grant, name) for name in ("tenant", "tool", "given", "expires", "count")}
        row = insert(GRANTS).values(grant=grant.id, used=0, revoked="", body=grant.json(), **named)
        await self._write(lambda connection: connection.execute(row), grant.id)

    async def grants(self, *, tenant: str, tool: str = "") -> list[GrantRow]:
        """The grants of a tenant, for one tool where one is named, oldest first."""
        wanted = select(GRANTS).where(GRANTS.c.tenant == tenant).order_by(GRANTS.c.given)
        rows = await self._find(wanted.where(GRANTS.c.tool == tool) if tool else wanted)
        return [grant_row(row) for row in rows]

    async def use(self, grant: str) -> bool:
        """Count one more call of a grant."""
        return await self._write(lambda connection: connection.execute(used(grant, self._clock())).rowcount == 1, grant)

    async def revoke(self, grant: str, by: str) -> None:
        """End a grant."""

        def work(connection: Connection) -> None:
            check_standing(find_grant(connection, grant), grant)
            connection.execute(update(GRANTS).where(GRANTS.c.grant == grant).values(revoked=by))

        await self._write(work, grant)

    async def close(self) -> None:
        """Finish what was submitted and close the database."""
        await asyncio.to_thread(self._writer.close)
        await asyncio.to_thread(self._reads.close)
        self._engine.dispose()

    async def _write(self, work: Callable[[Connection], T], name: str) -> T:
        """Change what ``name`` names: a run, or a grant."""
        return await self._writer.submit(Change(work, Touches(frozenset({name}))))

    async def _ask(self, query: Query, **values: object) -> Sequence[Any]:
        return await self._read(lambda connection: query.all(connection, **values))

    async def _find(self, wanted: Select[Any]) -> Sequence[Row[Any]]:
        return await self._read(lambda connection: connection.execute(wanted).all())

    async def _read(self, work: Callable[[Connection], T]) -> T:
        await self._writer.ready()
        with self._named():
            return await self._reads.submit(work)

    def _read_all(self, batch: Sequence[Job]) -> None:
        """What waits to be read, on one connection; where one read fails, the next begins anew."""
        try:
            with self._engine.connect().execution_options(remit_reads=True) as connection:
                for job in batch:
                    try:
                        job.result = job.work(connection)
                    except Exception as error:  # noqa: BLE001 - told to whoever waits for it
                        job.error = error
                        connection.rollback()
                        connection.connection.rollback()
        except Exception as error:  # noqa: BLE001 - told to everybody: there is no connection
            for job in batch:
                job.error = job.error or error

    def _prepare(self, engine: Engine) -> None:
        with self._named():
            migrate(engine)

    @contextmanager
    def _named(self) -> Generator[None]:
        """What the database says against it, as an error of ours that names it."""
        try:
            yield
        except (SQLAlchemyError, UnicodeEncodeError) as error:
            raise JournalError(f"the journal {place(self._url)} could not be read: {said(error)}") from error


class _Taken(NamedTuple):
    """A `Held` as rows."""

    epoch: int
    items: Sequence[Row[Any]] = ()
    status: RunStatus | Literal[""] = ""
    cancelled: str = ""
    decisions: Sequence[Row[Any]] = ()


def _positions(rows: Sequence[Row[Any]]) -> list[Position]:
    return [
        Position(r.run, r.epoch, r.seq, r.at, decode(r.kind, r.call, r.body), r.body, r.digest, r.chain) for r in rows
    ]


_ITEMS = Query(
    select(ITEMS).where(ITEMS.c.run == bindparam("run"), ITEMS.c.seq > bindparam("after")).order_by(ITEMS.c.seq)
)
_RUN = Query(select(RUNS).where(RUNS.c.run == bindparam("run"), OPENED))
_CANCELLED = Query(select(RUNS.c.cancelled).where(RUNS.c.run == bindparam("run")))
_LEASE = Query(
    select(RUNS.c.epoch, RUNS.c.until, RUNS.c.driver, RUNS.c.status, RUNS.c.callee, RUNS.c.cancelled).where(
        RUNS.c.run == bindparam("run")
    )
)
_DECISIONS = Query(select(QUESTIONS.c.decision).where(QUESTIONS.c.run == bindparam("run"), QUESTIONS.c.decision != ""))
_NEW = Command(insert(RUNS))
_HOLD = Command(
    update(RUNS)
    .where(RUNS.c.run == bindparam("the_run"))
    .values(epoch=bindparam("epoch"), driver=bindparam("driver"), until=bindparam("until"))
)
_UNTIL = Command(
    update(RUNS)
    .where(RUNS.c.run == bindparam("the_run"), RUNS.c.epoch == bindparam("the_epoch"))
    .values(until=bindparam("until"))
)

_UNKNOWN_RUN = {
    "next_seq": 0,
    "status": "running",
    "opened": 0.0,
    "ended": 0.0,
    "cancelled": "",
    **dict.fromkeys(("tenant", "principal", "application", "agent", "callee", "conversation", "after"), ""),
}
