"""Scheduled calls under kills: executors are killed at every durable write in turn, and the calls are counted."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import os
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from figures.figure import Figure, no_violations
from remit import App, Effect, LeafContext, Principal, Runtime, tool
from remit.engines import Schedule
from remit.errors import LeaseError
from remit.journal.sql.store import SqlStore
from remit.testing import crash_at
from remit.tools import Limits, parse_arguments

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
START: Final = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
HOURS: Final = 5
EXPECTED: Final = Counter({"hourly": 4, "once": 1})
MAX_ATTEMPTS: Final = 4


def figures(*, short: bool) -> Iterator[Figure]:
    """Scheduled calls that were never made, and those that were made twice or too early."""
    yield from measure(every=15 if short else 1)


def measure(*, every: int) -> Iterator[Figure]:
    """Measure both figures, killing a process at each ``every``-th commit."""
    lost = doubled = points = 0
    for point in itertools.count(1, every):
        missing, more, died = _play(point)
        lost, doubled = lost + missing, doubled + more
        if not died:
            break
        points += 1
    how = (
        f"an hourly call ({EXPECTED['hourly']} times) and a single one, made by two executors at once; the process is "
        "killed before and after each commit in turn, and the next one continues"
    )
    yield no_violations("scheduled.lost", lost, points, f"{how}; calls that were not made")
    yield no_violations("scheduled.doubled", doubled, points, f"{how}; calls that were made twice or before their time")


def _play(point: int) -> tuple[int, int, bool]:
    """The calls that are missing, those that are too many or too early, and whether a process was killed."""
    with tempfile.TemporaryDirectory(prefix="remit-scheduled-") as folder:
        world, died = World(Path(folder)), False
        for attempt in range(MAX_ATTEMPTS):
            code = world.execute_in_child(attempt, point if attempt == 0 else 0)
            if code == 0:
                return *world.judge(), died
            if code != -signal.SIGKILL:
                raise RuntimeError(f"the process killed at point {point} was followed by one with status {code}")
            died = True
    raise RuntimeError(f"the schedule killed at point {point} did not end within {MAX_ATTEMPTS} processes")


class World:
    """A journal and the file to which calls are written, in a folder that outlives processes."""

    def __init__(self, home: Path) -> None:
        self._effects = home / "effects"
        self._hour = home / "hour"
        self._journal = home / "journal.db"
        self._now = 0.0

    def execute_in_child(self, attempt: int, point: int) -> int:
        """Let a process live through the hours that are left, killed at ``point`` (0: not at all)."""
        process = multiprocessing.get_context("fork").Process(target=self._main, args=(attempt, point))
        process.start()
        process.join()
        return process.exitcode if process.exitcode is not None else -1

    def judge(self) -> tuple[int, int]:
        """The calls that are missing, and those that are too many or too early."""
        lines = self._effects.read_text().split("\n")[:-1] if self._effects.exists() else []
        made = [line.split() for line in lines]
        counts = Counter(name for name, _ in {(name, key) for name, key, _ in made})
        early = sum(late == "False" for _, _, late in made)
        return (EXPECTED - counts).total(), (counts - EXPECTED).total() + early

    def _main(self, attempt: int, point: int) -> None:
        with crash_at(point):
            asyncio.run(self._live(attempt))

    async def _live(self, attempt: int) -> None:
        stores = [SqlStore.at(self._journal, self._clock) for _ in range(2)]
        runtimes = [self._runtime(store) for store in stores]
        for hour in range(int(self._hour.read_text()) if self._hour.exists() else 0, HOURS + 1):
            self._hour.write_text(str(hour))
            # The lease of a killed process has ended when the next one begins.
            self._now = (START + timedelta(hours=hour, minutes=attempt)).timestamp()
            if hour == 0:
                await self._schedule(runtimes[0])
            await asyncio.gather(*(self._execute_due(runtime) for runtime in runtimes))
        for store in stores:
            await store.close()

    async def _schedule(self, runtime: Runtime) -> None:
        """What a person does, and does again if the process was killed: the key makes it one request."""
        for name, hours, every in (("hourly", 1, "FREQ=HOURLY;COUNT=4"), ("once", 2, "")):
            schedule = Schedule(START + timedelta(hours=hours), every)
            arguments = parse_arguments(f'{{"name": "{name}"}}', Limits())
            with contextlib.suppress(LeaseError):
                await runtime.call_by_name("act", arguments, by=PERSON, idempotency_key=name, schedule=schedule)

    async def _execute_due(self, runtime: Runtime) -> None:
        while due := await runtime.store.list_due_runs("scheduled"):
            for run in due:
                with contextlib.suppress(LeaseError):
                    await runtime.resume(run)
            await asyncio.sleep(0)

    def _clock(self) -> float:
        return self._now

    def _runtime(self, store: SqlStore) -> Runtime:
        @tool(effect=Effect.KEYED)
        async def act(ctx: LeafContext, name: str) -> str:
            """Write down that the call was made, with its key and whether its time had come."""
            made_before = sum(line.startswith(name) for line in self._read_keys(ctx.key))
            due = START + timedelta(hours=1 + made_before if name == "hourly" else 2)
            line = f"{name} {ctx.key} {self._now >= due.timestamp()}\n"
            descriptor = os.open(self._effects, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
            os.write(descriptor, line.encode())
            os.close(descriptor)
            return "acted"

        app = App(name="scheduled", tools=(act,))
        return Runtime(app, store=store, clock=self._clock, directory=lambda _name, _tenant: PERSON)

    def _read_keys(self, but: str) -> set[str]:
        """Name and key of the calls that were made, but for one key."""
        if not self._effects.exists():
            return set()
        lines = self._effects.read_text().split("\n")[:-1]
        return {" ".join(line.split()[:2]) for line in lines if line.split()[1] != but}
