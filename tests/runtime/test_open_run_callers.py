"""The callers of an open run: each sees its own context, and none waits for itself."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from remit import App, Context, Effect, LeafContext, Risk, Runtime, tool
from remit.errors import RequestConflictError
from remit.record.current_run import CURRENT_RUN
from remit.record.items import CallReceived
from tests.runtime.kit import items_of
from tests.runtime.open_desk import ADA, BOB, Desk

pytestmark = pytest.mark.looptime

USER = ContextVar("user", default="nobody")


@tool(effect=Effect.PURE)
async def tell_user(ctx: LeafContext) -> str:
    """Say whose request it is, and in which run."""
    assert CURRENT_RUN.get().run == ctx.run
    return f"{USER.get()} in {ctx.run}"


async def test_a_call_sees_the_context_variables_of_its_own_caller_as_a_direct_call_does() -> None:
    client = Runtime(App(name="test", tools=[tell_user])).client(ADA)
    async with client.open_run() as run:

        async def request(user: str) -> str:
            USER.set(user)
            async with client.open_run(run_id=run.id) as own:
                return (await own.call("tell_user", {})).value()

        for _ in range(2):
            found = await asyncio.gather(*(asyncio.create_task(request(each)) for each in ("alice", "bob")))
            assert found == [f"alice in {run.id}", f"bob in {run.id}"]
            await asyncio.sleep(2)
    assert USER.get() == "nobody"


async def test_a_call_that_a_caller_repeats_after_a_decision_sees_the_context_of_that_caller() -> None:
    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def pay(number: int) -> str:
        """Pay as the user."""
        paid[number] = USER.get()
        return "paid"

    paid = dict[int, str]()
    runtime = Runtime(App(name="test", tools=[pay, tell_user]))
    client, boss = runtime.client(ADA), runtime.client(BOB)
    async with client.open_run() as run:
        USER.set("alice")
        asked = [await run.call("pay", {"number": number}, key=str(number)) for number in range(2)]
        for each in asked:
            await boss.decide(each.questions[0], approved=True)
        USER.set("bob")
        assert (await run.call("pay", {"number": 1}, key="1")).value() == "paid"
    assert paid == {0: "nobody", 1: "bob"}


async def test_a_call_made_in_the_body_of_another_run_is_in_the_open_run_with_the_variables_of_that_body() -> None:
    @tool(effect=Effect.COMPOSED)
    async def relay(ctx: Context) -> str:
        """Call in the open run."""
        USER.set("relay")
        return (await run.call("tell_user", {})).value()

    client = Runtime(App(name="test", tools=[tell_user, relay])).client(ADA)
    async with client.open_run() as run:
        assert (await client.call("relay", {})).value() == f"relay in {run.id}"
        assert (await run.call("tell_user", {})).value() == f"nobody in {run.id}"


async def test_the_body_of_a_call_can_neither_close_its_run_nor_repeat_its_own_key() -> None:
    refused: list[str] = []

    @tool(effect=Effect.PURE)
    async def enter(what: str) -> str:
        """Wait for itself."""
        waiting = run.close() if what == "close" else run.call("enter", {"what": what}, key="1")
        with pytest.raises(RequestConflictError, match="wait for itself") as error:
            await waiting
        refused.append(error.value.message)
        return "refused"

    @tool(effect=Effect.COMPOSED)
    async def nest(ctx: Context) -> str:
        """Close the run in a call within a call, and in a run of its own."""
        await client.call("enter", {"what": "close"})
        return await ctx.call(enter, "close")

    client = Runtime(App(name="test", tools=[enter, nest])).client(ADA)
    async with client.open_run() as run:
        assert (await run.call("enter", {"what": "repeat"}, key="1")).value() == "refused"
        assert (await run.call("enter", {"what": "close"})).value() == "refused"
        assert (await run.call("nest", {})).value() == "refused"
        assert (await run.close()).value() == {"calls": 3, "failed": 0, "denied": 0}
    assert ["enter" in each for each in refused] == [False, True, False, False]
    assert [each.split("; ")[1] for each in refused] == ["use another key", *["close it after the call"] * 3]


async def test_calls_that_would_wait_for_each_other_are_refused_whatever_they_wait_for() -> None:
    refused: list[str] = []

    @tool(effect=Effect.PURE)
    async def wait_for(own: str, other: str) -> str:
        """Repeat the key of another call, or close its run, once that runs too."""
        await asyncio.sleep(1 if own == "a" else 2)
        try:
            if other == "close":
                return (await runs[0].close()).status
            waited = await runs["ab".index(other) % len(runs)].call("wait_for", calls[other], key=other)
            return waited.value()
        except RequestConflictError as error:
            refused.append(error.message)
            return "refused"

    client = Runtime(App(name="test", tools=[wait_for])).client(ADA)
    for several, second in ((False, "a"), (True, "a"), (True, "close")):
        calls = {"a": {"own": "a", "other": "b"}, "b": {"own": "b", "other": second}}
        async with client.open_run() as one, client.open_run() as two:
            runs = [one, two] if several else [one]
            made = (runs["ab".index(each) % len(runs)].call("wait_for", calls[each], key=each) for each in "ab")
            async with asyncio.timeout(5):
                assert [each.value() for each in await asyncio.gather(*made)] == ["refused", "refused"]
    cycle = (
        "the call with the key 'a' waits for the one that repeats it: each would wait for the other; use another key"
    )
    closing = (
        f"run {one.id} cannot be closed in a call for which its call of wait_for waits: each would wait for the other"
    )
    assert refused == [cycle, cycle, f"{closing}; close it after the call"]


async def test_a_body_that_waits_for_the_end_of_another_run_is_waited_for_by_no_call_of_that() -> None:
    @tool(effect=Effect.PURE)
    async def close() -> str:
        """Close the other run."""
        return (await other.close()).status

    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Repeat the call that closes the run of this call."""
        await asyncio.sleep(1)
        with pytest.raises(RequestConflictError, match="each would wait for the other"):
            await run.call("close", {}, key="1")
        return "refused"

    client = Runtime(App(name="test", tools=[close, wait])).client(ADA)
    async with client.open_run() as run, client.open_run() as other, asyncio.timeout(5):
        waiting = asyncio.create_task(other.call("wait", {}))
        await asyncio.sleep(0.1)
        assert (await run.call("close", {}, key="1")).value() == "done"
        assert (await waiting).value() == "refused"


async def test_a_body_that_enters_its_own_run_leaves_it_without_waiting_for_itself() -> None:
    @tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
    async def enter(ctx: LeafContext) -> str:
        """Enter the run in a block of its own."""
        if ctx.run != resumed.id:
            began.set()
            await left.wait()
        async with client.open_run(run_id=ctx.run) as own:
            return (await own.call("tell_user", {})).value()

    began, left = asyncio.Event(), asyncio.Event()
    runtime = Runtime(App(name="test", tools=[enter, tell_user]))
    client, boss = runtime.client(ADA), runtime.client(BOB)
    async with client.open_run() as resumed:
        asked = await resumed.call("enter", {}, key="1")
    await boss.decide(asked.questions[0], approved=True)
    assert (await client.resume(resumed.id)).status == "open"
    async with client.open_run(run_id=resumed.id) as again:
        assert (await again.call("enter", {}, key="1")).value() == f"nobody in {resumed.id}"
    async with client.open_run() as run:
        asked = await run.call("enter", {}, key="1")
        await boss.decide(asked.questions[0], approved=True)
        call = asyncio.create_task(run.call("enter", {}, key="1"))
        await began.wait()
        left.set()
    assert (await call).value() == f"nobody in {run.id}"


async def test_a_body_makes_calls_in_its_run_although_that_is_about_to_continue_a_decided_call() -> None:
    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def pay() -> str:
        """Pay."""
        return "paid"

    @tool(effect=Effect.PURE)
    async def work() -> str:
        """Repeat the decided call, and make another."""
        began.set()
        await decided.wait()
        repeated = await run.call("pay", {}, key="1")
        return f"{repeated.status}, {(await run.call('tell_user', {})).value()}"

    began, decided = asyncio.Event(), asyncio.Event()
    runtime = Runtime(App(name="test", tools=[pay, work, tell_user]))
    async with runtime.client(ADA).open_run() as run:
        asked = await run.call("pay", {}, key="1")
        working = asyncio.create_task(run.call("work", {}))
        await began.wait()
        await runtime.client(BOB).decide(asked.questions[0], approved=True)
        repeated = asyncio.create_task(run.call("pay", {}, key="1"))
        await asyncio.sleep(0.5)
        decided.set()
        assert (await working).value() == f"waiting, nobody in {run.id}"
        assert (await repeated).value() == "paid"
        assert (await run.close()).value() == {"calls": 3, "failed": 0, "denied": 0}


async def test_a_call_for_which_another_caller_waits_is_not_cancelled_with_one() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        callers = [asyncio.create_task(run.call("linger", {"seconds": 5}, key="1")) for _ in range(2)]
        await asyncio.sleep(0.1)
        callers[0].cancel()
        assert (await callers[1]).value() == "done"


async def test_a_call_that_was_not_taken_up_is_forgotten_when_it_is_cancelled() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        call = asyncio.create_task(run.call("write", {"page": "home"}))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
    assert desk.ran == []
    assert not [each for each in await items_of(desk.store, run.id) if isinstance(each, CallReceived)]
