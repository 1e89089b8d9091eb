"""A tool with a confirmation flag: the first call announces, a person decides, the next matching call takes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Block, Effect, LeafContext, Policy, Risk, Runtime, When, tool
from remit.contracts.items import AttemptStarted
from remit.contracts.ledger import Consumption
from remit.errors import ApprovalDeniedError, BlockedError, Suspended
from remit.journal.ports import QuestionRow, Store
from remit.journal.sql.store import SqlStore
from remit.layers import Call, Reply
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, call_through, calls, superuser
from tests.layers.asking import Desk, approve, asked, decided, later, says
from tests.layers.inner import Inner


@tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
async def drop(_ctx: LeafContext, page: str, confirmed: bool = False) -> str:
    """Drop a page; unconfirmed, say what would be dropped."""
    return f"{page} {'dropped' if confirmed else 'would be dropped'}"


@tool(effect="unsafe", confirm="confirmed")
async def touch(page: str, confirmed: bool = False) -> str:
    """Touch a page."""
    return f"{page} {confirmed}"


ANNOUNCE, CONFIRM = '{"page":"about"}', '{"page":"about","confirmed":true}'
INTENDED = '{"confirmed":true,"page":"about"}'


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def announced(desk: Desk, *, run: str = "first", conversation: str = "c") -> str:
    """The id of the question that an announcement opened."""
    await call_through(approve(later()), await desk.call(drop, ANNOUNCE, run=run, conversation=conversation))
    return (await desk.questions())[-1].id


async def confirming(desk: Desk, *, run: str = "second", conversation: str = "c", name: str = "call") -> Call:
    return await desk.call(drop, CONFIRM, run=run, conversation=conversation, name=name)


async def test_an_unconfirmed_call_passes_through_and_nobody_is_asked(desk: Desk) -> None:
    person, inner = says(False), Inner(reply := Reply.from_value("inner"))
    call = await desk.call(drop, ANNOUNCE, conversation="c")
    assert await call_through(approve(person), call, inner) is reply
    assert (inner.calls, person.asked) == ([call.replace(approvals=("",))], [])


async def test_an_unconfirmed_call_opens_the_question_for_the_call_it_announces(desk: Desk) -> None:
    await announced(desk)
    (question,) = await desk.questions()
    assert question.arguments == INTENDED
    assert (question.tool, question.conversation, question.waits) == ("drop", "c", False)


async def test_announcing_again_opens_no_second_question(desk: Desk) -> None:
    assert await announced(desk, run="first") == await announced(desk, run="second")
    assert len(await desk.questions()) == 1


async def test_flag_unset_and_flag_left_out_announce_the_same(desk: Desk) -> None:
    await announced(desk)
    unset = await desk.call(drop, '{"confirmed":false,"page":"about"}', conversation="c")
    await call_through(approve(later()), unset)
    assert len(await desk.questions()) == 1


@pytest.mark.parametrize("run", ["first", "second"], ids=["the same run", "a later run"])
async def test_the_next_matching_call_takes_the_decision_without_asking(desk: Desk, run: str) -> None:
    question = await announced(desk)
    await desk.decide(question, approved=True)
    person, inner = later(), Inner()
    call = await confirming(desk, run=run, name="confirmed")
    await call_through(approve(person), call, inner)
    assert (inner.calls, person.asked) == ([call.replace(approvals=(question,))], [])
    assert [each.id for each in asked(call)] == [question]
    assert [each.approved for each in decided(call)] == [True]


async def test_the_next_matching_call_takes_a_denial_too(desk: Desk) -> None:
    await desk.decide(await announced(desk), approved=False, reason="keep it")
    inner = Inner()
    with pytest.raises(ApprovalDeniedError, match="keep it"):
        await call_through(approve(later()), await confirming(desk), inner)
    assert inner.calls == []


async def test_a_matching_call_before_the_decision_waits_for_the_question_that_is_open(desk: Desk) -> None:
    question = await announced(desk)
    inner = Inner()
    with pytest.raises(Suspended) as caught:
        await call_through(approve(later()), await confirming(desk), inner)
    assert caught.value.questions == (question,)
    assert len(await desk.questions()) == 1
    assert inner.calls == []


@pytest.mark.parametrize(
    ("arguments", "conversation"),
    [('{"page":"home","confirmed":true}', "c"), (CONFIRM, "another"), (CONFIRM, "")],
    ids=["other arguments", "another conversation", "no conversation"],
)
async def test_a_call_that_does_not_match_is_asked_about_itself(desk: Desk, arguments: str, conversation: str) -> None:
    question = await announced(desk)
    await desk.decide(question, approved=True)
    inner = Inner()
    call = await desk.call(drop, arguments, run="second", conversation=conversation)
    with pytest.raises(Suspended) as caught:
        await call_through(approve(later()), call, inner)
    assert question not in caught.value.questions
    assert (await desk.questions())[-1].waits
    assert inner.calls == []


async def test_another_tool_of_the_same_arguments_does_not_match(desk: Desk) -> None:
    await desk.decide(await announced(desk), approved=True)
    other = await desk.call(drop.with_name("erase"), CONFIRM, run="second", conversation="c")
    with pytest.raises(Suspended):
        await call_through(approve(later()), other)


async def test_without_an_announcement_a_confirmed_call_is_asked_about(desk: Desk) -> None:
    person, inner = says(True), Inner()
    await call_through(approve(person), await confirming(desk), inner)
    assert [(question.arguments, question.waits) for question in person.asked] == [(INTENDED, True)]
    assert len(inner.calls) == 1


async def test_without_a_conversation_nothing_is_announced(desk: Desk) -> None:
    inner = Inner()
    await call_through(approve(later()), await desk.call(drop, ANNOUNCE), inner)
    assert await desk.questions() == []
    assert len(inner.calls) == 1


async def test_an_approval_is_used_once(desk: Desk) -> None:
    question = await announced(desk)
    await desk.decide(question, approved=True)
    first = await confirming(desk, run="second")
    await call_through(approve(later()), first)
    started = AttemptStarted(call=first.id, parent=first.caller.call, attempt=1, question=question)
    await first.ledger.commit(started, Consumption((question,), "second", first.id))
    with pytest.raises(Suspended) as caught:
        await call_through(approve(later()), await confirming(desk, run="third"))
    assert question not in caught.value.questions


async def test_a_tool_that_the_policy_allows_announces_nothing(desk: Desk) -> None:
    await call_through(approve(later()), await desk.call(touch, ANNOUNCE, conversation="c"))
    assert await desk.questions() == []


async def test_an_unconfirmed_call_that_is_blocked_does_not_run(desk: Desk) -> None:
    inner = Inner()
    policy = Policy.only(When("never", lambda _call: True, Block(reason="pages stay")))
    with pytest.raises(BlockedError):
        await call_through(approve(later(), policy), await desk.call(drop, ANNOUNCE, conversation="c"), inner)
    assert inner.calls == []


async def test_a_question_that_nobody_answered_is_asked_anew(desk: Desk) -> None:
    question = await announced(desk)
    desk.clock.now += 8 * 24 * 3600
    with pytest.raises(Suspended) as caught:
        await call_through(approve(later()), await confirming(desk))
    assert question not in caught.value.questions


async def test_an_approval_that_nobody_used_in_time_is_asked_for_anew(desk: Desk) -> None:
    await desk.decide(await announced(desk), approved=True)
    desk.clock.now += 30 * 24 * 3600
    inner = Inner()
    with pytest.raises((Suspended, ApprovalDeniedError)):
        await call_through(approve(later()), await confirming(desk), inner)
    assert inner.calls == []


async def test_after_a_denial_was_told_an_announcement_asks_again(desk: Desk) -> None:
    question = await announced(desk)
    await desk.decide(question, approved=False)
    with pytest.raises(ApprovalDeniedError):
        await call_through(approve(later()), await confirming(desk, run="second"))
    assert await announced(desk, run="third") != question


ADA = superuser()
ASK, SURE = calls(("drop", {"page": "about"})), ("drop", {"page": "about", "confirmed": True})


async def talk(store: Store, *lines: Any, decide: bool | None) -> tuple[Runtime, RunResult[str]]:
    """An announcement in one run, a decision on it (or none yet), and a second run of the conversation."""
    agent = Agent("editor", instructions="Work.", tools=(drop,))
    runtime = Runtime(App(name="cms", agents=(agent,)), model=Scripted([ASK, "sure?", *lines]), store=store)
    await runtime.run("drop it", by=ADA, conversation="c")
    ((question, *_),) = await store.list_questions()
    if decide is not None:
        await runtime.decide(question.id, approved=decide, by=ADA)
    return runtime, await runtime.run("yes", by=ADA, conversation="c")


async def said_of(runtime: Runtime, result: RunResult[str]) -> list[str]:
    return [text for text in await runtime.history(result.run) if '"role":"tool"' in text]


async def test_through_the_runtime_the_second_run_takes_the_decision_of_the_first() -> None:
    runtime, result = await talk(InMemoryStore(), calls(SURE), "gone", decide=True)
    assert result.value() == "gone"
    assert ["would be" in text for text in await said_of(runtime, result)] == [True, False]
    assert (await runtime.replay(result.run)).is_identical


class Bounded(InMemoryStore):
    """Ends a driver that asks for ever."""

    looked = 0

    async def find_question(self, question: str) -> QuestionRow | None:
        self.looked += 1
        assert self.looked < 50, "the driver asks for ever"
        return await super().find_question(question)


async def test_through_the_runtime_a_second_run_that_waits_gets_the_decision_when_it_comes() -> None:
    runtime, result = await talk(Bounded(), calls(SURE), "gone", decide=None)
    assert result.status == "waiting"
    await runtime.decide(result.questions[0], approved=True, by=ADA)
    assert (await runtime.resume(result.run)).value() == "gone"


async def test_through_the_runtime_one_of_two_confirmed_calls_at_once_takes_the_decision(tmp_path: Path) -> None:
    store = SqlStore.at(tmp_path / "journal.db")
    try:
        _, result = await talk(store, calls(SURE, SURE), "gone", decide=True)
        assert result.status == "waiting"
    finally:
        await store.close()
