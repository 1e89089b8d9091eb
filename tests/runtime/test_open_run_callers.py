"""The callers of an open run: each sees its own context, and none waits for itself."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from remit import App, Context, Effect, LeafContext, Risk, Runtime, tool
from remit.record.current_run import CURRENT_RUN
from tests.runtime.open_desk import ADA, BOB

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
