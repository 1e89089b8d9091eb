"""Any number of Approve layers with policies of their own: each asks its own question, and none asks for ever."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from remit import Agent, Allow, App, Ask, Effect, LeafContext, Policy, Principal, Runtime, Stack, When, preset, tool
from remit.app import Env
from remit.errors import RequestError
from remit.journal.ports import Store
from remit.layers import Approve, Call, CallLayer
from remit.policies import Decision, Question
from remit.record.items import QuestionItem
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import AnyTool, find_superuser, items_of, loosen

ADA, BOB, CLEO = (superuser(name=name) for name in ("ada", "bob", "cleo"))
PAY = calls(("pay", {"to": "carl", "cents": 500}))


def cents(call: Call) -> int:
    return json.loads(call.canonical_arguments).get("cents", 0)


def asks(name: str, *, above: int = 0, **more: Any) -> Policy:
    """A policy that asks about payments above an amount."""
    return Policy.only(When(name, lambda call: cents(call) > above, Ask(reason=f"{name} asks", **more)))


class Till:
    """What was paid."""

    def __init__(self) -> None:
        self.paid: list[int] = []

        @tool(effect=Effect.KEYED)
        async def pay(_ctx: LeafContext, to: str, cents: int) -> str:
            """Pay an amount."""
            self.paid.append(cents)
            return f"paid {cents}"

        self.pay = pay


def approve(policy: Policy, approver: Any = None) -> Approve:
    return Approve(Env() if approver is None else Env(approver=approver), policy=policy)


def at_run(till: Till, store: Store, run: Policy, agent: Policy | None, tool: Policy | None, **more: Any) -> Runtime:
    """A runtime with a policy at each scope."""
    pay: AnyTool = till.pay if tool is None else till.pay.layer(approve(tool, **more))
    clerk = Agent("clerk", instructions="Pay.", tools=[pay])
    clerk = clerk if agent is None else clerk.layer(approve(agent, **more))
    return Runtime(
        App(name="office", agents=(clerk,), env=Env(**more), policy=run),
        model=Scripted([PAY, "done"]),
        store=store,
        directory=find_superuser,
    )


async def decide_all(runtime: Runtime, run: str, by: Principal = ADA) -> list[str]:
    """Approve each question as it comes; the rules that asked."""
    rules = list[str]()
    result = await runtime.resume(run)
    while result.status == "waiting":
        assert len(rules) < 10, "the same is asked again and again"
        (question,) = result.questions
        row = await runtime.store.find_question(question)
        assert row is not None
        rules.append(row.question.rule)
        await runtime.decide(question, approved=True, by=by)
        result = await runtime.resume(run)
    assert result.status == "done"
    return rules


SCOPES: dict[str, tuple[bool, bool]] = {
    "run and agent": (True, False),
    "run and tool": (False, True),
    "run, agent and tool": (True, True),
}


@pytest.mark.every_store
@pytest.mark.parametrize("scopes", SCOPES)
async def test_each_policy_asks_its_own_question_once(store: Store, scopes: str) -> None:
    agent, of_tool = SCOPES[scopes]
    till = Till()
    runtime = at_run(till, store, asks("run"), asks("agent") if agent else None, asks("tool") if of_tool else None)
    waiting = await runtime.run("go", by=ADA)
    expected = ["run", *(["agent"] if agent else []), *(["tool"] if of_tool else [])]
    assert await decide_all(runtime, waiting.run) == expected
    assert till.paid == [500]
    rows = await store.list_questions(only_open=False)
    assert [row.status for row in rows] == ["taken"] * len(expected)
    assert (await runtime.replay(waiting.run)).is_identical


async def test_two_policies_at_one_scope_ask_one_after_the_other(store: Store) -> None:
    till = Till()
    layers = Stack[CallLayer](preset(Env(), policy=asks("first")), approve(asks("second")))
    agent = Agent("clerk", instructions="Pay.", tools=[till.pay])
    app = App(name="office", agents=(agent,))
    runtime = Runtime(app, model=Scripted([PAY, "done"]), store=store, layers=layers, directory=find_superuser)
    waiting = await runtime.run("go", by=ADA)
    assert await decide_all(runtime, waiting.run) == ["first", "second"]
    assert till.paid == [500]


async def test_one_policy_at_two_scopes_asks_one_question(store: Store) -> None:
    till, policy = Till(), asks("pay")
    runtime = at_run(till, store, policy, None, policy)
    waiting = await runtime.run("go", by=ADA)
    assert await decide_all(runtime, waiting.run) == ["pay"]
    assert till.paid == [500]


@pytest.mark.parametrize("denied", ["run", "tool"])
async def test_one_denial_is_enough(store: Store, denied: str) -> None:
    till = Till()
    runtime = at_run(till, store, asks("run"), None, asks("tool"))
    result = await runtime.run("go", by=ADA)
    while result.status == "waiting":
        row = await store.find_question(result.questions[0])
        assert row is not None
        await runtime.decide(result.questions[0], approved=row.question.rule != denied, by=ADA)
        result = await runtime.resume(result.run)
    assert (result.status, till.paid) == ("done", [])


@pytest.mark.parametrize("who", ["run", "tool"])
async def test_each_question_needs_the_permission_of_its_own_rule(store: Store, who: str) -> None:
    till = Till()
    runtime = at_run(till, store, asks("run", who="money:run"), None, asks("tool", who="money:tool"))
    waiting = await runtime.run("go", by=ADA)
    if who == "tool":
        await runtime.decide(waiting.questions[0], approved=True, by=ADA)
        waiting = await runtime.resume(waiting.run)
    other = Principal("eve", permissions=frozenset({"money:tool" if who == "run" else "money:run"}))
    with pytest.raises(RequestError, match=f"missing permission money:{who}"):
        await runtime.decide(waiting.questions[0], approved=True, by=other)


def edited(amount: int) -> str:
    return json.dumps({"to": "carl", "cents": amount})


@pytest.mark.parametrize("outer_asks", [True, False], ids=["asked about", "allowed"])
async def test_what_an_inner_approver_edits_is_put_to_the_outer_policy_too(store: Store, outer_asks: bool) -> None:
    till = Till()
    runtime = at_run(till, store, asks("run", above=400 if outer_asks else 700), None, asks("tool"))
    result = await runtime.run("go", by=ADA)
    if outer_asks:
        await runtime.decide(result.questions[0], approved=True, by=BOB)
        result = await runtime.resume(result.run)
    await runtime.decide(result.questions[0], approved=True, by=BOB, arguments=edited(900))
    result = await runtime.resume(result.run)
    assert (result.status, till.paid) == ("waiting", [])
    row = await store.find_question(result.questions[0])
    assert row is not None
    assert (row.question.rule, row.question.editor) == ("run", "bob")
    assert json.loads(row.question.arguments)["cents"] == 900
    assert await decide_all(runtime, result.run) == ["run"]
    assert till.paid == [900]
    assert all(row.status == "taken" for row in await store.list_questions(only_open=False) if row.decision)
    assert (await runtime.replay(result.run)).is_identical


async def test_approvers_may_edit_back_and_forth_and_the_last_edit_runs(store: Store) -> None:
    till = Till()
    runtime = at_run(till, store, asks("run"), None, asks("tool"))
    result = await runtime.run("go", by=ADA)
    asked = list[tuple[str, int]]()
    for amount in (600, 500, 600, 700, None, None):
        row = await store.find_question(result.questions[0])
        assert row is not None
        asked.append((row.question.rule, json.loads(row.question.arguments)["cents"]))
        changes = edited(amount) if amount else ""
        await runtime.decide(result.questions[0], approved=True, by=BOB, arguments=changes)
        result = await runtime.resume(result.run)
        if result.status == "done":
            break
    assert asked == [("run", 500), ("tool", 600), ("run", 500), ("tool", 600), ("run", 700)]
    assert (result.status, till.paid) == ("done", [700])
    assert (await runtime.replay(result.run)).is_identical


async def test_approvers_of_this_process_answer_for_each_policy_in_one_go(store: Store) -> None:
    seen = list[str]()

    class Yes:
        async def decide(self, question: Question, /) -> Decision | None:
            seen.append(question.rule)
            arguments = edited(300) if question.rule == "tool" else ""
            arguments = "" if arguments == question.arguments else arguments
            return Decision(question=question.id, approved=True, by="bob", arguments=arguments)

    till = Till()
    runtime = at_run(till, store, asks("run"), None, asks("tool"), approver=Yes())
    result = await runtime.run("go", by=ADA)
    assert (result.status, seen, till.paid) == ("done", ["run", "tool", "run"], [300])


def four_eyes_at(outer: bool) -> tuple[Policy, Policy]:
    return asks("run", four_eyes=outer), asks("tool", four_eyes=not outer)


@pytest.mark.parametrize("outer", [True, False], ids=["outer", "inner"])
async def test_four_eyes_of_one_policy_bar_who_edited_under_the_other(store: Store, outer: bool) -> None:
    till = Till()
    run, of_tool = four_eyes_at(outer)
    runtime = at_run(till, store, run, None, of_tool)
    result = await runtime.run("go", by=ADA)
    await runtime.decide(result.questions[0], approved=True, by=BOB)
    result = await runtime.resume(result.run)
    await runtime.decide(result.questions[0], approved=True, by=BOB, arguments=edited(900))
    result = await runtime.resume(result.run)
    while result.status == "waiting":
        row = await store.find_question(result.questions[0])
        assert row is not None
        if row.question.four_eyes:
            for one in (ADA, BOB):
                with pytest.raises(RequestError, match="another approver must"):
                    await runtime.decide(row.question.id, approved=True, by=one)
        await runtime.decide(row.question.id, approved=True, by=CLEO)
        result = await runtime.resume(result.run)
    assert (result.status, till.paid) == ("done", [900])


async def test_a_policy_that_allows_leaves_the_question_to_the_others(store: Store) -> None:
    till = Till()
    runtime = at_run(till, store, Policy.only(When("all", lambda _call: True, Allow())), None, asks("tool"))
    waiting = await runtime.run("go", by=ADA)
    assert await decide_all(runtime, waiting.run) == ["tool"]
    (question,) = [item for item in await items_of(store, waiting.run) if isinstance(item, QuestionItem)]
    assert Question.from_json(question.body).layer == 1


SHARED = asks("new")
CHANGES: dict[str, Callable[[Policy, Policy], tuple[Policy, Policy | None]]] = {
    "the outer policy": lambda _run, of_tool: (asks("new"), of_tool),
    "the inner policy": lambda run, _tool: (run, asks("new")),
    "both policies": lambda _run, _tool: (asks("new"), asks("newer")),
    "both policies, to one": lambda _run, _tool: (SHARED, SHARED),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_policy_that_changes_while_its_question_is_open_asks_anew(store: Store, change: str) -> None:
    till = Till()
    run, of_tool = asks("run"), asks("tool")
    before = at_run(till, store, run, None, of_tool)
    waiting = await before.run("go", by=ADA)
    await before.decide(waiting.questions[0], approved=True, by=ADA)
    waiting = await before.resume(waiting.run)
    new_run, new_tool = CHANGES[change](run, of_tool)
    after = at_run(till, store, new_run, None, new_tool)
    await loosen(after, waiting.run)
    assert len(await decide_all(after, waiting.run)) <= 2
    assert till.paid == [500]
