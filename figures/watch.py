"""Watching: what changes in two processes reaches those who may see it, once, wherever their streams go on."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import looptime

from figures.figure import Figure, no_violations
from figures.watch_world import ADA, PEOPLE, Clock, Watcher, World
from remit.stores import InMemoryStore, SqlStore, Store
from tests.postgres import serving

_SECONDS: Final = 60.0
"""For what never comes; a busy machine is no finding."""


class Count(NamedTuple):
    """Rows that were missed, came twice, or were not for the one who got them, of so many streams."""

    missed: int = 0
    doubled: int = 0
    leaked: int = 0
    streams: int = 0

    def plus(self, other: Count) -> Count:
        """The sum of both."""
        return Count(*(one + two for one, two in zip(self, other, strict=True)))


def figures(*, short: bool) -> Iterator[Figure]:
    """Changes that were missed, told twice, or told to others, on each store."""
    count = Count()
    for measure in (_measure_memory, _measure_sqlite, _measure_postgres):
        count = count.plus(measure(short=short))
    yield from _figures_of(count)


def in_memory() -> Iterator[Figure]:
    """The figures in memory, for mutants."""
    yield from _figures_of(_measure_memory(short=True))


def on_postgres() -> Iterator[Figure]:
    """The figures on Postgres, for mutants."""
    yield from _figures_of(_measure_postgres(short=True))


def _figures_of(count: Count) -> Iterator[Figure]:
    how = (
        "streams of client.watch() of five principals in memory, SQLite and Postgres, left after every so many events "
        "and rejoined at once or when all was over, while two processes open, continue, decide, cancel, rename and "
        "share; questions expire, and on Postgres a transaction ends after later ones; compared with the lists"
    )
    yield no_violations("watch.missed", count.missed, count.streams, f"{how}; rows that did not come as they are")
    yield no_violations("watch.doubled", count.doubled, count.streams, f"{how}; rows that came again unchanged")
    yield no_violations("watch.leaks", count.leaked, count.streams, f"{how}; rows that the lists do not have")


def _measure_memory(*, short: bool) -> Count:
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_measure(lambda clock: [InMemoryStore(clock)], short=short))


def _measure_sqlite(*, short: bool) -> Count:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "journal.db")
        return asyncio.run(_measure(lambda clock: [SqlStore.at(file, clock) for _ in range(2)], short=short))


def _measure_postgres(*, short: bool) -> Count:
    with serving() as server:
        url = server.url(server.make())
        return asyncio.run(_measure(lambda clock: [SqlStore(url, clock) for _ in range(2)], short=short))


async def _measure(open_stores: Callable[[Clock], Sequence[Store]], *, short: bool) -> Count:
    clock = Clock()
    world = World(open_stores(clock), clock)
    cuts = (1, 3, 1000) if short else (*range(1, 25), 1000)
    watchers = [Watcher(person, cut, is_late=late) for person in PEOPLE for cut in cuts for late in (False, True)]
    clients = [world.client(each.principal, number) for number, each in enumerate(watchers)]
    watching = [asyncio.create_task(each.watch(world, client)) for each, client in zip(watchers, clients, strict=True)]
    try:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(_play(world, watchers), _SECONDS)
            await asyncio.wait(watching, timeout=_SECONDS)
        failed = [task.exception() for task in watching if task.done()]
        count = Count()
        for each, client in zip(watchers, clients, strict=True):
            missed, leaked = await each.count(client)
            count = count.plus(Count(missed, each.count_doubled(world), leaked, 1))
        return count.plus(Count(missed=sum(error is not None for error in failed)))
    finally:
        for task in watching:
            task.cancel()
        await asyncio.wait(watching)
        for store in world.stores:
            await store.close()


async def _play(world: World, watchers: Sequence[Watcher]) -> None:
    for each in watchers:
        await each.has_begun.wait()
    constant = next(each for each in watchers if each.principal == ADA and not each.is_late)
    await world.play(partial(_wait_for, constant))
    await world.finish("nearly")
    world.is_over.set()
    for each in watchers:
        await each.has_caught_up.wait()
    await world.finish("really")  # on a page of its own, which comes after all that expired


async def _wait_for(watcher: Watcher, name: str) -> None:
    while name not in watcher.rows:
        watcher.changed.clear()
        await watcher.changed.wait()
