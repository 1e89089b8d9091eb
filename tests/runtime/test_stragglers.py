"""A call that a body leaves behind starts nothing once the run has ended, and disturbs nothing."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import App, Context, Effect, Runtime, Stack, Tool, tool
from remit.contracts.items import AttemptStarted, RunFinished
from remit.errors import JournalError
from remit.journal.ports import Store
from remit.layers import Call, CallService, Reply, layer_fn
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


async def _shield(task: Awaitable[Any]) -> None:
    await asyncio.shield(task)


async def _assert_nothing_started(store: Store, run: str, scene: Scene) -> None:
    before = await items_of(store, run)
    assert isinstance(before[-1], RunFinished)
    scene.gate.set()
    (answer,) = await asyncio.gather(*scene.stragglers, return_exceptions=True)
    assert isinstance(answer, JournalError)
    await asyncio.sleep(1)
    assert scene.ran == []
    assert await items_of(store, run) == before
    assert not any(isinstance(item, AttemptStarted) for item in before)


@EFFECTS
async def test_a_forgotten_call_starts_nothing_after_the_end_of_its_run(store: Store, effect: Effect) -> None:
    scene = Scene(effect, _forget)
    runtime = Runtime(App(name="test", tools=scene.tools), store=store, layers=Stack())
    result = await runtime.call(scene.outer, ADA)
    assert result.value() == "ended"
    await _assert_nothing_started(store, result.run, scene)


@EFFECTS
async def test_a_shielded_call_starts_nothing_after_its_run_was_cancelled(store: Store, effect: Effect) -> None:
    scene = Scene(effect, _shield)
    runtime = Runtime(App(name="test", tools=scene.tools), store=store, layers=Stack(), make_run_id=lambda: "r")
    running = asyncio.create_task(runtime.call(scene.outer, ADA))
    await scene.waits_at_gate.wait()
    await runtime.cancel("r", by=ADA)
    assert (await running).status == "cancelled"
    await _assert_nothing_started(store, "r", scene)


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
