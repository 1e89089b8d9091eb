"""A body ends when its calls have ended; one that a timeout had to abandon starts nothing once its run is over."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import App, Context, Effect, Runtime, Stack, Timeout, Tool, tool
from remit.errors import JournalError
from remit.journal.ports import Store
from remit.layers import Call, CallService, Reply, layer_fn
from remit.record.items import AttemptStarted, RunFinished, ToolOutput
from remit.testing import superuser
from tests.runtime.kit import items_of

ADA = superuser(name="ada")
EFFECTS = pytest.mark.parametrize("effect", [Effect.PURE, Effect.UNSAFE])


class Scene:
    """A tool behind a gate, called by a body that does not wait for it."""

    def __init__(self, effect: Effect, body: Callable[[Awaitable[Any]], Awaitable[Any]]) -> None:
        self.ran: list[str] = []
        self.waits_at_gate = asyncio.Event()
        self.gate = asyncio.Event()
        self.stragglers: list[asyncio.Task[Any]] = []

        @layer_fn
        async def hold(call: Call, inner: CallService) -> Reply:
            self.waits_at_gate.set()
            await self.gate.wait()
            return await inner(call)

        @tool(effect=effect)
        async def pay() -> str:
            """Pay."""
            self.ran.append("pay")
            return "paid"

        slow = pay.layer(hold())

        @tool(effect=Effect.COMPOSED)
        async def outer(ctx: Context) -> str:
            """Leave a call behind."""
            self.stragglers.append(asyncio.create_task(ctx.call(slow)))
            await self.waits_at_gate.wait()
            await body(self.stragglers[0])
            return "ended"

        self.outer: Tool[[], str] = outer
        self.tools = (outer, slow)


async def _forget(_task: Awaitable[Any]) -> None:
    pass


async def _fail(_task: Awaitable[Any]) -> None:
    raise ValueError("no")


async def _shield(task: Awaitable[Any]) -> None:
    await asyncio.shield(task)


async def _wait(task: Awaitable[Any]) -> None:
    await asyncio.wait([asyncio.ensure_future(task)])


@EFFECTS
@pytest.mark.parametrize("body", [_forget, _fail])
async def test_a_body_that_leaves_a_call_behind_ends_after_it(
    store: Store, effect: Effect, body: Callable[[Awaitable[Any]], Awaitable[Any]]
) -> None:
    scene = Scene(effect, body)
    runtime = Runtime(App(name="test", tools=scene.tools), store=store, layers=Stack())
    running = asyncio.create_task(runtime.call(scene.outer, ADA))
    await scene.waits_at_gate.wait()
    done, _ = await asyncio.wait([running], timeout=0.1)
    assert not done
    scene.gate.set()
    result = await running
    assert result.status == ("done" if body is _forget else "failed")
    assert scene.ran == ["pay"]
    items = await items_of(store, result.run)
    assert [item.callee for item in items if isinstance(item, ToolOutput)] == ["pay", "outer"]
    assert (await runtime.replay(result.run)).difference == ""


@EFFECTS
@pytest.mark.parametrize("body", [_shield, _wait])
async def test_a_call_that_asyncio_does_not_cancel_is_stopped_with_its_run(
    store: Store, effect: Effect, body: Callable[[Awaitable[Any]], Awaitable[Any]]
) -> None:
    scene = Scene(effect, body)
    runtime = Runtime(App(name="test", tools=scene.tools), store=store, layers=Stack(), make_run_id=lambda: "r")
    running = asyncio.create_task(runtime.call(scene.outer, ADA))
    await scene.waits_at_gate.wait()
    await runtime.cancel("r", by=ADA)
    assert (await running).status == "cancelled"
    items = await items_of(store, "r")
    assert scene.stragglers[0].cancelled()
    assert [item.callee for item in items if isinstance(item, ToolOutput)] == ["pay", "outer"]
    assert isinstance(items[-1], RunFinished)
    assert scene.ran == []


@EFFECTS
@pytest.mark.parametrize("error", [JournalError, asyncio.CancelledError])
async def test_a_body_that_a_timeout_abandoned_starts_nothing_after_the_end_of_its_run(
    store: Store, effect: Effect, error: type[BaseException]
) -> None:
    answers = list[BaseException]()
    gate, ended = asyncio.Event(), asyncio.Event()

    @tool(effect=effect)
    async def pay() -> str:
        """Pay."""
        raise AssertionError

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> str:
        """Go on after the cancellation."""
        prepared = asyncio.ensure_future(gate.wait())
        while not prepared.done():
            try:
                await asyncio.shield(prepared)
            except asyncio.CancelledError:
                continue
        try:
            call = ctx.call(pay)
            return await (asyncio.ensure_future(call) if error is JournalError else call)
        except error as raised:
            answers.append(raised)
            raise
        finally:
            ended.set()

    impatient = outer.layer(Timeout(0.01, grace=0))
    runtime = Runtime(App(name="test", tools=(impatient, pay)), store=store, layers=Stack())
    result = await runtime.call(impatient, ADA)
    assert result.status == "failed"
    before = await items_of(store, result.run)
    gate.set()
    await ended.wait()
    assert len(answers) == 1
    assert await items_of(store, result.run) == before
    assert not any(isinstance(item, AttemptStarted) for item in before)


@EFFECTS
@pytest.mark.parametrize("opens_gate", [False, True])
def test_a_shielded_call_ends_quietly_with_its_run_or_with_the_program(
    caplog: pytest.LogCaptureFixture, effect: Effect, *, opens_gate: bool
) -> None:
    async def program() -> None:
        scene = Scene(effect, _shield)
        runtime = Runtime(App(name="test", tools=scene.tools), layers=Stack())
        running = asyncio.create_task(runtime.call(scene.outer, ADA))
        await scene.waits_at_gate.wait()
        await asyncio.sleep(0)  # the body continues up to its shield
        running.cancel()
        await asyncio.wait([running])
        if opens_gate:
            scene.gate.set()
            await asyncio.wait(scene.stragglers)

    asyncio.run(program())
    gc.collect()  # asyncio reports an exception that is never retrieved when it forgets the task
    assert caplog.records == []
