"""Wherever a process dies, another takes the run up: nothing is lost, nothing done twice, the history is valid."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import pytest

from remit import App, Context, Effect, LeafContext, Retry, Runtime, Timeout, tool
from remit.errors import ConflictError, ExternalError, LeaseError
from remit.layers import Call, Gate
from remit.record.items import AttemptEnded, Message, RunFinished, ToolOutput
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser, items_of, runtime_of, tool_messages

SCRIPT = [
    calls(("write", {"text": "a"}), ("write", {"text": "b"})),
    calls(("write_two", {"first": "c", "second": "d"}), ("write", {"text": "a"})),
    "done",
]
EFFECTS = ["a", "a", "b", "c", "d"]
LIFETIME = 60.0


class Scene:
    """A world, a store in it, and as many processes as are needed."""

    def __init__(self, effect: Effect, parallel: int) -> None:
        self.world, self.clock = World(), Clock()
        self.store = Mortal(self.clock)
        self._effect, self._parallel = effect, parallel
        write = self.world.write("write", effect)

        @tool(effect=Effect.COMPOSED)
        async def write_two(ctx: Context, first: str, second: str) -> list[str]:
            """Write two texts."""
            return [await ctx.call(write, first), await ctx.call(write, second)]

        self._tools = (write, write_two)

    def process(self) -> Runtime:
        """A new process that comes to the same data."""
        self.store.revive()
        self.clock.now += LIFETIME
        model = Scripted(SCRIPT)
        return runtime_of(model, *self._tools, store=self.store, clock=self.clock, parallel=self._parallel)

    async def told(self, runtime: Runtime, result: RunResult[Any]) -> RunResult[Any]:
        """Drive on, while a person tells truly what became of what was cut off."""
        while result.status == "waiting":
            for row in await self.store.list_questions():
                text = json.loads(row.question.arguments)["text"]
                happened = await self._happened(result.run, text)
                await runtime.decide(row.question.id, approved=happened, by=superuser(), result=f"wrote {text}")
            result = await runtime.resume(result.run)
        return result

    async def _happened(self, run: str, text: str) -> bool:
        """Whether there is an effect of which the journal does not know."""
        ended = [item for item in await items_of(self.store, run) if isinstance(item, AttemptEnded)]
        return self.world.ran.count(text) > sum(item.content == f"wrote {text}" for item in ended)

    async def judge(self, result: RunResult[Any]) -> None:
        """What must hold when all is over."""
        runtime = self.process()
        items = await items_of(self.store, result.run)
        ends = Counter(item.call for item in items if isinstance(item, ToolOutput))
        assert (result.status, result.value()) == ("done", "done")
        assert set(ends.values()) == {1}, "one end for each call"
        assert len(ends) == 7, "the agent, two writes, the composite and its two, one more write"
        assert history_errors(await runtime.history(result.run)) == []
        assert await tool_messages(runtime, result.run) == [
            "wrote a",
            "wrote b",
            '["wrote c","wrote d"]',
            "wrote a",
        ]
        assert [item for item in items if isinstance(item, RunFinished)] == [items[-1]]
        assert len([item for item in items if isinstance(item, Message)]) == 5
        assert (await runtime.replay(result.run)).difference == ""
        if self._effect is Effect.KEYED:
            assert sorted(self.world.texts) == EFFECTS
        elif self._effect is Effect.UNSAFE:
            assert sorted(self.world.ran) == EFFECTS
        else:
            assert set(self.world.ran) == set(EFFECTS)


async def dying(scene: Scene, runtime: Runtime, doing: Any) -> RunResult[Any] | None:
    """What comes of ``doing`` and of driving it on, or None if the process died on the way."""
    try:
        return await scene.told(runtime, await doing)
    except Crash:
        return None


LEAVES = [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED, Effect.UNSAFE]
each_leaf = pytest.mark.parametrize("effect", LEAVES, ids=lambda effect: effect.value)
WHEN = pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
MODES = pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])


@each_leaf
@MODES
@WHEN
async def test_a_run_whose_process_dies_at_any_append_is_finished_by_another(
    effect: Effect, parallel: int, after: bool
) -> None:
    for append in range(1, 100):
        scene = Scene(effect, parallel)
        runtime = scene.process()
        scene.store.die_at(append, after=after)
        result = await dying(scene, runtime, runtime.run("go", by=superuser()))
        if result is not None:
            assert append > 3, "it died at every append that there is"
            await scene.judge(result)
            return
        another = scene.process()
        rows = await scene.store.list_runs()
        if not rows:
            assert scene.world.ran == [], "what was never opened has done nothing"
            continue
        await scene.judge(await scene.told(another, await another.resume(rows[0].run)))
    pytest.fail("it never came to its end")


@pytest.mark.parametrize("effect", [Effect.KEYED, Effect.UNSAFE], ids=lambda effect: effect.value)
@MODES
async def test_a_run_whose_second_process_dies_too_is_finished_by_a_third(effect: Effect, parallel: int) -> None:
    for first in range(2, 12, 2):
        for second in range(1, 11, 2):
            scene = Scene(effect, parallel)
            runtime = scene.process()
            scene.store.die_at(first, after=True)
            result = await dying(scene, runtime, runtime.run("go", by=superuser()))
            if result is None:
                (row,) = await scene.store.list_runs()
                another = scene.process()
                scene.store.die_at(second, after=True)
                result = await dying(scene, another, another.resume(row.run))
                if result is None:
                    third = scene.process()
                    result = await scene.told(third, await third.resume(row.run))
            await scene.judge(result)


async def test_a_run_whose_process_died_is_left_alone_until_its_lease_is_over() -> None:
    scene = Scene(Effect.KEYED, 8)
    runtime = scene.process()
    scene.store.die_at(4, after=True)
    assert await dying(scene, runtime, runtime.run("go", by=superuser())) is None
    (row,) = await scene.store.list_runs()
    another = scene.process()
    scene.clock.now -= LIFETIME - 1
    with pytest.raises(LeaseError, match="is being executed by"):
        await another.resume(row.run)
    scene.clock.now += LIFETIME
    assert (await another.resume(row.run)).value() == "done"


def flaky(tried: list[str], *errors: type[Exception] | None) -> Any:
    """A keyed write that fails as ``errors`` say, attempt by attempt, and is tried again by a layer."""

    @tool(effect=Effect.KEYED)
    async def write(ctx: LeafContext, text: str) -> str:
        """Write a text."""
        tried.append(ctx.key)
        error = errors[len(tried) - 1] if len(tried) <= len(errors) else None
        if error is TimeoutError:
            await asyncio.Event().wait()
        if error is not None:
            raise error("it did not work")
        return f"wrote {text}"

    return write.layer(Timeout(1)).layer(Retry(base_delay=0.0, max_delay=0.0, on=(KeyError,)))


async def sweep_retries(*errors: type[Exception] | None) -> list[tuple[list[str], int]]:
    """The replies and the number of attempts, for a death after each append."""
    found = list[tuple[list[str], int]]()
    for append in range(2, 100):
        tried, clock = list[str](), Clock()
        store = Mortal(clock)
        model = Scripted([calls(("write", {"text": "a"})), "done"])
        write = flaky(tried, *errors)
        runtime = runtime_of(model, write, store=store, clock=clock)
        store.die_at(append, after=True)
        try:
            await runtime.run("go", by=superuser())
        except Crash:
            store.revive()
            clock.now += LIFETIME
            (row,) = await store.list_runs()
            await runtime.resume(row.run)
        else:
            return found
        assert len(set(tried)) == 1, "all attempts have one key"
        found.append((await tool_messages(runtime, row.run), len(tried)))
    pytest.fail("it never came to its end")


@pytest.mark.parametrize("error", [ExternalError, ConnectionError, KeyError])
async def test_a_crash_between_attempts_does_not_change_how_the_call_ends(error: type[Exception]) -> None:
    found = await sweep_retries(error, error)
    assert len(found) > 6
    assert {tuple(replies) for replies, _ in found} == {("wrote a",)}


@pytest.mark.looptime
async def test_a_crash_after_an_attempt_that_was_timed_out_does_not_change_how_the_call_ends() -> None:
    found = await sweep_retries(TimeoutError)
    assert {tuple(replies) for replies, _ in found} == {("wrote a",)}


async def test_a_gate_that_has_closed_since_a_call_began_does_not_stop_its_resume() -> None:
    store, is_open, executions = InMemoryStore(), True, list[str]()

    class Door(Gate):
        async def check(self, call: Call, /) -> None:
            if not is_open:
                raise ConflictError("the office is closed")

    @tool(effect=Effect.KEYED)
    async def file(ctx: LeafContext) -> str:
        """File a letter."""
        executions.append(ctx.key)
        if is_open:
            raise Crash
        return "filed"

    gated = file.layer(Door())
    app = App(name="office", tools=(gated,))
    with pytest.raises(Crash):
        await Runtime(app, store=store, make_run_id=lambda: "r").call(gated, superuser())
    is_open = False
    result = await Runtime(app, store=store, directory=find_superuser).resume("r")
    assert (result.value(), len(executions), len(set(executions))) == ("filed", 2, 1)
