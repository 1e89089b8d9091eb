"""A run that was cancelled, at whichever moment, replays up to there; and what was done before is still compared."""

from __future__ import annotations

import asyncio

import pytest

from remit import Context, Effect, LeafContext, Tool, tool
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import runtime_of
from tests.runtime.test_replay import replaying


@tool(effect=Effect.KEYED)
async def slow(_ctx: LeafContext, number: int) -> int:
    """Do something in several steps."""
    for _ in range(number):
        await asyncio.sleep(0)
    return number


def pair(*numbers: int, together: bool) -> Tool[[], int]:
    """A composed tool that calls another with these numbers, at once or one after the other."""

    @tool(name="pair", effect=Effect.COMPOSED)
    async def both(ctx: Context) -> int:
        """Call two."""
        if together:
            return sum(await asyncio.gather(*(ctx.call(slow, number) for number in numbers)))
        return sum([await ctx.call(slow, number) for number in numbers])

    return both


async def cancelled_at(step: int, composed: Tool[[], int], parallel: int = 8) -> tuple[InMemoryStore, str, bool]:
    """A run that is cancelled after so many steps of the loop; and whether it was over."""
    store = InMemoryStore()
    script = [calls(("slow", {"number": 1}), ("pair", {}), ("slow", {"number": 3})), "done"]
    runtime = runtime_of(Scripted(script), slow, composed, store=store, parallel=parallel)
    running = asyncio.create_task(runtime.run("go", by=superuser()))
    for _ in range(step):
        await asyncio.sleep(0)
    over = running.done()
    running.cancel()
    await asyncio.wait([running])
    rows = await store.list_runs()
    return store, rows[0].run if rows else "", over


@pytest.mark.parametrize("together", [False, True], ids=["one after the other", "at once"])
@pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])
async def test_a_run_that_is_cancelled_at_any_step_replays(parallel: int, *, together: bool) -> None:
    composed = pair(1, 2, together=together)
    for step in range(200):
        store, run, over = await cancelled_at(step, composed, parallel)
        if over:
            assert step >= 10, "it was cut at every step that there is"
            return
        if run:
            report = await replaying(store, slow, composed, parallel=parallel).replay(run)
            assert (step, report.difference) == (step, "")
    pytest.fail("it never came to its end")


async def test_what_a_cancelled_run_had_done_is_missed_where_todays_code_does_something_else() -> None:
    found: set[str] = set()
    for step in range(30):
        store, run, over = await cancelled_at(step, pair(1, 2, 9, together=False), 1)
        if run and not over:
            today = replaying(store, slow, pair(1, 4, 9, together=False), parallel=1)
            found.add((await today.replay(run)).difference.partition(" is ")[2])
    assert "" in found, "it was stopped before"
    assert "not in the journal, which records slow in its place" in found
