"""Answers in progress, kept in the database while readers in other processes watch."""

from __future__ import annotations

import abc
import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, bindparam, delete, insert, or_, select

from remit.errors import JournalError
from remit.journal.ports import AnswerPiece, AppendFuture
from remit.journal.sql.locks import LockKeys
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import ANSWERS, RUNS, WATCHES
from remit.journal.sql.writer import Writer
from remit.journal.sql.writes import Change

T = TypeVar("T")

_SELECT_EPOCH: Final = Query(select(RUNS.c.epoch).where(RUNS.c.run == bindparam("run")))
_SELECT_PIECES: Final = Query(
    select(RUNS.c.epoch, ANSWERS.c.call, ANSWERS.c.number, ANSWERS.c.start, ANSWERS.c.body, ANSWERS.c.follows)
    .join(ANSWERS, (ANSWERS.c.run == RUNS.c.run) & (ANSWERS.c.epoch == RUNS.c.epoch), isouter=True)
    .where(RUNS.c.run == bindparam("run"))
    .order_by(ANSWERS.c.number, ANSWERS.c.start)
)
_INSERT_PIECES: Final = Command(insert(ANSWERS))
_DELETE_ANSWER: Final = Command(
    delete(ANSWERS).where(ANSWERS.c.run == bindparam("the_run"), ANSWERS.c.number == bindparam("number"))
)
_DELETE_ANSWERS: Final = Command(delete(ANSWERS).where(ANSWERS.c.run == bindparam("the_run")))
_SELECT_WATCH: Final = Query(select(WATCHES.c.until).where(WATCHES.c.run == bindparam("run")))
_INSERT_WATCH: Final = Command(insert(WATCHES))
_DELETE_WATCHES: Final = Command(
    delete(WATCHES).where(or_(WATCHES.c.run == bindparam("the_run"), WATCHES.c.until <= bindparam("now")))
)


def delete_answers(connection: Connection, run: str) -> None:
    """Delete the pieces of a run whose epoch is over."""
    _DELETE_ANSWERS.execute(connection, {"the_run": run})


class SqlAnswers(abc.ABC):
    """The part of a store in SQL that keeps pieces of answers."""

    _writer: Writer
    _now: Callable[[Connection], float]

    async def watch(self, run: str, seconds: float) -> None:
        """Ask the executor of a run for the pieces of answers, for ``seconds``. Expired watches are deleted."""

        def work(connection: Connection) -> None:
            now = self._now(connection)
            _DELETE_WATCHES.execute(connection, {"the_run": run, "now": now})
            _INSERT_WATCH.execute(connection, {"run": run, "until": now + seconds})

        await self._writer.submit(Change(work, LockKeys(frozenset({_WATCHES_LOCK}))))

    async def is_watched(self, run: str) -> bool:
        """Whether a reader has asked for the pieces of the run's answers."""

        def work(connection: Connection) -> bool:
            row = _SELECT_WATCH.first(connection, run=run)
            return row is not None and row.until > self._now(connection)

        return await self._submit_read(work)

    def write_pieces(
        self, run: str, epoch: int, pieces: Sequence[AnswerPiece], closed: Sequence[int] = ()
    ) -> AppendFuture:
        """Store pieces and delete those of the ``closed`` answers, unless another epoch has started."""

        def work(connection: Connection) -> None:
            row = _SELECT_EPOCH.first(connection, run=run)
            if row is None or row.epoch != epoch:
                return
            if pieces:
                _INSERT_PIECES.execute(connection, *({"run": run, "epoch": epoch, **p._asdict()} for p in pieces))
            for number in closed:
                _DELETE_ANSWER.execute(connection, {"the_run": run, "number": number})

        done: AppendFuture = asyncio.get_running_loop().create_future()
        try:
            self._writer.submit(Change(work, LockKeys(frozenset({run}))), done)
        except JournalError as error:
            done.set_exception(error)
        return done

    async def read_pieces(self, run: str) -> tuple[int, list[AnswerPiece]]:
        """The epoch of a run and its stored pieces, in order within each answer."""

        def work(connection: Connection) -> Sequence[Any]:
            return _SELECT_PIECES.all(connection, run=run)

        rows = await self._submit_read(work)
        pieces = [AnswerPiece(r.call, r.number, r.start, r.body, r.follows) for r in rows if r.call is not None]
        return rows[0].epoch if rows else 0, pieces

    @abc.abstractmethod
    async def _submit_read(self, operation: Callable[[Connection], T]) -> T:
        """Read in the thread of reads."""


_WATCHES_LOCK: Final = "watches"
"""The lock for changes to watches, because each writer also deletes expired watches."""
