"""Open runs over crashes, races, replays and layers: each call from outside is made once, and the run is compared."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import random
import shutil
import signal
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from figures.alone import run_alone
from figures.figure import Figure, no_violations
from figures.open_run_layers import measure_combinations
from figures.open_run_world import (
    CALLS,
    PERSON,
    SESSION,
    World,
    decide_all,
    find_doubled,
    find_lost,
    make_calls,
    work,
)
from remit import SqlStore
from remit.errors import RemitError
from remit.stores import InMemoryStore
from remit.testing import crash_at

_SAMPLE: Final = (6, 15, 23)
_MAX_EXECUTIONS: Final = 12
_LEASE_SECONDS: Final = 1000.0


def figures(*, short: bool) -> Iterator[Figure]:
    """The figures of open runs: over crashes, replays, races and combinations of layers."""
    yield from measure_crashes(_SAMPLE if short else itertools.count(1))
    yield asyncio.run(measure_replays())
    yield from measure_race(1 if short else 20)
    yield measure_combinations(12 if short else 600)


def measure_crashes(points: Iterable[int]) -> Iterator[Figure]:
    """Kill the process that makes the calls at each crash point in turn; others go on until the run is closed."""
    lost, doubled, count, asked = list[str](), list[str](), 0, 0
    for point in points:
        home = Path(tempfile.mkdtemp(prefix="remit-open-"))
        killed = _execute_in_child(home, point, 0) == -signal.SIGKILL
        error, outcomes = _finish(home)
        asked += outcomes
        found = [error, error] if error else run_alone(lambda home=home: _judge(home))
        of_lost, of_doubled = found
        lost += [f"point {point}: {of_lost}"] if of_lost else []
        doubled += [f"point {point}: {of_doubled}"] if of_doubled else []
        shutil.rmtree(home)
        if not killed:
            break
        count += 1
    how = (
        f"SIGKILL at {count} crash points of a program that makes {len(CALLS)} calls of an open run, taken up by other "
        f"processes until it is closed; {asked} unknown outcomes were asked about"
    )
    yield no_violations("open_run.crash.lost", len(lost), count, f"{how}{_examples(lost)}")
    yield no_violations("open_run.crash.doubled", len(doubled), count, f"{how}{_examples(doubled)}")


def _examples(found: list[str]) -> str:
    return f": {found[:3]}" if found else ""


def _finish(home: Path) -> tuple[str, int]:
    """Let processes go on with the run until it is closed; return what went wrong, and the questions about outcomes."""
    outcomes = 0
    for number in range(1, _MAX_EXECUTIONS):
        (status, asked) = next(iter(run_alone(lambda number=number: [asyncio.run(_decide(home, number))])))
        outcomes += asked
        if status == "done":
            return "", outcomes
        if _execute_in_child(home, 0, number) != 0:
            return "a process failed that took the run up", outcomes
    return "the run was not closed", outcomes


def _store_of(home: Path, number: int) -> SqlStore:
    return SqlStore(f"sqlite:///{home / 'journal.db'}", clock=lambda: 1000.0 + number * _LEASE_SECONDS)


async def _decide(home: Path, number: int) -> tuple[str, int]:
    store = _store_of(home, number)
    world = World(home)
    outcomes = await decide_all(world.runtime(store), world)
    rows = await store.list_runs()
    await store.close()
    return rows[0].status if rows else "", outcomes


def _judge(home: Path) -> list[str]:
    return asyncio.run(_find_violations(home))


async def _find_violations(home: Path) -> list[str]:
    """What was lost, a difference of the replay included, and what was doubled; each is empty if nothing was."""
    store, world = _store_of(home, _MAX_EXECUTIONS), World(home)
    (row,) = await store.list_runs()
    items = [each.item for each in await store.read(row.run)]
    difference = (await world.runtime(store).replay(row.run)).difference
    await store.close()
    lost = [*find_lost(items, world.read_effects()), *([difference] if difference else [])]
    return [", ".join(lost), ", ".join(find_doubled(items, world.read_effects()))]


def _execute_in_child(home: Path, point: int, number: int) -> int:
    process = multiprocessing.get_context("fork").Process(target=_child_main, args=(home, point, number))
    process.start()
    process.join()
    return process.exitcode if process.exitcode is not None else -1


def _child_main(home: Path, point: int, number: int) -> None:
    with crash_at(point):
        asyncio.run(_continue(home, number))


async def _continue(home: Path, number: int) -> None:
    """Go on as an engine does if the run has begun, every other time, and as the program that makes the calls."""
    store = _store_of(home, number)
    runtime = World(home).runtime(store)
    rows = await store.list_runs()
    if rows and rows[0].status != "open" and number % 2:
        await runtime.resume(rows[0].run)
    else:
        await work(runtime)
    await store.close()


async def measure_replays() -> Figure:
    """Replays by the same code and by changed code, of closed runs and of one at rest."""
    missed, tried = list[str](), 0
    for closes, total, is_same in itertools.product((True, False), (1, 2), (True, False)):
        home = Path(tempfile.mkdtemp(prefix="remit-open-"))
        world, store = World(home, total), InMemoryStore()
        runtime = world.runtime(store)
        async with runtime.client(PERSON).open_run(idempotency_key=SESSION) as run:
            await make_calls(run)
            await decide_all(runtime, world)
            await make_calls(run)
            if closes:
                await run.close()
        report = await World(home, total if is_same else total + 1).runtime(store).replay(run.id)
        tried += 1
        before = len(world.read_effects())
        if report.is_identical is not is_same or not report.compared_count or len(world.read_effects()) != before:
            missed.append(f"closed={closes} same={is_same}: {report.difference}")
        shutil.rmtree(home)
    how = f"{tried} replays of open runs, closed and at rest, by the same code and by code with another composed result"
    return no_violations("open_run.replay.missed", len(missed), tried, f"{how}{_examples(missed)}")


def measure_race(rounds: int) -> Iterator[Figure]:
    """Several processes make the same calls of one run at once."""
    doubled, errors = list[str](), list[str]()
    for seed in range(rounds):
        found = asyncio.run(_race(random.Random(seed)))
        doubled, errors = doubled + found[0], errors + found[1]
    how = f"{rounds} times {_RACERS} runtimes with a store each over one SQLite file make the same calls of one run"
    yield no_violations("open_run.race.doubled", len(doubled), rounds, f"{how}{_examples(doubled)}")
    yield no_violations("open_run.race.errors", len(errors), rounds, f"{how}{_examples(errors)}")


_RACERS: Final = 4


async def _race(dice: random.Random) -> tuple[list[str], list[str]]:
    home = Path(tempfile.mkdtemp(prefix="remit-open-"))
    stores = [SqlStore(f"sqlite:///{home / 'journal.db'}") for _ in range(_RACERS)]
    world, errors = World(home), list[str]()

    async def race(store: SqlStore, pause: float) -> None:
        await asyncio.sleep(pause)
        runtime = world.runtime(store)
        try:
            async with runtime.client(PERSON).open_run(idempotency_key=SESSION) as run:
                await make_calls(run)
        except RemitError as error:
            errors.append(f"{error.code}: {error.message}")

    await asyncio.gather(*(race(each, dice.random() / 20) for each in stores))
    (row,) = await stores[0].list_runs()
    items: list[Any] = [each.item for each in await stores[0].read(row.run)]
    for each in stores:
        with contextlib.suppress(RemitError):
            await each.close()
    effects = world.read_effects()
    shutil.rmtree(home)
    return find_doubled(items, effects), errors
