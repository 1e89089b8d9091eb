"""A run that makes an announced call first survives what any run survives: crashes, handoffs, races, final replies."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Ask, Effect, LeafContext, Policy, Runtime, When, tool
from remit.app import Env
from remit.errors import BrokenJournalError, RequestError
from remit.journal.sql.store import SqlStore
from remit.layers import Approve, Reply
from remit.record.items import AttemptStarted, Message, RunOpened, ToolOutput
from remit.stores import Store
from remit.testing import Scripted, calls, history_errors
from tests.runtime.announcing import ADA, ANNOUNCE, BOB, FLAGGED, Desk
from tests.runtime.kit import Clock, Crash, Mortal, items_of, tool_messages

SCRIPT = (ANNOUNCE, "Shall I?", FLAGGED, "Gone.")


@pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
async def test_a_process_that_dies_at_any_append_leaves_one_call_and_one_history(after: bool) -> None:
    expected: list[str] = []
    for append in range(1, 20):
        clock = Clock()
        store = Mortal(clock)
        desk = Desk(*SCRIPT, store=store, clock=clock)
        first, question = await desk.say(), (await desk.question()).id
        store.die_at(append, after=after)
        with contextlib.suppress(Crash):
            await desk.runtime.resume(str(await desk.decide(question)))
        has_died = store.dead
        store.revive()
        clock.now += 60  # the lease of the dead process has ended
        desk.runtime, _ = desk.process()
        opened = [row.run for row in await store.list_runs() if row.run != first.run]
        (run,) = opened or [str(await desk.decide(question))]  # the run is stored with the decision, or neither is
        assert (await desk.runtime.resume(run)).value() == "Gone."
        history = await desk.runtime.history(run)
        assert not history_errors(history)
        texts = [json.loads(text)["content"] for text in history]
        expected = expected or texts
        assert texts == expected
        assert (await desk.runtime.replay(run)).is_identical
        assert len(await store.list_runs()) == 2
        if not has_died:
            return
    raise AssertionError("the process never came to its end")


async def test_the_run_that_a_decision_opened_is_due_for_an_engine(store: Store) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", store=store)
    await desk.say()
    run = await desk.decide()
    assert await store.list_due_runs("desk") == [run]


async def test_a_second_policy_asks_its_own_question_and_the_call_runs_once() -> None:
    desk = Desk(*SCRIPT)
    second = Policy.only(When("second", lambda _call: True, Ask(reason="audited")))
    desk.drop = desk.drop.layer(Approve(Env(), policy=second))
    desk.runtime, _ = desk.process()
    await desk.say()
    first, other = [row.question for row in await desk.store.list_questions()]
    run = await desk.runtime.decide(first.id, approved=True, by=BOB)
    assert run is not None
    waiting = await desk.runtime.resume(run)
    assert (waiting.status, waiting.questions, desk.dropped) == ("waiting", (other.id,), [])
    assert await desk.runtime.decide(other.id, approved=True, by=BOB) is None
    assert (await desk.runtime.resume(run)).value() == "Gone."
    assert desk.dropped == ["about"]
    assert (await desk.runtime.replay(run)).is_identical


async def test_of_two_runs_that_two_policies_opened_for_one_call_the_second_tells_that_it_was_made() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", "It was made.")
    second = Policy.only(When("second", lambda _call: True, Ask(reason="audited")))
    desk.drop = desk.drop.layer(Approve(Env(), policy=second))
    desk.runtime, _ = desk.process()
    await desk.say()
    questions = [row.question.id for row in await desk.store.list_questions()]
    runs = [str(await desk.runtime.decide(each, approved=True, by=BOB)) for each in questions]
    waiting = await desk.runtime.resume(runs[0])
    assert (waiting.status, desk.dropped) == ("waiting", [])
    await desk.runtime.decide(waiting.questions[0], approved=True, by=BOB)
    assert (await desk.runtime.resume(runs[0])).value() == "Gone."
    assert (await desk.runtime.resume(runs[1])).status == "waiting"
    assert desk.dropped == ["about"]


async def test_a_call_that_waited_for_the_same_answer_is_made_once_and_the_carried_call_is_told() -> None:
    """A run comes to wait for the question in the moment in which its answer opens another run."""
    desk = Desk(ANNOUNCE, "Shall I?", FLAGGED, "Gone.", "It was made before.")
    await desk.say()
    question = await desk.question()
    waiting = await desk.say("do it")
    find_waiting = desk.store.list_runs

    async def list_none(**_filter: Any) -> list[Any]:
        return []

    desk.store.list_runs = list_none  # the moment before it waited
    run = await desk.decide(question.id)
    desk.store.list_runs = find_waiting
    assert run is not None
    assert (await desk.runtime.resume(waiting.run)).value() == "Gone."
    later = await desk.runtime.resume(run)
    assert (later.value(), desk.dropped) == ("It was made before.", ["about"])
    assert "was used by another call" in (await tool_messages(desk.runtime, run))[-1]


async def test_a_final_reply_ends_the_run_without_a_model() -> None:
    @tool(effect=Effect.KEYED, risk="high", confirm="confirmed")
    async def send(ctx: LeafContext, confirmed: bool = False) -> Reply:
        """Send it."""
        return Reply.final("sent") if confirmed else Reply.from_value("would send")

    agent = Agent("editor", instructions="Work.", tools=(send,))
    model = Scripted([calls(("send", {})), "Shall I?"])
    runtime = Runtime(App(name="desk", agents=(agent,)), model=model)
    await runtime.run("send it", by=BOB, conversation="talk")
    (row,) = await runtime.store.list_questions()
    run = await runtime.decide(row.question.id, approved=True, by=BOB)
    assert run is not None
    result = await runtime.resume(run)
    assert (result.value(), len(model.requests)) == ("sent", 2)
    assert (await runtime.replay(run)).is_identical


async def test_the_agent_that_took_over_makes_the_call_that_it_announced() -> None:
    desk = Desk()
    closer = Agent("closer", instructions="Close.", tools=(desk.drop,), model=Scripted([ANNOUNCE, "Shall I?", "Gone."]))
    handing = Scripted([calls(("handoff_to_closer", {"reason": "it is time"}))])
    opener = Agent("opener", instructions="Open.", handoffs=(closer,), model=handing)
    runtime = Runtime(App(name="desk", agents=(opener, closer)), store=desk.store, directory=desk.find_person)
    closing: Any = closer.model
    closing._lines = ("unused", *closing._lines)  # the answer that handed over stands in the history
    await runtime.run("drop it", by=ADA, conversation="talk")
    (row,) = await desk.store.list_questions()
    assert row.question.agent == "closer"
    run = await runtime.decide(row.question.id, approved=True, by=BOB)
    assert run is not None
    assert ((await runtime.resume(run)).status, desk.dropped) == ("done", ["about"])
    opened = (await items_of(desk.store, run))[0]
    assert isinstance(opened, RunOpened)
    assert opened.callee == "closer"


async def test_a_yes_whose_question_was_erased_makes_no_call() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Nothing was done.")
    await desk.say()
    run = await desk.decide()
    assert run is not None
    await desk.store.erase(run, [1, 2])
    assert ((await desk.runtime.resume(run)).value(), desk.dropped) == ("Nothing was done.", [])


async def test_a_cancelled_run_that_carries_a_call_makes_none() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Hello.", "Later.")
    await desk.say()
    other = await desk.runtime.submit("hello", by=ADA, conversation="talk")
    run = await desk.decide()
    assert run is not None
    await desk.runtime.cancel(run, by=ADA)
    await desk.runtime.resume(other)
    assert (await desk.store.find_run(run)) is not None
    items = await items_of(desk.store, run)
    assert not any(isinstance(item, (Message, ToolOutput, AttemptStarted)) for item in items)
    assert (await desk.say("go on")).status == "done"
    assert desk.dropped == []
    assert (await desk.runtime.replay(run)).is_identical


async def test_a_journal_whose_use_of_an_answer_was_taken_back_executes_nothing(tmp_path: Path) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", store=SqlStore.at(tmp_path / "journal.db"))
    try:
        await desk.say()
        run = await desk.decide()
        assert run is not None
        await desk.runtime.resume(run)
        with pytest.raises((BrokenJournalError, RequestError)):
            await desk.decide((await desk.store.list_questions(only_open=False))[0].question.id)
    finally:
        await desk.store.close()


async def test_a_message_before_the_run_that_a_decision_opened_is_refused_with_what_to_do_or_waits_behind_it() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", "You are welcome.")
    await desk.say()
    run = await desk.decide()
    with pytest.raises(RequestError) as caught:
        await desk.say("thank you")
    assert caught.value.message == (
        f"conversation talk is busy: run {run} is running, or waits for an executor since a decision opened it; resume "
        "it or wait for its end first, or queue the message (when_busy='queue', or --queue)"
    )
    thanks = await desk.runtime.submit("thank you", by=ADA, conversation="talk", when_busy="queue")
    assert (await desk.runtime.resume(str(run))).value() == "Gone."
    assert (await desk.runtime.resume(thanks)).value() == "You are welcome."
    assert desk.dropped == ["about"]
