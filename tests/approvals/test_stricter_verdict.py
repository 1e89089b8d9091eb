"""An approval holds for what was asked: a stricter verdict, another principal or payload needs another one."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pydantic import BaseModel

from remit import App, Ask, Effect, LeafContext, Policy, Principal, Risk, Runtime, When, tool
from remit.app import Env
from remit.layers import Call
from remit.policies import Decision, Question, Verdict
from remit.testing import superuser
from remit.tools import Preview

ADA, BOSS = Principal("ada"), superuser(name="boss")
BOB = Principal("bob", permissions=frozenset({"conversations:join"}))


@pytest.mark.parametrize(
    "later",
    [
        Ask(reason="board", who="money:board"),
        Ask(reason="board", kind="approve"),
    ],
    ids=["other permission", "approval"],
)
async def test_a_stricter_verdict_asks_anew_although_the_call_was_approved(later: Ask) -> None:
    is_strict, paid = [False], list[str]()

    @tool(effect=Effect.UNSAFE)
    async def pay(to: str) -> str:
        """Pay."""
        paid.append(to)
        return to

    rules = (
        When("money", lambda _call: is_strict[0], later),
        When("small", lambda _call: True, Ask(reason="small", kind="confirm")),
    )
    runtime = Runtime(App(name="shop", tools=[pay], policy=Policy.only(*rules)))
    waiting = await runtime.call(pay, ADA, "carl")
    await runtime.decide(waiting.questions[0], approved=True, by=ADA, kind="confirm")
    is_strict[0] = True
    again = await runtime.resume(waiting.run)
    assert (again.status, paid) == ("waiting", [])
    assert again.questions != waiting.questions


async def test_an_approval_by_one_person_does_not_serve_once_the_rule_asks_for_four_eyes() -> None:
    paid, asked = list[str](), Ask(reason="money")

    @tool(effect=Effect.UNSAFE)
    async def pay(to: str) -> str:
        """Pay."""
        paid.append(to)
        return to

    class Money:
        name = "money"

        def __call__(self, _call: Call, /) -> Verdict | None:
            return asked

    runtime = Runtime(App(name="shop", tools=[pay], policy=Policy.only(Money())))
    waiting = await runtime.call(pay, BOSS, "carl")
    await runtime.decide(waiting.questions[0], approved=True, by=BOSS)
    asked = Ask(reason="money", four_eyes=True)
    assert (await runtime.resume(waiting.run)).status == "waiting"
    assert paid == []


async def test_an_announced_call_is_approved_for_the_principal_who_announced_it() -> None:
    closed = list[str]()

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH, confirm="confirmed")
    async def close(ctx: LeafContext, confirmed: bool = False) -> str:
        """Close the account of the acting user."""
        if confirmed:
            closed.append(ctx.caller.principal.name)
        return "closed" if confirmed else "would close"

    runtime = Runtime(App(name="bank", tools=[close]))
    await runtime.call_in_conversation("talk", close, ADA, False)
    (row,) = await runtime.store.list_questions()
    await runtime.decide(row.question.id, approved=True, by=BOSS)
    assert (await runtime.call_in_conversation("talk", close, BOB, True)).status == "waiting"
    assert closed == []


class Payment(BaseModel):
    to: list[str]
    euros: int


async def test_a_preview_that_changes_its_payload_does_not_change_what_runs() -> None:
    paid = list[Payment]()

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def pay(payment: Payment) -> str:
        """Pay."""
        paid.append(payment)
        return "paid"

    async def preview(_ctx: LeafContext, payload: Any) -> Preview:
        payload.to.append("mallory")
        payload.euros += 1000
        return Preview("a payment", state="r1")

    previewed = pay.with_preview(preview)
    runtime = Runtime(App(name="bank", tools=[previewed]))
    waiting = await runtime.call(previewed, BOSS, Payment(to=["carl"], euros=5))
    await runtime.decide(waiting.questions[0], approved=True, by=BOSS)
    await runtime.resume(waiting.run)
    assert paid == [Payment(to=["carl"], euros=5)]


class Hasty:
    """Approves at once."""

    async def decide(self, question: Question, /) -> Decision | None:
        return Decision(question=question.id, approved=True, by="boss")


async def test_a_state_that_changes_after_each_answer_ends_the_call_with_one_error() -> None:
    states = list[int]()

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def erase(title: str) -> str:
        """Erase a page."""
        return title

    async def preview(_ctx: LeafContext, _payload: Any) -> Preview:
        states.append(len(states))
        return Preview("a page", state=str(len(states)))

    previewed = erase.with_preview(preview)
    env = Env(approver=cast("Any", Hasty()))
    result = await Runtime(App(name="cms", tools=[previewed], env=env)).call(previewed, ADA, "news")
    assert result.status == "failed"
    assert "erase has changed after each of 20 approvals" in result.text
