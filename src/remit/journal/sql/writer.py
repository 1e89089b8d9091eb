"""One writer thread. Jobs that are queued at the same time are stored by one commit (group commit)."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import ValidationError
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from remit.errors import JournalError, RemitError
from remit.journal.crashpoint import crashpoint
from remit.journal.sql.tables import begin_transaction, commit_transaction, connect_writer
from remit.journal.sql.worker_thread import DatabaseOperation, Job, WorkerThread

T = TypeVar("T")

BatchRunner = Callable[[Connection, Sequence[DatabaseOperation]], list[Any]]
"""Runs all operations in one transaction and returns their results in order; if it raises, none took effect."""

BatchBeginning = Callable[[Connection, Sequence[DatabaseOperation]], None]
"""Begins the transaction of operations, for example with locks against other processes. Nothing precedes it."""

BatchEnd = Callable[[Sequence[DatabaseOperation]], None]
"""Called when the transaction of operations is committed."""


def run_in_order(connection: Connection, operations: Sequence[DatabaseOperation]) -> list[Any]:
    """Run the operations one after the other."""
    return [operation(connection) for operation in operations]


def begin_only(connection: Connection, _operations: Sequence[DatabaseOperation]) -> None:
    """Begin a transaction without locks."""
    begin_transaction(connection)


def do_nothing(*_arguments: object) -> None:
    """Do nothing."""


class Writer:
    """Runs jobs on its own thread in order of submission; jobs queued at the same time share one transaction.

    If one of them fails, all run again, each in a savepoint, so that only the failing one is undone. ``begin`` begins
    each transaction, and ``end`` comes after its commit. ``prepare`` prepares the database before the first job. The
    thread keeps its connection: to get one from the pool and give it back takes as long as a small transaction.
    """

    def __init__(
        self,
        engine: Engine,
        run_batch: BatchRunner = run_in_order,
        *,
        begin: BatchBeginning = begin_only,
        end: BatchEnd = do_nothing,
        prepare: Callable[[Engine], None] | None = None,
    ) -> None:
        self._engine = engine
        self._run_batch = run_batch
        self._begin_batch = begin
        self._end_batch = end
        self._prepare = prepare
        self._connection: Connection | None = None
        self._batches = WorkerThread("remit-journal", self._commit_batch, self._disconnect)

    def submit(
        self, operation: Callable[[Connection], T], future: asyncio.Future[T] | None = None
    ) -> asyncio.Future[T]:
        """Run ``operation`` in a transaction; the future gets its result after the commit.

        ``operation`` may run twice; the first run is rolled back then.

        Raises:
            JournalError: the writer is closed. The future raises it if the database refused.
        """
        return self._batches.submit(operation, future)

    async def wait_until_ready(self) -> None:
        """Wait until the database can be read.

        Raises:
            JournalError: preparing the database failed, or the process that this one was forked from did it.
        """
        self._batches.check_own()
        if self._prepare is not None:
            await self.submit(_wait)

    @property
    def is_own(self) -> bool:
        """Whether it writes in this process, and not in the one that this was forked from."""
        return self._batches.is_own

    def close(self) -> None:
        """Finish submitted jobs, then end the thread."""
        self._batches.close()

    def _commit_batch(self, batch: list[Job]) -> None:
        try:
            if self._prepare is not None:
                self._prepare(self._engine)
                self._prepare = None
            self._commit_together(batch)
        except Exception as error:  # noqa: BLE001 - raised where the jobs are awaited
            if len(batch) > 1 and self._prepare is None and not _is_connection_lost(error):
                self._commit_with_savepoints(batch)
            else:
                _fail_jobs(batch, error)

    def _commit_together(self, batch: list[Job]) -> None:
        if all(job.operation is _wait for job in batch):
            return  # a reader that waits for the tables needs no transaction, which another process may hold up
        operations = [job.operation for job in batch]
        crashpoint("before commit")
        with self._transaction(operations) as connection:
            results = self._run_batch(connection, operations)
        crashpoint("after commit")
        for job, result in zip(batch, results, strict=True):
            job.result = result

    def _commit_with_savepoints(self, batch: list[Job]) -> None:
        try:
            crashpoint("before commit")
            with self._transaction([job.operation for job in batch]) as connection:
                for job in batch:
                    _run_in_savepoint(job, connection)
            crashpoint("after commit")
        except Exception as error:  # noqa: BLE001 - as above
            _fail_jobs(batch, error)

    @contextmanager
    def _transaction(self, operations: Sequence[DatabaseOperation]) -> Generator[Connection]:
        """Commit the block's changes, or roll back the transaction if anything fails."""
        try:
            connection = self._begin(operations)
            yield connection
            commit_transaction(connection)
            self._end_batch(operations)
        except BaseException:
            self._disconnect()
            raise

    def _begin(self, operations: Sequence[DatabaseOperation]) -> Connection:
        """Begin a transaction with its locks; on a new connection if the one that was kept has been lost meanwhile."""
        if self._connection is not None:
            try:
                self._begin_batch(self._connection, operations)
            except DBAPIError as error:
                if not _is_connection_lost(error):
                    raise
                self._disconnect()
            else:
                return self._connection
        self._connection = connect_writer(self._engine)
        self._begin_batch(self._connection, operations)
        return self._connection

    def _disconnect(self) -> None:
        """Give the connection back to the pool, which rolls back what is not committed."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _wait(_connection: Connection) -> None:
    """An operation that only waits until the database is prepared."""


def _fail_jobs(batch: list[Job], error: Exception) -> None:
    for job in batch:
        job.error = job.error or _to_remit_error(error)


def _run_in_savepoint(job: Job, connection: Connection) -> None:
    """Run one job. Its own errors fail only this job; an error that ended the transaction fails the batch."""
    savepoint = connection.begin_nested()
    try:
        job.result = job.operation(connection)
        savepoint.commit()
    except Exception as error:
        if _is_connection_lost(error) or not _in_transaction(connection):
            raise
        job.error = _to_remit_error(error)
        savepoint.rollback()


def _in_transaction(connection: Connection) -> bool:
    """Whether the transaction is still open: SQLite ends it when the disk is full or fails, or memory runs out."""
    raw = connection.connection.dbapi_connection
    return not isinstance(raw, sqlite3.Connection) or raw.in_transaction


def _is_connection_lost(error: Exception) -> bool:
    """Whether the connection is lost and the outcome of its transaction unknown."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _to_remit_error(error: Exception) -> RemitError:
    """Wrap a database error in a `JournalError`; errors of Remit remain unchanged."""
    if isinstance(error, RemitError):
        return error
    journal_error = JournalError(f"the journal could not be written: {database_message(error)}")
    journal_error.__cause__ = error
    return journal_error


def database_message(error: Exception) -> str:
    """The message of a database error, on one line. Python's own errors come from values changed in the database."""
    if isinstance(error, (TypeError, ValueError, KeyError)) and not isinstance(error, UnicodeError):
        what = f"a {error.title}" if isinstance(error, ValidationError) else "a row"
        return f"{what} has a value that Remit does not write; it was changed or damaged, so restore a backup"
    text = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    return " ".join(text.split())
