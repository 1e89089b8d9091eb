"""Approve and a question on record that asked for something else than the policy asks for now."""

from __future__ import annotations

import pytest

from remit import Ask, Policy
from remit.approvals.policy import Verdict
from remit.errors import Suspended
from remit.layers import Call
from remit.policies import Decision, InboxApprover
from remit.record.items import DecisionItem
from remit.testing import call_through
from tests.layers.asking import DROP, Desk, approve, asked, drop
from tests.layers.inner import Inner


class Changing:
    """A rule whose verdict depends on data that changes."""

    name = "money"

    def __init__(self) -> None:
        self.verdict = Ask(reason="money")

    def __call__(self, _call: Call, /) -> Verdict | None:
        return self.verdict


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize("is_approved", [False, True], ids=["open", "approved"])
@pytest.mark.parametrize(
    ("later", "is_asked_anew"),
    [
        (Ask(reason="money"), False),
        (Ask(reason="money", four_eyes=True), True),
        (Ask(reason="money", who="money:board"), True),
        (Ask(reason="money", kind="confirm"), True),
    ],
    ids=["same", "four eyes", "another permission", "another kind"],
)
async def test_a_question_that_asked_for_less_is_replaced_whether_it_was_approved_or_not(
    desk: Desk, later: Ask, *, is_asked_anew: bool, is_approved: bool
) -> None:
    rule, inner = Changing(), Inner()
    policy, call = Policy.only(rule), await desk.call(drop, DROP)
    with pytest.raises(Suspended):
        await call_through(approve(InboxApprover(), policy), call)
    (first,) = asked(call)
    if is_approved:
        decision = Decision(question=first.id, approved=True, by="bea")
        await desk.store.decide(decision)
        call.ledger.add(DecisionItem(call=call.id, question=first.id, body=decision.to_json()))
    rule.verdict = later
    if is_approved and not is_asked_anew:
        await call_through(approve(InboxApprover(), policy), call, inner)
        assert len(inner.calls) == 1
        return
    with pytest.raises(Suspended) as waits:
        await call_through(approve(InboxApprover(), policy), call, inner)
    assert waits.value.questions == (asked(call)[-1].id,)
    assert (len(asked(call)), inner.calls) == (2 if is_asked_anew else 1, [])
