"""A message may carry the confirmation of an announced call: as an option beside its text, never by the text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Principal, Runtime
from remit.errors import IdempotencyError, RequestError
from remit.record.items import DecisionItem, QuestionItem, RunOpened
from remit.stores import Store
from tests.runtime.announcing import ADA, ANNOUNCE, BOB, FLAGGED, Desk
from tests.runtime.kit import items_of


async def test_a_message_that_confirms_comes_before_the_call(store: Store) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", store=store)
    await desk.say()
    question = (await desk.question()).id
    result = await desk.say("Yes, and thank you.", confirms=question)
    assert (result.value(), desk.dropped) == ("Gone.", ["about"])
    roles = [json.loads(text) for text in await desk.runtime.history(result.run)][-4:-1]
    assert (roles[0]["content"], roles[2]["content"]) == ("Yes, and thank you.", "dropped about")
    row = await store.find_question(question)
    assert row is not None
    assert row.decision is not None
    assert (row.decision.by, row.decision.kind, row.status) == ("ada", "confirm", "taken")
    assert (await desk.runtime.replay(result.run)).is_identical
    header, asked, decided, *_ = await items_of(store, result.run)
    assert isinstance(header, RunOpened)
    assert isinstance(asked, QuestionItem)
    assert isinstance(decided, DecisionItem)
    assert {asked.call, decided.call} == {header.carries}


async def test_a_message_confirms_through_client_submit_and_stream() -> None:
    for way in ("client", "submit", "stream"):
        desk = Desk(ANNOUNCE, "Shall I?", "Gone.")
        client = desk.runtime.client(ADA)
        await desk.say()
        question = (await desk.question()).id
        if way == "client":
            await client.run("yes", conversation="talk", confirms=question)
        elif way == "submit":
            await client.resume(await client.submit("yes", conversation="talk", confirms=question))
        else:
            async for _ in desk.runtime.stream("yes", by=ADA, conversation="talk", confirms=question):
                pass
        assert desk.dropped == ["about"], way


async def test_a_repeated_request_that_confirms_returns_the_first_outcome() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.")
    await desk.say()
    question = (await desk.question()).id
    results = [await desk.say("yes", confirms=question, idempotency_key="k") for _ in range(2)]
    assert (results[0].run, desk.dropped) == (results[1].run, ["about"])
    with pytest.raises(IdempotencyError, match="used for another request"):
        await desk.say("yes", idempotency_key="k")
    with pytest.raises(RequestError, match="question nope does not exist"):
        await desk.say("yes", confirms="nope", idempotency_key="k")


async def refuse(desk: Desk, match: str, **changes: Any) -> None:
    """A message that may not confirm is refused, and neither it nor a decision is stored."""
    options: dict[str, Any] = {"by": ADA, "conversation": "talk", **changes}
    before = len(await desk.store.list_runs())
    with pytest.raises(RequestError, match=match):
        await desk.runtime.run("yes", **options)
    assert len(await desk.store.list_runs()) == before
    assert desk.dropped == []


async def test_a_message_confirms_only_what_its_sender_was_asked_in_its_conversation() -> None:
    desk = Desk(ANNOUNCE, "Shall I?")
    await desk.say()
    question = (await desk.question()).id
    await refuse(desk, "bob may not confirm question .*; only ada may", by=BOB, confirms=question)
    stranger = Principal("ada", "elsewhere", permissions=frozenset({"*"}))
    await refuse(desk, f"question {question} does not exist", by=stranger, confirms=question)
    await refuse(desk, "no agent has announced", conversation="another", confirms=question)
    await refuse(desk, "no agent has announced", conversation="", confirms=question)
    await refuse(desk, "question unknown does not exist", confirms="unknown")
    await refuse(desk, "cannot have files", confirms=question, files=[b"x"])
    assert (await desk.question()).id == question


async def test_a_message_confirms_no_call_that_needs_an_approval() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", kind="approve")
    await desk.say()
    await refuse(desk, "needs an approval", confirms=(await desk.question()).id)


async def test_a_message_confirms_no_call_for_which_a_run_waits() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", FLAGGED, "Gone.")
    await desk.say()
    waiting = await desk.say("yes")
    with pytest.raises(RequestError, match="a run waits for the answer; decide it without a message"):
        await desk.say("yes", confirms=waiting.questions[0], when_busy="queue")
    assert desk.dropped == []


async def test_another_agent_than_the_one_that_announced_the_call_is_refused() -> None:
    desk = Desk(ANNOUNCE, "Shall I?")
    await desk.say()
    other = Agent("other", instructions="Work.")
    runtime = Runtime(
        App(name="desk", agents=(*desk.runtime.app.agents, other)),
        store=desk.store,
        model=desk.model,
        directory=desk.find_person,
    )
    with pytest.raises(RequestError, match="the agent 'editor' announced the call"):
        await runtime.run("yes", by=ADA, conversation="talk", agent="other", confirms=(await desk.question()).id)


async def test_a_queued_message_that_was_stored_before_the_question_confirms_nothing() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", FLAGGED, "Gone.")
    first = await desk.runtime.submit("drop it", by=ADA, conversation="talk")
    second = await desk.runtime.submit("thank you", by=ADA, conversation="talk", when_busy="queue")
    assert (await desk.runtime.resume(first)).value() == "Shall I?"
    assert (await desk.runtime.resume(second)).status == "waiting"
    assert desk.dropped == []
