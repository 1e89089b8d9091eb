"""What open runs cost: a call beside one that a body makes, the commits of a call, and runs at rest."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from bench.durable import commit_cost
from bench.world import sql_store
from figures.figure import Figure, at_most
from remit import App, Context, Effect, Principal, Runtime, tool
from remit.journal.crashpoint import ignore_crash_point, set_crash_hook
from remit.layers import Budget
from remit.runtime import Client, OpenRun
from remit.stores import InMemoryStore, Store

CALLS: Final = 200
REPEATS: Final = 5
AT_REST: Final = 10_000
_PERSON: Final = Principal("ada")


async def open_run() -> AsyncIterator[Figure]:
    """A pure call of an open run over one of a body, an unsafe one over its commits, and memory and tasks at rest."""
    by_body = min([await _time_body() for _ in range(REPEATS)])
    from_outside = min([await _time_calls(InMemoryStore(), "look") for _ in range(REPEATS)])
    how = (
        f"a pure call of an open run ({from_outside * 1e3:.2f} ms) over the same call by the body of a run "
        f"({by_body * 1e3:.2f} ms), in memory, of {CALLS} each; the least of {REPEATS}"
    )
    yield at_most("open_run.pure_added_ms", (from_outside - by_body) * 1e3, "ms", 0.3, CALLS, how)
    with tempfile.TemporaryDirectory(prefix="remit-bench-") as name:
        folder, commits = Path(name), _Commits()
        raw = min(commit_cost(folder / f"raw-{i}.db") for i in range(3))
        set_crash_hook(commits)
        store = sql_store(folder / "calls")
        try:
            unsafe = min([await _time_calls(store, "send") for _ in range(REPEATS)])
            count = commits.count / (REPEATS * (CALLS + 1))
            how = f"commits of an unsafe call of an open run on SQLite, over {REPEATS} runs of {CALLS + 1}"
            yield at_most("open_run.unsafe_commits", count, "commits", 2.1, CALLS, how)
            how = f"wall time of an unsafe call ({unsafe * 1e3:.2f} ms) over two commits of {raw * 1e6:.0f} µs"
            yield at_most("open_run.unsafe_added_ms", (unsafe - 2 * raw) * 1e3, "ms", 1, CALLS, how)
            tasks, kilobytes = await _rest(_client(store))
        finally:
            set_crash_hook(ignore_crash_point)
            await store.close()
    how = f"{AT_REST:,} open runs, taken up for one call each and at rest, their objects held by the program"
    yield at_most("open_run.rest_tasks", tasks, "tasks", 0, AT_REST, f"tasks of {how}")
    yield at_most("open_run.rest_kb", kilobytes, "kB", 1, AT_REST, f"memory of each of {how}")


class _Commits:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self, name: str) -> None:
        self.count += name == "after commit"


@tool(effect=Effect.PURE)
async def look(number: int) -> int:
    """Look."""
    return number


@tool(effect=Effect.UNSAFE, risk="safe")
async def send(number: int) -> int:
    """Send."""
    return number


def _client(store: Store, *more: Any) -> Client:
    budget = Budget(calls=10 * CALLS * REPEATS)
    return Runtime(App(name="bench", tools=(look, send, *more), budget=budget), store=store).client(_PERSON)


async def _time_body() -> float:
    """Seconds of a call that a body makes."""
    spent: list[float] = []

    @tool(effect=Effect.COMPOSED)
    async def look_often(ctx: Context) -> str:
        """Look often."""
        await ctx.call(look, 0)
        started = time.perf_counter()
        for number in range(CALLS):
            await ctx.call(look, number)
        spent.append(time.perf_counter() - started)
        return "done"

    (await _client(InMemoryStore(), look_often).call("look_often", {})).value()
    return spent[0] / CALLS


async def _time_calls(store: Store, name: str) -> float:
    """Seconds of a call from outside."""
    async with _client(store).open_run() as run:
        await run.call(name, {"number": 0})
        started = time.perf_counter()
        for number in range(CALLS):
            (await run.call(name, {"number": number})).value()
        return (time.perf_counter() - started) / CALLS


async def _rest(client: Client) -> tuple[int, float]:
    """The tasks of runs at rest, and the kilobytes of each."""
    before = len(asyncio.all_tasks())
    opened = [client.open_run(idle_seconds=0.01) for _ in range(AT_REST)]
    await _use(opened[:1])  # what is made once for all
    gc.collect()
    tracemalloc.start()
    for at in range(1, AT_REST, 100):
        await _use(opened[at : at + 100])
    await asyncio.sleep(0.5)
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return len(asyncio.all_tasks()) - before, kept / 1024 / AT_REST


async def _use(opened: list[OpenRun]) -> None:
    """Take runs up for a call each, and let them rest without leaving their blocks."""
    await asyncio.gather(*(each.__aenter__() for each in opened))
    await asyncio.gather(*(each.call("look", {"number": 1}) for each in opened))
