"""One thread that writes: jobs that wait together are stored by one commit (group commit)."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from remit.errors import JournalError, RemitError
from remit.journal.crashpoint import crashpoint

T = TypeVar("T")

_MOST: Final = 256
"""Jobs in one transaction at most, so that nobody waits for ever under load."""


@dataclass(slots=True)
class _Job:
    work: Callable[[Connection], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None

    def answer(self) -> None:
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    """Runs jobs on its own thread, in the order they were submitted, each in a savepoint of a shared transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False

    async def submit(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in a transaction and return its result once that is committed.

        Raises:
            JournalError: the database refused; nothing of ``work`` is stored.
        """
        if self._closed:
            raise JournalError("the journal is closed")
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="remit-journal", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._jobs.put(_Job(work, loop, future))
        return cast("T", await future)

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        self._closed = True
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while True:
            batch, last = self._collect()
            if batch:
                self._commit(batch)
                for loop in {job.loop for job in batch}:
                    mine = [job for job in batch if job.loop is loop]
                    if not loop.is_closed():
                        loop.call_soon_threadsafe(_answer, mine)
            if last:
                return

    def _collect(self) -> tuple[list[_Job], bool]:
        batch: list[_Job] = []
        while len(batch) < _MOST:
            try:
                job = self._jobs.get_nowait() if batch else self._jobs.get()
            except queue.Empty:
                break
            if job is None:
                return batch, True
            batch.append(job)
        return batch, False

    def _commit(self, batch: list[_Job]) -> None:
        try:
            crashpoint("before commit")
            with self._engine.begin() as connection:
                for job in batch:
                    self._attempt(job, connection)
            crashpoint("after commit")
        except Exception as error:  # noqa: BLE001 - whatever the database raises goes to whoever waits
            for job in batch:
                job.error = job.error or _refused(error)

    def _attempt(self, job: _Job, connection: Connection) -> None:
        """Run one job. What it raises is its own; what ends the transaction is everybody's."""
        try:
            with connection.begin_nested():
                job.result = job.work(connection)
        except Exception as error:
            job.error = error if isinstance(error, RemitError) else _refused(error)
            if not _in_transaction(connection):
                raise


def _in_transaction(connection: Connection) -> bool:
    """Whether the transaction still is: SQLite ends it by itself when the disk is full, broken or out of memory."""
    raw = connection.connection.dbapi_connection
    return not isinstance(raw, sqlite3.Connection) or raw.in_transaction


def _refused(error: Exception) -> JournalError:
    said = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    refused = JournalError(f"the journal could not be written: {said}")
    refused.__cause__ = error
    return refused


def _answer(jobs: list[_Job]) -> None:
    for job in jobs:
        job.answer()
