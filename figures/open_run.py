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
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from figures.alone import run_alone
from figures.crash import JournalUrl
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
from tests.postgres import serving

_SAMPLE: Final = (6, 15, 23)
_MAX_EXECUTIONS: Final = 12
_LEASE_SECONDS: Final = 1000.0


def figures(*, short: bool) -> Iterator[Figure]:
    """The figures of open runs on SQLite and Postgres: over crashes, replays, races and combinations of layers."""
    yield from measure_crashes(_SAMPLE if short else itertools.count(1))
    yield from measure_crashes_on_postgres(_SAMPLE[1:2] if short else itertools.count(1))
    yield asyncio.run(measure_replays())
    yield from measure_race(1 if short else 20)
    yield from measure_race_on_postgres(1 if short else 20)
    yield measure_combinations(12 if short else 600)


@dataclass(frozen=True, slots=True)
class _Desk:
    """Where a run happens: the folder of its world, and its journal."""

    home: Path
    url: str

    def world(self) -> World:
        """The world, as it stands."""
        return World(self.home)

    def store(self, number: int) -> SqlStore:
        """The journal, for the process of that number, which comes after the leases of those before."""
        return SqlStore(self.url, clock=lambda: 1000.0 + number * _LEASE_SECONDS)


@contextlib.contextmanager
def _new_desk(journals: JournalUrl) -> Generator[_Desk]:
    home = Path(tempfile.mkdtemp(prefix="remit-open-"))
    try:
        yield _Desk(home, journals(home))
    finally:
        shutil.rmtree(home)


def _in_file(home: Path) -> str:
    return f"sqlite:///{home / 'journal.db'}"


@contextlib.contextmanager
def _on_postgres() -> Generator[JournalUrl]:
    """New journals on a Postgres server of their own, each a copy of an empty one."""
    with serving() as postgres:
        empty = postgres.make()
        list(run_alone(lambda: [asyncio.run(_create_journal(postgres.url(empty)))]))
        yield lambda _home: postgres.url(postgres.make(empty))


async def _create_journal(url: str) -> None:
    store = SqlStore(url)
    await store.list_runs()
    await store.close()


def measure_crashes_on_postgres(points: Iterable[int]) -> Iterator[Figure]:
    """The same as `measure_crashes` on Postgres."""
    with _on_postgres() as journals:
        yield from measure_crashes(points, "open_run.postgres_crash", journals)


def measure_crashes(
    points: Iterable[int], name: str = "open_run.crash", journals: JournalUrl = _in_file
) -> Iterator[Figure]:
    """Kill the process that makes the calls at each crash point in turn; others go on until the run is closed."""
    lost, doubled, count, asked = list[str](), list[str](), 0, 0
    for point in points:
        with _new_desk(journals) as desk:
            killed = _execute_in_child(desk, point, 0) == -signal.SIGKILL
            error, outcomes = _finish(desk)
            asked += outcomes
            found = [error, error] if error else run_alone(lambda desk=desk: _judge(desk))
            of_lost, of_doubled = found
        lost += [f"point {point}: {of_lost}"] if of_lost else []
        doubled += [f"point {point}: {of_doubled}"] if of_doubled else []
        if not killed:
            break
        count += 1
    how = (
        f"SIGKILL at {count} crash points of a program that makes {len(CALLS)} calls of an open run, taken up by other "
        f"processes until it is closed; {asked} unknown outcomes were asked about"
    )
    yield no_violations(f"{name}.lost", len(lost), count, f"{how}{_examples(lost)}")
    yield no_violations(f"{name}.doubled", len(doubled), count, f"{how}{_examples(doubled)}")


def _examples(found: list[str]) -> str:
    return f": {found[:3]}" if found else ""


def _finish(desk: _Desk) -> tuple[str, int]:
    """Let processes go on with the run until it is closed; return what went wrong, and the questions about outcomes."""
    outcomes = 0
    for number in range(1, _MAX_EXECUTIONS):
        (status, asked) = next(iter(run_alone(lambda number=number: [asyncio.run(_decide(desk, number))])))
        outcomes += asked
        if status == "done":
            return "", outcomes
        if _execute_in_child(desk, 0, number) != 0:
            return "a process failed that took the run up", outcomes
    return "the run was not closed", outcomes


async def _decide(desk: _Desk, number: int) -> tuple[str, int]:
    store, world = desk.store(number), desk.world()
    outcomes = await decide_all(world.runtime(store), world)
    rows = await store.list_runs()
    await store.close()
    return rows[0].status if rows else "", outcomes


def _judge(desk: _Desk) -> list[str]:
    return asyncio.run(_find_violations(desk))


async def _find_violations(desk: _Desk) -> list[str]:
    """What was lost, a difference of the replay included, and what was doubled; each is empty if nothing was."""
    store, world = desk.store(_MAX_EXECUTIONS), desk.world()
    (row,) = await store.list_runs()
    items = [each.item for each in await store.read(row.run)]
    difference = (await world.runtime(store).replay(row.run)).difference
    await store.close()
    lost = [*find_lost(items, world.read_effects()), *([difference] if difference else [])]
    return [", ".join(lost), ", ".join(find_doubled(items, world.read_effects()))]


def _execute_in_child(desk: _Desk, point: int, number: int) -> int:
    process = multiprocessing.get_context("fork").Process(target=_child_main, args=(desk, point, number))
    process.start()
    process.join()
    return process.exitcode if process.exitcode is not None else -1


def _child_main(desk: _Desk, point: int, number: int) -> None:
    with crash_at(point):
        asyncio.run(_continue(desk, number))


async def _continue(desk: _Desk, number: int) -> None:
    """Go on as an engine does if the run has begun, every other time, and as the program that makes the calls."""
    store = desk.store(number)
    runtime = desk.world().runtime(store)
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


def measure_race_on_postgres(rounds: int) -> Iterator[Figure]:
    """The same as `measure_race` on Postgres."""
    with _on_postgres() as journals:
        yield from measure_race(rounds, "open_run.postgres_race", journals)


def measure_race(rounds: int, name: str = "open_run.race", journals: JournalUrl = _in_file) -> Iterator[Figure]:
    """Several processes make the same calls of one run at once."""
    doubled, errors = list[str](), list[str]()
    for seed in range(rounds):
        with _new_desk(journals) as desk:
            (found,) = run_alone(lambda desk=desk, seed=seed: [asyncio.run(_race(random.Random(seed), desk))])
        doubled, errors = doubled + found[0], errors + found[1]
    how = f"{rounds} times {_RACERS} runtimes with a store each over one journal make the same calls of one run"
    yield no_violations(f"{name}.doubled", len(doubled), rounds, f"{how}{_examples(doubled)}")
    yield no_violations(f"{name}.errors", len(errors), rounds, f"{how}{_examples(errors)}")


_RACERS: Final = 4


async def _race(dice: random.Random, desk: _Desk) -> tuple[list[str], list[str]]:
    stores = [SqlStore(desk.url) for _ in range(_RACERS)]
    world, errors = desk.world(), list[str]()

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
    return find_doubled(items, world.read_effects()), errors
