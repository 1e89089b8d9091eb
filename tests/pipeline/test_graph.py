"""The ways through a pipeline end, lead to every step, and lead to steps that there are."""

from __future__ import annotations

import re

import pytest

from remit.errors import SetupError
from remit.pipeline import Step, Then
from remit.pipeline.graph import StepGraph
from tests.pipeline.mails import Mailbox

SEARCH = Mailbox().search()


def step(name: str, success: str | Then = Then.CONTINUE, failure: str | Then = Then.STOP) -> Step:
    return Step(name=name, callee=SEARCH, on_success=success, on_failure=failure)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "a pipeline needs at least one step, and unique step names"),
        ([step("a"), step("a")], "a pipeline needs at least one step, and unique step names"),
        ([step("a", "c"), step("b")], "step a continues with 'c', which does not exist; available: a, b"),
        ([step("a", failure="c")], "step a continues with 'c', which does not exist; available: a"),
        ([step("a", Then.STOP), step("b")], "no step leads to the step b"),
        ([step("a", "a")], "successful steps form a cycle: a → a; end it with a failure or a last step"),
        ([step("a"), step("b", "a")], "successful steps form a cycle: a → b → a; end it with a failure or a last step"),
        ([step("a", failure="b"), step("c", Then.STOP), step("b", "d"), step("d", "b")], "b → d → b"),
    ],
    ids=str,
)
def test_what_can_be_seen_to_go_nowhere_or_for_ever_is_refused(steps: list[Step], said: str) -> None:
    with pytest.raises(SetupError, match=re.escape(said)):
        StepGraph(steps)


def test_a_failure_may_lead_back() -> None:
    route = StepGraph([step("a"), step("b", failure="a"), step("c", failure=Then.CONTINUE)])
    b, c = route.steps["b"], route.steps["c"]
    assert (route.next_step(b, succeeded=True), route.next_step(b, succeeded=False)) == ("c", "a")
    assert (route.next_step(c, succeeded=True), route.next_step(c, succeeded=False)) == (None, None)
    assert (route.reachable_from(""), route.reachable_from("b"), route.reachable_from("c")) == (
        {"a", "b", "c"},
        {"a", "b", "c"},
        set(),
    )
