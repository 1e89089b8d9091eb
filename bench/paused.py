"""What runs that wait for a person cost: memory while they wait, and CPU time to drive them on."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median
from typing import Final

from pydantic import TypeAdapter

from bench.world import PERSON, Note, ToolCallingModel, minimum_of, sql_store, time_floor
from figures.figure import Figure, at_most
from remit import Agent, App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.journal.sql.store import SqlStore

ROOT: Final = Path(__file__).parent.parent
WAITING: Final = 10_000
RESUMED: Final = 1_000
CONCURRENT_RUNS: Final = 100
"""Runs that are driven at once."""
ALONE: Final = 50
"""Runs that are driven one after the other."""

_APPROVER: Final = Principal("judge", permissions=frozenset({"*"}))


async def paused() -> AsyncIterator[Figure]:
    """10,000 runs wait in one file; 1,000 of them are decided and driven on. Both in a process of their own."""
    with tempfile.TemporaryDirectory(prefix="remit-paused-") as name:
        command = [sys.executable, "-m", "bench.paused", name, str(WAITING), str(RESUMED)]
        output = await asyncio.to_thread(subprocess.run, command, check=True, cwd=ROOT, capture_output=True, text=True)
    found = TypeAdapter(dict[str, float]).validate_json(output.stdout)
    each = found["grown"] / (WAITING - RESUMED)
    how = (
        f"memory that a process gained from {RESUMED:,} to {WAITING:,} runs waiting in one SQLite file "
        f"({found['grown']:.0f} kB), for each of them"
    )
    yield at_most("paused.rss_kb", each, "kB", 0.1, WAITING, how)
    floor = await minimum_of(lambda: time_floor(RESUMED), 3)
    how = (
        f"CPU time of {RESUMED:,} approved runs of one call driven to their ends, {CONCURRENT_RUNS} at once, "
        f"in {found['wall']:.1f} s of wall time; the same calls alone, without journal or layers, "
        f"take {floor * 1e3:.1f} ms on this machine"
    )
    yield at_most("paused.resume_1000_s", found["spent"], "s", 0.3, RESUMED, how)
    how = f"CPU time to drive one approved run of one call to its end, alone, median of {ALONE}"
    yield at_most("paused.one_ms", found["one"] * 1e3, "ms", 5, ALONE, how)


def _find_principal(name: str, tenant: str) -> Principal:
    return Principal(name, tenant, frozenset({"*"}))


def _runtime(store: SqlStore) -> Runtime:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH, permissions={"notes:read"})
    async def save(ctx: LeafContext, note: Note) -> str:
        """Save a note."""
        return f"{ctx.key}: {note.title}"

    agent = Agent("bench", instructions="Save notes.", tools=[save])
    return Runtime(
        App(name="bench", agents=(agent,)), model=ToolCallingModel(1), store=store, directory=_find_principal
    )


async def _start_waiting_runs(runtime: Runtime, count: int) -> list[tuple[str, str]]:
    """So many runs that wait: run and question."""
    found: list[tuple[str, str]] = []
    while len(found) < count:
        results = await asyncio.gather(
            *(runtime.run("go", by=PERSON) for _ in range(min(CONCURRENT_RUNS, count - len(found))))
        )
        found += [(result.run, result.questions[0]) for result in results]
    return found


async def _measure(folder: Path, waiting: int, resumed: int) -> dict[str, float]:
    store = sql_store(folder)
    runtime = _runtime(store)
    first = await _start_waiting_runs(runtime, resumed)
    before = _resident_kb()
    await _start_waiting_runs(runtime, waiting - resumed)
    grown = _resident_kb() - before
    for _, question in first:
        await runtime.decide(question, approved=True, by=_APPROVER)
    gc.collect()
    wall, cpu_started = time.perf_counter(), time.process_time()
    for index in range(0, resumed, CONCURRENT_RUNS):
        results = await asyncio.gather(*(runtime.resume(run) for run, _ in first[index : index + CONCURRENT_RUNS]))
        if any(result.status != "done" for result in results):
            raise RuntimeError("an approved run did not end")
    spent, lasted = time.process_time() - cpu_started, time.perf_counter() - wall
    one = await _drive_alone(runtime)
    await store.close()
    return {"grown": grown, "spent": spent, "wall": lasted, "one": one}


async def _drive_alone(runtime: Runtime) -> float:
    """The median of the CPU seconds that an approved run takes to its end, while no other is driven."""
    costs: list[float] = []
    for run, question in await _start_waiting_runs(runtime, ALONE):
        await runtime.decide(question, approved=True, by=_APPROVER)
        started = time.process_time()
        result = await runtime.resume(run)
        costs.append(time.process_time() - started)
        result.value()
    return median(costs)


def _resident_kb() -> float:
    """Kilobytes of this process that are in memory now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4.0


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))))
