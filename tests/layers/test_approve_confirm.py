"""A tool with a confirmation flag: the first call announces, and no later call is the yes of a person."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from remit import Agent, App, Block, Effect, LeafContext, Policy, Risk, Runtime, When, tool
from remit.errors import ApprovalDeniedError, BlockedError, Suspended
from remit.journal.ports import QuestionRow, Store
from remit.layers import Call, Reply
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, call_through, calls, superuser
from tests.layers.asking import Desk, approve, later, says
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
    await call_through(approve(later()), await desk.call(drop, ANNOUNCE, run=run, conversation=conversation, wire="w"))
    return (await desk.questions())[-1].id


async def confirming(desk: Desk, *, run: str = "second", conversation: str = "c", name: str = "call") -> Call:
    return await desk.call(drop, CONFIRM, run=run, conversation=conversation, name=name, wire="w")


async def test_an_unconfirmed_call_passes_through_and_nobody_is_asked(desk: Desk) -> None:
    person, inner = says(False), Inner(reply := Reply.from_value("inner"))
    call = await desk.call(drop, ANNOUNCE, conversation="c", wire="w")
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
    unset = await desk.call(drop, '{"confirmed":false,"page":"about"}', conversation="c", wire="w")
    await call_through(approve(later()), unset)
    assert len(await desk.questions()) == 1


async def test_an_approved_announcement_is_left_to_the_run_that_its_answer_opened(desk: Desk) -> None:
    await desk.decide(await announced(desk), approved=True)
    inner = Inner()
    with pytest.raises(ApprovalDeniedError, match=r"bea has answered .* is called when this run has ended"):
        await call_through(approve(later()), await confirming(desk, run="first", name="confirmed"), inner)
    await announced(desk)
    assert len(await desk.questions()) == 1
    assert inner.calls == []


async def test_an_approved_announcement_serves_no_call_of_another_run(desk: Desk) -> None:
    question = await announced(desk)
    await desk.decide(question, approved=True)
    inner = Inner()
    with pytest.raises(Suspended) as caught:
        await call_through(approve(later()), await confirming(desk), inner)
    assert question not in caught.value.questions
    assert inner.calls == []


@pytest.mark.parametrize("wire", ["", "w"], ids=["by a body", "by the model of a nested agent"])
async def test_a_call_that_no_run_could_make_again_announces_nothing(desk: Desk, wire: str) -> None:
    call = await desk.call(drop, ANNOUNCE, conversation="c", wire=wire)
    caller = replace(call.caller, path=("editor", "helper"))
    await call_through(approve(later()), call.replace(caller=caller))
    assert await desk.questions() == []


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
    call = await desk.call(drop, arguments, run="second", conversation=conversation, wire="w")
    with pytest.raises(Suspended) as caught:
        await call_through(approve(later()), call, inner)
    assert question not in caught.value.questions
    assert (await desk.questions())[-1].waits
    assert inner.calls == []


async def test_another_tool_of_the_same_arguments_does_not_match(desk: Desk) -> None:
    await desk.decide(await announced(desk), approved=True)
    other = await desk.call(drop.with_name("erase"), CONFIRM, run="second", conversation="c", wire="w")
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


async def test_a_tool_that_the_policy_allows_announces_nothing(desk: Desk) -> None:
    await call_through(approve(later()), await desk.call(touch, ANNOUNCE, conversation="c", wire="w"))
    assert await desk.questions() == []


async def test_an_unconfirmed_call_that_is_blocked_does_not_run(desk: Desk) -> None:
    inner = Inner()
    policy = Policy.only(When("never", lambda _call: True, Block(reason="pages stay")))
    with pytest.raises(BlockedError):
        await call_through(approve(later(), policy), await desk.call(drop, ANNOUNCE, conversation="c", wire="w"), inner)
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


async def talk(store: Store, *lines: Any) -> tuple[Runtime, str]:
    """An announcement in one run, and its question."""
    agent = Agent("editor", instructions="Work.", tools=(drop,))
    runtime = Runtime(App(name="cms", agents=(agent,)), model=Scripted([ASK, "sure?", *lines]), store=store)
    await runtime.run("drop it", by=ADA, conversation="c")
    ((question, *_),) = await store.list_questions()
    return runtime, question.id


async def said_of(runtime: Runtime, result: RunResult[str]) -> list[str]:
    return [text for text in await runtime.history(result.run) if '"role":"tool"' in text]


async def test_through_the_runtime_the_answer_opens_the_run_that_makes_the_call() -> None:
    runtime, question = await talk(InMemoryStore(), "gone")
    run = await runtime.decide(question, approved=True, by=ADA)
    assert run is not None
    result = await runtime.resume(run)
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
    runtime, question = await talk(Bounded(), calls(SURE), "gone")
    result = await runtime.run("yes", by=ADA, conversation="c")
    assert (result.status, result.questions) == ("waiting", (question,))
    assert await runtime.decide(question, approved=True, by=ADA) is None
    assert (await runtime.resume(result.run)).value() == "gone"
