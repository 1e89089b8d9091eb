"""Two kinds of yes: the acting user confirms, a signed-in principal with the right approves."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from remit import App, Ask, Effect, LeafContext, Policy, Principal, Risk, Runtime, When, tool
from remit.app import Env
from remit.dispatch.base import Base
from remit.errors import RequestError, SealError, SetupError
from remit.policies import Approver, Decision, InboxApprover, Question
from remit.record.arguments import Limits, parse_arguments
from remit.record.items import DecisionItem
from remit.record.question import DecisionKind
from remit.runtime import RunResult
from tests.dispatch.kit import Bench

ADA = Principal("ada", permissions=frozenset({"*"}))
EVE = Principal("eve", permissions=frozenset({"pages:*", "conversations:join"}))
"""Acts, and has no right to decide."""


class Desk:
    """A tool with a confirmation flag, under a rule that asks for one kind of yes."""

    def __init__(self, kind: DecisionKind, approver: Approver | None = None) -> None:
        self.dropped: list[str] = []

        @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
        async def drop(ctx: LeafContext, page: str, *, confirmed: bool = False) -> str:
            """Drop a page."""
            if confirmed:
                self.dropped.append(page)
            return "dropped" if confirmed else "announced"

        policy = Policy.only(When("asked", lambda _call: True, Ask(reason="it is asked about", kind=kind)))
        env = Env(approver=approver or InboxApprover())
        self.runtime = Runtime(App(name="desk", tools=(drop,), env=env, policy=policy))
        self.runtime.add_principals(ADA, EVE)

    async def call(self, *, confirmed: bool, by: Principal = EVE) -> RunResult[Any]:
        arguments = parse_arguments(json.dumps({"page": "about", "confirmed": confirmed}), Limits())
        return await self.runtime.call_by_name("drop", arguments, by=by, conversation="talk")

    async def question(self) -> Question:
        (row,) = await self.runtime.store.list_questions()
        return row.question

    async def decisions(self) -> list[Decision]:
        rows = await self.runtime.store.list_questions(only_open=False)
        return [row.decision for row in rows if row.decision is not None]


async def test_a_confirming_flag_in_a_later_call_is_no_confirmation() -> None:
    desk = Desk("confirm")
    await desk.call(confirmed=False)
    question = await desk.question()
    again = await desk.call(confirmed=True)
    assert (again.status, again.questions, desk.dropped) == ("waiting", (question.id,), [])


async def test_the_users_confirmation_of_an_announced_direct_call_has_it_made() -> None:
    desk = Desk("confirm")
    announced = await desk.call(confirmed=False)
    run = await desk.runtime.decide((await desk.question()).id, approved=True, by=EVE, kind="confirm")
    assert run not in (None, announced.run)
    assert run is not None
    assert ((await desk.runtime.resume(run)).value(), desk.dropped) == ("dropped", ["about"])
    assert (await desk.runtime.replay(run)).is_identical
    (decision,) = await desk.decisions()
    assert (decision.by, decision.kind, decision.approved) == ("eve", "confirm", True)


async def test_a_confirmation_changes_nothing_of_the_call_that_was_shown() -> None:
    desk = Desk("confirm")
    await desk.call(confirmed=False)
    question = (await desk.question()).id
    edit = '{"page":"news","confirmed":true}'
    routes: list[Any] = [partial(desk.runtime.decide, by=EVE), desk.runtime.client(EVE).decide]
    for decide in routes:
        with pytest.raises(RequestError, match=r"^a confirmation takes no arguments: .*call of drop.*kind='approve'$"):
            await decide(question, approved=True, kind="confirm", arguments=edit)
    with pytest.raises(RequestError, match="a confirmation takes no arguments"):
        await desk.runtime.client(EVE).decide(question, approved=True, arguments=edit)
    assert await desk.decisions() == []
    with pytest.raises(SetupError, match="a confirmation takes no arguments"):
        Decision(question=question, approved=True, by="eve", kind="confirm", arguments=edit)
    with pytest.raises(SetupError, match="a confirmation takes no arguments"):
        Decision.from_json(
            Decision(question="q", approved=True, by="eve", arguments=edit).to_json().replace('approve"', 'confirm"')
        )


async def test_a_confirming_flag_is_not_an_approval() -> None:
    desk = Desk("approve")
    await desk.call(confirmed=False)
    assert (await desk.call(confirmed=True)).status == "waiting"
    assert desk.dropped == []


async def test_a_confirming_flag_that_announces_nothing_first_asks() -> None:
    desk = Desk("confirm")
    assert (await desk.call(confirmed=True)).status == "waiting"
    assert desk.dropped == []


async def test_a_confirming_flag_of_another_user_asks() -> None:
    desk = Desk("confirm")
    await desk.call(confirmed=False, by=ADA)
    assert (await desk.call(confirmed=True, by=EVE)).status == "waiting"
    assert desk.dropped == []


async def test_the_acting_user_confirms_without_the_permission_to_decide() -> None:
    desk = Desk("confirm")
    waiting = await desk.call(confirmed=True)
    question = (await desk.question()).id
    with pytest.raises(RequestError, match="eve may not decide"):
        await desk.runtime.decide(question, approved=True, by=EVE)
    with pytest.raises(RequestError, match=r"ada may not confirm question .*; only eve may"):
        await desk.runtime.decide(question, approved=True, by=ADA, kind="confirm")
    await desk.runtime.decide(question, approved=True, by=EVE, kind="confirm")
    assert (await desk.runtime.resume(waiting.run)).status == "done"


async def test_an_approval_serves_where_a_confirmation_is_enough() -> None:
    desk = Desk("confirm")
    waiting = await desk.call(confirmed=True)
    await desk.runtime.decide((await desk.question()).id, approved=True, by=ADA)
    assert (await desk.runtime.resume(waiting.run)).status == "done"


async def test_the_acting_user_may_say_no_to_any_question_and_yes_to_none_that_needs_an_approval() -> None:
    desk = Desk("approve")
    waiting = await desk.call(confirmed=True)
    question = (await desk.question()).id
    with pytest.raises(RequestError, match="needs an approval"):
        await desk.runtime.decide(question, approved=True, by=EVE, kind="confirm")
    await desk.runtime.decide(question, approved=False, by=EVE, kind="confirm")
    assert (await desk.runtime.resume(waiting.run)).status == "failed"
    assert desk.dropped == []


async def test_a_kind_that_does_not_exist_is_refused_in_one_line() -> None:
    desk = Desk("approve")
    await desk.call(confirmed=True)
    kind: Any = "yes"
    with pytest.raises(RequestError, match="kind is 'yes'"):
        await desk.runtime.decide((await desk.question()).id, approved=True, by=ADA, kind=kind)
    with pytest.raises(SetupError, match="kind is 'yes'"):
        Decision(question="q", approved=True, by="ada", kind=kind)
    with pytest.raises(SetupError, match="Ask: kind is 'yes'"):
        Ask(reason="it is asked about", kind=kind)
    with pytest.raises(SetupError, match="four_eyes needs the approval of another person"):
        Ask(reason="it is asked about", kind="confirm", four_eyes=True)


class Clerk:
    """An approver in this process that gives one kind of yes."""

    def __init__(self, answer: Callable[[Question], Decision]) -> None:
        self._answer = answer

    async def decide(self, question: Question, /) -> Decision | None:
        return self._answer(question)


@pytest.mark.parametrize(
    ("needs", "by", "runs"), [("approve", "eve", False), ("confirm", "eve", True), ("confirm", "ada", False)]
)
async def test_an_approver_in_this_process_says_which_yes_it_gives(needs: DecisionKind, by: str, *, runs: bool) -> None:
    clerk = Clerk(lambda question: Decision(question=question.id, approved=True, by=by, kind="confirm"))
    desk = Desk(needs, clerk)
    result = await desk.call(confirmed=True)
    assert (result.status, desk.dropped) == (("done", ["about"]) if runs else ("failed", []))


async def test_a_stored_confirmation_is_not_an_approval_whatever_stored_it() -> None:
    desk = Desk("approve")
    waiting = await desk.call(confirmed=True)
    question = await desk.question()
    await desk.runtime.store.decide(Decision(question=question.id, approved=True, by="eve", kind="confirm"))
    result = await desk.runtime.resume(waiting.run)
    assert "needs an approval; eve only confirmed it" in result.text
    assert desk.dropped == []


async def test_the_base_refuses_a_call_that_was_only_confirmed() -> None:
    """Whatever a layer or a store let through."""

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def erase(ctx: LeafContext, page: str) -> str:
        """Erase a page."""
        raise AssertionError(page)

    bench = Bench(erase)
    call = await bench.call(erase, '{"page":"about"}')
    question = await bench.approve(call, approved=None)
    confirmed = Decision(question=question.id, approved=True, by="ada", kind="confirm")
    call.ledger.add(DecisionItem(call=call.id, question=question.id, body=confirmed.to_json()))
    with pytest.raises(SealError, match="not approved"):
        await Base(erase, bench.door)(call)


def test_a_decision_of_an_older_journal_is_an_approval() -> None:
    assert Decision.from_json('{"question":"q","approved":true,"by":"ada"}').kind == "approve"
