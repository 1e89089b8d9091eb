"""The kill test of the CMS without chance: a process is killed after the commit of a write, before its call ends."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from figures.alone import run_alone
from figures.crash import Clock
from figures.engine_cms import CMS, EDITOR, WRITES, KillingDatabase, cms_runtime, create_shared_page, judge_site
from figures.figure import Figure, no_violations
from remit.journal.sql.store import SqlStore
from tests.postgres import serving

_LEASE: Final = 5.0
_LATER: Final = 1000.0
"""Seconds between two executors, after which the lease of the first one has ended."""


def measure_repetitions() -> Iterator[Figure]:
    """The figures of a run for each write, which the process dies after, and which another process drives on."""
    with tempfile.TemporaryDirectory(prefix="remit-engine-") as home, serving() as postgres:
        url = postgres.url(postgres.make())
        _run_in_child(lambda: create_shared_page(url))
        lost = list[str]()
        for number in range(1, WRITES + 1):
            begun = 2 * number * _LATER
            if _run_in_child(partial(_begin, Path(home), url, number, begun)) != -signal.SIGKILL:
                lost.append(f"the process lived on after write {number}")
            if _run_in_child(partial(_drive_on, Path(home), url, begun + _LATER)) != 0:
                lost.append(f"the run that was killed after write {number} was not driven on")
        ((found, doubled),) = run_alone(lambda: [asyncio.run(_judge(url))])
    for line in (*lost, *found, *doubled):
        print(f"  {line}", flush=True)
    how = f"{WRITES} runs, each killed when another of its writes is committed, and driven on by another process"
    yield no_violations("engine.cms.lost", len(lost) + len(found), WRITES, how)
    yield no_violations("engine.cms.doubled", len(doubled), WRITES, how)


def _run_in_child(work: Callable[[], Coroutine[Any, Any, object]]) -> int:
    """Run ``work`` in a fork, and return how its process ended."""
    process = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(work()))
    process.start()
    process.join()
    return -1 if process.exitcode is None else process.exitcode


async def _begin(home: Path, url: str, number: int, now: float) -> None:
    """Begin a run, and die after one of its writes."""
    store = SqlStore(url, Clock(now))
    await cms_runtime(home, KillingDatabase(url, number), store, _LEASE).run("go", by=EDITOR)


async def _drive_on(home: Path, url: str, now: float) -> None:
    """Resume the newest run, to its end."""
    store = SqlStore(url, Clock(now))
    (row,) = await store.list_runs(application=CMS, limit=1)
    await cms_runtime(home, KillingDatabase(url, 0), store, _LEASE).resume(row.run)
    await store.close()


async def _judge(url: str) -> tuple[list[str], list[str]]:
    store = SqlStore(url)
    found = await judge_site(url, store)
    await store.close()
    return found
