"""Wherever a process dies, another takes an open run up: calls are finished, or asked about, by their effect."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from remit import App, Effect, LeafContext, Principal, Runtime, tool
from remit.journal.ledger import FLUSH_DELAY
from remit.record.items import CallReceived, ToolOutput
from remit.stores import InMemoryStore
from tests.runtime.kit import Clock, Crash, Mortal, items_of
from tests.runtime.open_desk import BOB

pytestmark = pytest.mark.looptime

ADA = Principal("ada", "bakery", frozenset({"*"}))
PAGES = ("a", "b", "c")


class Scene:
    """A store whose process dies, tools of one effect, and what they did to the world."""

    def __init__(self, effect: Effect) -> None:
        self.effect, self.clock = effect, Clock()
        self.store = Mortal(self.clock)
        self.done: list[str] = []
        self.by_key: dict[str, str] = {}

    def process(self) -> Runtime:
        @tool(effect=self.effect)
        async def write(ctx: LeafContext, page: str) -> str:
            """Write a page."""
            if self.store.dead:
                raise Crash
            if self.effect is Effect.KEYED:
                self.by_key.setdefault(ctx.key, page)
            self.done.append(page)
            await asyncio.sleep(0)
            return f"wrote {page}"

        runtime = Runtime(App(name="test", tools=(write,)), store=self.store, clock=self.clock)
        runtime.add_principals(ADA, BOB)
        return runtime

    async def work(self, runtime: Runtime, run: str) -> None:
        """Make three calls with keys, two of them at once, and close the run."""
        async with runtime.client(ADA).open_run(run_id=run) as opened:
            await opened.call("write", {"page": "a"}, key="a")
            await asyncio.gather(*(opened.call("write", {"page": each}, key=each) for each in "bc"))
            await opened.close()

    async def answer_questions(self, runtime: Runtime) -> None:
        """Say truly of each call that was cut off whether it happened."""
        for row in await self.store.list_questions():
            page = row.question.arguments[9:-2]
            happened = page in self.done
            await runtime.client(BOB).decide(row.question.id, approved=happened, result=f"wrote {page}")


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED, Effect.UNSAFE])
@pytest.mark.parametrize("after", [False, True])
async def test_after_a_crash_at_any_append_the_same_calls_are_each_made_once(effect: Effect, after: bool) -> None:
    crashes = 0
    for append in range(1, 40):
        scene = Scene(effect)
        runtime = scene.process()
        async with runtime.client(ADA).open_run() as opened:
            pass
        scene.store.die_at(append, after=after)
        with contextlib.suppress(Crash, BaseExceptionGroup):
            await scene.work(runtime, opened.id)
        crashes += scene.store.dead
        if not scene.store.dead:
            break
        await _recover(scene, opened.id)
    assert crashes >= (1 if effect is Effect.PURE else 3), "pure calls are stored with the end of the run"


async def _recover(scene: Scene, run: str) -> None:
    scene.store.revive()
    scene.clock.now += 60.0
    again = scene.process()
    row = await scene.store.find_run(run)
    assert row is not None
    if row.status == "running":  # an engine would find it
        await again.resume(run)
    await scene.answer_questions(again)
    row = await scene.store.find_run(run)
    assert row is not None
    if row.status != "done":
        await scene.work(again, run)
    items = await items_of(scene.store, run)
    received = [each for each in items if isinstance(each, CallReceived)]
    assert sorted(each.key for each in received) == [*PAGES]
    outputs = [each for each in items if isinstance(each, ToolOutput) and each.parent]
    assert sorted(each.text for each in outputs) == [f"wrote {each}" for each in PAGES]
    if scene.effect is Effect.UNSAFE:
        assert sorted(scene.done) == [*PAGES]
    if scene.effect is Effect.KEYED:
        assert sorted(scene.by_key.values()) == [*PAGES]
    assert (await again.replay(run)).difference == ""


async def test_a_call_whose_end_is_unknown_asks_a_person_and_leaves_the_run_to_the_others() -> None:
    scene = Scene(Effect.UNSAFE)
    runtime = scene.process()
    async with runtime.client(ADA).open_run() as opened:
        pass
    scene.store.die_at(2, after=False)
    with contextlib.suppress(Crash):
        async with runtime.client(ADA).open_run(run_id=opened.id) as run:
            await run.call("write", {"page": "a"}, key="a")
    scene.store.revive()
    scene.clock.now += 60.0
    again = scene.process()
    assert (await again.resume(opened.id)).status == "waiting"
    (row,) = await scene.store.list_questions()
    assert row.question.kind == "outcome"
    async with again.client(ADA).open_run(run_id=opened.id) as run:
        assert (await run.call("write", {"page": "b"}, key="b")).value() == "wrote b"
        await again.client(BOB).decide(row.question.id, approved=True, result="wrote a")
        assert (await run.call("write", {"page": "a"}, key="a")).value() == "wrote a"
        await run.close()
    assert scene.done == ["a", "b"]


async def test_a_process_that_can_store_nothing_more_stops_the_calls_that_run() -> None:
    scene = Scene(Effect.UNSAFE)
    runtime = scene.process()
    async with runtime.client(ADA).open_run() as opened:
        pass
    scene.store.die_at(2, after=False)

    async with asyncio.timeout(60), runtime.client(ADA).open_run(run_id=opened.id) as run:
        made = (run.call("write", {"page": page}) for page in "abc")
        results = await asyncio.gather(*made, return_exceptions=True)
    assert all(isinstance(each, Crash) for each in results)


async def test_what_a_run_has_received_is_stored_soon_although_no_call_waits_for_it() -> None:
    store = InMemoryStore()

    @tool(effect=Effect.PURE)
    async def read() -> str:
        """Read."""
        return "text"

    async with Runtime(App(name="test", tools=(read,)), store=store).client(ADA).open_run() as run:
        await run.call("read", {})
        await asyncio.sleep(2 * FLUSH_DELAY)
        assert [each for each in await items_of(store, run.id) if isinstance(each, CallReceived)]
