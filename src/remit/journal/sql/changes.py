"""The order of changes in the database: each row has the number of the transaction that changed it last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, and_, or_, select, text, true

from remit.journal.changes import (
    ChangedRow,
    ChangeKey,
    ChangeKind,
    ChangePage,
    Place,
    Snapshot,
    check_place,
    make_page,
)
from remit.journal.index import with_expiry
from remit.journal.sql.conversations import ROWS as CONVERSATION_ROWS
from remit.journal.sql.conversations import conversation_row
from remit.journal.sql.rows import question_row, readable_rows, run_row
from remit.journal.sql.signatures import columns_of, signer_of
from remit.journal.sql.tables import CONVERSATIONS, QUESTION_IS_OPEN, QUESTIONS, RUNS

Found = tuple[ChangeKey, ChangedRow | None]
"""A row that has changed, or None if it cannot be read."""


class ChangeReading:
    """Reads the rows of a tenant that have changed after a place; see `ChangeIndex.read_changes`."""

    def __init__(self, connection: Connection, tenant: str, place: Place, until: Snapshot, limit: int) -> None:
        self._connection = connection
        self._tenant = tenant
        self._place, self._until, self._limit = place, until, limit

    def read(self) -> ChangePage:
        """Read a page."""
        last = self._place.last
        found = [*(() if last and last.is_expiry else self._read_changed()), *self._read_expired()]
        return make_page(self._place, self._until, found, self._limit, self._find_deadline() - self._until.at)

    def _read_changed(self) -> Iterator[Found]:
        connection, until = self._connection, self._until
        decode_question = partial(question_row, signer=signer_of(connection))
        yield from self._read(
            ChangeKind.CONVERSATION,
            CONVERSATION_ROWS.where(CONVERSATIONS.c.deletion == ""),
            CONVERSATIONS.c.id,
            partial(conversation_row, connection),
        )
        yield from self._read(
            ChangeKind.QUESTION,
            select(QUESTIONS),
            QUESTIONS.c.question,
            lambda row: with_expiry(decode_question(row), until.at),
        )
        yield from self._read(
            ChangeKind.RUN, select(RUNS).where(RUNS.c.callee != "", RUNS.c.erased == 0), RUNS.c.run, run_row
        )

    def _read(
        self, kind: ChangeKind, rows: Select[Any], name: Column[str], decode: Callable[[Row[Any]], ChangedRow]
    ) -> Iterator[Found]:
        number, last = name.table.c.changed, self._place.last
        where = [
            name.table.c.tenant == self._tenant,
            _is_after(number, self._place.since),
            _is_among(number, self._until),
            true() if last is None else self._is_behind(last, kind, number, name),
        ]
        for row in self._execute(rows.where(*where), number, name):
            key = ChangeKey(is_expiry=False, order=row.changed, kind=kind, id=columns_of(row)[name.name])
            yield key, next(iter(readable_rows([row], decode)), None)

    def _read_expired(self) -> Iterator[Found]:
        """Open questions that have expired in between, and that had changed before."""
        table, last = QUESTIONS.c, self._place.last
        where = [
            *self._open_questions(table.expires > self._place.since.at),
            table.expires <= self._until.at,
            _is_among(table.changed, self._place.since),
        ]
        if last is not None and last.is_expiry:
            where.append(self._is_behind(last, ChangeKind.QUESTION, table.expires, table.question))
        decode = partial(question_row, signer=signer_of(self._connection))
        for row in self._execute(select(QUESTIONS).where(*where), table.expires, table.question):
            read = next(iter(readable_rows([row], decode)), None)
            key = ChangeKey(is_expiry=True, order=row.expires, kind=ChangeKind.QUESTION, id=row.question)
            yield key, read._replace(status="expired") if read else None

    def _execute(self, statement: Select[Any], order: Column[Any], name: Column[str]) -> list[Row[Any]]:
        ordered = statement.order_by(order, self._as_in_python(name)).limit(self._limit)
        return list(self._connection.execute(ordered).all())

    def _is_behind(
        self, last: ChangeKey, kind: ChangeKind, order: Column[Any], name: Column[str]
    ) -> ColumnElement[bool]:
        """Whether a row of this kind comes after a key."""
        if kind < last.kind:
            return order > last.order
        is_later = self._as_in_python(name) > last.id if kind == last.kind else true()
        return or_(order > last.order, and_(order == last.order, is_later))

    def _as_in_python(self, name: Column[str]) -> ColumnElement[str]:
        """A name that the database compares as Python does, independent of the database's locale."""
        return name.collate("C") if self._connection.dialect.name == "postgresql" else name

    def _find_deadline(self) -> float:
        """When the next open question of the tenant expires."""
        column = QUESTIONS.c.expires
        where = self._open_questions(column > self._until.at)
        found = self._connection.execute(select(column).where(*where).order_by(column).limit(1)).first()
        return found.expires if found else inf

    def _open_questions(self, condition: ColumnElement[bool]) -> list[Any]:
        return [QUESTIONS.c.tenant == self._tenant, QUESTION_IS_OPEN, condition]


def read_changes(
    connection: Connection, tenant: str, place: Place | None, limit: int, now: Callable[[Connection], float]
) -> ChangePage:
    """The rows of a tenant that have changed after a place; see `ChangeIndex.read_changes`.

    The snapshot is taken first. A transaction that ends later is not in it, and appears on the next page.
    """
    snapshot = _take_snapshot(connection, now(connection))
    if place is None:
        return ChangePage((), Place(snapshot))
    check_place(place, snapshot)
    until = place.until or snapshot._replace(at=max(snapshot.at, place.since.at))
    return ChangeReading(connection, tenant, place, until, limit).read()


def _take_snapshot(connection: Connection, now: float) -> Snapshot:
    if connection.dialect.name == "postgresql":
        low, high, running = str(connection.scalar(text("SELECT pg_current_snapshot()::text"))).split(":")
        return Snapshot(int(low), int(high), tuple(int(each) for each in running.split(",") if each), now)
    following = int(connection.scalar(text("SELECT number FROM remit_changes")) or 0) + 1
    return Snapshot(following, following, (), now)


def _is_among(number: Column[int], snapshot: Snapshot) -> ColumnElement[bool]:
    """Whether a transaction had ended: `Snapshot.has` in SQL."""
    return and_(number < snapshot.high, number.not_in(snapshot.running) if snapshot.running else true())


def _is_after(number: Column[int], snapshot: Snapshot) -> ColumnElement[bool]:
    """Whether a transaction had not ended. The first condition is that of the index."""
    is_later = number >= snapshot.high
    return and_(number >= snapshot.low, or_(is_later, number.in_(snapshot.running)) if snapshot.running else is_later)
