"""The cost of a durable journal on this machine's disk, against raw commits on the same disk in the same run."""

from __future__ import annotations

import asyncio
import math
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median

from bench.world import PERSON, ToolCallingModel, runtime, sql_store
from figures.figure import Figure, at_least, at_most
from remit import Effect
from remit.journal.crashpoint import set_crash_hook
from remit.journal.sql.store import SqlStore
from tests.postgres import serving

TURNS = 100
RUNS = 32
ALONE = 50
"""Runs that are timed one by one."""
POSTGRES_TURNS = 3


async def durable() -> AsyncIterator[Figure]:
    """A turn against a commit, commits and bytes of a turn, and calls of many runs against commits."""
    with tempfile.TemporaryDirectory(prefix="remit-bench-") as name:
        folder = Path(name)
        commits = _CommitCounter()
        set_crash_hook(commits)
        raw = min(commit_cost(folder / f"raw-{i}.db") for i in range(3))
        turn = min([await _turn_cost(folder / f"turn-{i}", TURNS, commits) for i in range(3)])
        how = (
            f"wall time of a turn with a pure call over one INSERT and COMMIT, synchronous=FULL ({raw * 1e6:.0f} µs); "
            f"a turn does not wait for its commit, the end of the run does"
        )
        yield at_most("durable.turn.ratio", turn / raw, "ratio", 2.5, TURNS, how)
        yield at_most("durable.fsyncs_per_turn", commits.per_turn, "commits", 1, TURNS, "commits of a run per turn")
        ten, hundred = await _bytes_per_turn(folder / "ten", 10), await _bytes_per_turn(folder / "hundred", 100)
        how = f"bytes a turn adds in a run of 100 turns ({hundred:.0f}) over one of 10 ({ten:.0f})"
        yield at_most("durable.bytes_growth_100_10", hundred / ten, "ratio", 1.1, TURNS, how)
        alone = min([await _run_alone_cost(folder / f"alone-{i}") for i in range(3)])
        how = f"wall time of a run of one pure call, alone in a process that has run before; least of {3 * ALONE}"
        yield at_most("durable.run_alone_ms", alone * 1e3, "ms", 2.5, 3 * ALONE, how)
        rate = max([await _calls_per_second(folder / f"runs-{i}") for i in range(3)])
        how = f"keyed calls per second of {RUNS} runs at once ({rate:.0f}) over raw commits per second ({1 / raw:.0f})"
        yield at_least("durable.calls_vs_commits", rate * raw, "ratio", 3, RUNS * 10, how)
        set_crash_hook(_ignore_crashpoint)


async def postgres() -> AsyncIterator[Figure]:
    """A run of keyed calls in Postgres: what the process that drives it spends."""
    with serving() as server:
        store = SqlStore(server.url(server.make()))
        each = runtime(ToolCallingModel(POSTGRES_TURNS), store=store, turns=POSTGRES_TURNS, effect=Effect.KEYED)
        (await each.run("go", by=PERSON)).value()
        costs: list[float] = []
        for _ in range(ALONE):
            started = time.process_time()
            (await each.run("go", by=PERSON)).value()
            costs.append(time.process_time() - started)
        await store.close()
    how = f"CPU time of the client for a run of {POSTGRES_TURNS} turns with a keyed call each, median of {ALONE}"
    yield at_most("postgres.run_ms", median(costs) * 1e3, "ms", 3, ALONE, how)


class _CommitCounter:
    def __init__(self) -> None:
        self.count = 0
        self.per_turn = 0.0

    def __call__(self, name: str) -> None:
        self.count += name == "after commit"


def _ignore_crashpoint(_name: str) -> None:
    """Nobody counts."""


def commit_cost(path: Path) -> float:
    """Seconds of an INSERT and a COMMIT that is synced."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)")
    started = time.perf_counter()
    for _ in range(300):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows (body) VALUES (?)", ("x" * 300,))
        connection.execute("COMMIT")
    spent = time.perf_counter() - started
    connection.close()
    return spent / 300


async def _turn_cost(folder: Path, turns: int, commits: _CommitCounter) -> float:
    store = sql_store(folder)
    each = runtime(ToolCallingModel(turns), store=store, turns=turns)
    await store.find_run("nobody")
    before = commits.count
    started = time.perf_counter()
    (await each.run("go", by=PERSON)).value()
    spent = time.perf_counter() - started
    commits.per_turn = (commits.count - before) / turns
    await store.close()
    return spent / turns


async def _run_alone_cost(folder: Path) -> float:
    store = sql_store(folder)
    each = runtime(ToolCallingModel(1), store=store)
    (await each.run("go", by=PERSON)).value()
    least = math.inf
    for _ in range(ALONE):
        started = time.perf_counter()
        (await each.run("go", by=PERSON)).value()
        least = min(least, time.perf_counter() - started)
    await store.close()
    return least


async def _bytes_per_turn(folder: Path, turns: int) -> float:
    store = sql_store(folder)
    each = runtime(ToolCallingModel(turns), store=store, turns=turns)
    result = await each.run("go", by=PERSON)
    size = sum(len(position.body) + len(position.item.kind) + 120 for position in await store.read(result.run))
    await store.close()
    return size / turns


async def _calls_per_second(folder: Path) -> float:
    store = sql_store(folder)
    each = runtime(ToolCallingModel(10), store=store, turns=10, effect=Effect.KEYED)
    await store.find_run("nobody")
    started = time.perf_counter()
    await asyncio.gather(*(each.run("go", by=PERSON) for _ in range(RUNS)))
    spent = time.perf_counter() - started
    await store.close()
    return RUNS * 10 / spent
