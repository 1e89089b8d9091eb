"""What an executor pays to find the runs that it can continue, among a million runs in one SQLite file."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Final

from bench.world import sql_store
from figures.figure import Figure, at_most

RUNS: Final = 1_000_000
WAITING: Final = 10_000
"""Runs that have not ended and cannot continue yet."""

DUE: Final = 20
LISTINGS: Final = 2_000

_INSERT: Final = """
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :runs)
INSERT INTO remit_runs (run, epoch, driver, until, next_seq, status, tenant, principal, application, agent, callee,
    conversation, after, opened, ended, cancelled, number, wake, changed)
SELECT printf('run%08d', n), 1, '', 0, 5, CASE WHEN n % :every THEN 'done' ELSE 'waiting' END, 'acme', 'ada', 'bench',
    'clerk', 'clerk', printf('talk%08d', n), '', n, CASE WHEN n % :every THEN n + 1 ELSE 0 END, '', 1,
    CASE WHEN n < :every * :due THEN 0 ELSE 1e12 END, n
FROM numbers
"""


async def due() -> AsyncIterator[Figure]:
    """List the runs that are due: a few among thousands that wait and a million that have ended."""
    with tempfile.TemporaryDirectory(prefix="remit-due-") as folder:
        store = sql_store(Path(folder))
        await store.find_run("none")  # creates the tables
        with closing(sqlite3.connect(Path(folder) / "journal.db")) as connection:
            connection.execute(_INSERT, {"runs": RUNS, "every": RUNS // WAITING, "due": DUE})
            connection.commit()
        seconds: list[float] = []
        for _ in range(LISTINGS):
            started = time.perf_counter()
            found = await store.list_due_runs("bench")
            seconds.append(time.perf_counter() - started)
            if len(found) != DUE:
                raise RuntimeError(f"{len(found)} runs are due, not {DUE}")
        await store.close()
    how = f"listing the {DUE} runs that are due, among {RUNS:,} in a SQLite file of which {WAITING:,} have not ended"
    median, *_, late = statistics.quantiles(seconds, n=20)[9:]
    yield at_most("due.list_ms", median * 1e3, "ms", 1, LISTINGS, f"{how}; median")
    yield at_most("due.list_p95_ms", late * 1e3, "ms", 1, LISTINGS, f"{how}; 95th percentile")
