"""The engine of many processes: DBOS queues runs in Postgres, and keeps their deadlines.

Needs the extra ``dbos``. To DBOS an attempt to drive a run is a workflow. What it knows of a run is its id and that
somebody is to look at it: everything else is in the journal.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import platform
import secrets
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self

import psycopg
from dbos import DBOS, DBOSClient, EnqueueOptions, WorkflowSerializationFormat, WorkflowStatus

from remit.engine.attempt import Attempts, unfinished
from remit.engine.port import Drive, Report
from remit.errors import JournalError, RequestError, SetupError
from remit.journal.ports import Store

WORKFLOW: Final = "remit.attempt"
NAME: Final = "remit"
FORMAT: Final = "1"
"""The version of what is queued, which the application's code has no part in: any version drives on any run."""

_ACTIVE: Final = ["ENQUEUED", "PENDING", "DELAYED"]
_LAST: Final = 30
"""Seconds that bodies have which do not stop when they are told to."""

_KEEP: Final = 3600.0
"""Seconds for which DBOS remembers an attempt that is over."""


class DbosEngine:
    """Drives runs in any number of processes on one Postgres.

    A run goes to whichever process has room. The runs of one that died go to the others, as soon as Postgres has
    noticed and the lease has ended. A deadline is kept by Postgres, a decision wakes the run wherever it was made.
    DBOS can be one thing in a process only: drive runs by one engine there, and use DBOS for nothing else.

    Args:
        url: of the Postgres database in which DBOS keeps its tables; that of the journal will do.
        drive: `Runtime.resume`, or what chooses the runtime of a run.
        applications: whose runs it drives.
        concurrency: how many of one application a process drives at once; the last to begin decides for all.
        poll: seconds between two looks at the queue. sweep: between two looks for processes that died.
        check: between two comparisons of the queue with the journal.
        grace: seconds that runs have to come to rest when it ends; then they are let go.
        report: is told what went wrong with a run.
    """

    def __init__(
        self,
        url: str,
        store: Store,
        drive: Drive,
        *,
        applications: Sequence[str],
        concurrency: int = 8,
        poll: float = 0.5,
        sweep: float = 2.0,
        check: float = 60.0,
        grace: float = 10.0,
        clock: Callable[[], float] = time.time,
        report: Report,
    ) -> None:
        self._url = _plain(url)
        self._store = store
        self._attempts = Attempts(store=store, drive=drive, clock=clock, report=report)
        self._applications = tuple(applications)
        self._concurrency = concurrency
        self._poll = poll
        self._sweep_every = sweep
        self._check_every = check
        self._grace = grace
        self._report = report
        self.name = f"{platform.node()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._presence = Presence(url, self.name)
        self._leave = asyncio.Event()
        self._driving = set[asyncio.Task[object]]()
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._client: DBOSClient | None = None
        self._opening = asyncio.Lock()

    async def start(self, run: str) -> None:
        """Queue a run that was opened; twice is once."""
        await self._enqueue(run, run)

    async def wake(self, run: str) -> None:
        """Queue another look at a run."""
        await self._enqueue(run, _named(run))

    async def after(self, run: str, seconds: float) -> None:
        """Queue a look at a run for later; Postgres keeps the time."""
        await self._enqueue(run, _named(run), seconds=seconds)

    async def close(self) -> None:
        """Give back what telling the engine of runs has opened."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.to_thread(client.destroy)

    async def __aenter__(self) -> Self:
        """Launch DBOS, and begin to take runs from the queue.

        Raises:
            SetupError: its database cannot be had.
        """
        await self._opened()
        try:
            await asyncio.to_thread(self._launch, asyncio.get_running_loop())
        except Exception as error:
            raise SetupError(f"DBOS cannot be launched: {_said(error)}") from error
        self._tasks = (
            asyncio.create_task(self._repeat(self._sweep, self._sweep_every)),
            asyncio.create_task(self._repeat(self._compare, self._check_every)),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Take no further run; those being driven come to rest, or go back to the queue."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        patience = int(self._grace) + _LAST
        ending = asyncio.create_task(
            asyncio.to_thread(DBOS.destroy, destroy_registry=True, workflow_completion_timeout_sec=patience)
        )
        if self._driving:
            await asyncio.wait(self._driving, timeout=self._grace)
        self._leave.set()
        await ending
        await asyncio.to_thread(self._presence.leave)
        await self.close()

    def _launch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Launch DBOS from a thread that runs no loop: it would make itself at home in ours, and not leave it whole."""
        self._presence.show()
        DBOS(
            config={
                "name": NAME,
                "system_database_url": self._url,
                "application_version": FORMAT,
                "executor_id": self.name,
                "log_level": "ERROR",
            }
        )
        DBOS.listen_queues([_queue(application) for application in self._applications])

        async def attempt(run: str, tries: int) -> None:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._attempt(run, tries), loop))

        DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(attempt)
        DBOS.launch()
        for application in self._applications:
            DBOS.register_queue(
                _queue(application),
                worker_concurrency=self._concurrency,
                polling_interval_sec=self._poll,
                on_conflict="always_update",
            )

    async def _attempt(self, run: str, tries: int) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for the type checker: a coroutine runs in a task
        self._driving.add(task)
        try:
            planned = await self._attempts.attempt(run, tries, self._leave)
            if planned.seconds is not None:
                await self._enqueue(run, _named(run), seconds=planned.seconds, tries=planned.tries)
        finally:
            self._driving.discard(task)

    async def _enqueue(self, run: str, name: str, *, seconds: float = 0.0, tries: int = 0) -> None:
        row = await self._store.find_run(run)
        if row is None:
            raise RequestError(f"there is no run {run}")
        options = EnqueueOptions(
            workflow_name=WORKFLOW,
            queue_name=_queue(row.application),
            workflow_id=name,
            app_version=FORMAT,
            serialization_type=WorkflowSerializationFormat.PORTABLE,
        )
        if seconds > 0:
            options["delay_seconds"] = seconds
        client = await self._opened()
        try:
            await client.enqueue_async(options, run, tries)
        except Exception as error:
            raise JournalError(f"run {run} could not be queued: {_said(error)}") from error

    async def _opened(self) -> DBOSClient:
        """The client, with the tables of DBOS in place."""
        async with self._opening:
            if self._client is None:
                try:
                    await asyncio.to_thread(DBOS.migrate, self._url)
                    self._client = await asyncio.to_thread(
                        DBOSClient, system_database_url=self._url, application_name=NAME, retry_connection_errors=False
                    )
                except Exception as error:
                    raise SetupError(f"the database of DBOS cannot be used: {_said(error)}") from error
            return self._client

    async def _repeat(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float) -> None:
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - whatever the database raises now, it may not the next time
                self._report("", error)
            await asyncio.sleep(seconds)

    async def _sweep(self) -> None:
        """Put back into the queue what processes had taken that are gone."""
        client = await self._opened()
        await asyncio.to_thread(self._take_over, client)

    def _take_over(self, client: DBOSClient) -> None:
        self._presence.show()
        names = {each.executor_id or "" for each in self._listed(client, ["PENDING"])}
        for name in names - {self.name, ""}:
            with self._presence.instead_of(name) as gone:
                if not gone:
                    continue
                for queue in map(_queue, self._applications):
                    left = client.list_workflows(
                        status="PENDING", queue_name=queue, executor_id=name, load_input=False, load_output=False
                    )
                    client.resume_workflows([each.workflow_id for each in left], queue_name=queue)

    async def _compare(self) -> None:
        """Queue what the journal says is to be driven and the queue does not know; forget what is long over.

        A run is waiting with no question of its own open any more, where whoever decided could not wake it.
        """
        client = await self._opened()
        active = await asyncio.to_thread(self._listed, client, _ACTIVE)
        queued = {each.workflow_id.partition(":")[0] for each in active}
        soon = {each.workflow_id.partition(":")[0] for each in active if each.status != "DELAYED"}
        asking = {row.question.run for row in await self._store.questions()}
        for application in self._applications:
            for run in (await unfinished(self._store, application))[0]:
                row = await self._store.find_run(run) if run in queued - soon - asking else None
                if run not in queued or (row is not None and row.status == "waiting"):
                    await self.wake(run)
        await asyncio.to_thread(self._forget, client)

    def _forget(self, client: DBOSClient) -> None:
        before = (datetime.now(UTC) - timedelta(seconds=_KEEP)).isoformat()
        over = client.list_workflows(
            status=["SUCCESS", "ERROR"],
            queue_name=[_queue(application) for application in self._applications],
            completed_before=before,
            limit=1000,
            load_input=False,
            load_output=False,
        )
        client.delete_workflows([each.workflow_id for each in over])

    def _listed(self, client: DBOSClient, status: list[str]) -> list[WorkflowStatus]:
        queues = [_queue(application) for application in self._applications]
        return client.list_workflows(status=status, queue_name=queues, load_input=False, load_output=False)


class Presence:
    """Shows the other processes that this one lives, by a lock in Postgres that ends with its connection."""

    def __init__(self, url: str, name: str) -> None:
        self._url = _plain(url)
        self._name = name
        self._connection: psycopg.Connection[tuple[bool]] | None = None

    def show(self) -> None:
        """Hold the lock, again if the connection was lost."""
        if self._connection is not None:
            try:
                self._connection.execute("SELECT 1")
            except psycopg.OperationalError:
                self._connection.close()
            else:
                return
        self._connection = psycopg.connect(self._url, autocommit=True, options=_KEEPALIVE)
        self._connection.execute("SELECT pg_advisory_lock(%s)", [_key(self._name)])

    @contextmanager
    def instead_of(self, name: str) -> Generator[bool]:
        """Whether the process called ``name`` is gone. It is, for everybody, until the block ends."""
        assert self._connection is not None  # noqa: S101 - for the type checker: it was shown before
        row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", [_key(name)]).fetchone()
        gone = row is not None and row[0]
        try:
            yield gone
        finally:
            if gone:
                self._connection.execute("SELECT pg_advisory_unlock(%s)", [_key(name)])

    def leave(self) -> None:
        """Let go of the lock: the others need not wait until Postgres has noticed."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.OperationalError):
                connection.execute("SELECT pg_advisory_unlock(%s)", [_key(self._name)])
            connection.close()


_KEEPALIVE: Final = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
"""Postgres notices within half a minute that a machine is gone."""


def _queue(application: str) -> str:
    return f"remit:{application}"


def _named(run: str) -> str:
    """A name of its own for one attempt at a run."""
    return f"{run}:{secrets.token_hex(8)}"


def _key(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"remit {name}".encode(), digest_size=8).digest(), signed=True)


def _plain(url: str) -> str:
    """The URL without the name of a driver, which only SQLAlchemy knows."""
    scheme, mark, rest = url.partition("://")
    return f"{scheme.partition('+')[0]}{mark}{rest}"


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
