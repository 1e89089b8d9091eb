"""An unsafe call that was under way is settled before a changed policy, permission or tool refuses or repeats it."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from remit import App, Ask, Block, Effect, LeafContext, Policy, Principal, Runtime, When, tool
from remit.call.callee import DID_NOT_HAPPEN, Happened, ReconcileResult
from remit.layers import Redact
from remit.stores import InMemoryStore
from remit.tools import Preview
from tests.runtime.kit import Clock, Crash, code_of

ADA, BOB = Principal("ada", permissions=frozenset({"*"})), Principal("bob", permissions=frozenset({"*"}))


def rule(verdict: Any) -> Policy:
    return Policy.only(When("pay", lambda call: call.callee.name == "pay", verdict))


ASKS, BLOCKS = rule(Ask(reason="a payment")), rule(Block(reason="closed"))
FOUR_EYES = rule(Ask(reason="a payment", four_eyes=True))


class Bank:
    """A tool that dies while it pays, and runtimes over one journal whose rules differ."""

    def __init__(self, finding: ReconcileResult | None = None) -> None:
        self.clock, self.paid = Clock(), list[str]()
        self.store = InMemoryStore(clock=self.clock)
        self.finding, self.state, self.facts = finding, "1", dict[str, Any]()

    def runtime(self, policy: Policy, permissions: frozenset[str] = frozenset({"*"})) -> Runtime:
        """A process with this policy, in which Ada has these permissions today."""

        async def pay(to: str) -> str:
            """Pay a person."""
            self.paid.append(to)
            if len(self.paid) == 1:
                raise Crash
            return f"paid {to}"

        async def look(_ctx: LeafContext, _payload: object) -> ReconcileResult:
            assert self.finding is not None
            return self.finding

        async def preview(_ctx: LeafContext, _payload: object) -> Preview:
            return Preview("an account", state=self.state)

        made: Any = tool(pay, effect=Effect.UNSAFE, **self.facts).with_preview(preview)
        made = made.layer(Redact(patterns=["secret"]))
        if self.finding is not None:
            made = made.with_reconcile(look)
        return Runtime(
            App(name="bank", tools=(made,), policy=policy),
            store=self.store,
            clock=self.clock,
            directory=lambda name, tenant: Principal(name, tenant, permissions if name == "ada" else BOB.permissions),
        )

    async def crash(self, policy: Policy, edit: str = "") -> str:
        """The run of a payment that was approved if the policy asks, and whose process died."""
        runtime = self.runtime(policy)
        (made,) = runtime.app.tools
        with contextlib.suppress(Crash):
            await runtime.call(made, ADA, "carl")
        (row,) = await self.store.list_runs()
        for asked in await self.store.list_questions():
            await runtime.decide(asked.question.id, approved=True, by=BOB, arguments=edit)
            with pytest.raises(Crash):
                await runtime.resume(row.run)
        return row.run


async def question_of(runtime: Runtime, ident: str) -> Any:
    row = await runtime.store.find_question(ident)
    assert row is not None
    return row.question


@pytest.mark.parametrize("change", ["blocked", "not permitted", "riskier"])
async def test_a_started_call_that_is_refused_now_is_settled_first(change: str) -> None:
    bank = Bank()
    run = await bank.crash(ASKS, '{"to":"dora"}')
    if change == "riskier":
        bank.facts = {"risk": "high"}
    permissions = frozenset[str]() if change == "not permitted" else ADA.permissions
    bank.facts |= {"permissions": {"bank:pay"}} if change == "not permitted" else {}
    runtime = bank.runtime(BLOCKS if change == "blocked" else ASKS, permissions)
    waiting = await runtime.resume(run)
    question = await question_of(runtime, waiting.questions[0])
    assert (question.kind, question.arguments, bank.paid) == ("outcome", '{"to":"dora"}', ["dora"])
    await runtime.decide(question.id, approved=True, by=BOB, result='"a secret payment"')
    result = await runtime.resume(run)
    assert (result.status, result.text, bank.paid) == ("done", '"a [redacted] payment"', ["dora"])
    assert (await runtime.replay(run)).is_identical


async def test_a_refused_call_that_did_not_happen_ends_with_the_refusal() -> None:
    bank = Bank()
    run = await bank.crash(ASKS)
    runtime = bank.runtime(BLOCKS)
    waiting = await runtime.resume(run)
    await runtime.decide(waiting.questions[0], approved=False, by=BOB)
    assert (code_of(await runtime.resume(run)), bank.paid) == ("BLOCKED", ["carl"])
    assert (await runtime.replay(run)).is_identical


async def test_a_refused_call_whose_tool_finds_that_it_happened_is_done() -> None:
    bank = Bank(Happened("paid long ago"))
    result = await bank.runtime(BLOCKS).resume(await bank.crash(Policy.only()))
    assert (result.status, result.value(), bank.paid) == ("done", "paid long ago", ["carl"])


@pytest.mark.parametrize("policy", [ASKS, Policy.only()])
async def test_a_call_that_did_not_happen_is_judged_by_the_present_policy(policy: Policy) -> None:
    bank = Bank(DID_NOT_HAPPEN)
    run = await bank.crash(policy)
    runtime = bank.runtime(FOUR_EYES)
    waiting = await runtime.resume(run)
    assert (await question_of(runtime, waiting.questions[0])).four_eyes
    assert bank.paid == ["carl"]
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    assert (await runtime.resume(run)).value() == "paid carl"


async def test_a_person_who_says_that_it_did_not_happen_does_not_approve_it() -> None:
    bank = Bank()
    run = await bank.crash(Policy.only())
    runtime = bank.runtime(FOUR_EYES)
    waiting = await runtime.resume(run)
    await runtime.decide(waiting.questions[0], approved=False, by=BOB)
    waiting = await runtime.resume(run)
    assert (await question_of(runtime, waiting.questions[0])).kind == "approval"
    assert bank.paid == ["carl"]


async def test_a_call_that_did_not_happen_runs_under_its_approval_if_that_still_applies() -> None:
    bank = Bank(DID_NOT_HAPPEN)
    run = await bank.crash(ASKS)
    assert (await bank.runtime(ASKS).resume(run)).value() == "paid carl"
    assert len(bank.paid) == 2


async def test_a_call_that_did_not_happen_does_not_run_under_an_expired_approval() -> None:
    bank = Bank(DID_NOT_HAPPEN)
    run = await bank.crash(ASKS)
    bank.clock.now += 30 * 86400
    assert (code_of(await bank.runtime(ASKS).resume(run)), bank.paid) == ("APPROVAL_DENIED", ["carl"])


async def test_a_call_that_did_not_happen_is_asked_about_again_if_its_state_has_changed() -> None:
    bank = Bank(DID_NOT_HAPPEN)
    run = await bank.crash(ASKS)
    bank.state = "2"
    assert ((await bank.runtime(ASKS).resume(run)).status, bank.paid) == ("waiting", ["carl"])
