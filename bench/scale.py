"""What a person pays to list their runs and to sum up their usage, among a hundred thousand and a million of them."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from bench.world import PERSON, sql_store
from figures.figure import Figure, at_most
from remit.client.listed_run import ListedRun
from remit.client.reader import Page, RunReader

FEW: Final = 100_000
MANY: Final = 1_000_000
STEP: Final = 30
"""Seconds between two runs: a million take about a year."""

WAITING: Final = 10
IN_CONVERSATION: Final = 20
LISTINGS: Final = 200
SUMS: Final = 20

Listing = Callable[[RunReader], Awaitable[Page[ListedRun]]]

LISTINGS_OF: Final[dict[str, tuple[Listing, int, str]]] = {
    "own": (lambda reader: reader.runs(), 50, "the newest of one's runs"),
    "waiting": (lambda reader: reader.runs(status="waiting"), WAITING, "the few of one's runs that wait"),
    "conversation": (lambda reader: reader.runs(conversation="talk1"), IN_CONVERSATION, "the runs of a conversation"),
    "agent": (lambda reader: reader.runs(agent="clerk"), 50, "the newest runs of an agent"),
    "since": (lambda reader: reader.runs(since=STEP * (FEW - 20), until=STEP * FEW), 20, "the runs of a time"),
}
"""By name: a listing, how many it finds, and what it is."""

_INSERT: Final = """
WITH RECURSIVE numbers(n) AS (SELECT :begin UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :end)
INSERT INTO remit_runs (run, epoch, driver, until, next_seq, status, tenant, principal, application, agent, callee,
    conversation, after, opened, ended, cancelled, number, wake, changed)
SELECT printf('run%08d', n), 1, '', 0, 5, CASE WHEN n < :waiting THEN 'waiting' ELSE 'done' END, :tenant, :principal,
    'bench', 'clerk', 'clerk', 'talk' || (n / :each), '', n * :step,
    CASE WHEN n < :waiting THEN 0 ELSE n * :step + 1 END, '', n % :each, 1e12, n
FROM numbers
"""
_INSERT_USAGE: Final = """
INSERT INTO remit_run_usage SELECT run, 'openai:gpt-5', 'gpt-5', 3, 1000, 100, 500, 0 FROM remit_runs
WHERE opened >= :begin * :step
"""
_INSERT_DAYS: Final = """
INSERT INTO remit_usage SELECT tenant, application, CAST(opened / 86400 AS INTEGER), principal, target, requested,
    model, SUM(requests), SUM(prompt_tokens), SUM(completion_tokens), SUM(cached_tokens), SUM(reasoning_tokens)
FROM remit_runs JOIN remit_run_usage USING (run) WHERE ended > 0
GROUP BY tenant, application, CAST(opened / 86400 AS INTEGER), principal, target, requested, model
"""


async def scale() -> AsyncIterator[Figure]:
    """List runs of one person in every way that clients offer, then ten times as many."""
    with tempfile.TemporaryDirectory(prefix="remit-scale-") as folder:
        store = sql_store(Path(folder))
        await store.find_run("none")  # creates the tables
        reader = RunReader(store, PERSON, application="bench", prices={})
        _add_runs(Path(folder), 0, FEW)
        few = {name: await _time_listing(reader, name) for name in LISTINGS_OF}
        _add_runs(Path(folder), FEW, MANY)
        many = {name: await _time_listing(reader, name) for name in LISTINGS_OF}
        usage = await _time_usage(reader)
        await store.close()
    for name, (_, _, what) in LISTINGS_OF.items():
        how = f"{what}, of {FEW:,} in a SQLite file; processor time, median"
        yield at_most(f"scale.{name}_ms", few[name] * 1e3, "ms", 5, LISTINGS, how)
    growth = max(many[name] / few[name] for name in LISTINGS_OF)
    how = f"the listing that slows down most from {FEW:,} runs to {MANY:,}: the ratio of its medians"
    yield at_most("scale.growth", growth, "ratio", 1.5, len(LISTINGS_OF), how)
    how = f"the usage of {MANY:,} runs, from within a day until within another; processor time, median"
    yield at_most("scale.usage_ms", usage * 1e3, "ms", 100, SUMS, how)


def _add_runs(folder: Path, begin: int, end: int) -> None:
    numbers = {"begin": begin, "end": end, "waiting": WAITING, "each": IN_CONVERSATION, "step": STEP}
    with closing(sqlite3.connect(folder / "journal.db")) as connection:
        connection.execute(_INSERT, {**numbers, "tenant": PERSON.tenant, "principal": PERSON.name})
        connection.execute(_INSERT_USAGE, {"begin": begin, "step": STEP})
        connection.execute("DELETE FROM remit_usage")
        connection.execute(_INSERT_DAYS)
        connection.commit()


async def _time_listing(reader: RunReader, name: str) -> float:
    """The median of the processor seconds that a listing takes."""
    listing, count, _ = LISTINGS_OF[name]
    seconds: list[float] = []
    for _ in range(LISTINGS):
        started = time.process_time()
        page = await listing(reader)
        seconds.append(time.process_time() - started)
        if len(page.items) != count:
            raise RuntimeError(f"{name} lists {len(page.items)} runs, not {count}")
    return statistics.median(seconds)


async def _time_usage(reader: RunReader) -> float:
    """The median of the processor seconds in which the usage of all runs is summed up."""
    seconds: list[float] = []
    for _ in range(SUMS):
        started = time.process_time()
        found = await reader.usage(since=STEP, until=STEP * (MANY - 1))
        seconds.append(time.process_time() - started)
        if found.requests != 3 * (MANY - 2):
            raise RuntimeError(f"the usage is that of {found.requests / 3:,.0f} runs")
    return statistics.median(seconds)
