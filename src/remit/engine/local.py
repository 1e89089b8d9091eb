"""The engine of one process: runs are tasks on its loop, so many at once; the journal tells which there are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

from remit.engine.attempt import LATE, Attempts, Next, unfinished
from remit.engine.port import Drive, Report
from remit.journal.ports import Store

SLACK: Final = 60.0
"""Seconds by which the clocks of two processes on one journal may differ."""

_SHARE: Final = 20
"""Looking around takes at most one part in so many of the time; but a process that was held up looks again soon."""


class LocalEngine:
    """Drives runs as tasks of this process. Nothing but the journal outlives it, and nothing else has to.

    When it begins it finds the runs that have not ended. From then on it looks every ``poll`` seconds for new ones, and
    at the questions of those that wait: whoever opens a run, or decides, may be another process on the same journal.

    Args:
        drive: `Runtime.resume`, or what chooses the runtime of a run.
        applications: whose runs it drives.
        concurrency: how many it drives at once.
        grace: seconds that runs have to come to rest when it ends; then they are let go.
        report: is told what went wrong with a run.
    """

    def __init__(
        self,
        store: Store,
        drive: Drive,
        *,
        applications: Sequence[str],
        concurrency: int = 8,
        poll: float = 1.0,
        grace: float = 10.0,
        clock: Callable[[], float] = time.time,
        report: Report,
    ) -> None:
        self._store = store
        self._applications = tuple(applications)
        self._attempts = Attempts(store=store, drive=drive, clock=clock, report=report)
        self._report = report
        self._poll = poll
        self._grace = grace
        self._permits = asyncio.Semaphore(concurrency)
        self._due = dict[str, int]()
        self._some = asyncio.Event()
        self._driving = dict[str, asyncio.Task[None]]()
        self._woken = set[str]()
        self._waiting = dict[str, tuple[str, ...]]()
        self._timers = set[asyncio.TimerHandle]()
        self._newest = dict[str, float]()
        self._seen = dict[str, frozenset[str]]()
        self._leave = asyncio.Event()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    async def start(self, run: str) -> None:
        """Drive a run that was opened."""
        self._set_due(run)

    async def wake(self, run: str) -> None:
        """Look at a run again."""
        self._set_due(run)

    async def after(self, run: str, seconds: float) -> None:
        """Look at a run again in so many seconds. Its questions keep their deadlines without being told here."""
        self._set_timer(run, seconds, 0)

    async def close(self) -> None:
        """There is nothing to give back."""

    async def __aenter__(self) -> Self:
        """Begin to drive runs."""
        self._tasks = (asyncio.create_task(self._dispatch()), asyncio.create_task(self._look_around()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Take no further run; those being driven come to rest, or are let go for others to drive on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        for timer in self._timers:
            timer.cancel()
        if self._driving:
            await asyncio.wait(self._driving.values(), timeout=self._grace)
        self._leave.set()
        if self._driving:
            await asyncio.wait(self._driving.values())

    async def _dispatch(self) -> None:
        while True:
            await self._some.wait()
            await self._permits.acquire()
            run = next(iter(self._due))
            tries = self._due.pop(run)
            if not self._due:
                self._some.clear()
            self._driving[run] = asyncio.create_task(self._one(run, tries))

    async def _one(self, run: str, tries: int) -> None:
        self._waiting.pop(run, None)
        try:
            planned = await self._attempts.attempt(run, tries, self._leave)
        finally:
            del self._driving[run]
            self._permits.release()
        self._plan(run, planned)

    def _plan(self, run: str, planned: Next) -> None:
        if planned.questions:
            self._waiting[run] = planned.questions
        if planned.seconds is not None:
            self._set_timer(run, planned.seconds, planned.tries)
        if run in self._woken:
            self._woken.discard(run)
            self._set_due(run)

    def _set_due(self, run: str, tries: int = 0) -> None:
        if run in self._driving:
            self._woken.add(run)
            return
        self._due.setdefault(run, tries)
        self._some.set()

    def _set_timer(self, run: str, seconds: float, tries: int) -> None:
        def ring() -> None:
            self._timers.discard(timer)
            self._set_due(run, tries)

        timer = asyncio.get_running_loop().call_later(seconds, ring)
        self._timers.add(timer)

    async def _look_around(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            try:
                await self._look()
            except Exception as error:  # noqa: BLE001 - whatever the journal holds or raises, the next look may see more
                self._report("", error)
            await asyncio.sleep(max(self._poll, min(_SHARE * (loop.time() - begun), LATE)))

    async def _look(self) -> None:
        """Drive what was opened since the last look, and what waited for questions that are open no more."""
        for application in self._applications:
            since = self._newest.get(application, float("-inf")) - SLACK
            found, self._newest[application] = await unfinished(self._store, application, since)
            before, self._seen[application] = self._seen.get(application, frozenset()), frozenset(found)
            for run in found:
                if run not in before:
                    self._set_due(run)
        if self._waiting:
            still = {row.question.id for row in await self._store.questions()}
            for run, questions in list(self._waiting.items()):
                closed = [question for question in questions if question not in still]
                if closed and await self._attempts.decided(closed):
                    self._set_due(run)
