"""The approval of a call covers one that it makes if it was shown, and if the answer is one that the call accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from remit import Effect, LeafContext, Policy, Risk, When, tool
from remit.approvals.approver import build_question, compute_match
from remit.approvals.from_journal import question_item
from remit.approvals.plan import PlannedQuestion, find_cover, select_covered
from remit.layers import Call
from remit.policies import Ask, Block, Decision, HighRisk
from remit.record.items import DecisionItem
from remit.record.question import NO_PREVIEW
from remit.testing import make_call
from tests.approvals.office import Office

ASK = Ask(reason="letters", expires_in=60.0)
POLICY = Policy.only(HighRisk())
APPROVED = Decision(question="", approved=True, by="bob")


async def call_of(name: str, call_id: str) -> Call:
    @tool(name=name, effect=Effect.KEYED, risk=Risk.HIGH)
    async def write(_ctx: LeafContext) -> str:
        """Write a letter."""
        return "written"

    call = await make_call(write, call_id=call_id)
    return call.with_payload(write.schema_in.bind(call.arguments))


async def is_covered(
    ask: Ask = ASK, decision: Decision | None = APPROVED, asked: Ask = ASK, rule: str = "letters"
) -> bool:
    """Whether a call that ``ask`` is about is covered by the decision on the call around it, which ``asked`` showed."""
    call, caller = await call_of("send", "call"), await call_of("party", "parent")
    plan = select_covered([PlannedQuestion(call, asked, "letters", NO_PREVIEW)], asked, POLICY)
    question = build_question(caller, asked, "letters", "party", waits=True, plan=plan)
    call.ledger.add(question_item(question, call="parent"))
    if decision is not None:
        body = replace(decision, question=question.id).to_json()
        call.ledger.add(DecisionItem(call="parent", question=question.id, body=body))
    return find_cover(call, ask, rule, compute_match(call, POLICY.version)) is not None


async def test_an_approval_covers_the_calls_that_it_showed() -> None:
    assert await is_covered()


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"rule": "another"}, id="another rule asks"),
        pytest.param({"decision": None}, id="open"),
        pytest.param({"decision": replace(APPROVED, approved=False)}, id="denied"),
        pytest.param({"decision": replace(APPROVED, kind="confirm")}, id="confirmed"),
        pytest.param({"ask": replace(ASK, who="letters:decide")}, id="another permission"),
        pytest.param({"ask": replace(ASK, kind="confirm")}, id="another kind of answer"),
        pytest.param({"ask": replace(ASK, four_eyes=True)}, id="four eyes"),
    ],
)
async def test_another_answer_than_the_call_needs_does_not_cover_it(changed: dict[str, Any]) -> None:
    assert not await is_covered(**changed)


@pytest.mark.parametrize("own", [replace(ASK, who="letters:decide"), replace(ASK, kind="confirm")])
async def test_a_call_with_another_approver_is_not_shown(own: Ask) -> None:
    call = await call_of("send", "call")
    assert select_covered([PlannedQuestion(call, own, "letters", NO_PREVIEW)], ASK, POLICY) == ()


async def test_a_blocked_pipeline_is_not_shown_with_its_calls() -> None:
    blocked = When("no", tools=["invite_all"], verdict=Block(reason="no"))
    office = Office(policy=Policy.only(blocked, HighRisk()), nested=True)
    await office.start("a")
    (row,) = await office.open_rows()
    assert (row.question.tool, row.question.plan) == ("party", ())
