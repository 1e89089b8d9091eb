"""The engine of one process: runs are tasks on its event loop, and the journal lists them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

from remit.engine.port import ErrorHandler, ExecuteFunction
from remit.engine.scheduling import LEASE_RETRY_MAX_SECONDS, Next, RunScheduler, find_unfinished_runs
from remit.journal.ports import Store

CLOCK_SKEW_SECONDS: Final = 60.0
"""Seconds by which the clocks of two processes on one journal may differ."""

_POLL_COST_FACTOR: Final = 20
"""Polling takes at most 1/20 of the time; the pause after a slow poll is limited, so that polling resumes soon."""


class LocalEngine:
    """Executes runs as tasks of this process. Its only state outside the process is the journal.

    On entry it finds the runs that have not ended. Then it polls the journal every ``poll_seconds`` for new runs and
    for the questions of waiting runs, because other processes may submit runs and decide on the same journal.

    Args:
        store: the journal.
        execute: `Runtime.resume`, or a function that selects the runtime of a run.
        applications: the applications whose runs it executes.
        concurrency: how many runs it executes at once.
        poll_seconds: seconds between two polls.
        grace_seconds: seconds that runs have to come to rest at exit; then they are released.
        clock: seconds since the epoch.
        on_error: called with the errors of runs and of polling.
    """

    def __init__(
        self,
        store: Store,
        execute: ExecuteFunction,
        *,
        applications: Sequence[str],
        concurrency: int = 8,
        poll_seconds: float = 1.0,
        grace_seconds: float = 10.0,
        clock: Callable[[], float] = time.time,
        on_error: ErrorHandler,
    ) -> None:
        self._store = store
        self._applications = tuple(applications)
        self._scheduler = RunScheduler(store=store, execute=execute, clock=clock, on_error=on_error)
        self._on_error = on_error
        self._poll_seconds = poll_seconds
        self._grace_seconds = grace_seconds
        self._permits = asyncio.Semaphore(concurrency)
        self._due_runs = dict[str, int]()
        self._has_due_runs = asyncio.Event()
        self._executions = dict[str, asyncio.Task[None]]()
        self._woken_runs = set[str]()
        self._waiting_questions = dict[str, tuple[str, ...]]()
        self._timers = set[asyncio.TimerHandle]()
        self._newest_opened = dict[str, float]()
        self._unfinished_runs = dict[str, frozenset[str]]()
        self._release_requested = asyncio.Event()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    async def start(self, run: str) -> None:
        """Execute a new run."""
        self._mark_due(run)

    async def wake(self, run: str) -> None:
        """Execute a run again if it can continue."""
        self._mark_due(run)

    async def wake_later(self, run: str, seconds: float) -> None:
        """Wake a run in ``seconds``. Deadlines of questions need no call: the engine tracks them."""
        self._set_timer(run, seconds, 0)

    async def close(self) -> None:
        """Do nothing."""

    async def __aenter__(self) -> Self:
        """Start executing runs."""
        self._tasks = (asyncio.create_task(self._execute_due_runs()), asyncio.create_task(self._poll_journal()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Accept no more runs. Executing runs come to rest or are released."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        for timer in self._timers:
            timer.cancel()
        if self._executions:
            await asyncio.wait(self._executions.values(), timeout=self._grace_seconds)
        self._release_requested.set()
        if self._executions:
            await asyncio.wait(self._executions.values())

    async def _execute_due_runs(self) -> None:
        while True:
            await self._has_due_runs.wait()
            await self._permits.acquire()
            run = next(iter(self._due_runs))
            failed_attempts = self._due_runs.pop(run)
            if not self._due_runs:
                self._has_due_runs.clear()
            self._executions[run] = asyncio.create_task(self._execute_run(run, failed_attempts))

    async def _execute_run(self, run: str, failed_attempts: int) -> None:
        self._waiting_questions.pop(run, None)
        try:
            next_attempt = await self._scheduler.attempt_run(run, failed_attempts, self._release_requested)
        finally:
            del self._executions[run]
            self._permits.release()
        self._schedule(run, next_attempt)

    def _schedule(self, run: str, next_attempt: Next) -> None:
        if next_attempt.questions:
            self._waiting_questions[run] = next_attempt.questions
        if next_attempt.delay is not None:
            self._set_timer(run, next_attempt.delay, next_attempt.failed_attempts)
        if run in self._woken_runs:
            self._woken_runs.discard(run)
            self._mark_due(run)

    def _mark_due(self, run: str, failed_attempts: int = 0) -> None:
        if run in self._executions:
            self._woken_runs.add(run)
            return
        self._due_runs.setdefault(run, failed_attempts)
        self._has_due_runs.set()

    def _set_timer(self, run: str, seconds: float, failed_attempts: int) -> None:
        def ring() -> None:
            self._timers.discard(timer)
            self._mark_due(run, failed_attempts)

        timer = asyncio.get_running_loop().call_later(seconds, ring)
        self._timers.add(timer)

    async def _poll_journal(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            started = loop.time()
            try:
                await self._poll_once()
            except Exception as error:  # noqa: BLE001 - whatever a poll raises, the next one may succeed
                self._on_error("", error)
            await asyncio.sleep(
                max(self._poll_seconds, min(_POLL_COST_FACTOR * (loop.time() - started), LEASE_RETRY_MAX_SECONDS))
            )

    async def _poll_once(self) -> None:
        """Mark new runs as due, and waiting runs whose questions have closed."""
        for application in self._applications:
            since = self._newest_opened.get(application, float("-inf")) - CLOCK_SKEW_SECONDS
            runs, self._newest_opened[application] = await find_unfinished_runs(self._store, application, since)
            previous_runs = self._unfinished_runs.get(application, frozenset())
            self._unfinished_runs[application] = frozenset(runs)
            for run in runs:
                if run not in previous_runs:
                    self._mark_due(run)
        if self._waiting_questions:
            open_questions = {row.question.id for row in await self._store.list_questions()}
            for run, questions in list(self._waiting_questions.items()):
                closed = [question for question in questions if question not in open_questions]
                if closed and await self._scheduler.has_closed_question(closed):
                    self._mark_due(run)
