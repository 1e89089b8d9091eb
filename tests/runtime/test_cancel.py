"""A run can be ended from anywhere: what was done stays, what was open gets its one end, and it never goes on."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from remit import Effect, LeafContext, Principal, Risk, tool
from remit.engine.keeper import CANCEL_POLL_SECONDS
from remit.errors import CallCancelledError, RequestError, SetupError
from remit.journal.memory import InMemoryStore
from remit.journal.sql.store import SqlStore
from remit.record.items import RunFinished, ToolOutput
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.runtime.kit import Clock, Crash, Mortal, World, items_of, runtime_of, tool_messages

TWO = calls(("write", {"text": "a"}), ("erase", {"text": "b"}), ("erase", {"text": "c"}))
MODES = pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])


@MODES
async def test_a_run_that_waits_is_over_when_it_is_cancelled(parallel: int) -> None:
    world, store = World(), InMemoryStore()
    write, erase = world.write(), world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([TWO, "never"]), write, erase, store=store, parallel=parallel)
    waiting = await runtime.run("go", by=superuser())
    assert (waiting.status, world.ran) == ("waiting", ["a"])
    result = await runtime.cancel(waiting.run, by=superuser())
    assert result is not None
    assert result.status == "cancelled"
    with pytest.raises(CallCancelledError):
        result.value()
    assert world.ran == ["a"]
    items = await items_of(store, waiting.run)
    assert isinstance(items[-1], RunFinished)
    assert max(Counter(item.call for item in items if isinstance(item, ToolOutput)).values()) == 1
    assert history_errors(await runtime.history(waiting.run)) == []
    first, *rest = await tool_messages(runtime, waiting.run)
    assert first == "wrote a"
    assert [json.loads(text)["errorCode"] for text in rest] == ["CANCELLED"] * 2


@pytest.mark.parametrize("approved", [True, False])
async def test_a_decision_after_the_end_runs_nothing(approved: bool) -> None:
    world = World()
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([calls(("erase", {"text": "a"})), "never"]), erase)
    waiting = await runtime.run("go", by=superuser())
    await runtime.cancel(waiting.run, by=superuser())
    with contextlib.suppress(RequestError):
        await runtime.decide(waiting.questions[0], approved=approved, by=superuser())
    assert (await runtime.resume(waiting.run)).status == "cancelled"
    assert world.ran == []


async def test_an_approval_that_was_given_before_is_not_used_by_cancelling() -> None:
    world = World()
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([calls(("erase", {"text": "a"})), "never"]), erase)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    await runtime.cancel(waiting.run, by=superuser())
    assert world.ran == []
    assert (await runtime.resume(waiting.run)).status == "cancelled"


@pytest.mark.looptime
@MODES
async def test_a_run_that_is_driven_elsewhere_is_stopped_by_its_driver(parallel: int) -> None:
    begun, stopped = asyncio.Event(), list[str]()

    @tool(effect=Effect.KEYED)
    async def wait(ctx: LeafContext, text: str) -> str:
        """Wait for ever."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(text)
        return "never"

    store = InMemoryStore()
    script = [calls(("wait", {"text": "a"}), ("wait", {"text": "b"})), "never"]
    driving = runtime_of(Scripted(script), wait, store=store, parallel=parallel)
    another = runtime_of(Scripted(script), wait, store=store)
    running = asyncio.create_task(driving.run("go", by=superuser()))
    await begun.wait()
    (row,) = await store.list_runs()
    loop = asyncio.get_running_loop()
    asked = loop.time()
    assert await another.cancel(row.run, by=superuser(name="bob")) is None, "it ends where it is driven"
    result = await running
    assert loop.time() - asked <= CANCEL_POLL_SECONDS
    assert result.status == "cancelled"
    assert stopped == (["a"] if parallel == 1 else ["a", "b"])
    assert history_errors(await another.history(row.run)) == []
    assert (await another.resume(row.run)).status == "cancelled"


async def test_a_run_that_has_ended_stays_as_it_ended() -> None:
    world = World()
    write = world.write()
    runtime = runtime_of(Scripted([]), write)
    done = await runtime.call(write, superuser(), "a")
    result = await runtime.cancel(done.run, by=superuser())
    assert result is not None
    assert (result.status, result.value()) == ("done", "wrote a")


async def test_a_run_whose_process_died_is_over_when_it_is_cancelled() -> None:
    world, clock = World(), Clock()
    store = Mortal(clock)
    runtime = runtime_of(
        Scripted([calls(("write", {"text": "a"})), "never"]),
        world.write("write", Effect.UNSAFE),
        store=store,
        clock=clock,
    )
    store.die_at(4, after=False)
    with pytest.raises(Crash):
        await runtime.run("go", by=superuser())
    store.revive()
    clock.now += 60
    (row,) = await store.list_runs()
    result = await runtime.cancel(row.run, by=superuser())
    assert result is not None
    assert result.status == "cancelled"
    assert world.ran == ["a"]
    assert history_errors(await runtime.history(row.run)) == []


async def test_a_run_of_another_tenant_looks_like_none_and_goes_on() -> None:
    world = World()
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([calls(("erase", {"text": "a"})), "done"]), erase)
    waiting = await runtime.run("go", by=Principal("ada", "bakery", permissions=frozenset({"*"})))
    for run in (waiting.run, "nowhere"):
        with pytest.raises(RequestError, match=f"run {run} does not exist"):
            await runtime.cancel(run, by=Principal("bob", "butcher", permissions=frozenset({"*"})))
    assert (await runtime.resume(waiting.run)).status == "waiting"


async def test_a_run_that_was_asked_to_end_while_nobody_drove_it_ends_when_it_is_resumed(journal: Path) -> None:
    world, store = World(), SqlStore.at(journal)
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([calls(("erase", {"text": "a"})), "never"]), erase, store=store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    await store.request_cancel(waiting.run, "bob")
    assert (await runtime.resume(waiting.run)).status == "cancelled"
    assert world.ran == []
    await store.close()


async def test_every_call_that_waited_gets_its_end_also_one_after_another() -> None:
    world, store = World(), InMemoryStore()
    write, erase = world.write(), world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([TWO, "never"]), write, erase, store=store, parallel=1)
    waiting = await runtime.run("go", by=superuser())
    await runtime.cancel(waiting.run, by=superuser())
    ends = [item for item in await items_of(store, waiting.run) if isinstance(item, ToolOutput)]
    assert sorted(end.callee for end in ends) == ["agent", "erase", "erase", "write"]


async def test_nobody_is_asked_about_a_run_that_is_over() -> None:
    erase = World().write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([calls(("erase", {"text": "a"})), "never"]), erase)
    waiting = await runtime.run("go", by=superuser())
    await runtime.cancel(waiting.run, by=superuser())
    assert await runtime.store.list_questions() == []


async def test_only_whoever_began_a_run_or_may_cancel_runs_ends_it() -> None:
    runtime = runtime_of(Scripted([calls(("write", {"text": "a"})), "done"]), World().write(risk=Risk.HIGH))
    waiting = await runtime.run("go", by=superuser("approvals:decide", name="ada"))
    with pytest.raises(
        RequestError, match=f"bob may not cancel run {waiting.run} of ada: missing permission runs:cancel"
    ):
        await runtime.cancel(waiting.run, by=superuser("approvals:decide", name="bob"))
    row = await runtime.store.find_run(waiting.run)
    assert row is not None
    assert row.status == "waiting"
    ended = await runtime.cancel(waiting.run, by=superuser("runs:cancel", name="carol"))
    assert ended is not None
    assert ended.status == "cancelled"


async def test_what_is_no_principal_cancels_nothing() -> None:
    runtime = runtime_of(Scripted([calls(("write", {"text": "a"})), "done"]), World().write(risk=Risk.HIGH))
    waiting = await runtime.run("go", by=superuser())
    by: Any = None
    with pytest.raises(SetupError, match="by is None; give a Principal"):
        await runtime.cancel(waiting.run, by=by)
    assert (await runtime.resume(waiting.run)).status == "waiting"
