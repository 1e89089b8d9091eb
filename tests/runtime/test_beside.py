"""A direct call in a conversation stands beside its runs: it waits for none, and is no part of what was said."""

from __future__ import annotations

import json
from typing import Any, cast
from uuid import UUID

import pytest

from remit import Effect, LeafContext, Runtime, tool
from remit.errors import NotFoundError, RequestError
from remit.inventory import Response, Status, ToolRequest, ToolRequestPayload, handle_request
from remit.journal.ports import Store
from remit.record.arguments import Limits, parse_arguments
from remit.record.items import DETACHED, RunOpened
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import items_of, runtime_of
from tests.runtime.test_conversation import FIRST, YES, talk, texts

ADA = superuser()


@tool(effect=Effect.PURE)
async def where(ctx: LeafContext) -> str:
    """Say in which conversation this is."""
    return ctx.caller.conversation


def eraser_of(runtime: Runtime) -> Any:
    """The tool of the runtime's agent."""
    return runtime.app.agents[0].tools[0]


def asked(
    name: str, arguments: str = "{}", *, number: int = 1, session: str | None = "s", by: str = "ada"
) -> ToolRequest:
    payload = ToolRequestPayload(tool_name=name, parameters=json.loads(arguments))
    return ToolRequest(request_id=UUID(int=number), session_id=session, user_id=by, payload=payload)


async def test_a_tool_sees_the_conversation_that_it_is_called_in(store: Store) -> None:
    runtime = runtime_of(Scripted([]), where, store=store)
    results = [
        await runtime.call_in_conversation("c", where, ADA),
        await runtime.call_by_name("where", parse_arguments("{}", Limits()), by=ADA, conversation="c"),
        await runtime.call(where, ADA),
    ]
    assert [result.value() for result in results] == ["c", "c", ""]
    headers = [(await items_of(store, result.run))[0] for result in results]
    assert [header.after for header in headers if isinstance(header, RunOpened)] == [DETACHED, DETACHED, DETACHED]


async def test_a_call_can_be_made_while_the_agents_run_waits_which_then_goes_on(store: Store) -> None:
    ran = list[str]()
    runtime, model = talk(store, calls(("erase", YES)), "done", "hello", ran=ran)
    waiting = await runtime.run("one", by=ADA, conversation="c")
    beside = await runtime.call_in_conversation("c", eraser_of(runtime), ADA, "home")
    assert (waiting.status, beside.value()) == ("waiting", "would erase home")
    with pytest.raises(RequestError, match=f"conversation c is busy: run {waiting.run} is waiting"):
        await runtime.run("two", by=ADA, conversation="c")
    await runtime.decide(waiting.questions[0], approved=True, by=ADA)
    assert (await runtime.resume(waiting.run)).value() == "done"
    await runtime.run("two", by=ADA, conversation="c")
    assert [text for text in texts(model) if "home" in str(text)] == [], "what was said holds nothing of the call"


async def test_while_a_call_waits_the_conversation_and_other_calls_go_on(store: Store) -> None:
    ran = list[str]()
    runtime, model = talk(store, "hello", "again", ran=ran)
    waiting = await runtime.call_in_conversation("c", eraser_of(runtime), ADA, "about", confirmed=True)
    assert waiting.status == "waiting"
    assert (await runtime.run("one", by=ADA, conversation="c")).value() == "hello"
    assert (await runtime.call_in_conversation("c", eraser_of(runtime), ADA, "home")).status == "done"
    assert (await runtime.run("two", by=ADA, conversation="c")).value() == "again"
    assert texts(model) == ["Work.", "one", "hello", "two"]
    await runtime.decide(waiting.questions[0], approved=True, by=ADA)
    assert (await runtime.resume(waiting.run)).value() == "erased about"


async def test_an_agent_that_is_called_directly_begins_with_nothing_and_leaves_nothing(store: Store) -> None:
    runtime, model = talk(store, "hello", "again")
    await runtime.run("one", by=ADA, conversation="c")
    prompt = parse_arguments('{"prompt":"psst"}', Limits())
    beside = await runtime.call_by_name("agent", prompt, by=ADA, conversation="c")
    assert (texts(model), beside.value()) == (["Work.", "psst"], "hello")
    await runtime.run("two", by=ADA, conversation="c")
    assert texts(model) == ["Work.", "one", "hello", "two"]
    said = [json.loads(text)["content"] for text in await runtime.history(beside.run)]
    assert said == ["psst", "hello"]


async def test_what_a_call_announces_another_does_once_a_person_has_said_yes(store: Store) -> None:
    ran = list[str]()
    runtime, _ = talk(store, ran=ran)
    erase = eraser_of(runtime)
    await runtime.call_in_conversation("c", erase, ADA, "about")
    (row,) = await store.list_questions(conversation="c")
    run = await runtime.decide(row.question.id, approved=True, by=ADA)
    assert run is not None
    assert (await runtime.call_in_conversation("c", erase, ADA, "about", confirmed=True)).status == "waiting"
    assert (await runtime.resume(run)).value() == "erased about"
    assert len(ran) == 1
    header = (await items_of(store, run))[0]
    assert isinstance(header, RunOpened)
    assert (header.after, header.callee, header.conversation) == (DETACHED, "erase", "c")


async def test_a_call_beside_a_conversation_replays(store: Store) -> None:
    runtime, _ = talk(store, "hello")
    await runtime.run("one", by=ADA, conversation="c")
    beside = await runtime.call_in_conversation("c", eraser_of(runtime), ADA, **FIRST)
    report = await runtime.replay(beside.run)
    assert (report.is_identical, report.compared_count) == (True, 1)


def failure_of(response: Response[Any]) -> str:
    """The message of a response that FAILED."""
    assert response.error is not None
    return response.error.message


async def test_a_tool_request_is_answered_in_its_session_and_done_once(store: Store) -> None:
    ran = list[str]()
    runtime, _ = talk(store, ran=ran)
    request = asked("erase", '{"page": "about"}')
    answers = [await handle_request(runtime, request, by=ADA) for _ in range(2)]
    assert [(each.status, each.request_id) for each in answers] == [(Status.COMPLETED, UUID(int=1))] * 2
    assert [each.payload.result for each in answers if each.payload] == ["would erase about"] * 2
    (row,) = await store.list_runs()
    assert row.conversation == "s"
    other = await handle_request(runtime, asked("erase", '{"page": "about"}', session="other"), by=ADA)
    assert "was used for another request" in failure_of(other)


async def test_a_tool_request_is_pending_until_a_person_has_decided(store: Store) -> None:
    ran = list[str]()
    runtime, _ = talk(store, ran=ran)
    request = asked("erase", json.dumps(YES))
    pending = await handle_request(runtime, request, by=ADA)
    (question,) = await store.list_questions()
    assert (pending.status, pending.payload) == (Status.PENDING, None)
    assert pending.questions == [question.question.id]
    await runtime.decide(question.question.id, approved=True, by=ADA)
    done = await handle_request(runtime, request, by=ADA)
    assert (done.status, ran) == (Status.COMPLETED, [f"about in {(await store.list_runs())[0].run}"])


async def test_a_tool_request_that_fails_has_an_error_and_no_payload() -> None:
    @tool(effect=Effect.PURE)
    async def fail() -> str:
        """Fail."""
        raise NotFoundError("it was removed")

    answer = await handle_request(runtime_of(Scripted([]), fail), asked("fail", session=None), by=ADA)
    assert (answer.status, answer.payload) == (Status.FAILED, None)
    assert answer.error is not None
    assert answer.error.message == "it was removed"


async def test_nobody_asks_in_the_name_of_another_or_for_a_tool_that_is_not_there(store: Store) -> None:
    runtime: Runtime = runtime_of(Scripted([]), where, store=store)
    refused = failure_of(await handle_request(runtime, asked("where", by="bob"), by=ADA))
    assert "names the user 'bob', but 'ada' sends it" in refused
    assert "has no tool or agent 'nowhere'" in failure_of(await handle_request(runtime, asked("nowhere"), by=ADA))
    assert await store.list_runs() == []


async def test_a_request_that_was_read_from_json_is_validated() -> None:
    runtime = runtime_of(Scripted([]), where)
    sent = json.loads(asked("where").model_dump_json())
    answers = [await handle_request(runtime, each, by=ADA) for each in (sent, ToolRequest.model_validate(sent))]
    assert answers[0] == answers[1]
    broken = {**sent, "payload": {"tool_name": "", "shell": "ls"}, "user_id": 7}
    refused = await handle_request(runtime, broken, by=ADA)
    assert failure_of(refused).startswith("the request does not fit ToolRequest: user_id: ")
    assert "; payload.tool_name: " in failure_of(refused)
    assert "\n" not in failure_of(refused)
    no_request = await handle_request(runtime, cast("Any", "where"), by=ADA)
    assert failure_of(no_request) == "the request is 'where'; read its JSON into a dict"
