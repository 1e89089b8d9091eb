"""No arguments are none only in an answer that ended its calls whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, Runtime, tool
from remit.agent import AgentDriver
from remit.agent.recorded_answer import requested_calls, to_legal_answer
from remit.chat.call_ids import MAX_ID
from remit.chat.chat import ChatRequest, Completion, History, completion_from_message, encode_message
from remit.chat.finish import NO_FINISH
from remit.chat.wire import UNNAMED, mark_origin, origin_of_text
from remit.testing import Scripted, read_only_ledger, superuser
from tests.agent.both import BOTH

MISSING = "refused: the arguments have not arrived; make the call again, with all of them"


def call(name: str, arguments: str, number: int = 1) -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def answer(finish: str, *calls: dict[str, Any], **fields: Any) -> Completion:
    message = encode_message({"role": "assistant", "content": None, "tool_calls": list(calls), **fields})
    return completion_from_message(message, finish_reason=finish)


@pytest.mark.parametrize("finish", ["length", "MAX_TOKENS", "error", "?", NO_FINISH])
@pytest.mark.parametrize("blank", ["", " \n", "null", "{}", " { } "])
def test_blank_arguments_are_none_only_where_the_answer_ended_well(finish: str, blank: str) -> None:
    calls = (call("wipe", blank), call("wipe", '{"scope":"tmp"}', 2), call("wipe", blank, 3))
    texts = [each.arguments for each in requested_calls(answer(finish, *calls))]
    assert texts == [MISSING, '{"scope":"tmp"}', MISSING], "a whole object has arrived whole"
    for good in ("stop", "tool_calls", "STOP", "tool_use"):
        assert requested_calls(answer(good, *calls)) == answer(good, *calls).tool_calls


def test_beside_a_call_without_a_name_blank_arguments_may_be_those_of_that_call() -> None:
    texts = [each.arguments for each in requested_calls(answer("stop", call("wipe", ""), call("unnamed", "{}", 2)))]
    assert texts == [MISSING, "{}"]  # that it has no name is said of the other


REFUSAL: dict[str, Any] = {"type": "refusal", "refusal": "no"}
HELD_BACK: tuple[dict[str, Any], ...] = (
    {"finish_reason": "content_filter"},
    {"finish_reason": "SAFETY", "content": "I will"},
    {"refusal": "I will not"},
    {"refusal": "I will not", "content": "I will"},
    {"refusal": True},
    {"refusal": {"reason": "no"}},
    {"finish_reason": "ERROR_TOXIC"},
    {"finish_reason": "content filter"},
    {"content": [REFUSAL]},
    {"content": [{"type": "text", "text": "I will"}, REFUSAL]},
)


@pytest.mark.parametrize("fields", HELD_BACK, ids=str)
def test_no_call_of_an_answer_that_was_held_back_in_part_is_made(fields: dict[str, Any]) -> None:
    fields = dict(fields)
    found = answer(fields.pop("finish_reason", "stop"), call("wipe", '{"scope":"tmp"}'), call("wipe", "", 2), **fields)
    assert [each.arguments[:31] for each in requested_calls(found)] == ["refused: this call was not made"] * 2


@pytest.mark.parametrize("refusal", [None, "", " ", False, {}, ["no"], 5])
def test_a_refusal_of_no_text_holds_nothing_back(refusal: object) -> None:
    found = answer("stop", call("wipe", '{"refusal":"no"}'), refusal=refusal)
    assert requested_calls(found) == found.tool_calls


@BOTH
@pytest.mark.parametrize("fields", HELD_BACK, ids=str)
async def test_the_model_is_told_that_its_answer_was_held_back(fields: dict[str, Any], driver: AgentDriver) -> None:
    found: list[str] = []

    @tool(effect=Effect.UNSAFE)
    async def wipe(scope: str = "everything") -> str:
        """Wipe."""
        found.append(scope)
        return scope

    held = {"role": "assistant", "content": None, "tool_calls": [call("wipe", "{}"), call("wipe", "{}", 2)], **fields}
    model = Scripted([held, "done"])
    agent = Agent("agent", instructions="W.", tools=[wipe], model=model, driver=driver)
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run("go", by=superuser())
    assert (result.value(), found) == ("done", [])
    replies = [json.loads(text)["content"] for text in model.requests[-1].history if '"role":"tool"' in text]
    assert ["a part of your answer was held back" in text for text in replies] == [True, True]
    assert (await runtime.replay(result.run)).is_identical


@BOTH
async def test_a_typed_result_beside_a_refusal_is_asked_for_again(driver: AgentDriver) -> None:
    given = {"role": "assistant", "content": None, "tool_calls": [call("final_result", '{"city":"Ulm"}')]}
    model = Scripted(
        [{**given, "refusal": "no"}, {**given, "tool_calls": [call("final_result", '{"city":"Bonn"}', 2)]}]
    )
    agent = Agent("agent", instructions="W.", output=City, model=model, driver=driver)
    result = await Runtime(App(name="test", agents=(agent,))).run("go", by=superuser())
    assert result.value() == City(city="Bonn")


class City(BaseModel):
    """A city."""

    city: str


@BOTH
@pytest.mark.parametrize(
    ("finish", "calls", "made"),
    [
        ("tool_calls", [call("wipe", "")], ["everything"]),
        ("stop", [call("wipe", "{}")], ["everything"]),
        ("content_filter", [call("wipe", "")], []),
        ("error", [call("wipe", "{}"), call("wipe", '{"scope":"tmp"}', 2)], ["tmp"]),
        ("tool_calls", [call("wipe", ""), call("", '{"scope":"tmp"}', 2)], []),
        ("tool_calls", [{"id": "c", "function": {"name": "wipe", "parameters": {"scope": "tmp"}}}], []),
        ("tool_calls", [{"id": "c", "function": {"name": "wipe", "arguments": ""}, "args": {"scope": "tmp"}}], []),
    ],
)
async def test_a_call_whose_arguments_may_not_have_arrived_goes_back_as_a_reply(
    finish: str, calls: list[dict[str, Any]], made: list[str], driver: AgentDriver
) -> None:
    found: list[str] = []

    @tool(effect=Effect.PURE)
    async def wipe(scope: str = "everything") -> str:
        """Wipe."""
        found.append(scope)
        return scope

    model = Scripted([{"role": "assistant", "content": None, "tool_calls": calls, "finish_reason": finish}, "done"])
    agent = Agent("agent", instructions="W.", tools=[wipe], model=model, driver=driver)
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run("go", by=superuser())
    assert (result.value(), found) == ("done", made)
    replies = [json.loads(text)["content"] for text in model.requests[-1].history if '"role":"tool"' in text]
    refused = [text for text in replies if "VALIDATION_ERROR" in text or "UNKNOWN_TOOL" in text]
    assert len(refused) == len(calls) - len(made)
    assert (await runtime.replay(result.run)).is_identical


@pytest.mark.parametrize("count", [1, 2])
def test_an_id_that_not_every_provider_takes_becomes_another(count: int) -> None:
    request = ChatRequest(agent_call_id="a", turn=1, ledger=read_only_ledger(()), history=History())
    calls = [call("wipe", "{}", number) | {"id": f"{number}" * (MAX_ID + 1)} for number in range(count)]
    legal = to_legal_answer(answer("stop", *calls), request)
    assert [each.id for each in legal.tool_calls] == [f"call{number:05}" for number in range(count)]
    kept = [each | {"id": each["id"][:MAX_ID]} for each in calls]
    assert to_legal_answer(answer("stop", *kept), request) == answer("stop", *kept)


@pytest.mark.parametrize("text", ["Done.", "", " \n", None])
@pytest.mark.parametrize("calls", [[{}], [{"id": "c"}, {"function": {"name": "", "arguments": "{ }"}}]])
def test_calls_of_nothing_beside_a_text_are_none(text: str | None, calls: list[dict[str, Any]]) -> None:
    request = ChatRequest(agent_call_id="a", turn=1, ledger=read_only_ledger(()), history=History())
    parts = [{"part_kind": "thinking", "content": "x"}, *({"part_kind": "tool-call"} for _ in calls)]
    message = {"role": "assistant", "content": text, "tool_calls": calls, "pydantic_ai": {"parts": parts}}
    told = completion_from_message(mark_origin(encode_message(message), "m at host"))
    legal = to_legal_answer(told, request)
    assert (legal.content, origin_of_text(legal.message)) == (text or None, "m at host")
    if text == "Done.":
        kept = {"role": "assistant", "content": text, "pydantic_ai": {"parts": parts[:1]}}
        assert (json.loads(legal.message), legal.tool_calls) == (kept, ())
    else:
        assert [each.name for each in legal.tool_calls] == [UNNAMED] * len(calls)


def test_a_call_with_a_name_or_arguments_stays_beside_a_text() -> None:
    request = ChatRequest(agent_call_id="a", turn=1, ledger=read_only_ledger(()), history=History())
    for one in (call("look", ""), call("", '{"page":1}')):
        message = encode_message({"role": "assistant", "content": "Done.", "tool_calls": [{}, one]})
        assert len(to_legal_answer(completion_from_message(message), request).tool_calls) == 2
