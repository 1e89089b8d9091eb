"""A thread that does the jobs of event loops: what is submitted in one turn of a loop is done together."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from sqlalchemy import Connection

from remit.errors import JournalError

T = TypeVar("T")

MAX_BATCH_SIZE: Final = 256
"""Jobs in one batch at most, so that nobody waits for ever under load."""

DatabaseOperation = Callable[[Connection], Any]

_Signal = Literal["go on", "last"]


@dataclass(slots=True)
class Job:
    """A work, and whoever waits for it: once it is done it has a result or an error."""

    operation: DatabaseOperation
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None

    def settle(self) -> None:
        """Tell whoever still waits."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class WorkerThread:
    """Gives the jobs that wait to ``run_batch``, in the order in which they were submitted.

    ``run_batch`` settles each of them.

    The thread is woken at the end of a loop's turn. Woken by the first job it would take that one alone, and then
    contend with the loop for the interpreter while the others come.
    """

    def __init__(self, name: str, run_batch: Callable[[list[Job]], None]) -> None:
        self._name = name
        self._run_batch = run_batch
        self._jobs = deque[Job]()
        self._waking_loop: asyncio.AbstractEventLoop | None = None
        self._signals = queue.SimpleQueue[_Signal]()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(
        self, operation: Callable[[Connection], T], future: asyncio.Future[T] | None = None
    ) -> asyncio.Future[T]:
        """Have ``operation`` done; the future has its result.

        Raises:
            JournalError: closed.
        """
        if self._closed:
            raise JournalError("the journal is closed")
        if self._thread is None:
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
        """Finish what was submitted, then end the thread."""
        self._closed = True
        if self._thread is not None:
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
                    with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits
                        loop.call_soon_threadsafe(_settle_jobs, [job for job in batch if job.loop is loop])

    def _next_batch(self) -> list[Job]:
        return [self._jobs.popleft() for _ in range(min(len(self._jobs), MAX_BATCH_SIZE))]


def _settle_jobs(jobs: list[Job]) -> None:
    for job in jobs:
        job.settle()
