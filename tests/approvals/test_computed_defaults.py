"""A default that a function computes, such as an id, is computed once for a call, however often it is executed."""

from __future__ import annotations

import json
from itertools import count
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from remit import App, Context, Effect, LeafContext, Policy, Risk, Runtime, Tool, When, tool
from remit.call.schema import Input
from remit.errors import DivergedError
from remit.items import ArgumentsBound
from remit.journal.ports import Store
from remit.journal.replay import ReplayLedger
from remit.layers.validate import bind_arguments
from remit.pipeline import Given, Pipeline, Step
from remit.policies import Ask
from remit.testing import Scripted, calls, make_call, superuser
from remit.tools import Limits, parse_arguments
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser, items_of, runtime_of

ADA = superuser()
NUMBERS = count(1)
Number = Annotated[int, Field(default_factory=NUMBERS.__next__)]
PAY = calls(("pay", {"to": "bob"}))


class Bank:
    """What was paid, each payment with its number."""

    def __init__(self, risk: Risk = Risk.HIGH) -> None:
        self.paid: list[tuple[str, int]] = []

        @tool(effect=Effect.KEYED, risk=risk)
        async def pay(_ctx: LeafContext, to: str, number: Number) -> str:
            """Pay somebody."""
            self.paid.append((to, number))
            return f"paid {number}"

        self.pay: Tool[..., str] = pay


async def test_a_call_with_a_computed_default_is_asked_about_once(store: Store) -> None:
    bank = Bank()
    runtime = runtime_of(Scripted([PAY, "done"]), bank.pay, store=store)
    waiting = await runtime.run("go", by=ADA)
    row = await store.find_question(waiting.questions[0])
    assert row is not None
    await runtime.decide(row.question.id, approved=True, by=ADA)
    assert (await runtime.resume(waiting.run)).status == "done"
    assert bank.paid == [("bob", json.loads(row.question.arguments)["number"])]
    assert (await runtime.replay(waiting.run)).is_identical


async def test_a_call_that_is_made_again_after_a_crash_has_the_same_default() -> None:
    clock, bank = Clock(), Bank(Risk.SAFE)
    store = Mortal(clock)
    runtime = runtime_of(Scripted([PAY, "done"]), bank.pay, store=store, clock=clock)
    store.die_at(4, after=False)  # the end of the call
    with pytest.raises(Crash):
        await runtime.run("go", by=ADA)
    store.revive()
    clock.now += 60
    (row,) = await store.list_runs()
    assert (await runtime.resume(row.run)).status == "done"
    assert len(bank.paid) == 2
    assert len(set(bank.paid)) == 1


async def test_a_body_that_is_executed_again_makes_the_same_calls(store: Store) -> None:
    bank = Bank()

    @tool(effect=Effect.COMPOSED)
    async def order(ctx: Context, number: Number) -> str:
        """Order something, and pay for it."""
        return await ctx.call(bank.pay, to="bob", number=number)

    runtime = Runtime(App(name="shop", tools=(bank.pay, order)), store=store, directory=find_superuser)
    waiting = await runtime.call_by_name("order", parse_arguments("{}", Limits()), by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=ADA)
    done = await runtime.resume(waiting.run)
    assert (done.status, len(bank.paid)) == ("done", 1)
    assert (await runtime.replay(waiting.run)).is_identical


class Order(BaseModel):
    to: str
    number: Number


async def test_a_call_with_a_computed_default_is_not_approved_with_its_pipeline(store: Store) -> None:
    bank = Bank()
    steps = [
        Step(name="unknown", callee=bank.pay, takes={"to": Given("to")}),
        Step(name="known", callee=bank.pay, takes={"to": Given("to"), "number": Given("number")}),
    ]
    orders = Pipeline("orders", Order, steps, description="Pay somebody twice.")
    asks = When("all", lambda call: call.callee.name in ("orders", "pay"), Ask(reason="look"))
    app = App(name="shop", tools=(bank.pay, orders), policy=Policy(asks))
    runtime = Runtime(app, store=store, directory=find_superuser)
    waiting = await runtime.call_by_name("orders", parse_arguments('{"to":"bob"}', Limits()), by=ADA)
    asked: list[tuple[str, int]] = []
    while waiting.questions:
        assert len(asked) < 4, "the same is asked again and again"
        row = await store.find_question(waiting.questions[0])
        assert row is not None
        asked.append((row.question.tool, len(row.question.plan)))
        await runtime.decide(row.question.id, approved=True, by=ADA)
        waiting = await runtime.resume(waiting.run)
    assert asked == [("orders", 0), ("pay", 0), ("pay", 0)]
    assert (waiting.status, len(bank.paid)) == ("done", 2)
    assert (await runtime.replay(waiting.run)).is_identical


async def test_a_pipeline_with_a_computed_default_is_asked_about_with_the_calls_known_beforehand(store: Store) -> None:
    sent: list[int] = []

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def send(_ctx: LeafContext, number: int) -> int:
        """Send a number."""
        sent.append(number)
        return number

    step = Step(name="send", callee=send, takes={"number": Given("number")})
    orders = Pipeline("orders", Order, [step], description="Send a number.")
    never = When("orders", lambda call: call.callee.name == "send", Ask(reason="look"))
    app = App(name="shop", tools=(send, orders), policy=Policy.only(never))
    runtime = Runtime(app, store=store, directory=find_superuser)
    waiting = await runtime.call_by_name("orders", parse_arguments('{"to":"bob"}', Limits()), by=ADA)
    row = await store.find_question(waiting.questions[0])
    assert row is not None
    assert (row.question.tool, len(row.question.plan)) == ("orders", 1)
    await runtime.decide(row.question.id, approved=True, by=ADA)
    assert (await runtime.resume(waiting.run)).status == "done"
    assert sent == [json.loads(row.question.arguments)["number"]]


async def test_only_defaults_that_may_differ_are_recorded(store: Store) -> None:
    @tool(effect=Effect.IDEMPOTENT)
    async def label(_ctx: LeafContext, tags: Annotated[list[str], Field(default_factory=list[str])]) -> int:
        """Label something."""
        return len(tags)

    pay = Bank(Risk.SAFE).pay
    runtime = Runtime(App(name="shop", tools=(label, pay)), store=store)
    for name, arguments, expected in (("label", "{}", 0), ("pay", '{"to":"bob"}', 1)):
        result = await runtime.call_by_name(name, parse_arguments(arguments, Limits()), by=ADA)
        items = await items_of(store, result.run)
        assert sum(isinstance(item, ArgumentsBound) for item in items) == expected


async def test_recorded_arguments_that_the_contract_no_longer_allows_are_not_used() -> None:
    pay = Bank().pay
    recorded = ArgumentsBound(call="call", arguments='{"to":"bob","number":"none"}')
    call = await make_call(pay, '{"to":"bob"}', recorded_items=[recorded])
    bound = bind_arguments(call.replace(id="call"))
    assert json.loads(bound.canonical_arguments)["to"] == "bob"


async def test_a_replay_of_a_journal_without_the_computed_default_differs() -> None:
    call = await make_call(Bank().pay, '{"to":"bob"}')
    with pytest.raises(DivergedError, match=r"^bound of call is not in the journal: .*\bto\b.*\bbob\b"):
        bind_arguments(call.replace(ledger=ReplayLedger("run", ())))


class Nested(BaseModel):
    inner: Order | None = None


class Plain(BaseModel):
    texts: list[str] = Field(default_factory=list)
    counts: dict[str, int] = Field(default_factory=dict[str, int])


def test_an_input_tells_whether_its_defaults_may_differ() -> None:
    assert Input(Nested).computes_defaults
    assert not Input(Plain).computes_defaults
