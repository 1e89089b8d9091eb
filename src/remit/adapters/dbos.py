"""The engine of many processes: DBOS queues runs in Postgres, and keeps their deadlines.

Needs the extra ``dbos``. For DBOS, each attempt to execute a run is a workflow. DBOS knows the ids of the runs that are
due; everything else is in the journal.
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

from pydantic import PositiveFloat, PositiveInt

from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments
from remit.lazy_exports import require_extra

with require_extra(__name__, "dbos"):
    import psycopg
    from dbos import DBOS, DBOSClient, EnqueueOptions, WorkflowSerializationFormat, WorkflowStatus

from remit.database.database import list_files
from remit.engine.port import ErrorHandler, ExecuteFunction
from remit.engine.scheduling import RunScheduler
from remit.errors import JournalError, RequestNotFoundError, SetupError
from remit.journal.ports import Store

WORKFLOW_NAME: Final = "remit.attempt"
APPLICATION_NAME: Final = "remit"
QUEUE_FORMAT: Final = "1"
"""The version of queue entries. It is independent of the application: any version may resume any run."""

_ACTIVE_STATUSES: Final = ["ENQUEUED", "PENDING", "DELAYED"]
_CANCEL_SECONDS: Final = 30
"""Seconds that bodies must stop after cancellation."""

_RETENTION_SECONDS: Final = 3600.0
"""Seconds for which DBOS keeps a finished attempt."""


@check_arguments()
class DbosEngine:
    """Executes runs in any number of processes on one Postgres.

    A run goes to any process with a free slot. When a process dies, the others take its runs as soon as Postgres has
    noticed and the lease has ended. Postgres keeps deadlines, and a decision wakes the run wherever it was made. DBOS
    allows one instance per process: use one engine per process, and DBOS for nothing else there.

    Args:
        url: the Postgres database for DBOS's tables; it may be that of the journal.
        store: the journal.
        execute: `Runtime.resume`, or a function that selects the runtime of a run.
        applications: the applications whose runs it executes.
        concurrency: how many runs of one application a process executes at once; the process started last sets it for
            all.
        poll_seconds: seconds between two polls of the queue.
        sweep_seconds: seconds between two searches for dead processes.
        check_seconds: seconds between two comparisons of the queue with the journal.
        grace_seconds: seconds that runs must come to rest at exit; then they are released.
        local_data: all processes run on this machine, which has the files of the applications.
        clock: seconds since the epoch.
        on_error: called with the errors of runs and of the engine.

    Raises:
        SetupError: an application in this process keeps its data in a file, which processes of other machines, whose
            runs the engine shares, do not have.
    """

    def __init__(
        self,
        url: Name,
        store: Store,
        execute: ExecuteFunction,
        *,
        applications: Sequence[str],
        concurrency: PositiveInt = 8,
        poll_seconds: PositiveFloat = 0.5,
        sweep_seconds: PositiveFloat = 2.0,
        check_seconds: PositiveFloat = 60.0,
        grace_seconds: float = 10.0,
        local_data: bool = False,
        clock: Callable[[], float] = time.time,
        on_error: ErrorHandler,
    ) -> None:
        if not local_data:
            _check_no_local_data()
        self._url = _strip_driver(url)
        self._store = store
        self._attempts = RunScheduler(store=store, execute=execute, clock=clock, on_error=on_error)
        self._applications = applications
        self._concurrency = concurrency
        self._poll_seconds = poll_seconds
        self._sweep_seconds = sweep_seconds
        self._check_seconds = check_seconds
        self._grace_seconds = grace_seconds
        self._on_error = on_error
        self.name = f"{platform.node()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._liveness_lock = LivenessLock(url, self.name)
        self._release_event = asyncio.Event()
        self._active_attempts = set[asyncio.Task[object]]()
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._client: DBOSClient | None = None
        self._client_lock = asyncio.Lock()

    async def start(self, run: str) -> None:
        """Queue a new run. Idempotent."""
        await self._enqueue(run, run)

    async def wake(self, run: str) -> None:
        """Queue another attempt at a run."""
        await self._enqueue(run, _new_attempt_id(run))

    async def wake_later(self, run: str, seconds: float) -> None:
        """Queue an attempt for later; Postgres keeps the time."""
        await self._enqueue(run, _new_attempt_id(run), seconds=seconds)

    async def close(self) -> None:
        """Close the client that `start` and `wake` opened."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.to_thread(client.destroy)

    async def __aenter__(self) -> Self:
        """Launch DBOS and start executing queued runs.

        Raises:
            SetupError: DBOS or its database cannot be used.
        """
        await self._ensure_client()
        try:
            await asyncio.to_thread(self._launch, asyncio.get_running_loop())
        except Exception as error:
            raise SetupError(f"DBOS cannot be launched: {_format_error(error)}") from error
        self._tasks = (
            asyncio.create_task(self._repeat(self._recover_orphans, self._sweep_seconds)),
            asyncio.create_task(self._repeat(self._reconcile_queue, self._check_seconds)),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Accept no more runs. Executing runs come to rest or return to the queue."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        patience = int(self._grace_seconds) + _CANCEL_SECONDS
        ending = asyncio.create_task(
            asyncio.to_thread(DBOS.destroy, destroy_registry=True, workflow_completion_timeout_sec=patience)
        )
        if self._active_attempts:
            await asyncio.wait(self._active_attempts, timeout=self._grace_seconds)
        self._release_event.set()
        await ending
        await asyncio.to_thread(self._liveness_lock.release)
        await self.close()

    def _launch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Launch DBOS from a thread without an event loop, because it would take over the loop of its thread."""
        self._liveness_lock.acquire()
        DBOS(
            config={
                "name": APPLICATION_NAME,
                "system_database_url": self._url,
                "application_version": QUEUE_FORMAT,
                "executor_id": self.name,
                "log_level": "ERROR",
            }
        )
        DBOS.listen_queues([_queue_name(application) for application in self._applications])

        async def attempt(run: str, tries: int) -> None:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._run_attempt(run, tries), loop))

        DBOS.workflow(name=WORKFLOW_NAME, max_recovery_attempts=None)(attempt)
        DBOS.launch()
        for application in self._applications:
            DBOS.register_queue(
                _queue_name(application),
                worker_concurrency=self._concurrency,
                polling_interval_sec=self._poll_seconds,
                on_conflict="always_update",
            )

    async def _run_attempt(self, run: str, tries: int) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for the type checker: a coroutine runs in a task
        self._active_attempts.add(task)
        try:
            planned = await self._attempts.attempt_run(run, tries, self._release_event)
            if planned.delay is not None:
                await self._enqueue(run, _new_attempt_id(run), seconds=planned.delay, tries=planned.failed_attempts)
        finally:
            self._active_attempts.discard(task)

    async def _enqueue(self, run: str, workflow_id: str, *, seconds: float = 0.0, tries: int = 0) -> None:
        row = await self._store.find_run(run)
        if row is None:
            raise RequestNotFoundError(f"run {run} does not exist")
        options = EnqueueOptions(
            workflow_name=WORKFLOW_NAME,
            queue_name=_queue_name(row.application),
            workflow_id=workflow_id,
            app_version=QUEUE_FORMAT,
            serialization_type=WorkflowSerializationFormat.PORTABLE,
        )
        if seconds > 0:
            options["delay_seconds"] = seconds
        client = await self._ensure_client()
        try:
            await client.enqueue_async(options, run, tries)
        except Exception as error:
            raise JournalError(f"run {run} could not be queued: {_format_error(error)}") from error

    async def _ensure_client(self) -> DBOSClient:
        """The client, after creating DBOS's tables."""
        async with self._client_lock:
            if self._client is None:
                try:
                    await asyncio.to_thread(DBOS.migrate, self._url)
                    self._client = await asyncio.to_thread(
                        DBOSClient,
                        system_database_url=self._url,
                        application_name=APPLICATION_NAME,
                        retry_connection_errors=False,
                    )
                except Exception as error:
                    raise SetupError(f"the database of DBOS cannot be used: {_format_error(error)}") from error
            return self._client

    async def _repeat(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float) -> None:
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - whatever the database raises, the next time may succeed
                self._on_error("", error)
            await asyncio.sleep(seconds)

    async def _recover_orphans(self) -> None:
        """Requeue the runs of dead processes."""
        client = await self._ensure_client()
        await asyncio.to_thread(self._requeue_orphans, client)

    def _requeue_orphans(self, client: DBOSClient) -> None:
        self._liveness_lock.acquire()
        names = {each.executor_id or "" for each in self._list_workflows(client, ["PENDING"])}
        for name in names - {self.name, ""}:
            with self._liveness_lock.hold_if_dead(name) as gone:
                if not gone:
                    continue
                for queue in map(_queue_name, self._applications):
                    left = client.list_workflows(
                        status="PENDING", queue_name=queue, executor_id=name, load_input=False, load_output=False
                    )
                    client.resume_workflows([each.workflow_id for each in left], queue_name=queue)

    async def _reconcile_queue(self) -> None:
        """Queue the runs that are due by the journal but not queued soon, and delete old finished workflows.

        The process that opened a run, or decided, may have failed to queue it.
        """
        client = await self._ensure_client()
        active = await asyncio.to_thread(self._list_workflows, client, _ACTIVE_STATUSES)
        queued = {each.workflow_id.partition(":")[0] for each in active if each.status != "DELAYED"}
        for application in self._applications:
            for run in await self._store.list_due_runs(application):
                if run not in queued:
                    await self.wake(run)
        await asyncio.to_thread(self._delete_finished, client)

    def _delete_finished(self, client: DBOSClient) -> None:
        before = (datetime.now(UTC) - timedelta(seconds=_RETENTION_SECONDS)).isoformat()
        over = client.list_workflows(
            status=["SUCCESS", "ERROR"],
            queue_name=[_queue_name(application) for application in self._applications],
            completed_before=before,
            limit=1000,
            load_input=False,
            load_output=False,
        )
        client.delete_workflows([each.workflow_id for each in over])

    def _list_workflows(self, client: DBOSClient, status: list[str]) -> list[WorkflowStatus]:
        queues = [_queue_name(application) for application in self._applications]
        return client.list_workflows(status=status, queue_name=queues, load_input=False, load_output=False)


class LivenessLock:
    """A lock in Postgres that shows other processes that this one is alive. It ends with its connection."""

    def __init__(self, url: str, name: str) -> None:
        self._url = _strip_driver(url)
        self._name = name
        self._connection: psycopg.Connection[tuple[bool]] | None = None

    def acquire(self) -> None:
        """Acquire the lock, again if the connection was lost."""
        if self._connection is not None:
            try:
                self._connection.execute("SELECT 1")
            except psycopg.OperationalError:
                self._connection.close()
            else:
                return
        self._connection = psycopg.connect(self._url, autocommit=True, options=_KEEPALIVE_OPTIONS)
        self._connection.execute("SELECT pg_advisory_lock(%s)", [_lock_key(self._name)])

    @contextmanager
    def hold_if_dead(self, name: str) -> Generator[bool]:
        """Whether the process ``name`` is dead. If so, hold its lock during the block, so that all processes agree."""
        assert self._connection is not None  # noqa: S101 - for the type checker: acquired before
        row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", [_lock_key(name)]).fetchone()
        gone = row is not None and row[0]
        try:
            yield gone
        finally:
            if gone:
                self._connection.execute("SELECT pg_advisory_unlock(%s)", [_lock_key(name)])

    def release(self) -> None:
        """Release the lock at once, so that other processes do not wait for Postgres to detect the loss."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.OperationalError):
                connection.execute("SELECT pg_advisory_unlock(%s)", [_lock_key(self._name)])
            connection.close()


_KEEPALIVE_OPTIONS: Final = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
"""Settings with which Postgres detects a lost machine within half a minute."""


def _queue_name(application: str) -> str:
    return f"remit:{application}"


def _new_attempt_id(run: str) -> str:
    """Make a unique id for one attempt at a run."""
    return f"{run}:{secrets.token_hex(8)}"


def _lock_key(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"remit {name}".encode(), digest_size=8).digest(), signed=True)


def _check_no_local_data() -> None:
    files = ", ".join(map(str, sorted(list_files())))
    if files:
        raise SetupError(
            f"DbosEngine: applications of this process keep their data in {files}, which executors of other machines "
            "do not have: keep it in Postgres (REMIT_DATA), or pass local_data=True if all run on this machine"
        )


def _strip_driver(url: str) -> str:
    """The URL without the driver's name, which only SQLAlchemy understands."""
    scheme, mark, rest = url.partition("://")
    return f"{scheme.partition('+')[0]}{mark}{rest}"


def _format_error(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
