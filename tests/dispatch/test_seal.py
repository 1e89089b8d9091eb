"""What runs is exactly what a person approved, once: the base checks it, whatever the layers outside did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from remit import Agent, Allow, App, Ask, Context, Effect, LeafContext, Policy, Risk, Runtime, Stack, Tool, tool
from remit.app import Env
from remit.approvals.from_journal import question_item
from remit.dispatch.base import Base
from remit.errors import ApprovalUsedError, SealError
from remit.layers import Approve, Call, CallLayer, CallService, Reply, Validate, layer_fn
from remit.policies import Decision, Question, Verdict
from remit.record.current_run import CURRENT_RUN, CurrentRun
from remit.record.items import AttemptEnded, AttemptStarted
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.dispatch.kit import Bench, Crash, decided, of_kind

LEAVES = [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED, Effect.UNSAFE]
each_leaf = pytest.mark.parametrize("effect", LEAVES, ids=lambda effect: effect.value)


def eraser(ran: list[str], effect: Effect = Effect.KEYED, description: str = "Erase a page.") -> Tool[[str], str]:
    @tool(effect=effect, risk=Risk.HIGH, description=description)
    async def erase(_ctx: LeafContext, page: str) -> str:
        ran.append(page)
        return "erased"

    return erase


async def taken_by(bench: Bench, question: Question) -> tuple[str, str] | None:
    row = await bench.store.find_question(question.id)
    assert row is not None
    return row.consumed_by


@each_leaf
async def test_what_was_approved_runs_and_takes_the_approval_as_it_starts(effect: Effect) -> None:
    ran = list[str]()
    erase = eraser(ran, effect)
    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    question = await bench.approve(call)
    assert (await Base(erase, bench.door)(call)).value == "erased"
    assert await taken_by(bench, question) == ("run", "call")
    (started,) = of_kind(await bench.stored(), AttemptStarted)
    assert started.question == question.id, "a read that was asked about is stored too"


@each_leaf
@pytest.mark.parametrize("approved", [None, False], ids=["undecided", "denied"])
async def test_a_call_that_nobody_approved_does_not_run_though_a_layer_lets_it_through(
    effect: Effect, approved: bool | None
) -> None:
    ran = list[str]()
    erase = eraser(ran, effect)
    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    question = await bench.approve(call, approved=approved)
    with pytest.raises(SealError, match="erase was not approved, but a layer let it through"):
        await Base(erase, bench.door)(call)
    assert ran == []
    assert of_kind(await bench.stored(), AttemptStarted) == []
    assert await taken_by(bench, question) is None


async def test_a_decision_on_another_question_approves_nothing() -> None:
    ran = list[str]()
    erase = eraser(ran)
    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    await bench.approve(call, approved=None)
    call.ledger.add(decided(call, "another", approved=True))
    with pytest.raises(SealError):
        await Base(erase, bench.door)(call)
    assert ran == []


async def test_what_was_approved_before_it_was_asked_anew_is_not_approved() -> None:
    ran = list[str]()
    erase = eraser(ran)
    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    anew = replace(await bench.approve(call), id="anew")
    call.ledger.add(question_item(anew, call="call", parent="parent"))
    with pytest.raises(SealError):
        await Base(erase, bench.door)(call)
    assert ran == []


async def test_an_approved_call_that_has_begun_goes_on_although_its_approver_has_left() -> None:
    ran = list[str]()
    erase = eraser(ran)
    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    question = await bench.approve(call)
    call.ledger.add(AttemptStarted(call="call", parent="parent", callee="save", attempt=1, question=question.id))
    token = CURRENT_RUN.set(CurrentRun(find_principal=lambda _name, _tenant: None))
    try:
        await Base(erase, bench.door)(call)
    finally:
        CURRENT_RUN.reset(token)
    assert ran == ["about"]


@each_leaf
async def test_a_payload_that_a_layer_changed_after_it_was_approved_does_not_run(effect: Effect) -> None:
    ran = list[str]()
    erase = eraser(ran, effect)
    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    question = await bench.approve(call)
    other = call.with_payload(erase.schema_in.model(page="home"))
    with pytest.raises(SealError, match="a layer changed what erase is called with after it was approved"):
        await Base(erase, bench.door)(other)
    assert ran == []
    assert await taken_by(bench, question) is None


@pytest.mark.parametrize("changed", ["definition", "name", "effect"])
async def test_a_tool_that_changed_after_it_was_approved_does_not_run(changed: str) -> None:
    ran = list[str]()
    bench = Bench()
    call = await bench.call(eraser(ran), '{"page":"about"}')
    await bench.approve(call)
    today = {
        "definition": eraser(ran, description="Erase a page and all below it."),
        "name": eraser(ran).with_name("purge"),
        "effect": eraser(ran, Effect.UNSAFE),
    }[changed]
    with pytest.raises(SealError):
        await Base(today, bench.door)(call.replace(callee=today))
    assert ran == []


async def test_an_approval_that_another_call_has_used_starts_nothing() -> None:
    ran = list[str]()
    erase = eraser(ran)
    bench = Bench(erase)
    first = await bench.call(erase, '{"page":"about"}')
    question = await bench.approve(first)
    await Base(erase, bench.door)(first)
    second = (await bench.call(erase, '{"page":"about"}')).replace(id="second")
    second.ledger.add(question_item(question, call="second", parent="parent"))
    second.ledger.add(decided(second, question.id, approved=True))
    with pytest.raises(ApprovalUsedError):
        await Base(erase, bench.door)(second)
    assert ran == ["about"]
    assert len(of_kind(await bench.stored(), AttemptStarted)) == 1


async def test_another_attempt_is_the_same_use_of_the_approval() -> None:
    ran = list[str]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def erase(ctx: LeafContext, page: str) -> str:
        """Erase a page."""
        ran.append(page if ctx.key else "")
        return "erased"

    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    await bench.approve(call)
    for attempt in (1, 2):
        await Base(erase, bench.door)(call.replace(attempt=attempt))
    assert ran == ["about", "about"]


async def test_after_a_crash_the_same_call_is_the_same_use_of_the_approval() -> None:
    ran = list[str]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def erase(ctx: LeafContext, page: str) -> str:
        """Erase a page."""
        ran.append(ctx.key)
        if len(ran) == 1:
            raise Crash
        return "erased"

    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    question = await bench.approve(call)
    with pytest.raises(Crash):
        await Base(erase, bench.door)(call)
    assert (await bench.base(erase, '{"page":"about"}')).value == "erased"
    assert ran == ["call", "call"]
    assert await taken_by(bench, question) == ("run", "call")


async def test_a_call_that_nobody_was_asked_about_is_not_sealed() -> None:
    ran = list[str]()
    erase = eraser(ran)
    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    await Base(erase, bench.door)(call.with_payload(erase.schema_in.model(page="home")))
    assert ran == ["home"]


class Yes:
    """An approver who approves at once."""

    async def decide(self, question: Question, /) -> Decision | None:
        return Decision(question=question.id, approved=True, by="ada")


@layer_fn
async def change_page(call: Call, inner: CallService) -> Reply:
    return await inner(call.with_payload(call.callee.schema_in.model(page="home")))


@pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])
async def test_a_layer_that_changes_an_approved_call_gets_it_refused_through_the_real_runtime(parallel: int) -> None:
    ran = list[str]()
    erase = eraser(ran).layer(change_page())
    model = Scripted([calls(("erase", {"page": "about"}), ("erase", {"page": "blog"})), "done"])
    agent = Agent("agent", instructions="Work.", tools=[erase], parallel=parallel)
    layers = Stack[CallLayer](Validate(), Approve(Env(approver=Yes())))
    store = InMemoryStore()
    result = await Runtime(App(name="test", agents=(agent,)), model=model, layers=layers, store=store).run(
        "go", by=superuser()
    )
    assert result.value() == "done"
    assert ran == []
    items = [position.item for position in await store.read(result.run)]
    assert of_kind(items, AttemptStarted) == of_kind(items, AttemptEnded) == []
    assert [text.count('\\"errorCode\\":\\"SEAL_BROKEN\\"') for text in list(model.requests[-1].history)[-2:]] == [1, 1]


async def test_an_approval_of_a_composed_callee_is_used_once() -> None:
    ran = list[Any]()

    @tool(effect=Effect.COMPOSED, risk=Risk.HIGH)
    async def erase_all(ctx: Context, pages: str) -> str:
        """Erase pages."""
        ran.append(pages)
        return "erased"

    bench = Bench(erase_all)
    call = await bench.call(erase_all, '{"pages":"all"}')
    question = await bench.approve(call)
    await Base(erase_all, bench.door)(call)
    assert ran == ["all"]
    assert await taken_by(bench, question) == ("run", "call")


async def test_a_composed_call_that_is_taken_up_after_a_crash_has_started_once() -> None:
    ran = list[Any]()

    @tool(effect=Effect.COMPOSED, risk=Risk.HIGH)
    async def erase_all(ctx: Context, pages: str) -> str:
        """Erase pages."""
        ran.append(pages)
        if len(ran) == 1:
            raise Crash
        return "erased"

    bench = Bench(erase_all)
    call = await bench.call(erase_all, '{"pages":"all"}')
    await bench.approve(call)
    with pytest.raises(Crash):
        await Base(erase_all, bench.door)(call)
    assert (await bench.base(erase_all, '{"pages":"all"}')).value == "erased"
    assert len(of_kind(await bench.stored(), AttemptStarted)) == 1


class Redirect:
    """A rule that changes what the call it judges would run."""

    name = "redirect"

    def __init__(self, verdict: Verdict | None) -> None:
        self.verdict = verdict

    def __call__(self, call: Call, /) -> Verdict | None:
        payload: Any = call.payload
        payload.page = "index"
        return self.verdict


@pytest.mark.parametrize("verdict", [None, Allow(), Ask(reason="look at it")], ids=["none", "allow", "ask"])
async def test_a_rule_cannot_change_what_runs(verdict: Verdict | None) -> None:
    ran = list[str]()
    erase = eraser(ran)
    layers = Stack[CallLayer](Validate(), Approve(Env(), policy=Policy.only(Redirect(verdict))))
    runtime = Runtime(App(name="pages", tools=(erase,)), layers=layers)
    result = await runtime.call(erase, superuser(), "about")
    if result.questions:
        await runtime.decide(result.questions[0], approved=True, by=superuser(name="bob"))
        result = await runtime.resume(result.run)
    assert "changed the arguments of erase after they were validated: the rule 'redirect'" in result.text
    assert ran == []
