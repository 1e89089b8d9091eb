"""Who wants a call to run may not be the one who allows it, where the policy says so; and no run ever may."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from remit import Ask, Effect, LeafContext, Policy, Principal, Risk, Runtime, Stack, When, preset, tool
from remit.app import Env
from remit.errors import RequestError, SetupError
from remit.journal.ports import Store
from remit.layers import Call, CallLayer
from remit.policies import Decision, HighRisk, Question, Verdict
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import AnyTool, World, last_reply, runtime_of

ERASE = calls(("erase", {"text": "about"}))
CONFIRMED = calls(("drop", {"page": "a", "confirmed": True}))
ADA, BOB, CLEO = (superuser(name=name) for name in ("ada", "bob", "cleo"))


def asks(call_name: str = "erase") -> When:
    return When("delete", lambda call: call.callee.name == call_name, Ask(reason="it is gone", four_eyes=True))


POLICIES: dict[str, Callable[[], Policy]] = {
    "of the rule": lambda: Policy.only(asks()),
    "of the policy": lambda: Policy.only(HighRisk(), four_eyes=True),
}


def layers(policy: Policy, approver: object = None) -> Stack[CallLayer]:
    return preset(Env(), policy=policy) if approver is None else preset(Env(approver=approver), policy=policy)  # pyright: ignore[reportArgumentType] - the fakes below


def eraser(world: World) -> AnyTool:
    return world.write("erase", Effect.KEYED, Risk.HIGH)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("approved", [True, False])
async def test_whoever_started_the_run_decides_nothing(store: Store, policy: str, approved: bool) -> None:
    world = World()
    runtime = runtime_of(Scripted([ERASE, "done"]), eraser(world), store=store, layers=layers(POLICIES[policy]()))
    waiting = await runtime.run("go", by=ADA)
    with pytest.raises(
        RequestError, match=r"ada requested the call and may not decide question .*; another approver must"
    ):
        await runtime.decide(waiting.questions[0], approved=approved, by=ADA)
    assert (await runtime.resume(waiting.run)).status == "waiting"
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    assert (await runtime.resume(waiting.run)).status == "done"
    assert world.ran == ["about"]


async def test_without_four_eyes_whoever_started_the_run_may_decide(store: Store) -> None:
    world = World()
    runtime = runtime_of(Scripted([ERASE, "done"]), eraser(world), store=store)
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=ADA)
    assert (await runtime.resume(waiting.run)).status == "done"


async def test_whoever_edited_the_call_does_not_allow_what_they_made_of_it(store: Store) -> None:
    world = World()
    policy = Policy.only(
        When("all", lambda call: '"all"' in call.canonical_arguments, Ask(reason="it is all", four_eyes=True)),
        HighRisk(),
    )
    runtime = runtime_of(Scripted([ERASE, "done"]), eraser(world), store=store, layers=layers(policy))
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB, arguments='{"text":"all"}')
    (second,) = (await runtime.resume(waiting.run)).questions
    for one in (ADA, BOB):
        with pytest.raises(RequestError, match="another approver must"):
            await runtime.decide(second, approved=True, by=one)
    await runtime.decide(second, approved=True, by=CLEO)
    await runtime.resume(waiting.run)
    assert world.ran == ["all"]


@pytest.mark.parametrize("policy", POLICIES)
async def test_an_edited_yes_is_a_request_that_another_approver_must_approve(store: Store, policy: str) -> None:
    world, model = World(), Scripted([ERASE, "done"])
    runtime = runtime_of(model, eraser(world), store=store, layers=layers(POLICIES[policy]()))
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB, arguments='{"text":"all"}')
    again = await runtime.resume(waiting.run)
    assert (again.status, world.ran) == ("waiting", [])
    for one in (ADA, BOB):
        with pytest.raises(RequestError, match="another approver must"):
            await runtime.decide(again.questions[0], approved=True, by=one)
    await runtime.decide(again.questions[0], approved=True, by=CLEO)
    assert ((await runtime.resume(waiting.run)).status, world.ran) == ("done", ["all"])
    assert (await runtime.replay(waiting.run)).is_identical


async def test_two_editors_in_turn_need_a_yes_of_another_to_what_the_last_one_wrote(store: Store) -> None:
    world, model = World(), Scripted([ERASE, "done"])
    runtime = runtime_of(model, eraser(world), store=store, layers=layers(Policy.only(asks())))
    result = await runtime.run("go", by=ADA)
    for by, text in ((BOB, "all"), (CLEO, "most")):
        await runtime.decide(result.questions[0], approved=True, by=by, arguments=f'{{"text":"{text}"}}')
        result = await runtime.resume(result.run)
        assert (result.status, world.ran) == ("waiting", [])
    with pytest.raises(RequestError, match="another approver must"):
        await runtime.decide(result.questions[0], approved=True, by=CLEO)
    await runtime.decide(result.questions[0], approved=True, by=BOB)
    assert ((await runtime.resume(result.run)).status, world.ran) == ("done", ["most"])


async def test_an_approver_of_this_process_does_not_answer_for_whoever_started_the_run(store: Store) -> None:
    class Yes:
        async def decide(self, question: Question, /) -> Decision | None:
            return Decision(question=question.id, approved=True, by="ada")

    world, model = World(), Scripted([ERASE, "done"])
    runtime = runtime_of(model, eraser(world), store=store, layers=layers(Policy.only(asks()), Yes()))
    await runtime.run("go", by=ADA)
    assert (last_reply(model)["reason"], world.ran) == ("ada requested erase, so another approver must decide", [])


async def test_who_allowed_an_announced_call_does_not_make_it(store: Store) -> None:
    ran = list[str]()

    @tool(effect=Effect.KEYED, confirm="confirmed")
    async def drop(_ctx: LeafContext, page: str, confirmed: bool = False) -> str:
        """Drop a page."""
        if confirmed:
            ran.append(page)
        return "dropped" if confirmed else "would drop"

    model = Scripted([calls(("drop", {"page": "a"})), "may I?", CONFIRMED, "done"])
    runtime = runtime_of(model, drop, store=store, layers=layers(Policy.only(asks("drop"))))
    await runtime.run("go", by=ADA, conversation="c")
    (row,) = await store.list_questions()
    run = await runtime.decide(row.question.id, approved=True, by=BOB)
    assert run is not None
    await runtime.cancel(run, by=BOB)
    own = await runtime.run("yes", by=BOB, conversation="c")
    assert (own.status, ran) == ("waiting", []), "the approval is for the call that ada announced"
    with pytest.raises(RequestError, match="bob requested the call"):
        await runtime.decide(own.questions[0], approved=True, by=BOB)


@pytest.mark.parametrize("own", [True, False], ids=["of its own run", "of another run"])
async def test_a_body_decides_nothing_whoever_it_says_it_is(store: Store, own: bool) -> None:
    world, said = World(), list[str]()
    runtimes = list[Runtime]()

    @tool(effect=Effect.PURE)
    async def approve_all() -> str:
        """Approve whatever is open."""
        for row in await store.list_questions():
            for work in (
                runtimes[0].decide(row.question.id, approved=True, by=Principal("root", permissions=frozenset("*"))),
                runtimes[0].grants.create("erase", by=BOB, principal="ada", count=9, expires_in=60),
                runtimes[0].grants.revoke("g", by=BOB),
                asyncio.ensure_future(runtimes[0].decide(row.question.id, approved=True, by=BOB)),
            ):
                try:
                    await work
                except RequestError as error:
                    said.append(error.message)
        return "approved"

    both = calls(("erase", {"text": "about"}), ("approve_all", {}))
    script = [both if own else ERASE, "done"]
    runtimes.append(runtime_of(Scripted(script), eraser(world), approve_all, store=store, parallel=1))
    waiting = await runtimes[0].run("go", by=ADA)
    other = "" if own else (await runtimes[0].call(approve_all, ADA)).run
    refused = f"run {other or waiting.run} may not decide; decisions and grants are made by a person, outside of runs"
    assert said == [refused] * 4
    assert (await runtimes[0].resume(waiting.run)).status == "waiting"
    assert (world.ran, await store.list_grants(tenant="default")) == ([], [])


@dataclass(frozen=True)
class ConfirmErase:
    """A rule of an application, whose verdict is known only when it is called."""

    name: str = "own"

    def __call__(self, call: Call, /) -> Verdict | None:
        return Ask(reason="sure?", kind="confirm") if call.callee.name == "erase" else None


def test_a_policy_under_four_eyes_is_refused_with_a_rule_that_asks_the_acting_user() -> None:
    confirm = When("sure", lambda call: call.callee.name == "erase", Ask(reason="sure?", kind="confirm"))
    assert Policy.only(confirm).rules == (confirm,)
    with pytest.raises(SetupError) as refusal:
        Policy.only(HighRisk(), confirm, four_eyes=True)
    wrong = "the rule 'sure' asks with kind='confirm', but under four_eyes another person approves; drop one"
    assert refusal.value.message == f"Policy: {wrong}"


async def test_a_rule_that_asks_the_acting_user_under_four_eyes_denies_in_one_line(store: Store) -> None:
    world = World()
    policy = Policy.only(ConfirmErase(), four_eyes=True)
    model = Scripted([ERASE, "done"])
    runtime = runtime_of(model, eraser(world), store=store, layers=layers(policy))
    result = await runtime.run("go", by=ADA)
    wrong = "the rule 'own' asks with kind='confirm', but under four_eyes another person approves; drop one"
    reply = last_reply(model)
    assert (reply["errorCode"], reply["error"]) == ("POLICY_ERROR", f"{wrong}; erase is denied")
    assert (result.status, world.ran) == ("done", [])
    assert (await runtime.replay(result.run)).is_identical
