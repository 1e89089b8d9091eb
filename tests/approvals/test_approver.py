"""Questions made from calls: what they are bound to, and which calls share one approval."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from remit import Ask, Effect, LeafContext, Principal, Risk, Tool, tool
from remit.approvals.approver import (
    InboxApprover,
    build_outcome_question,
    build_question,
    compute_match,
    find_announced_call,
    find_unset_flag,
    only_announces,
)
from remit.approvals.lifetime import MAX_LIFETIME
from remit.approvals.policy import DECIDE_PERMISSION
from remit.layers import Call
from remit.tools import Preview
from tests.layers.asking import Desk

ASK = Ask(reason="look first", who="pages:delete", expires_in=60.0, four_eyes=True)


@tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
async def drop(_ctx: LeafContext, page: str, confirmed: bool = False) -> str:
    """Drop a page; unconfirmed, say what would be dropped."""
    return page


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def erase(_ctx: LeafContext, page: str) -> str:
    """Erase a page."""
    return page


class Removal(BaseModel):
    model_config = ConfigDict(frozen=True)

    sure: Annotated[bool, Field(alias="isSure")] = False


@tool(confirm="isSure")
async def remove(removal: Removal) -> str:
    """Remove everything."""
    return "removed"


UNCONFIRMED, CONFIRMED = '{"page":"about"}', '{"page":"about","confirmed":true}'


@pytest.fixture
def desk() -> Desk:
    return Desk()


def by(call: Call, **facts: Any) -> Call:
    """The call by a caller of whom these facts are different."""
    return call.replace(caller=replace(call.caller, **facts))


async def test_the_inbox_never_answers_at_once(desk: Desk) -> None:
    call = await desk.call(erase, UNCONFIRMED)
    question = build_question(call, ASK, "rule", compute_match(call, "1"), waits=True)
    assert await InboxApprover().decide(question) is None
    assert repr(InboxApprover()) == "InboxApprover()"


@pytest.mark.parametrize(
    ("callee", "arguments", "field"),
    [
        pytest.param(drop, UNCONFIRMED, "confirmed", id="left out"),
        pytest.param(drop, '{"page":"about","confirmed":false}', "confirmed", id="false"),
        pytest.param(drop, CONFIRMED, None, id="true"),
        pytest.param(remove, "{}", "sure", id="named by its alias"),
        pytest.param(remove, '{"isSure":true}', None, id="true by its alias"),
        pytest.param(erase, UNCONFIRMED, None, id="no flag"),
    ],
)
async def test_a_confirmation_flag_is_unset_where_it_is_not_true(
    desk: Desk, callee: Tool[..., Any], arguments: str, field: str | None
) -> None:
    call = await desk.call(callee, arguments)
    assert call.payload is not None
    assert find_unset_flag(callee, call.payload) == field
    assert (find_announced_call(call) is None) == (field is None)
    assert only_announces(call) == (field is not None)


async def test_the_announced_call_is_the_same_with_its_flag_set(desk: Desk) -> None:
    call = await desk.call(drop, UNCONFIRMED)
    announced = find_announced_call(call)
    assert announced is not None
    assert announced.canonical_arguments == '{"confirmed":true,"page":"about"}'
    assert announced.id == call.id
    assert call.canonical_arguments == '{"confirmed":false,"page":"about"}'


async def test_a_call_that_is_not_bound_announces_nothing(desk: Desk) -> None:
    call = (await desk.call(drop, UNCONFIRMED)).replace(payload=None)
    assert find_announced_call(call) is None
    assert not only_announces(call)


async def test_confirmed_calls_share_an_approval_within_their_conversation(desk: Desk) -> None:
    first = await desk.call(drop, CONFIRMED, run="first", conversation="c", name="one")
    second = await desk.call(drop, CONFIRMED, run="second", conversation="c", name="two")
    elsewhere = await desk.call(drop, CONFIRMED, run="third", conversation="d", name="one")
    assert compute_match(first, "1") == compute_match(second, "1")
    assert compute_match(first, "1") != compute_match(elsewhere, "1")


@pytest.mark.parametrize(("callee", "conversation"), [(erase, "c"), (drop, "")], ids=["no flag", "no conversation"])
async def test_every_other_call_has_an_approval_of_its_own(
    desk: Desk, callee: Tool[..., Any], conversation: str
) -> None:
    arguments = UNCONFIRMED if callee is erase else CONFIRMED
    calls = [
        await desk.call(callee, arguments, run=run, conversation=conversation, name=name)
        for run, name in (("first", "one"), ("first", "two"), ("second", "one"))
    ]
    assert len({compute_match(call, "1") for call in calls}) == 3


async def test_an_approval_is_bound_to_tenant_tool_arguments_and_policy(desk: Desk) -> None:
    call = await desk.call(erase, UNCONFIRMED)
    others = [
        by(call, principal=Principal("ada", "another tenant")),
        await desk.call(erase, '{"page":"contact"}'),
        await desk.call(erase.with_name("wipe"), UNCONFIRMED),
    ]
    matches = {compute_match(call, "1"), compute_match(call, "2"), *(compute_match(each, "1") for each in others)}
    assert len(matches) == 5


async def test_who_calls_does_not_change_what_is_approved(desk: Desk) -> None:
    call = await desk.call(erase, UNCONFIRMED)
    tenant = call.caller.principal.tenant
    assert compute_match(by(call, principal=Principal("zoe", tenant)), "1") == compute_match(call, "1")


async def test_a_question_says_what_the_rule_asks_for(desk: Desk) -> None:
    call = await desk.call(erase, UNCONFIRMED, conversation="c")
    question = build_question(
        call, ASK, "rule", compute_match(call, "1"), waits=True, preview=Preview("the page 'About'")
    )
    asked = (question.kind, question.rule, question.reason, question.who, question.four_eyes, question.risk)
    assert asked == ("approval", "rule", "look first", "pages:delete", True, "high")
    assert (question.tool, question.arguments, question.call) == ("erase", UNCONFIRMED, call.id)
    assert (question.shown, question.waits, question.expires - question.asked) == ("the page 'About'", True, 60.0)


async def test_a_question_about_an_edited_call_is_another_one(desk: Desk) -> None:
    call = await desk.call(erase, UNCONFIRMED)
    match = compute_match(call, "1")
    plain = build_question(call, ASK, "rule", match, waits=True)
    edited = build_question(call, ASK, "rule", match, waits=True, edits=plain.id, editor="bea")
    assert plain.id == build_question(call, ASK, "another rule", match, waits=False).id
    assert edited.id != plain.id
    assert (edited.edits, edited.editor, edited.match) == (plain.id, "bea", plain.match)


async def test_a_question_of_another_layer_about_the_same_call_is_another_one(desk: Desk) -> None:
    call = await desk.call(erase, UNCONFIRMED)
    inside, match = call.with_approval(""), compute_match(call, "1")
    assert len({build_question(each, ASK, "rule", match, waits=True).id for each in (call, inside)}) == 2


async def test_the_outcome_of_a_call_that_was_edited_is_not_decided_by_its_editor(desk: Desk) -> None:
    call = await desk.call(erase, UNCONFIRMED)
    match = compute_match(call, "1")
    approvals = [build_question(call, ASK, "rule", match, waits=True, editor=editor) for editor in ("", "bea", "")]
    assert build_outcome_question(call, 1, approvals).requesters == ("ada", "bea")


async def test_each_attempt_that_was_cut_off_has_a_question_of_its_own(desk: Desk) -> None:
    call = await desk.call(erase, UNCONFIRMED)
    first, second = (build_outcome_question(call, attempt) for attempt in (1, 2))
    assert first.id != second.id
    assert (first.kind, first.who, first.expires - first.asked) == ("outcome", DECIDE_PERMISSION, MAX_LIFETIME)
    assert first.reason == "erase was started, and its end is unknown: did it happen?"
    assert compute_match(call, "1") not in (first.match, second.match)
