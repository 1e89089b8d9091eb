"""The engine of one process: runs are tasks on its event loop, and the journal lists them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, NamedTuple, Self

from pydantic import PositiveFloat, PositiveInt

from remit.core.call_checks import check_arguments
from remit.engine.port import ErrorHandler, ExecuteFunction
from remit.engine.scheduling import LEASE_RETRY_MAX_SECONDS, RunScheduler
from remit.journal.ports import Store

_POLL_COST_FACTOR: Final = 20
"""Polling takes at most 1/20 of the time. Pauses are limited. One slow poll alone, such as the first one, which
opens the journal, causes no pause."""


class _Failures(NamedTuple):
    """The consecutive failures of a run, and when to attempt it again, on the loop's clock."""

    attempts: int
    retry_at: float


_NO_FAILURES: Final = _Failures(0, 0.0)


@check_arguments()
class LocalEngine:
    """Executes runs as tasks of this process. Its only state outside the process is the journal.

    It polls the journal every ``poll_seconds`` for runs that can continue, because other processes may submit runs,
    decide, or die on the same journal. A waiting run holds nothing here.

    Args:
        store: the journal.
        execute: `Runtime.resume`, or a function that selects the runtime of a run.
        applications: the applications whose runs it executes.
        concurrency: how many runs it executes at once.
        poll_seconds: seconds between two polls.
        grace_seconds: the seconds in which runs must come to rest at exit before they are released.
        clock: seconds since the epoch.
        on_error: called with the errors of runs and of polling.
    """

    def __init__(
        self,
        store: Store,
        execute: ExecuteFunction,
        *,
        applications: Sequence[str],
        concurrency: PositiveInt = 8,
        poll_seconds: PositiveFloat = 1.0,
        grace_seconds: float = 10.0,
        clock: Callable[[], float] = time.time,
        on_error: ErrorHandler,
    ) -> None:
        self._store = store
        self._applications = applications
        self._scheduler = RunScheduler(store=store, execute=execute, clock=clock, on_error=on_error)
        self._on_error = on_error
        self._poll_seconds = poll_seconds
        self._grace_seconds = grace_seconds
        self._permits = asyncio.Semaphore(concurrency)
        self._due_runs = dict[str, None]()
        self._has_due_runs = asyncio.Event()
        self._executions = dict[str, asyncio.Task[None]]()
        self._woken_runs = set[str]()
        self._failures = dict[str, _Failures]()
        self._timers = set[asyncio.TimerHandle]()
        self._release_requested = asyncio.Event()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    async def start(self, run: str) -> None:
        """Execute a new run."""
        self._mark_due(run)

    async def wake(self, run: str) -> None:
        """Execute a run again if it can continue."""
        self._mark_due(run)

    async def wake_later(self, run: str, seconds: float) -> None:
        """Wake a run in ``seconds``. Deadlines of questions need no call: the journal tracks them."""

        def ring() -> None:
            self._timers.discard(timer)
            self._mark_due(run)

        timer = asyncio.get_running_loop().call_later(seconds, ring)
        self._timers.add(timer)

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
            del self._due_runs[run]
            if not self._due_runs:
                self._has_due_runs.clear()
            self._executions[run] = asyncio.create_task(self._execute_run(run))

    async def _execute_run(self, run: str) -> None:
        try:
            failed_attempts = self._failures.pop(run, _NO_FAILURES).attempts
            planned = await self._scheduler.attempt_run(run, failed_attempts, self._release_requested)
        finally:
            del self._executions[run]
            self._permits.release()
        if planned.failed_attempts:
            retry_at = asyncio.get_running_loop().time() + (planned.delay or 0.0)
            self._failures[run] = _Failures(planned.failed_attempts, retry_at)
        if run in self._woken_runs:
            self._woken_runs.discard(run)
            self._mark_due(run)

    def _mark_due(self, run: str) -> None:
        if run in self._executions:
            self._woken_runs.add(run)
            return
        self._due_runs.setdefault(run)
        self._has_due_runs.set()

    async def _poll_journal(self) -> None:
        loop = asyncio.get_running_loop()
        last_cost = 0.0
        while True:
            started = loop.time()
            try:
                await self._poll_once()
            except Exception as error:  # noqa: BLE001 - the next poll may succeed after any error
                self._on_error("", error)
            cost = loop.time() - started
            pause = min(_POLL_COST_FACTOR * min(cost, last_cost), LEASE_RETRY_MAX_SECONDS)
            last_cost = cost
            await asyncio.sleep(max(self._poll_seconds, pause))

    async def _poll_once(self) -> None:
        """Mark the runs that can continue as due, except those that execute here or have just failed here."""
        now = asyncio.get_running_loop().time()
        for application in self._applications:
            for run in await self._store.list_due_runs(application):
                if run not in self._executions and self._failures.get(run, _NO_FAILURES).retry_at <= now:
                    self._mark_due(run)
        for run in [run for run, failures in self._failures.items() if failures.retry_at <= now]:
            if run not in self._due_runs:  # it has ended or rests: other processes execute it too
                del self._failures[run]
