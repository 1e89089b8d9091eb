"""Calls that a body or its run cancels: nothing starts after the cancellation, and the body runs alike again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from remit import App, Context, Effect, Runtime, Tool, tool
from remit.record.items import ToolOutput
from remit.stores import InMemoryStore
from remit.testing import superuser
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser, items_of
from tests.runtime.side_by_side import ADA

pytestmark = pytest.mark.looptime


class Scene:
    """A slow tool, a quick one and one that fails, and a body that calls them."""

    def __init__(self, body: Callable[[Context, Scene], Awaitable[str]], store: InMemoryStore | None = None) -> None:
        self.ran: list[str] = []
        self.begun = asyncio.Event()
        self.body = body
        self.store = store or InMemoryStore()

        @tool(effect=Effect.IDEMPOTENT)
        async def slow() -> str:
            """Take ten seconds."""
            self.begun.set()
            await asyncio.sleep(10)
            self.ran.append("slow")
            return "slow"

        @tool(effect=Effect.IDEMPOTENT)
        async def quick(text: str) -> str:
            """Take no time."""
            self.ran.append(text)
            return text

        @tool(effect=Effect.PURE)
        async def failing() -> str:
            """Fail after a second."""
            await asyncio.sleep(1)
            raise ValueError("no")

        @tool(effect=Effect.COMPOSED)
        async def nested(ctx: Context) -> str:
            """Call the slow tool."""
            return await ctx.call(slow)

        @tool(effect=Effect.COMPOSED)
        async def outer(ctx: Context) -> str:
            """Call them."""
            return await self.body(ctx, self)

        self.slow: Tool[[], str] = slow
        self.quick: Tool[[str], str] = quick
        self.failing: Tool[[], str] = failing
        self.nested: Tool[..., str] = nested
        self.outer: Tool[..., str] = outer

    def process(self) -> Runtime:
        """A runtime as in a new process."""
        tools = (self.outer, self.slow, self.quick, self.failing, self.nested)
        return Runtime(
            App(name="test", tools=tools), store=self.store, directory=find_superuser, make_run_id=lambda: "r"
        )


async def timed(ctx: Context, scene: Scene) -> str:
    try:
        async with asyncio.timeout(1):
            return await ctx.call(scene.slow)
    except TimeoutError:
        return await ctx.call(scene.quick, "late")


async def timed_below(ctx: Context, scene: Scene) -> str:
    try:
        return await asyncio.wait_for(ctx.call(scene.nested), 1)
    except TimeoutError:
        return await ctx.call(scene.quick, "late")


async def raced(ctx: Context, scene: Scene) -> str:
    tasks = [asyncio.ensure_future(ctx.call(scene.slow)), asyncio.ensure_future(ctx.call(scene.quick, "first"))]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    return await ctx.call(scene.quick, "".join(task.result() for task in done) + " won")


async def in_a_failing_group(ctx: Context, scene: Scene) -> str:
    count = 0
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(ctx.call(scene.slow))
            group.create_task(ctx.call(scene.failing))
    except* Exception as errors:  # noqa: BLE001 - as careless code does
        count = len(errors.exceptions)
    return await ctx.call(scene.quick, f"{count} failed")


async def in_a_failing_gather(ctx: Context, scene: Scene) -> str:
    try:
        await asyncio.gather(ctx.call(scene.slow), ctx.call(scene.failing))
    except Exception:  # noqa: BLE001 - as careless code does
        return await ctx.call(scene.quick, "failed")
    return "never"


BODIES = {timed: "late", timed_below: "late", raced: "first won", in_a_failing_group: "1 failed"}
bodies = pytest.mark.parametrize("body", [*BODIES, in_a_failing_gather], ids=lambda body: body.__name__)


@bodies
async def test_a_body_that_cancels_a_call_replays_and_ends_alike(body: Any) -> None:
    scene = Scene(body)
    result = await scene.process().call(scene.outer, ADA)
    assert result.value() == BODIES.get(body, "failed")
    before = list(scene.ran)
    assert before.count("slow") == (body is in_a_failing_gather), "gather does not cancel"
    assert (await scene.process().replay("r")).difference == ""
    assert scene.ran == before


@pytest.mark.parametrize("body", [raced, in_a_failing_gather], ids=lambda body: body.__name__)
async def test_a_process_that_dies_around_a_cancelled_call_is_continued_alike(body: Any) -> None:
    for append in range(2, 30):
        clock = Clock()
        store = Mortal(clock)
        scene = Scene(body, store)
        store.die_at(append, after=append % 2 == 0)
        try:
            await scene.process().call(scene.outer, ADA)
        except Crash:
            store.revive()
            clock.now += 60
            result = await scene.process().resume("r")
        else:
            assert append > 4
            return
        assert result.value() == BODIES.get(body, "failed")
        assert (await scene.process().replay("r")).difference == ""


async def test_a_body_that_no_longer_cancels_its_call_has_diverged() -> None:
    async def patient(ctx: Context, scene: Scene) -> str:
        return await ctx.call(scene.slow)

    scene = Scene(timed)
    await scene.process().call(scene.outer, ADA)
    scene.body = patient
    assert "does not cancel" in (await scene.process().replay("r")).difference


async def swallowed(ctx: Context, scene: Scene) -> str:
    with suppress(asyncio.CancelledError):
        await ctx.call(scene.slow)
    return await ctx.call(scene.quick, "after")


async def swallowed_by_a_group(ctx: Context, scene: Scene) -> str:
    with suppress(BaseException):
        await in_a_failing_group(ctx, scene)
    return (await asyncio.gather(ctx.call(scene.quick, "after")))[0]


async def test_a_cancelled_run_whose_process_dies_while_its_body_cleans_up_is_cancelled_by_the_next() -> None:
    async def cleaning(ctx: Context, scene: Scene) -> str:
        try:
            return await ctx.call(scene.slow)
        finally:
            await asyncio.sleep(5)

    clock = Clock()
    store = Mortal(clock)
    scene = Scene(cleaning, store)
    running = asyncio.ensure_future(scene.process().call(scene.outer, ADA))
    await scene.begun.wait()
    store.die_at(1, after=True)
    running.cancel()
    await asyncio.wait([running])
    store.revive()
    clock.now += 60
    assert [item.callee for item in await items_of(store, "r") if isinstance(item, ToolOutput)] == ["slow"]
    await scene.process().cancel("r", by=ADA)
    assert (await scene.process().resume("r")).status == "cancelled"
    assert (await scene.process().replay("r")).difference == ""


@pytest.mark.parametrize("body", [swallowed, swallowed_by_a_group], ids=lambda body: body.__name__)
@pytest.mark.parametrize("by", ["task", "runtime"])
async def test_a_body_that_swallows_the_end_of_its_run_starts_nothing_more(body: Any, by: str) -> None:
    scene = Scene(body)
    runtime = scene.process()
    running = asyncio.ensure_future(runtime.call(scene.outer, ADA))
    await scene.begun.wait()
    if by == "task":
        running.cancel()
        await asyncio.wait([running])
    else:
        await runtime.cancel("r", by=superuser(name="ada"))
        assert (await running).status == "cancelled"
    assert scene.ran == []
    row = await scene.store.find_run("r")
    assert row is not None
    assert row.status == "cancelled"
    ends = [item.callee for item in await items_of(scene.store, "r") if isinstance(item, ToolOutput)]
    assert ends.count("outer") == 1
    assert (await scene.process().replay("r")).difference == ""


@pytest.mark.parametrize("name", ["slow", "nested"])
async def test_a_cancelled_call_of_a_run_that_a_body_starts_is_recorded_before_that_body_ends(name: str) -> None:
    async def start(ctx: Context, scene: Scene) -> str:
        app = App(name="test", tools=(scene.slow, scene.nested))
        runtime = Runtime(app, store=scene.store, directory=find_superuser, make_run_id=lambda: "started")
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await runtime.call_by_name(name, {}, by=ctx.caller.principal)
        found = [each for each in await items_of(scene.store, "started") if isinstance(each, ToolOutput)]
        return " ".join(f"{each.callee} {each.outcome}" for each in found)

    scene = Scene(start)
    result = await scene.process().call(scene.outer, superuser())
    assert result.value() == {"slow": "slow error", "nested": "slow error nested error"}[name]
