"""A replay of calls that a body makes together, of which a later one ended before the first was on record."""

from __future__ import annotations

import asyncio

import pytest

from remit import App, Ask, Context, Effect, LeafContext, Policy, Runtime, When, tool
from remit.testing import superuser


@pytest.mark.parametrize("first", ["asked about, with a slow preview", "composed"])
async def test_calls_made_together_replay_whichever_ended_first(first: str) -> None:
    has_ended = asyncio.Event()

    async def preview(_ctx: LeafContext, _payload: object) -> str:
        await has_ended.wait()
        return "a payment"

    @tool(effect=Effect.UNSAFE)
    async def pay(to: str) -> str:
        """Pay a person."""
        return f"paid {to}"

    @tool(effect=Effect.UNSAFE)
    async def remark(text: str) -> str:
        """Write a remark."""
        return text

    @tool(effect=Effect.COMPOSED)
    async def slow(ctx: Context) -> str:
        """Write a remark later."""
        await has_ended.wait()
        return await ctx.call(remark, "late")

    pay = pay.with_preview(preview)

    @tool(effect=Effect.COMPOSED)
    async def body(ctx: Context) -> list[str]:
        """Make two calls together."""

        async def second() -> str:
            written = await ctx.call(remark, "early")
            has_ended.set()
            return written

        return list(await asyncio.gather(ctx.call(slow) if first == "composed" else ctx.call(pay, "ada"), second()))

    policy = Policy.only(When("pay", lambda call: call.callee.name == "pay", Ask(reason="a payment")))
    app = App(name="bank", tools=(pay, remark, slow, body), policy=policy)
    runtime = Runtime(app, directory=lambda _n, _t: superuser())
    result = await runtime.call(body, superuser())
    for question in result.questions:
        await runtime.decide(question, approved=True, by=superuser())
        result = await runtime.resume(result.run)
    assert result.status == "done"
    assert (await runtime.replay(result.run)).difference == ""
