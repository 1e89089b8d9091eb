"""What Approve asks ahead: about the calls that a pipeline will make, and about a call for later."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Ask, Policy, When
from remit.approvals.policy import DECIDE_PERMISSION, DEFAULT_POLICY
from remit.call.contract import definition_digest
from remit.errors import Suspended
from remit.pipeline import Given, Pipeline, Step
from remit.record.grant import Grant
from remit.testing import call_through
from tests.layers.asking import DROP, Desk, approve, asked, drop, later
from tests.layers.inner import Inner


class Chore(BaseModel):
    page: str


async def test_a_pipeline_is_asked_about_by_the_rule_for_it_and_not_by_that_for_its_calls(desk: Desk) -> None:
    step = Step(name="drop", callee=drop, takes={"page": Given("page")})
    clean: Any = Pipeline("clean", Chore, [step], description="Clean.")
    call = await desk.call(clean, DROP)
    with pytest.raises(Suspended):
        await call_through(approve(later(), Policy(When("chores", verdict=Ask(reason="c"), tools=["clean"]))), call)
    assert [question.rule for question in asked(call)] == ["chores"]


@pytest.mark.parametrize(
    ("parent", "count", "used"),
    [("", 1, 0), ("", 0, 0), ("parent", 1, 1)],
    ids=["waits for its grant", "is asked about without one", "uses it if the call for later makes it"],
)
async def test_before_its_time_a_call_for_later(desk: Desk, parent: str, count: int, used: int) -> None:
    call, inner = await desk.call(drop, DROP), Inner()
    call = call.replace(caller=replace(call.caller, call=parent))
    call.ledger.execution.is_early = True  # this clock is behind that of the run
    grant = Grant(
        id="g1",
        tenant="default",
        tool="drop",
        arguments="{}",
        principal="ada",
        definition=definition_digest(drop),
        policy=DEFAULT_POLICY.version,
        who=DECIDE_PERMISSION,
        by="bea",
        given=desk.clock(),
        expires=desk.clock() + 60.0,
        count=1,
    )
    if count:
        await desk.store.add_grant(grant)
    with nullcontext() if count else pytest.raises(Suspended):
        await call_through(approve(later()), call, inner)
    assert [row.used for row in await desk.store.list_grants(tenant="default")] == [used] * count
    assert [bool(asked(each)) for each in inner.calls] == [bool(used)] * count
