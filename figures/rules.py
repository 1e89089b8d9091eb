"""Rules over the run and windows: what begins beyond them, and whether a replay finds the same verdicts."""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from figures.figure import Figure, no_violations
from figures.rules_world import (
    EUROS_OF_PERSON,
    EUROS_OF_TENANT,
    PEOPLE,
    Clock,
    World,
    amounts_of,
    find_over,
)
from remit import App, Runtime, SqlStore
from remit.layers import Budget, Window
from remit.stores import InMemoryStore
from tests.postgres import serving

_PROCESSES: Final = 3
_PAYMENTS: Final = 12


class _Found(NamedTuple):
    """What one world came to: what began beyond a limit, replays that differed, and how much was compared."""

    over: list[str]
    different: list[str]
    begun: int
    replays: int
    resumed: int


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls that began beyond a window or against a rule, and replays that differ."""
    yield from measure_worlds(12 if short else 100, shared=1 if short else 4, postgres=not short)


def measure_worlds(seeds: int, *, shared: int = 1, postgres: bool = False) -> Iterator[Figure]:
    """Both figures over seeded worlds, and over several processes that pay from the same windows."""
    found = [asyncio.run(_run(seed)) for seed in range(seeds)]
    over = [each for one in found for each in one.over]
    spent = [*_spend_in_file(shared), *(_spend_on_postgres(shared) if postgres else ())]
    over += [each for one in spent for each in one]
    begun, replays = sum(one.begun for one in found), sum(one.replays for one in found)
    how = (
        f"{seeds:,} worlds of runs with parallel, nested, asked, edited, cancelled and resumed calls, "
        f"{begun:,} payments, and {len(spent)} journals from which {_PROCESSES} processes pay at once"
    )
    yield no_violations("rules.over", len(over), begun and seeds + len(spent), how + _examples(over))
    different = [each for one in found for each in one.different]
    resumed = sum(one.resumed for one in found)
    how = f"{replays:,} runs of the same worlds, after {resumed:,} resumes in other processes"
    yield no_violations("policy.verdict_differs_on_replay", len(different), replays, how + _examples(different))


def _examples(found: list[str]) -> str:
    return f": {found[:3]}" if found else ""


async def _run(seed: int) -> _Found:
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)  # late items of an interrupted run
    clock = Clock()
    world = World(seed, InMemoryStore(clock), clock)
    await world.work()
    journals = await world.journals()
    paid: dict[str, float] = {}
    for items in journals.values():
        amounts_of(items, paid)
    different = list[str]()
    for run in world.runs:
        report = await world.process().replay(run)
        different += [f"seed {seed}: {report.difference}"] if report.difference else []
    over = [f"seed {seed}: {each}" for each in find_over(journals, world.runs, paid)]
    return _Found(over, different, len(paid), len(world.runs), world.resumed)


def _spend_in_file(count: int) -> Iterator[list[str]]:
    for number in range(count):
        home = Path(tempfile.mkdtemp(prefix="remit-rules-"))
        try:
            yield _spend_at_once(f"sqlite:///{home / 'journal.db'}", number)
        finally:
            shutil.rmtree(home)


def _spend_on_postgres(count: int) -> Iterator[list[str]]:
    with serving() as postgres:
        for number in range(count):
            yield _spend_at_once(postgres.url(postgres.make()), number)


def _spend_at_once(url: str, number: int) -> list[str]:
    """Let processes pay at once from one journal; return the limits that they exceed."""
    asyncio.run(_create(url))
    with multiprocessing.get_context("spawn").Pool(_PROCESSES) as pool:
        paid = pool.starmap(_pay_many, [(url, number * _PROCESSES + each) for each in range(_PROCESSES)])
    of_tenant = sum(sum(each.values()) for each in paid)
    found = [f"together {of_tenant:g} of {EUROS_OF_TENANT:g}"] if of_tenant > EUROS_OF_TENANT + 1e-6 else []
    for name in {name for each in paid for name in each}:
        of_person = sum(each.get(name, 0.0) for each in paid)
        found += [f"{name} {of_person:g} of {EUROS_OF_PERSON:g}"] if of_person > EUROS_OF_PERSON + 1e-6 else []
    return found


async def _create(url: str) -> None:
    store = SqlStore(url)
    await store.list_runs()
    await store.close()


def _pay_many(url: str, seed: int) -> dict[str, float]:
    return asyncio.run(_pay_in_process(url, seed))


async def _pay_in_process(url: str, seed: int) -> dict[str, float]:
    from figures.rules_world import pay  # noqa: PLC0415 - a spawned process imports what it needs

    windows = [
        Window("person", field="euros", amount=EUROS_OF_PERSON, tools="pay", per="principal", every="month"),
        Window("tenant", field="euros", amount=EUROS_OF_TENANT, tools="pay", per="tenant", every="month"),
    ]
    store = SqlStore(url)
    runtime = Runtime(App(name="shop", tools=[pay], budget=Budget(windows=windows)), store=store)
    paid: dict[str, float] = {}

    async def pay_once(number: int) -> None:
        person = PEOPLE[(seed + number) % 2]
        result = await runtime.call_by_name("pay", {"euros": 15.0 + number}, by=person)
        if result.reply is not None and result.reply.error is None:
            paid[person.name] = paid.get(person.name, 0.0) + float(result.reply.content)

    await asyncio.gather(*(pay_once(number) for number in range(_PAYMENTS)))
    await store.close()
    return paid
