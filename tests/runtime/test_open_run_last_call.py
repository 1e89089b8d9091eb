"""A call of an open run may be its last one: the run takes no more calls, and ends when its calls have ended."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

import pytest

from remit import App, Context, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.errors import RequestConflictError
from remit.record.items import Note
from remit.stores import InMemoryStore
from remit.tools import LastCall
from tests.runtime.kit import AnyTool, Clock, Crash, Mortal, items_of
from tests.runtime.open_desk import ADA, BOB

pytestmark = pytest.mark.looptime


@tool(effect=Effect.IDEMPOTENT)
async def leave(ctx: LeafContext, seconds: float = 0.0) -> str:
    """Say that this is the last call."""
    ctx.emit(LastCall())
    await asyncio.sleep(seconds)
    return "left"


@tool(effect=Effect.COMPOSED)
async def leave_below(ctx: Context) -> str:
    """Say so in a call below."""
    return await ctx.call(leave)


@tool(effect=Effect.PURE)
async def read(seconds: float = 0.0) -> str:
    """Read."""
    await asyncio.sleep(seconds)
    return "text"


@tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
async def pay() -> str:
    """Pay."""
    return "paid"


def runtime_of(*tools: AnyTool, store: InMemoryStore | None = None, clock: Callable[[], float] = time.time) -> Runtime:
    listed = tools or (leave, leave_below, read, pay)
    return Runtime(App(name="test", tools=listed), store=store, directory=_find, clock=clock)


def _find(name: str, _tenant: str) -> Principal | None:
    return {"ada": ADA, "bob": BOB}.get(name)


@pytest.mark.parametrize("last", ["leave", "leave_below"])
async def test_after_the_last_call_a_run_has_ended_and_its_replay_is_the_same(last: str) -> None:
    runtime = runtime_of()
    client = runtime.client(ADA)
    async with client.open_run() as run:
        await run.call("read", {})
        assert (await run.call(last, {}, key="last")).value() == "left"
        assert (await client.settled(run.id, 1)).row.status == "done"
        with pytest.raises(RequestConflictError, match="has ended"):
            await run.call("read", {})
        assert (await run.call(last, {}, key="last")).value() == "left", "the same call again"
        assert (await run.close()).value() == {"calls": 2, "failed": 0, "denied": 0}
    assert (await runtime.replay(run.id)).difference == ""


async def test_calls_in_progress_end_first_and_no_other_is_taken() -> None:
    client = runtime_of().client(ADA)
    async with client.open_run() as run:
        reading = asyncio.create_task(run.call("read", {"seconds": 3}))
        leaving = asyncio.create_task(run.call("leave", {"seconds": 2}))
        await asyncio.sleep(1)
        with pytest.raises(RequestConflictError) as refused:
            await run.call("read", {})
        what = "read cannot be called, because another call was the last one of this run; open another run"
        assert refused.value.message == what
        assert [(await each).status for each in (leaving, reading)] == ["done", "done"]
        assert (await run.close()).value() == {"calls": 2, "failed": 0, "denied": 0}


async def test_the_bodies_of_calls_in_progress_make_their_calls() -> None:
    @tool(effect=Effect.PURE)
    async def read_later() -> str:
        """Read in a call of the run."""
        await asyncio.sleep(1)
        return (await run.call("read", {})).value()

    client = runtime_of(leave, read, read_later).client(ADA)
    async with client.open_run() as run:
        reading = asyncio.create_task(run.call("read_later", {}))
        await asyncio.sleep(0.5)
        await run.call("leave", {})
        assert (await reading).value() == "text"
        assert (await run.close()).value() == {"calls": 3, "failed": 0, "denied": 0}


async def test_a_run_whose_call_waits_for_a_person_ends_after_the_decision() -> None:
    store = InMemoryStore()
    client = runtime_of(store=store).client(ADA)
    async with client.open_run() as run:
        asked = await run.call("pay", {}, key="1")
        await run.call("leave", {})
        with pytest.raises(RequestConflictError, match="the last one of this run"):
            await run.call("read", {})
    other = runtime_of(store=store)
    await other.client(BOB).decide(asked.questions[0], approved=True)
    ended = await other.resume(run.id)
    assert (ended.status, ended.value()) == ("done", {"calls": 2, "failed": 0, "denied": 0})
    assert (await other.replay(run.id)).difference == ""


async def test_in_another_run_a_last_call_is_a_note() -> None:
    runtime = runtime_of()
    made = await runtime.client(ADA).call("leave", {})
    assert made.value() == "left"
    (note,) = (each for each in await items_of(runtime.store, made.run) if isinstance(each, Note))
    assert (note.name, note.data, LastCall.is_in(note)) == ("last_call", "{}", True)


@pytest.mark.parametrize("after", [False, True])
async def test_after_a_crash_at_any_append_a_run_ends_with_its_last_call(after: bool) -> None:
    async def work(runtime: Runtime, run: str) -> None:
        async with runtime.client(ADA).open_run(run_id=run) as opened:
            for each in ("read", "leave"):
                await opened.call(each, {}, key=each)

    crashes = 0
    for append in range(1, 20):
        clock = Clock()
        store = Mortal(clock)
        runtime = runtime_of(store=store, clock=clock)
        async with runtime.client(ADA).open_run() as opened:
            pass
        store.die_at(append, after=after)
        with contextlib.suppress(Crash, BaseExceptionGroup):
            await work(runtime, opened.id)
        if not store.dead:
            break
        crashes += 1
        store.revive()
        clock.now += 60.0
        again = runtime_of(store=store, clock=clock)
        if (await again.client(ADA).status(opened.id)).status == "running":
            await again.resume(opened.id)
        if (await again.client(ADA).status(opened.id)).status != "done":
            await work(again, opened.id)
        details = await again.client(ADA).details(opened.id)
        assert (details.row.status, details.text) == ("done", '{"calls":2,"failed":0,"denied":0}')
        assert (await again.replay(opened.id)).difference == ""
    assert crashes >= 2
