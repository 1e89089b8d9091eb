"""Order and search without clocks and cut-offs: conversations under clock skew, and old runs behind many newer ones."""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from sqlalchemy import insert

from figures.figure import Figure, no_violations
from remit import Agent, App, Principal, Runtime
from remit.database.urls import parse_url
from remit.engine.executor import ExecutionOutcome
from remit.engine.local import LocalEngine
from remit.errors import LeaseError, RequestError
from remit.journal.ports import Store
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import RUNS, open_engine
from remit.record.items import RunSuspended
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit.testing.store_suite.samples import begin, question, question_item, yes

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
SKEW_SECONDS: Final = 5.0
PROCESSES: Final = 3
MESSAGES: Final = 4
MAX_ATTEMPTS: Final = 300
"""A message that is refused so often is lost."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Conversations that forked, and runs that no executor found."""
    yield from measure_forks(30 if short else 400)
    newer = 2_000 if short else 100_000
    lost, old = asyncio.run(_lost_runs(newer))
    how = f"old runs (submitted, decided, expired, to be cancelled, interrupted) behind {newer:,} newer ones"
    yield no_violations("executor.lost", lost, old, how)


def measure_forks(seeds: int, *, stops_early: bool = False) -> Iterator[Figure]:
    """The conversations that forked in so many schedules, or up to the first that did."""
    forks = 0
    for seed in range(seeds):
        forks += asyncio.run(_has_forked(random.Random(seed), on_disk=seed % 10 == 0))
        if stops_early and forks:
            break
    how = (
        f"{PROCESSES} processes whose clocks are up to {SKEW_SECONDS:g} s apart and step back send messages to one "
        f"conversation, on SQLite every tenth time: each run follows the one before and has its messages"
    )
    yield no_violations("skew.forks", forks, seeds, how)


class _Clock:
    """The clock of one process: ahead or behind, and stepping back now and then."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._skew = chance.uniform(-SKEW_SECONDS, SKEW_SECONDS)

    def __call__(self) -> float:
        if self._chance.random() < 0.1:
            self._skew -= self._chance.uniform(0, 1)
        return time.time() + self._skew


async def _has_forked(chance: random.Random, *, on_disk: bool) -> bool:
    with tempfile.TemporaryDirectory(prefix="remit-order-") as folder:
        shared = InMemoryStore()
        path = Path(folder) / "journal.db"
        stores: list[Store] = [SqlStore.at(path, _Clock(chance)) if on_disk else shared for _ in range(PROCESSES)]
        agent = Agent("clerk", instructions="Answer.", model=Scripted(["Yes."] * 100))
        app = App(name="order", agents=(agent,))
        processes = [Runtime(app, store=store, clock=_Clock(chance)) for store in stores]
        try:
            await asyncio.gather(*(_send_messages(each, f"{number}", chance) for number, each in enumerate(processes)))
            return not await _is_one_thread(processes[0])
        finally:
            for store in stores:
                await store.close()


async def _send_messages(process: Runtime, name: str, chance: random.Random) -> None:
    sent = 0
    for _ in range(MAX_ATTEMPTS):
        if sent == MESSAGES:
            return
        await asyncio.sleep(chance.uniform(0, 0.002))
        with contextlib.suppress(RequestError, LeaseError):  # the conversation is busy, or has continued
            await process.run(f"{name} says {sent}", by=PERSON, conversation="talk")
            sent += 1


async def _is_one_thread(process: Runtime) -> bool:
    """Whether the runs follow one another, and each knows the messages of all before it."""
    rows = (await process.store.list_runs(conversation="talk", limit=1_000))[::-1]
    histories = [await process.history(row.run) for row in rows]
    return (
        len(rows) == PROCESSES * MESSAGES
        and rows[0].after == ""
        and all(later.after == earlier.run for earlier, later in pairwise(rows))
        and [len(history) for history in histories] == [2 * (index + 1) for index in range(len(rows))]
        and all(later[: len(earlier)] == earlier for earlier, later in pairwise(histories))
    )


async def _lost_runs(newer: int) -> tuple[int, int]:
    now = time.time()
    with tempfile.TemporaryDirectory(prefix="remit-order-") as folder:
        path = Path(folder) / "journal.db"
        clock = _SteppedClock(now - 1_000)
        store = SqlStore.at(path, clock)
        old = await _leave_old_runs(store, clock())
        clock.now = now
        _add_newer_runs(path, newer, now)
        executed = set[str]()

        async def execute(run: str, _release: asyncio.Event) -> ExecutionOutcome:
            executed.add(run)
            await store.postpone(run, 1e6)
            return ExecutionOutcome(status="done")

        engine = LocalEngine(store, execute, applications=["app"], poll_seconds=0.01, clock=clock, on_error=_ignore)
        async with engine:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(3):
                    while executed < old:  # noqa: ASYNC110 - the engine says nothing when it has found all
                        await asyncio.sleep(0.01)
        await store.close()
    return len(old - executed), len(old)


def _ignore(_run: str, _error: BaseException) -> None:
    """A run that is not found is counted."""


class _SteppedClock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


async def _leave_old_runs(store: Store, at: float) -> set[str]:
    """Runs that can continue, each for another reason."""
    for name in ("submitted", "interrupted", "decided", "expired", "cancelled"):
        run = await begin(store, name, at=at)
        if name in ("decided", "expired", "cancelled"):
            expires = at + (10 if name == "expired" else 1e6)
            asked = question(f"of {name}", run=name, conversation="", asked=at, expires=expires)
            await run.append(question_item(asked), RunSuspended(call=name, questions=(asked.id,)), at=at)
        if name == "interrupted":
            await store.renew(name, run.epoch, 30.0)
        else:
            await store.release(name, run.epoch)
    await store.decide(yes("of decided", at=at))
    await store.request_cancel("cancelled", "ada")
    return {"submitted", "interrupted", "decided", "expired", "cancelled"}


def _add_newer_runs(path: Path, count: int, now: float) -> None:
    """Runs opened later: nine of ten have ended, and the others wait for a person."""
    texts = dict.fromkeys(("tenant", "principal", "agent", "callee"), "x")
    empty = dict.fromkeys(("driver", "conversation", "after", "cancelled"), "")
    engine = open_engine(parse_url(f"sqlite:///{path}"))
    rows = [
        {
            **texts,
            **empty,
            "run": f"newer {number}",
            "application": "app",
            "epoch": 1,
            "until": 0.0,
            "next_seq": 1,
            "status": "done" if number % 10 else "waiting",
            "opened": now,
            "ended": now if number % 10 else 0.0,
            "number": 0,
            "wake": now + 1e6,
            "changed": 0,
        }
        for number in range(count)
    ]
    with engine.begin() as connection:
        connection.execute(insert(RUNS), rows)
    engine.dispose()
