"""Approve with an approver of this process that edits, and with what is no edit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Ask, Policy, Risk, When, tool
from remit.errors import ApprovalDeniedError, InvalidArgumentsError, Suspended
from remit.layers import Call, Reply
from remit.policies import Decision
from remit.record.items import AttemptStarted, DecisionItem
from remit.testing import call_through
from tests.layers.asking import DROP, Desk, Person, approve, asked, decided, drop, later, says
from tests.layers.inner import Inner


def edits(arguments: str, *, approved: bool = True, **more: Any) -> Person:
    return Person(
        lambda question: Decision(question=question.id, approved=approved, by="bea", arguments=arguments, **more)
    )


async def test_what_an_approver_edits_runs_in_its_canonical_form(desk: Desk) -> None:
    inner = Inner(Reply.from_value("inner"))
    call = await desk.call(drop, DROP)
    await call_through(approve(edits('{ "page" : "home" }')), call, inner)
    (made,) = inner.calls
    assert (made.canonical_arguments, made.arguments.raw, made.id) == ('{"page":"home"}', '{"page":"home"}', call.id)
    assert [decision.arguments for decision in decided(call)] == ['{"page":"home"}']


@pytest.mark.parametrize("content", ["inner", "[1]", "{not json", '{"a":1}'])
async def test_a_model_is_told_what_ran_whatever_the_reply_is(desk: Desk, content: str) -> None:
    call = (await desk.call(drop, DROP)).replace(wire_id="call_1")
    reply = await call_through(approve(edits('{"page":"home"}')), call, Inner(Reply(content)))
    note = "bea edited the arguments of this call and allowed it so; it ran with these, not yours"
    result = content if content[0] not in "[{" or content == "{not json" else None
    assert f'"note":"{note}","arguments":{{"page":"home"}},"result":' in reply.content_with_notice
    assert reply.content_with_notice.endswith(f'"result":"{result}"}}' if result else f'"result":{content}}}')
    assert reply.content == content, "the result itself is not the notice"


async def test_a_reply_that_ends_the_run_stays_as_it_is(desk: Desk) -> None:
    call = (await desk.call(drop, DROP)).replace(wire_id="call_1")
    final = Reply.final("the end")
    assert await call_through(approve(edits('{"page":"home"}')), call, Inner(final)) is final


@pytest.mark.parametrize("wire", ["", "call_1"])
async def test_an_error_of_an_edited_call_is_raised_to_python_and_told_to_a_model(desk: Desk, wire: str) -> None:
    async def fails(_call: Call, /) -> Reply:
        raise InvalidArgumentsError("no such page")

    call = (await desk.call(drop, DROP)).replace(wire_id=wire)
    if wire:
        reply = await call_through(approve(edits('{"page":"home"}')), call, fails)
        assert '"errorCode":"VALIDATION_ERROR","edited":true' in reply.content_with_notice
        assert isinstance(reply.error, InvalidArgumentsError)
    else:
        with pytest.raises(InvalidArgumentsError, match="no such page"):
            await call_through(approve(edits('{"page":"home"}')), call, fails)


NO_EDITS: dict[str, tuple[Person, str]] = {
    "of another type": (edits('{"page":1}'), "bea edited the arguments, and they are invalid: page"),
    "with a no": (edits('{"page":"home"}', approved=False), "the approver did not return a decision on question"),
    "by a grant of its own": (edits("", grant="g1"), "the approver did not return a decision on question"),
}


@pytest.mark.parametrize("name", NO_EDITS)
async def test_what_is_no_edit_lets_nothing_run(desk: Desk, name: str) -> None:
    person, said = NO_EDITS[name]
    inner, call = Inner(), await desk.call(drop, DROP)
    with pytest.raises(ApprovalDeniedError, match=said):
        await call_through(approve(person), call, inner)
    assert (inner.calls, decided(call)) == ([], [])


async def test_a_call_that_started_as_edited_is_refused_under_a_contract_that_does_not_allow_it(desk: Desk) -> None:
    call = await desk.call(drop, DROP)
    await call_through(approve(edits('{"page":"home"}')), call, Inner())

    @tool(name="drop", risk=Risk.HIGH)
    async def narrower(page: str, why: str) -> str:
        """Drop a page, for a reason."""
        return page

    call.ledger.add(AttemptStarted(call=call.id, parent="parent", callee="save", attempt=1, question=asked(call)[0].id))
    payload = narrower.schema_in.model(page="about", why="why")
    with pytest.raises(InvalidArgumentsError, match="why: Field required"):
        await call_through(approve(later()), call.replace(callee=narrower).with_payload(payload), Inner())


async def test_an_edit_that_was_not_used_in_time_is_refused_and_not_asked_about_further(desk: Desk) -> None:
    home = When("home", lambda call: "home" in call.canonical_arguments, Ask(reason="it is home", who="home:edit"))
    layer, inner = approve(later(), Policy(home)), Inner()
    with pytest.raises(Suspended) as waits:
        await call_through(layer, await desk.call(drop, DROP), inner)
    (question,) = waits.value.questions
    call = await desk.call(drop, DROP)
    edit = Decision(question=question, approved=True, by="bea", arguments='{"page":"home"}')
    call.ledger.add(DecisionItem(call=call.id, question=question, body=edit.to_json()))
    desk.clock.now += 30 * 24 * 3600
    with pytest.raises(ApprovalDeniedError, match=f"question {question} was not decided in time"):
        await call_through(layer, call, inner)
    assert ([each.id for each in asked(call)], inner.calls) == ([question], [])


async def test_an_approved_call_of_a_run_that_only_ends_does_not_begin(desk: Desk) -> None:
    call, inner = await desk.call(drop, DROP), Inner()
    call.ledger.execution.is_stopping = True
    with pytest.raises(asyncio.CancelledError):
        await call_through(approve(says(True)), call, inner)
    assert inner.calls == []


async def test_a_call_that_started_without_a_question_is_not_asked_about(desk: Desk) -> None:
    call, inner = await desk.call(drop, DROP), Inner()
    call.ledger.add(AttemptStarted(call=call.id, parent="parent", callee="save", attempt=1))
    await call_through(approve(later()), call, inner)
    assert inner.calls == [call.replace(approvals=("",))]
