"""Approve and a call that was started before: what is on record decides whether another approval is needed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from remit import Effect, LeafContext, Risk, tool
from remit.errors import Suspended
from remit.layers import Call
from remit.policies import Decision
from remit.record.items import AttemptEnded, AttemptStarted, DecisionItem, Item, ToolOutput
from remit.testing import call_through
from tests.layers.asking import Desk, approve, asked, later
from tests.layers.inner import Inner

STARTED = AttemptStarted(call="call", parent="parent", callee="save", attempt=1)
FAILED = AttemptEnded(call="call", attempt=1, outcome="error", content="")
DROPPED = AttemptEnded(call="call", attempt=1, outcome="ok", content="dropped")
OUTPUT = ToolOutput(call="call", parent="parent", callee="drop", wire="", text="dropped", outcome="ok")


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def drop(_ctx: LeafContext, page: str) -> str:
    """Drop a page."""
    return page


async def recorded(desk: Desk, *items: Item, approved: bool = False) -> Call:
    """The call with these items on record, and before them an approved question, if it was asked about."""
    call = await desk.call(drop, '{"page":"about"}')
    if approved:
        with pytest.raises(Suspended) as waits:
            await call_through(approve(later()), call)
        (question,) = waits.value.questions
        decision = Decision(question=question, approved=True, by="bea")
        call.ledger.add(DecisionItem(call=call.id, question=question, body=decision.to_json()))
    for item in items:
        call.ledger.add(item)
    return call


@pytest.mark.parametrize(
    ("items", "approved"),
    [([STARTED], True), ([STARTED, FAILED], True), ([STARTED, DROPPED], False), ([STARTED, DROPPED, OUTPUT], False)],
    ids=["approved and started", "approved and failed", "done", "done and told"],
)
async def test_a_call_that_was_started_needs_no_other_approval(items: Sequence[Item], approved: bool) -> None:
    inner, desk = Inner(), Desk()
    call = await recorded(desk, *items, approved=approved)
    desk.clock.now += 30 * 24 * 3600
    await call_through(approve(later()), call, inner)
    assert inner.calls == [call.replace(approvals=("",))]


@pytest.mark.parametrize("items", [[STARTED], [STARTED, FAILED], [FAILED]], ids=["started", "failed", "never started"])
async def test_a_call_that_was_not_asked_about_before_it_started_is_asked_about(items: Sequence[Item]) -> None:
    inner, call = Inner(), await recorded(Desk(), *items)
    with pytest.raises(Suspended):
        await call_through(approve(later()), call, inner)
    assert (len(asked(call)), inner.calls) == (1, [])


async def test_a_call_that_was_asked_about_since_it_started_waits_for_that_answer() -> None:
    call, inner = await recorded(Desk(), STARTED), Inner()
    for _ in range(2):
        with pytest.raises(Suspended):
            await call_through(approve(later()), call, inner)
    assert (len(asked(call)), inner.calls) == (1, [])
