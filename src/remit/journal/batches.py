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

MOST: Final = 256
"""Jobs in one batch at most, so that nobody waits for ever under load."""

Work = Callable[[Connection], Any]

_Wake = Literal["go on", "last"]


@dataclass(slots=True)
class Job:
    """A work, and whoever waits for it: once it is done it has a result or an error."""

    work: Work
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None

    def answer(self) -> None:
        """Tell whoever still waits."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Batches:
    """Gives the jobs that wait to ``do``, in the order in which they were submitted; ``do`` settles each of them.

    The thread is woken at the end of a loop's turn. Woken by the first job it would take that one alone, and then
    contend with the loop for the interpreter while the others come.
    """

    def __init__(self, name: str, do: Callable[[list[Job]], None]) -> None:
        self._name = name
        self._do = do
        self._jobs = deque[Job]()
        self._waking: asyncio.AbstractEventLoop | None = None
        self._wakes = queue.SimpleQueue[_Wake]()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, work: Callable[[Connection], T], future: asyncio.Future[T] | None = None) -> asyncio.Future[T]:
        """Have ``work`` done; the future has its result.

        Raises:
            JournalError: closed.
        """
        if self._closed:
            raise JournalError("the journal is closed")
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        answer = loop.create_future() if future is None else future
        self._jobs.append(Job(work, loop, answer))
        if self._waking is not loop:
            self._waking = loop
            loop.call_soon(self._wake)
        return answer

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        self._closed = True
        if self._thread is not None:
            self._wakes.put("last")
            self._thread.join()
            self._thread = None

    def _wake(self) -> None:
        self._waking = None
        self._wakes.put("go on")

    def _run(self) -> None:
        wake: _Wake = "go on"
        while wake != "last":
            wake = self._wakes.get()
            while batch := self._waiting():
                self._do(batch)
                for loop in {job.loop for job in batch}:
                    with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits
                        loop.call_soon_threadsafe(_answer, [job for job in batch if job.loop is loop])

    def _waiting(self) -> list[Job]:
        return [self._jobs.popleft() for _ in range(min(len(self._jobs), MOST))]


def _answer(jobs: list[Job]) -> None:
    for job in jobs:
        job.answer()
