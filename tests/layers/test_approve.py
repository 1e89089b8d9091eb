"""Approve lets a call run that the policy allows or a person approved, and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from remit import Allow, Ask, Block, Policy, Risk, When, tool
from remit.app import Env
from remit.approvals.preview import preview_call
from remit.call.contract import definition_digest
from remit.errors import ApprovalDeniedError, BlockedError, MissingCapabilityError, SetupError, Suspended
from remit.layers import Approve, Call, Place, Reply
from remit.policies import Decision, HighRisk, InboxApprover, Question
from remit.record.items import AttemptStarted, CallAllowed, DecisionItem, QuestionItem
from remit.testing import call_through
from remit.testing.store_suite.samples import read_decisions
from remit.tools import Preview
from tests.layers.asking import DROP, Desk, Person, approve, asked, decided, drop, later, says
from tests.layers.inner import Inner, stopped_within


@tool(effect="pure")
async def look(query: str) -> str:
    """Look."""
    return query


async def test_an_allowed_call_passes_through_untouched_and_nobody_is_asked(desk: Desk) -> None:
    person, inner = later(), Inner(reply := Reply.from_value("inner"))
    call = await desk.call(look, '{"query":"a"}')
    assert await call_through(approve(person), call, inner) is reply
    assert inner.calls == [call.replace(approvals=("",))]
    assert (person.asked, asked(call)) == ([], [])


async def test_the_rule_that_allows_a_call_is_recorded_once(desk: Desk) -> None:
    inner, call = Inner(), await desk.call(drop, DROP)
    policy = Policy.only(When("drafts", lambda call: call.callee is drop, Allow()))
    for _ in range(2):
        await call_through(approve(later(), policy), call, inner)
    await call_through(approve(later(), policy), await desk.call(look, '{"query":"a"}'), inner)
    recorded = [item for item in call.ledger.recorded_items() if isinstance(item, CallAllowed)]
    assert recorded == [CallAllowed(call=call.id, rule="drafts")]


async def test_an_approved_call_runs_as_it_was_asked_about(desk: Desk) -> None:
    person, inner = says(True), Inner(reply := Reply.from_value("inner"))
    call = await desk.call(drop, DROP)
    assert await call_through(approve(person), call, inner) is reply
    assert inner.calls == [call.replace(approvals=(person.asked[0].id,))]
    assert [question.arguments for question in person.asked] == ['{"page":"about"}']


@pytest.mark.parametrize(("reason", "said"), [("not today", "not today"), ("", "bea denied drop")])
async def test_a_refused_call_does_not_run_and_says_why(desk: Desk, reason: str, said: str) -> None:
    inner = Inner()
    with pytest.raises(ApprovalDeniedError) as caught:
        await call_through(approve(says(False, reason)), await desk.call(drop, DROP), inner)
    assert (caught.value.code, caught.value.message) == ("APPROVAL_DENIED", said)
    assert inner.calls == []


async def test_a_blocked_call_does_not_run_and_nobody_is_asked(desk: Desk) -> None:
    person, inner = says(True), Inner()
    policy = Policy.only(When("no pages", lambda call: call.callee is drop, Block(reason="pages stay")))
    with pytest.raises(BlockedError) as caught:
        await call_through(approve(person, policy), await desk.call(drop, DROP), inner)
    assert (caught.value.code, caught.value.message) == (
        "BLOCKED",
        "drop is blocked by the rule 'no pages': pages stay",
    )
    assert (person.asked, inner.calls) == ([], [])


@pytest.mark.parametrize(("callee", "arguments"), [(look, '{"query":"a"}'), (drop, DROP)], ids=["allowed", "asked"])
async def test_without_an_approver_no_call_runs_at_all(desk: Desk, callee: Any, arguments: str) -> None:
    inner = Inner()
    with pytest.raises(MissingCapabilityError) as caught:
        await call_through(approve(None), await desk.call(callee, arguments), inner)
    assert caught.value.code == "CAPABILITY_ABSENT"
    assert caught.value.message == f"{callee.name} cannot run: the environment has no approver"
    assert inner.calls == []


async def test_a_question_says_all_that_the_approval_is_bound_to(desk: Desk) -> None:
    person = says(True)
    policy = Policy.only(When("mine", lambda _call: True, Ask(reason="because", who="cms:publish", expires_in=60)))
    call = await desk.call(drop, DROP, conversation="c")
    await call_through(approve(person, policy), call)
    (question,) = person.asked
    assert question == Question(
        id=question.id,
        match=question.match,
        kind="approval",
        tenant="default",
        conversation="c",
        run="run",
        call="call",
        agent="agent",
        asker="ada",
        tool="drop",
        arguments='{"page":"about"}',
        definition=definition_digest(drop),
        risk="high",
        rule="mine",
        reason="because",
        who="cms:publish",
        asked=1001.0,
        expires=1061.0,
        waits=True,
        sentence=question.sentence,
        consequence=question.consequence,
    )
    assert (str(question.sentence), bool(question.consequence)) == ("Drop: page about", True)
    assert asked(call) == [question]


async def test_question_and_decision_are_in_the_journal_before_the_call_runs(desk: Desk) -> None:
    call, seen = await desk.call(drop, DROP), list[list[type]]()

    async def inner(_call: Any, /) -> Reply:
        seen.append([type(position.item) for position in await desk.store.read("run")])
        return Reply.from_value("inner")

    await call_through(approve(says(True)), call, inner)
    assert seen == [[QuestionItem, DecisionItem]]


async def test_an_undecided_call_suspends_its_run_with_the_question_in_the_journal(desk: Desk) -> None:
    call, inner = await desk.call(drop, DROP), Inner()
    with pytest.raises(Suspended) as caught:
        await call_through(approve(InboxApprover()), call, inner)
    assert caught.value.questions == tuple(question.id for question in asked(call))
    assert [row.question for row in await desk.store.list_questions()] == asked(call)
    assert inner.calls == []


async def test_a_call_that_waits_is_not_asked_about_again_when_its_run_is_driven_again(desk: Desk) -> None:
    for _ in range(3):
        with pytest.raises(Suspended):
            await call_through(approve(InboxApprover()), await desk.call(drop, DROP))
    assert len(await desk.questions()) == 1


async def copied(desk: Desk, question: str, *, approved: bool) -> Call:
    """The call driven again, after its decision was copied from the inbox."""
    await desk.decide(question, approved=approved)
    call = await desk.call(drop, DROP)
    for decision in await read_decisions(desk.store, "run"):
        call.ledger.add(DecisionItem(call=call.id, question=decision.question, body=decision.to_json()))
    return call


async def waiting(desk: Desk) -> str:
    with pytest.raises(Suspended) as caught:
        await call_through(approve(InboxApprover()), await desk.call(drop, DROP))
    return caught.value.questions[0]


async def test_an_approval_that_came_later_lets_the_call_run_and_asks_nobody(desk: Desk) -> None:
    person, inner = later(), Inner()
    question = await waiting(desk)
    call = await copied(desk, question, approved=True)
    await call_through(approve(person), call, inner)
    assert (inner.calls, person.asked) == ([call.replace(approvals=(question,))], [])


async def test_a_denial_that_came_later_refuses_the_call(desk: Desk) -> None:
    inner = Inner()
    call = await copied(desk, await waiting(desk), approved=False)
    with pytest.raises(ApprovalDeniedError, match="bea denied drop"):
        await call_through(approve(later()), call, inner)
    assert inner.calls == []


def another_definition(call: Call) -> Call:
    return call.replace(callee=tool(risk=Risk.HIGH, name="drop", description="Drop all.")(drop.function))


def other_arguments(call: Call) -> Call:
    return call.with_payload(drop.schema_in.model(page="home"))


def another_tenant(call: Call) -> Call:
    return call.replace(caller=replace(call.caller, principal=replace(call.caller.principal, tenant="other")))


@pytest.mark.parametrize("change", [another_definition, other_arguments, another_tenant])
async def test_an_approval_of_something_else_is_not_used(desk: Desk, change: Callable[[Call], Call]) -> None:
    inner = Inner()
    call = change(await copied(desk, await waiting(desk), approved=True))
    with pytest.raises(Suspended):
        await call_through(approve(InboxApprover()), call, inner)
    assert inner.calls == []
    assert len({question.id for question in asked(call)}) == 2


async def test_an_approval_under_another_policy_is_not_used(desk: Desk) -> None:
    call = await copied(desk, await waiting(desk), approved=True)
    stricter = Policy.only(When("everything", lambda _call: True, Ask(reason="because")))
    with pytest.raises(Suspended):
        await call_through(approve(InboxApprover(), stricter), call)


async def test_a_question_about_an_outcome_is_no_question_about_approval(desk: Desk) -> None:
    question = await waiting(desk)
    call = await copied(desk, question, approved=False)
    items = [item for item in call.ledger.items_for(call.id) if isinstance(item, QuestionItem)]
    outcome = QuestionItem(call=call.id, parent="", callee="save", question="o1", body=items[0].body, about="outcome")
    call.ledger.add(outcome)
    with pytest.raises(ApprovalDeniedError):
        await call_through(approve(later()), call)


async def test_a_question_that_nobody_answered_in_time_is_a_refusal(desk: Desk) -> None:
    question, inner, person = await waiting(desk), Inner(), says(True)
    desk.clock.now += 8 * 24 * 3600
    with pytest.raises(ApprovalDeniedError, match=f"question {question} was not decided in time"):
        await call_through(approve(person), await desk.call(drop, DROP), inner)
    assert (inner.calls, person.asked) == ([], [])


async def test_a_question_is_open_until_the_second_it_expires(desk: Desk) -> None:
    question, inner = await waiting(desk), Inner()
    (row,) = await desk.questions()
    desk.clock.now = row.expires - 1.5
    assert row.id == question
    await call_through(approve(says(True)), await desk.call(drop, DROP), inner)
    assert len(inner.calls) == 1


async def test_an_answer_that_comes_too_late_is_a_refusal(desk: Desk) -> None:
    def slowly(question: Question) -> Decision:
        desk.clock.now = question.expires + 1
        return Decision(question=question.id, approved=True, by="bea")

    inner = Inner()
    with pytest.raises(ApprovalDeniedError):
        await call_through(approve(Person(slowly)), await desk.call(drop, DROP), inner)
    assert inner.calls == []


async def test_an_approval_that_expired_before_the_call_started_is_not_used(desk: Desk) -> None:
    inner = Inner()
    call = await copied(desk, await waiting(desk), approved=True)
    desk.clock.now += 30 * 24 * 3600
    with pytest.raises(ApprovalDeniedError):
        await call_through(approve(later()), call, inner)
    assert inner.calls == []


async def test_a_call_that_had_started_is_not_stopped_by_the_end_of_its_approval(desk: Desk) -> None:
    question, inner = await waiting(desk), Inner()
    call = await copied(desk, question, approved=True)
    call.ledger.add(AttemptStarted(call=call.id, parent="parent", callee="save", attempt=1, question=question))
    desk.clock.now += 30 * 24 * 3600
    await call_through(approve(later()), call, inner)
    assert len(inner.calls) == 1


async def test_a_call_that_had_started_is_not_asked_about_again_under_another_definition(desk: Desk) -> None:
    question, inner = await waiting(desk), Inner()
    call = another_definition(await copied(desk, question, approved=True))
    call.ledger.add(AttemptStarted(call=call.id, parent="parent", callee="save", attempt=1, question=question))
    await call_through(approve(later()), call, inner)
    assert len(inner.calls) == 1
    assert [each.id for each in asked(call)] == [question]


WRONG: dict[str, Callable[[Question], Any]] = {
    "approved is 'yes'": lambda question: Decision(question=question.id, approved=_lie("yes"), by="bea"),
    "approved is 1": lambda question: Decision(question=question.id, approved=_lie(1), by="bea"),
    "for another question": lambda _question: Decision(question="another", approved=True, by="bea"),
}


def _lie(value: Any) -> bool:
    return value


@pytest.mark.parametrize("name", WRONG)
async def test_no_answer_but_a_true_one_to_this_question_lets_a_call_run(desk: Desk, name: str) -> None:
    inner = Inner()
    outcome = await _outcome(approve(Person(WRONG[name])), await desk.call(drop, DROP), inner)
    assert isinstance(outcome, Exception)
    assert inner.calls == []


@pytest.mark.parametrize("name", WRONG)
async def test_an_answer_that_is_none_leaves_a_journal_that_can_be_read(desk: Desk, name: str) -> None:
    call = await desk.call(drop, DROP)
    await _outcome(approve(Person(WRONG[name])), call, Inner())
    assert [decision.approved for decision in decided(call) if decision.question == asked(call)[0].id] in ([], [False])


async def test_an_answer_for_another_question_is_a_refusal(desk: Desk) -> None:
    wrong = Person(lambda _question: Decision(question="another", approved=True, by="bea"))
    assert isinstance(await _outcome(approve(wrong), await desk.call(drop, DROP), Inner()), ApprovalDeniedError)


async def _outcome(layer: Any, call: Any, inner: Any) -> Any:
    (outcome,) = await asyncio.gather(call_through(layer, call, inner), return_exceptions=True)
    return outcome


async def test_an_answer_for_another_question_decides_nothing(desk: Desk) -> None:
    other = await desk.call(drop, '{"page":"home"}', name="other")
    with pytest.raises(Suspended) as waits:
        await call_through(approve(InboxApprover()), other)
    desk.clock.now += 1
    wrong = Person(lambda _question: Decision(question=waits.value.questions[0], approved=True, by="bea"))
    await _outcome(approve(wrong), await desk.call(drop, DROP), Inner())
    row = await desk.store.find_question(waits.value.questions[0])
    assert row is not None
    assert row.status == "open"


async def test_cancellation_reaches_inner(desk: Desk) -> None:
    assert await stopped_within(approve(says(True)), await desk.call(drop, DROP)) == ["call"]


async def test_cancellation_reaches_the_approver_and_nothing_runs(desk: Desk) -> None:
    begun, inner = asyncio.Event(), Inner()

    class Thinking:
        async def decide(self, question: Question, /) -> Decision | None:
            begun.set()
            await asyncio.Event().wait()
            return None

    running = asyncio.create_task(call_through(approve(Thinking()), await desk.call(drop, DROP), inner))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert inner.calls == []


async def test_two_of_it_share_no_state(desk: Desk) -> None:
    yes, no = says(True), says(False)
    call = await desk.call(drop, DROP, run="one")
    await call_through(approve(yes), call)
    with pytest.raises(ApprovalDeniedError):
        await call_through(approve(no), await desk.call(drop, DROP, run="two"))
    assert (len(yes.asked), len(no.asked)) == (1, 1)


async def test_an_approval_of_one_call_is_none_of_the_next(desk: Desk) -> None:
    person = says(True)
    service = approve(person)(Inner())
    await service(await desk.call(drop, DROP, name="one"))
    await service(await desk.call(drop, DROP, name="two"))
    assert len({question.id for question in person.asked}) == 2


def test_it_stands_at_its_place_and_prints_its_policy() -> None:
    allow_all = Policy.only(When("all", lambda _call: True, Allow()))
    assert approve(None).place is Place.APPROVE
    assert repr(approve(None)) == "Approve(policy=Policy(high risk, egress, undeclared), max_questions=20)"
    assert repr(approve(None, allow_all)) == "Approve(policy=Policy(all), max_questions=20)"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"policy": HighRisk()}, r"Approve: policy is HighRisk\(.*; give Policy\(…\)"),
        ({"max_questions": 2.5}, "Approve: max_questions is 2.5"),
        ({"max_questions": 0}, "Approve: max_questions is 0; give a whole number of at least 1"),
    ],
)
def test_it_takes_a_policy_and_a_number_of_questions(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=message):
        Approve(Env(), **wrong)


async def test_the_preview_of_a_call_without_a_payload_is_empty(desk: Desk) -> None:
    call = await desk.call(drop, DROP)
    assert await preview_call(call.replace(payload=None)) == Preview("")
