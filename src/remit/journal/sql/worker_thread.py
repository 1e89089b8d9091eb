"""A thread that runs jobs for event loops. Jobs submitted in one turn of a loop run in one batch."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeVar

from msgspec import Struct
from sqlalchemy import Connection, Engine

from remit.database.urls import AFTER_FORK
from remit.errors import JournalError

T = TypeVar("T")

MAX_BATCH_SIZE: Final = 256
"""The maximum size of a batch, so that no job waits indefinitely under load."""

DatabaseOperation = Callable[[Connection], Any]

_Signal = Literal["go on", "last"]


class Job(Struct):
    """A database operation with the future of its result."""

    operation: DatabaseOperation
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None

    def settle(self) -> None:
        """Set the future, unless its waiter has been cancelled."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class WorkerThread:
    """Passes queued jobs to ``run_batch`` in order of submission. ``run_batch`` sets the result or error of each job.

    The thread is woken at the end of the loop's turn. If the first job woke it, the thread would take that job alone
    and then compete with the loop for the interpreter while the other jobs arrive. It calls ``finish`` when it ends.
    """

    def __init__(
        self, name: str, run_batch: Callable[[list[Job]], None], finish: Callable[[], None] = lambda: None
    ) -> None:
        self._name = name
        self._run_batch = run_batch
        self._finish = finish
        self._jobs = deque[Job]()
        self._waking_loop: asyncio.AbstractEventLoop | None = None
        self._signals = queue.SimpleQueue[_Signal]()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._process = os.getpid()

    @property
    def is_own(self) -> bool:
        """Whether the thread belongs to this process rather than to the process that forked it."""
        return self._thread is None or self._process == os.getpid()

    def check_own(self) -> None:
        """Refuse to wait for a thread that does not exist in this process.

        Raises:
            JournalError: the thread belongs to the process that this one was forked from.
        """
        if not self.is_own:
            raise JournalError(f"the journal {AFTER_FORK}")

    def submit(
        self, operation: Callable[[Connection], T], future: asyncio.Future[T] | None = None
    ) -> asyncio.Future[T]:
        """Submit ``operation``; the future gets its result.

        Raises:
            JournalError: the thread is closed, or is one of the process that this one was forked from.
        """
        self.check_own()
        if self._closed:
            raise JournalError("the journal is closed")
        if self._thread is None:
            self._process = os.getpid()
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        result = loop.create_future() if future is None else future
        self._jobs.append(Job(operation, loop, result))
        if self._waking_loop is not loop:
            self._waking_loop = loop
            loop.call_soon(self._wake)
        return result

    def close(self) -> None:
        """Finish submitted jobs, then end the thread."""
        self._closed = True
        if self._thread is not None and self.is_own:
            self._signals.put("last")
            self._thread.join()
            self._thread = None

    def _wake(self) -> None:
        self._waking_loop = None
        self._signals.put("go on")

    def _run(self) -> None:
        signal: _Signal = "go on"
        while signal != "last":
            signal = self._signals.get()
            while batch := self._next_batch():
                self._run_batch(batch)
                for loop in {job.loop for job in batch}:
                    with contextlib.suppress(RuntimeError):  # the loop is closed, so no waiter is left
                        loop.call_soon_threadsafe(_settle_jobs, [job for job in batch if job.loop is loop])
        self._finish()

    def _next_batch(self) -> list[Job]:
        return [self._jobs.popleft() for _ in range(min(len(self._jobs), MAX_BATCH_SIZE))]


def _settle_jobs(jobs: list[Job]) -> None:
    for job in jobs:
        job.settle()


def run_reads(engine: Engine, batch: Sequence[Job]) -> None:
    """Run queued reads on one connection. After a failed read, the next one starts a new transaction."""
    try:
        with engine.connect().execution_options(remit_reads=True) as connection:
            for job in batch:
                try:
                    job.result = job.operation(connection)
                except Exception as error:  # noqa: BLE001 - raised where the read is awaited
                    job.error = error
                    connection.rollback()
                    connection.connection.rollback()
    except Exception as error:  # noqa: BLE001 - no connection: every read fails
        for job in batch:
            job.error = job.error or error
