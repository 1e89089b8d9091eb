"""Two approvers decide one question: the decision that was stored first stands."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit.errors import ApprovalDeniedError
from remit.policies import Decision, Question
from remit.testing import call_through
from tests.layers.asking import DROP, Desk, approve, decided, drop
from tests.layers.inner import Inner


async def _outcome(layer: Any, call: Any, inner: Any) -> Any:
    (outcome,) = await asyncio.gather(call_through(layer, call, inner), return_exceptions=True)
    return outcome


@pytest.mark.parametrize("first", [True, False])
async def test_a_decision_that_was_stored_first_stands(desk: Desk, *, first: bool) -> None:
    """The inbox is decided while the approver of this process still thinks, and thinks otherwise."""

    class Thinking:
        async def decide(self, question: Question, /) -> Decision | None:
            edited = '{"page":"home"}' if first else ""
            await desk.store.decide(Decision(question=question.id, approved=first, by="cleo", arguments=edited))
            return Decision(question=question.id, approved=not first, by="bea")

    inner = Inner()
    call = await desk.call(drop, DROP)
    outcome = await _outcome(approve(Thinking()), call, inner)
    (question,) = await desk.store.list_questions(only_open=False)
    assert question.decision is not None
    assert (question.decision.by, decided(call)) == ("cleo", [question.decision])
    assert [each.canonical_arguments for each in inner.calls] == (['{"page":"home"}'] if first else [])
    assert isinstance(outcome, ApprovalDeniedError) is not first


async def test_an_approver_whose_name_looks_like_another_does_not_decide(desk: Desk) -> None:
    class Lookalike:
        async def decide(self, question: Question, /) -> Decision | None:
            return Decision(question=question.id, approved=True, by="be\u0430")

    inner = Inner()
    outcome = await _outcome(approve(Lookalike()), await desk.call(drop, DROP), inner)
    assert isinstance(outcome, ApprovalDeniedError)
    assert "mixes CYRILLIC and LATIN letters" in outcome.message
    assert inner.calls == []


async def test_a_decision_in_this_process_is_stored_before_it_is_journaled(desk: Desk) -> None:
    """A process that dies in between leaves a decision that the next one copies."""
    call = await desk.call(drop, DROP)

    async def die(_item: object, _consumption: object = None) -> None:
        raise KeyboardInterrupt

    class Deciding:
        async def decide(self, question: Question, /) -> Decision | None:
            setattr(call.ledger, "commit", die)  # noqa: B010 - the process dies at the next write
            return Decision(question=question.id, approved=True, by="bea")

    with pytest.raises(KeyboardInterrupt):
        await approve(Deciding())(Inner())(call)
    (row,) = await desk.store.list_questions(only_open=False)
    assert (row.status, row.decision and row.decision.by) == ("approved", "bea")


async def test_a_decision_in_this_process_that_comes_too_late_denies(desk: Desk) -> None:
    class Slow:
        async def decide(self, question: Question, /) -> Decision | None:
            desk.clock.now = question.expires
            return Decision(question=question.id, approved=True, by="bea")

    inner = Inner()
    outcome = await _outcome(approve(Slow()), await desk.call(drop, DROP), inner)
    assert "was not decided in time" in str(outcome)
    assert inner.calls == []
