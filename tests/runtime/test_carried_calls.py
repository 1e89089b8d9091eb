"""The yes to an announced call is an act of a person: it opens the run in which the runtime makes that call itself."""

from __future__ import annotations

import asyncio
import json

import pytest

from remit import Agent, App, Ask, Effect, Policy, Principal, Runtime, When, tool
from remit.agent import AgentDriver
from remit.errors import RequestConflictError, RequestError
from remit.messages import ChatRequest, Completion
from remit.record.question import DecisionKind
from remit.stores import Store
from remit.testing import Scripted, calls, history_errors
from remit.tools import Limits, parse_arguments
from tests.agent.both import BOTH
from tests.runtime.announcing import ADA, ANNOUNCE, BOB, FLAGGED, Desk
from tests.runtime.kit import tool_messages


@tool(effect=Effect.PURE)
async def other_tool() -> str:
    """Another tool."""
    return "other"


KINDS = pytest.mark.parametrize("kind", ["confirm", "approve"])


@BOTH
@KINDS
async def test_the_yes_opens_a_run_in_which_the_call_is_made_before_the_model_is_asked(
    store: Store, kind: DecisionKind, driver: AgentDriver
) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "About is dropped.", kind=kind, store=store, driver=driver)
    first = await desk.say()
    assert (first.value(), desk.dropped) == ("Shall I?", [])
    result = await desk.carry()
    assert (result.value(), desk.dropped, len(desk.model.requests)) == ("About is dropped.", ["about"], 3)
    history = await desk.runtime.history(result.run)
    assert not history_errors(history)
    message, call, reply = (json.loads(text) for text in history[-4:-1])
    who = "ada confirmed" if kind == "confirm" else "bob approved"
    assert message == {
        "role": "user",
        "content": f"[{who} the announced call of drop; it is made now, and its result follows.]",
    }
    assert call["content"] is None
    (made,) = call["tool_calls"]
    assert made["function"] == {"name": "drop", "arguments": '{"confirmed":true,"page":"about"}'}
    assert reply == {"role": "tool", "tool_call_id": made["id"], "content": "dropped about"}
    assert len(made["id"]) == 9
    assert (await desk.runtime.replay(result.run)).is_identical
    row = await store.find_run(result.run)
    assert row is not None
    assert (row.principal, row.conversation, row.after) == ("ada", "talk", first.run)


@BOTH
async def test_a_repeat_by_the_model_is_answered_with_the_result_and_not_made(driver: AgentDriver) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", FLAGGED, "Gone.", driver=driver)
    await desk.say()
    result = await desk.carry()
    assert (result.status, desk.dropped) == ("done", ["about"])
    assert (await tool_messages(desk.runtime, result.run))[-2:] == ["dropped about", "dropped about"]
    assert (await desk.runtime.replay(result.run)).is_identical
    assert await desk.store.list_questions() == []


async def test_a_repeat_with_other_arguments_is_another_call() -> None:
    other = calls(("drop", {"page": "news", "confirmed": True}))
    desk = Desk(ANNOUNCE, "Shall I?", other, "Gone.")
    await desk.say()
    result = await desk.carry()
    assert (result.status, desk.dropped) == ("waiting", ["about"])


@pytest.mark.parametrize("text", ["yes", "yes, I confirm", "No! Do not delete it.", "ja, löschen", "> yes", ""])
@KINDS
async def test_no_text_of_a_later_message_is_a_yes(kind: DecisionKind, text: str) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", FLAGGED, "Gone.", kind=kind)
    await desk.say()
    question = await desk.question()
    later = await desk.say(text)
    assert (later.status, later.questions, desk.dropped) == ("waiting", (question.id,), [])
    assert await desk.decide() is None  # a run waits for the answer, and goes on with it
    assert (await desk.runtime.resume(later.run)).value() == "Gone."
    assert desk.dropped == ["about"]


async def test_a_flag_that_the_model_sets_by_itself_waits_for_the_person() -> None:
    desk = Desk(calls(("drop", {"page": "about"})), FLAGGED, "Gone.")
    result = await desk.say()
    assert (result.status, desk.dropped) == ("waiting", [])


async def test_a_yes_in_a_busy_conversation_waits_for_its_turn(store: Store) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Hello.", "Gone.", store=store)
    await desk.say()
    queued = await desk.runtime.submit("hello", by=ADA, conversation="talk")
    run = await desk.decide()
    assert run is not None
    assert (await desk.runtime.resume(run)).status == "queued"
    assert (await desk.runtime.resume(queued)).value() == "Hello."
    assert (await desk.runtime.resume(run)).value() == "Gone."
    assert desk.dropped == ["about"]


async def test_of_several_answers_the_first_one_opens_the_only_run(store: Store) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", store=store)
    await desk.say()
    question = (await desk.question()).id
    run = await desk.decide(question)
    for options in ({}, {"approved": False}, {"by": BOB, "kind": "approve"}):
        with pytest.raises(RequestError, match=f"question {question} is already confirmed by ada"):
            await desk.decide(question, **options)
    assert run is not None
    runs = await store.list_runs()
    assert (runs[0].run, len(runs)) == (run, 2)


async def test_a_denied_call_opens_no_run_and_is_denied_when_the_model_makes_it() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", FLAGGED, "Kept.")
    await desk.say()
    assert await desk.decide(approved=False, reason="keep it") is None
    result = await desk.say("go on")
    assert (result.value(), desk.dropped) == ("Kept.", [])
    assert "keep it" in (await tool_messages(desk.runtime, result.run))[-1]


async def test_what_an_approver_edited_is_called_as_edited() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.", kind="approve")
    await desk.say()
    run = await desk.decide(arguments='{"page":"news","confirmed":true}')
    assert run is not None
    result = await desk.runtime.resume(run)
    assert (result.value(), desk.dropped) == ("Gone.", ["news"])
    assert "bob edited the arguments" in (await tool_messages(desk.runtime, run))[-1]
    assert (await desk.runtime.replay(run)).is_identical


async def test_a_state_that_has_changed_since_is_shown_and_asked_about_anew() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.")
    await desk.say()
    desk.state = "2"
    result = await desk.carry()
    assert (result.status, desk.dropped) == ("waiting", [])
    question = await desk.question()
    assert question.why.endswith("asked again, because the state has changed since it was approved")
    assert await desk.decide() is None
    assert (await desk.runtime.resume(result.run)).value() == "Gone."
    assert desk.dropped == ["about"]


async def test_a_tool_that_has_changed_since_is_asked_about_anew() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "Gone.")
    await desk.say()
    run = await desk.decide()
    assert run is not None
    desk.drop = desk.drop.with_facts(desk.drop.facts, name="drop", description="Drop a page for ever.", where="")
    runtime, _ = desk.process()
    assert (await runtime.resume(run)).status == "waiting"
    assert "the definition of drop has changed" in (await desk.question()).why
    assert desk.dropped == []


async def test_an_answer_that_was_used_too_late_is_told() -> None:
    now = [1_000.0]
    desk = Desk(ANNOUNCE, "Shall I?", "It is too late.", clock=lambda: now[0])
    await desk.say()
    run = await desk.decide()
    assert run is not None
    now[0] += 8 * 24 * 3600
    assert (await desk.runtime.resume(run)).value() == "It is too late."
    assert "was not used in time" in (await tool_messages(desk.runtime, run))[-1]
    with pytest.raises(RequestError, match="is already confirmed"):
        await desk.decide((await desk.store.list_questions(only_open=False))[0].question.id)
    assert desk.dropped == []


async def test_an_expired_question_is_refused_in_one_line() -> None:
    now = [1_000.0]
    desk = Desk(ANNOUNCE, "Shall I?", clock=lambda: now[0])
    await desk.say()
    question = (await desk.question()).id
    now[0] += 1e9
    with pytest.raises(RequestError, match="has expired, which denies the call"):
        await desk.decide(question)


async def test_a_principal_without_the_permission_for_the_call_by_then_is_told() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "You may not.")
    await desk.say()
    desk.people["ada"] = Principal("ada", permissions=frozenset({"pages:read"}))
    run = await desk.decide()
    assert run is not None
    assert (await desk.runtime.resume(run)).value() == "You may not."
    assert "PERMISSION_DENIED" in (await tool_messages(desk.runtime, run))[-1]
    assert desk.dropped == []


async def test_an_approver_is_told_that_the_asker_or_the_agent_is_gone() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", kind="approve")
    await desk.say()
    question = (await desk.question()).id
    gone = Runtime(
        App(name="desk", agents=(Agent("other", instructions="Work."),)), store=desk.store, directory=desk.find_person
    )
    with pytest.raises(RequestError, match="application desk has no agent 'editor'"):
        await gone.decide(question, approved=True, by=BOB)
    foreign = Runtime(App(name="other", agents=desk.runtime.app.agents), store=desk.store, directory=desk.find_person)
    with pytest.raises(RequestError, match=f"application other has no question {question}"):
        await foreign.decide(question, approved=True, by=BOB)
    del desk.people["ada"]
    with pytest.raises(RequestError, match="belongs to 'ada', who is unknown now"):
        await desk.decide(question)
    assert (await desk.question()).id == question


async def test_the_yes_to_a_call_whose_tool_is_gone_is_refused_and_asks_nothing_new() -> None:
    for kind in ("confirm", "approve"):
        desk = Desk(ANNOUNCE, "Shall I?", kind=kind)
        await desk.say()
        question = (await desk.question()).id
        agent = Agent("editor", instructions="Work.", tools=(other_tool,))
        desk.runtime = Runtime(App(name="desk", agents=(agent,)), store=desk.store, directory=desk.find_person)
        with pytest.raises(RequestError, match=f"agent editor no longer has the tool 'drop'.*{question}.*deny"):
            await desk.decide(question)
        if kind == "confirm":
            with pytest.raises(RequestError, match="no longer has the tool 'drop'"):
                await desk.say("yes", confirms=question)
        assert (await desk.question()).id == question
        assert len(await desk.store.list_runs()) == 1
        assert await desk.decide(question, approved=False) is None


@pytest.mark.parametrize("is_decided", [True, False])
async def test_a_waiting_call_whose_tool_is_gone_says_so_and_asks_no_person_again(is_decided: bool) -> None:
    desk = Desk(FLAGGED, "There is no such tool.")
    waiting = await desk.say()
    question = (await desk.question()).id
    agent = Agent("editor", instructions="Work.", tools=(other_tool,))
    app = App(
        name="desk",
        agents=(agent,),
        policy=Policy(When("asked", lambda call: call.callee.name == "drop", Ask(reason="all"))),
    )
    gone = Runtime(app, store=desk.store, model=desk.model, directory=desk.find_person)
    if is_decided:
        await gone.decide(question, approved=True, by=ADA, kind="confirm")
    result = await gone.resume(waiting.run)
    assert result.value() == "There is no such tool."
    assert "there is no tool 'drop'" in (await tool_messages(gone, waiting.run))[-1]
    assert await desk.store.list_questions() == []
    if not is_decided:
        with pytest.raises(RequestError, match="is closed: the call has ended"):
            await gone.decide(question, approved=True, by=ADA, kind="confirm")


async def test_a_conversation_that_was_deleted_takes_no_answer() -> None:
    desk = Desk(ANNOUNCE, "Shall I?")
    await desk.say()
    question = (await desk.question()).id
    await desk.runtime.client(ADA).delete_conversation("talk")
    with pytest.raises(RequestError, match="conversation 'talk' was deleted"):
        await desk.decide(question)


async def test_the_answer_to_a_cancelled_run_serves_no_later_call() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", FLAGGED, "Gone.")
    await desk.say()
    run = await desk.decide()
    assert run is not None
    await desk.runtime.cancel(run, by=ADA)
    later = await desk.say("No, leave it.")
    assert (later.status, desk.dropped) == ("waiting", [])
    assert (await desk.question()).run == later.run


async def test_a_call_of_the_announcing_run_leaves_an_answered_call_to_the_run_that_was_opened() -> None:
    is_asked, may_go_on = asyncio.Event(), asyncio.Event()

    class Slow(Scripted):
        """Answers the second request when the test says so."""

        async def __call__(self, request: ChatRequest, /) -> Completion:
            if any("would drop" in text for text in request.history) and not is_asked.is_set():
                is_asked.set()
                await may_go_on.wait()
            return await super().__call__(request)

    desk = Desk(kind="confirm")
    desk.runtime, _ = desk.process(model=Slow([ANNOUNCE, FLAGGED, "Soon.", "Gone."]))
    running = asyncio.create_task(desk.say())
    await is_asked.wait()
    run = await desk.decide()
    may_go_on.set()
    first = await running
    assert (first.value(), desk.dropped) == ("Soon.", [])
    assert "is called when this run has ended" in (await tool_messages(desk.runtime, first.run))[-1]
    assert (await desk.runtime.replay(first.run)).is_identical
    assert run is not None
    assert (await desk.runtime.resume(run)).value() == "Gone."
    assert desk.dropped == ["about"]


async def test_of_two_answers_about_a_direct_call_the_first_opens_its_run_and_the_other_is_refused() -> None:
    desk = Desk("hello")
    await desk.say("hello")
    arguments = parse_arguments('{"page": "about"}', Limits())
    await desk.runtime.call_by_name("drop", arguments, by=ADA, conversation="talk")
    question = (await desk.question()).id
    answers = await asyncio.gather(desk.decide(question), desk.decide(question), return_exceptions=True)
    assert [type(each) for each in answers] == [str, RequestConflictError]


@KINDS
async def test_what_a_decision_without_a_message_opens_is_in_no_persons_words(kind: DecisionKind) -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "About is dropped.", "Hello.", kind=kind)
    await desk.say()
    asked = await desk.question()
    result = await desk.carry()
    client = desk.runtime.client(ADA)
    (message,) = (each for each in (await client.details(result.run)).view.messages if each.role == "user")
    assert message.by == "loop"
    listed = (await client.runs()).items
    assert [each.title for each in listed] == [asked.sentence.text, "drop it"]


async def test_a_question_of_such_a_run_names_no_message_of_a_person() -> None:
    other = calls(("drop", {"page": "news", "confirmed": True}))
    desk = Desk(ANNOUNCE, "Shall I?", other)
    await desk.say()
    assert (await desk.carry()).status == "waiting"
    asked = await desk.question()
    assert (json.loads(asked.arguments)["page"], asked.message) == ("news", "")


async def test_a_message_that_confirms_stays_the_persons_own() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "About is dropped.")
    await desk.say()
    result = await desk.say("yes, drop it", confirms=(await desk.question()).id)
    view = (await desk.runtime.client(ADA).details(result.run)).view
    (message,) = (each for each in view.messages if each.role == "user")
    assert (message.by, view.totals.title) == ("person", "yes, drop it")


async def test_a_call_that_is_asked_again_counts_for_the_run_that_waits() -> None:
    desk = Desk(ANNOUNCE, "Shall I?")
    first = await desk.say()
    run = await desk.decide()
    assert run is not None
    desk.state = "2"
    assert (await desk.runtime.resume(run)).status == "waiting"
    asked = await desk.question()
    assert asked.run == run != first.run
    assert [each.open_questions for each in (await desk.runtime.client(ADA).runs()).items] == [1, 0]
