"""One thread that writes: jobs that wait together are stored by one commit (group commit)."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from remit.errors import JournalError, RemitError
from remit.journal.batches import Batches, Job, Work
from remit.journal.crashpoint import crashpoint

T = TypeVar("T")

Together = Callable[[Connection, Sequence[Work]], list[Any]]
"""Does all works in one transaction and gives their results in order, or raises and has done none."""


Lock = Callable[[Connection, Sequence[Work]], None]
"""Keeps other processes from what the works change, until the transaction ends."""


def in_order(connection: Connection, works: Sequence[Work]) -> list[Any]:
    """One after the other."""
    return [work(connection) for work in works]


def unlocked(_connection: Connection, _works: Sequence[Work]) -> None:
    """Nobody else is kept from anything."""


class Writer:
    """Runs jobs on its own thread, in the order they were submitted, those that wait at once in one transaction.

    Only where one of them is refused are they done again, each in a savepoint, so that it spoils no other.
    ``lock`` comes first in each transaction. ``prepare`` makes the database ready before the first job.
    """

    def __init__(
        self,
        engine: Engine,
        together: Together = in_order,
        *,
        lock: Lock = unlocked,
        prepare: Callable[[Engine], None] | None = None,
    ) -> None:
        self._engine = engine
        self._together = together
        self._lock = lock
        self._prepare = prepare
        self._batches = Batches("remit-journal", self._commit)

    def submit(self, work: Callable[[Connection], T], future: asyncio.Future[T] | None = None) -> asyncio.Future[T]:
        """Have ``work`` run in a transaction; the future has its result once that is committed.

        ``work`` may run twice, the second time as if the first had not been.

        Raises:
            JournalError: the writer is closed; in the future: the database refused, and nothing of ``work`` is stored.
        """
        return self._batches.submit(work, future)

    async def ready(self) -> None:
        """Return when the database is ready to be read.

        Raises:
            JournalError: it cannot be made ready.
        """
        if self._prepare is not None:
            await self.submit(_nothing)

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        self._batches.close()

    def _commit(self, batch: list[Job]) -> None:
        try:
            if self._prepare is not None:
                self._prepare(self._engine)
                self._prepare = None
            self._all(batch)
        except Exception as error:  # noqa: BLE001 - whatever the database raises goes to whoever waits
            if len(batch) > 1 and self._prepare is None and not _lost(error):
                self._each(batch)
            else:
                _refuse(batch, error)

    def _all(self, batch: list[Job]) -> None:
        crashpoint("before commit")
        with self._engine.begin() as connection:
            works = [job.work for job in batch]
            self._lock(connection, works)
            results = self._together(connection, works)
        crashpoint("after commit")
        for job, result in zip(batch, results, strict=True):
            job.result = result

    def _each(self, batch: list[Job]) -> None:
        try:
            crashpoint("before commit")
            with self._engine.begin() as connection:
                self._lock(connection, [job.work for job in batch])
                for job in batch:
                    _attempt(job, connection)
            crashpoint("after commit")
        except Exception as error:  # noqa: BLE001 - as above
            _refuse(batch, error)


def _nothing(_connection: Connection) -> None:
    """The work of who only waits for the works before."""


def _refuse(batch: list[Job], error: Exception) -> None:
    for job in batch:
        job.error = job.error or _named(error)


def _attempt(job: Job, connection: Connection) -> None:
    """Run one job. What it raises is its own; what ends the transaction is everybody's."""
    savepoint = connection.begin_nested()
    try:
        job.result = job.work(connection)
        savepoint.commit()
    except Exception as error:
        if _lost(error) or not _in_transaction(connection):
            raise
        job.error = _named(error)
        savepoint.rollback()


def _in_transaction(connection: Connection) -> bool:
    """Whether the transaction still is: SQLite ends it by itself when the disk is full, broken or out of memory."""
    raw = connection.connection.dbapi_connection
    return not isinstance(raw, sqlite3.Connection) or raw.in_transaction


def _lost(error: Exception) -> bool:
    """Whether the connection is gone, and with it the transaction; nobody knows whether it was committed."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _named(error: Exception) -> RemitError:
    """An error of ours as it is, and what the database said as one of ours."""
    if isinstance(error, RemitError):
        return error
    refused = JournalError(f"the journal could not be written: {said(error)}")
    refused.__cause__ = error
    return refused


def said(error: Exception) -> str:
    """What the database said, on one line."""
    text = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    return " ".join(text.split())
