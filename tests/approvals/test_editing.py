"""A person may edit what an agent wants to do, and what runs is exactly what they wrote, if the policy lets them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import (
    Agent,
    App,
    Ask,
    Block,
    Context,
    Effect,
    LeafContext,
    Policy,
    Principal,
    Risk,
    Runtime,
    Stack,
    When,
    preset,
    tool,
)
from remit.app import Env
from remit.errors import InternalError, RequestError
from remit.journal.ports import Store
from remit.layers import Call, CallLayer, CallService, Reply, layer_fn
from remit.policies import Decision, Question
from remit.record.items import DecisionItem, QuestionItem
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import World, find_superuser, items_of, last_reply, runtime_of, tool_messages

PAY = calls(("pay", {"to": "bob", "cents": 500}))
BOSS = Principal("boss", permissions=frozenset({"approvals:decide", "money:much"}))
CLERK = Principal("clerk", permissions=frozenset({"approvals:decide"}))


def cents(call: Call) -> int:
    return json.loads(call.canonical_arguments).get("cents", 0)


def policy() -> Policy:
    return Policy.only(
        When("never", lambda call: cents(call) > 100_000, Block(reason="nobody pays that")),
        When("much", lambda call: cents(call) > 10_000, Ask(reason="it is much", who="money:much")),
        When("some", lambda call: cents(call) > 100, Ask(reason="it is money")),
    )


class Till:
    """What was paid."""

    def __init__(self, effect: Effect = Effect.KEYED) -> None:
        self.paid: list[tuple[str, int]] = []

        @tool(effect=effect)
        async def pay(_ctx: LeafContext, to: str, cents: int, note: str = "") -> dict[str, Any]:
            """Pay somebody."""
            if to == "nobody":
                raise InternalError("nobody is there")
            self.paid.append((to, cents))
            return {"paid": cents, "to": to}

        self.pay = pay


def waiter(till: Till, store: Store, *script: Any) -> tuple[Runtime, Scripted]:
    model = Scripted([*(script or (PAY,)), "done"])
    return runtime_of(model, till.pay, store=store, policy=policy()), model


async def asked_of(store: Store, run: str) -> list[Question]:
    return [Question.from_json(item.body) for item in await items_of(store, run) if isinstance(item, QuestionItem)]


async def test_exactly_the_edited_arguments_run_and_the_journal_shows_both(store: Store) -> None:
    till = Till()
    runtime, _ = waiter(till, store)
    waiting = await runtime.run("go", by=superuser())
    edit = '{ "cents": 300, "to": "bob" }'
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments=edit)
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert till.paid == [("bob", 300)]
    items = await items_of(store, waiting.run)
    (question,) = [Question.from_json(item.body) for item in items if isinstance(item, QuestionItem)]
    (decision,) = [Decision.from_json(item.body) for item in items if isinstance(item, DecisionItem)]
    assert question.arguments == '{"cents":500,"note":"","to":"bob"}'
    assert decision.arguments == '{"cents":300,"note":"","to":"bob"}'
    assert (await runtime.replay(waiting.run)).is_identical


async def test_the_model_reads_that_a_person_edited_the_arguments_and_what_ran(store: Store) -> None:
    till = Till()
    runtime, model = waiter(till, store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"eve","cents":1}')
    await runtime.resume(waiting.run)
    assert last_reply(model) == {
        "edited": True,
        "note": "clerk edited the arguments of this call and allowed it so; it ran with these, not yours",
        "arguments": {"cents": 1, "note": "", "to": "eve"},
        "result": {"paid": 1, "to": "eve"},
    }


async def test_an_edited_call_that_fails_says_that_it_was_edited(store: Store) -> None:
    till = Till()
    runtime, model = waiter(till, store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"nobody","cents":1}')
    await runtime.resume(waiting.run)
    reply = last_reply(model)
    assert (reply["success"], reply["error"], reply["errorCode"]) == (False, "nobody is there", "INTERNAL_ERROR")
    assert (reply["edited"], reply["arguments"]["to"]) == (True, "nobody")
    assert (await runtime.replay(waiting.run)).is_identical


async def test_arguments_that_are_the_same_are_no_edit(store: Store) -> None:
    runtime, model = waiter(Till(), store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"note":"","to":"bob","cents":500}')
    await runtime.resume(waiting.run)
    assert last_reply(model) == {"paid": 500, "to": "bob"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"to":"bob","cents":"300"}', "cents: Input should be a valid integer"),
        ('{"to":"bob","cents":300,"tip":1}', "tip: no such parameter"),
        ('{"to":"bob"}', "cents: Field required"),
        ('{"to":"bob","cents":1,"cents":2}', "the key 'cents' occurs twice"),
        ("300", "the arguments must be a JSON object"),
    ],
)
async def test_arguments_that_the_contract_does_not_allow_are_refused_and_nothing_is_decided(
    store: Store, arguments: str, said: str
) -> None:
    till = Till()
    runtime, _ = waiter(till, store)
    waiting = await runtime.run("go", by=superuser())
    with pytest.raises(RequestError, match=said):
        await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments=arguments)
    assert (await runtime.resume(waiting.run)).status == "waiting"
    assert till.paid == []


async def test_a_no_edits_nothing(store: Store) -> None:
    runtime, _ = waiter(Till(), store)
    waiting = await runtime.run("go", by=superuser())
    with pytest.raises(RequestError, match="arguments can be edited only when approving"):
        await runtime.decide(waiting.questions[0], approved=False, by=CLERK, arguments='{"to":"bob","cents":1}')


async def test_a_tool_that_changed_since_it_was_asked_about_is_not_edited(store: Store) -> None:
    runtime, _ = waiter(Till(), store)
    waiting = await runtime.run("go", by=superuser())

    @tool(effect=Effect.KEYED)
    async def pay(_ctx: LeafContext, to: str, cents: int) -> str:
        """Pay somebody else."""
        return to

    changed = runtime_of(Scripted([]), pay, store=store, policy=policy())
    with pytest.raises(RequestError, match=r"pay has changed since question .* was opened; resume run"):
        await changed.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"bob","cents":1}')


async def test_an_edit_that_the_policy_blocks_does_not_run(store: Store) -> None:
    till = Till()
    runtime, model = waiter(till, store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"bob","cents":200000}')
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert (last_reply(model)["errorCode"], till.paid) == ("BLOCKED", [])


async def test_an_edit_about_which_another_rule_asks_is_asked_about_anew_and_the_first_yes_is_used_up(
    store: Store,
) -> None:
    till = Till()
    runtime, model = waiter(till, store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"bob","cents":20000}')
    again = await runtime.resume(waiting.run)
    assert (again.status, till.paid) == ("waiting", [])
    first, second = await asked_of(store, waiting.run)
    assert again.questions == (second.id,)
    assert (second.arguments, second.rule, second.who) == (
        '{"cents":20000,"note":"","to":"bob"}',
        "much",
        "money:much",
    )
    assert (second.edits, second.editor, second.reason) == (first.id, "clerk", "it is much; clerk edited it")
    used = await store.find_question(first.id)
    assert used is not None
    assert used.status == "taken"
    with pytest.raises(RequestError, match="missing permission money:much"):
        await runtime.decide(second.id, approved=True, by=CLERK)
    await runtime.decide(second.id, approved=True, by=BOSS)
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert till.paid == [("bob", 20000)]
    assert last_reply(model)["note"].startswith("clerk edited the arguments")
    assert (await runtime.replay(waiting.run)).is_identical


async def test_an_edited_call_may_be_edited_again_and_denied(store: Store) -> None:
    till = Till()
    runtime, model = waiter(till, store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"bob","cents":20000}')
    (second,) = (await runtime.resume(waiting.run)).questions
    await runtime.decide(second, approved=False, by=BOSS, reason="too much")
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert (last_reply(model)["reason"], till.paid) == ("too much", [])


async def test_an_edit_to_what_no_rule_asks_about_runs_at_once(store: Store) -> None:
    till = Till()
    runtime, _ = waiter(till, store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"bob","cents":1}')
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert till.paid == [("bob", 1)]


async def test_a_layer_further_in_that_changes_an_edited_call_breaks_the_seal(store: Store) -> None:
    till = Till()

    @layer_fn
    async def original(call: Call, inner: CallService) -> Reply:
        if call.callee.name == "pay":
            call = call.replace(payload=till.pay.schema_in.model(to="bob", cents=500))
        return await inner(call)

    layers = Stack[CallLayer](preset(Env(), policy=policy()), original())
    model = Scripted([PAY, "done"])
    runtime = runtime_of(model, till.pay, store=store, layers=layers)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"bob","cents":300}')
    await runtime.resume(waiting.run)
    assert (last_reply(model)["errorCode"], till.paid) == ("SEAL_BROKEN", [])


@pytest.mark.parametrize("edited_twice", [False, True], ids=["once", "asked again"])
async def test_a_keyed_call_whose_process_died_runs_again_as_it_was_edited(store: Store, edited_twice: bool) -> None:
    ran = list[int]()

    class Crash(BaseException):
        """The process dies here."""

    @tool(effect=Effect.KEYED)
    async def pay(ctx: LeafContext, to: str, cents: int) -> int:
        """Pay somebody."""
        ran.append(cents)
        if len(ran) == 1:
            raise Crash
        return cents

    runtime = runtime_of(Scripted([PAY, "done"]), pay, store=store, policy=policy())
    waiting = await runtime.run("go", by=superuser())
    amount = 20000 if edited_twice else 300
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments=f'{{"to":"bob","cents":{amount}}}')
    if edited_twice:
        (second,) = (await runtime.resume(waiting.run)).questions
        await runtime.decide(second, approved=True, by=BOSS)
    with pytest.raises(Crash):
        await runtime.resume(waiting.run)
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert ran == [amount, amount]
    (message,) = await tool_messages(runtime, waiting.run)
    assert (json.loads(message)["edited"], json.loads(message)["result"]) == (True, str(amount))


async def test_a_python_caller_gets_the_value_of_what_ran(store: Store) -> None:
    till, seen = Till(), list[Any]()

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context, to: str) -> str:
        """Pay through another."""
        seen.append(await ctx.call(till.pay, to, 500))
        return "outer"

    model = Scripted([calls(("outer", {"to": "bob"})), "done"])
    asks = Policy(When("pay", lambda call: call.callee.name == "pay", Ask(reason="money")))
    app = App(name="test", agents=(Agent("agent", instructions="Pay.", tools=[outer]),), tools=(till.pay,), policy=asks)
    runtime = Runtime(app, model=model, store=store, directory=find_superuser)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"to":"eve","cents":7}')
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert (till.paid, seen) == ([("eve", 7)], [{"paid": 7, "to": "eve"}])


async def test_an_edited_composed_call_is_driven_with_the_edited_arguments(store: Store) -> None:
    world = World()
    write = world.write()

    @tool(effect=Effect.COMPOSED, risk=Risk.HIGH)
    async def outer(ctx: Context, text: str) -> str:
        """Write through another."""
        return await ctx.call(write, text)

    runtime = runtime_of(Scripted([calls(("outer", {"text": "a"})), "done"]), outer, write, store=store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=CLERK, arguments='{"text":"b"}')
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert world.texts == ["b"]
    assert (await runtime.replay(waiting.run)).is_identical


async def test_what_is_announced_may_be_edited_but_stays_confirmed(store: Store) -> None:
    ran = list[str]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
    async def drop(_ctx: LeafContext, page: str, confirmed: bool = False) -> str:
        """Drop a page."""
        if confirmed:
            ran.append(page)
        return "dropped" if confirmed else "would drop"

    runtime = runtime_of(Scripted([calls(("drop", {"page": "a"})), "may I?", "done"]), drop, store=store)
    assert (await runtime.run("go", by=superuser(), conversation="c")).status == "done"
    (row,) = await store.list_questions()
    for unset in ('{"page":"b"}', '{"page":"b","confirmed":false}'):
        with pytest.raises(RequestError, match="confirmed must stay true"):
            await runtime.decide(row.question.id, approved=True, by=CLERK, arguments=unset)
    edit = '{"page":"b","confirmed":true}'
    run = await runtime.decide(row.question.id, approved=True, by=CLERK, arguments=edit)
    assert run is not None
    assert (await runtime.resume(run)).value() == "done"
    assert ran == ["b"]
