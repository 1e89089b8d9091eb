"""What is asked of an OpenAI-compatible endpoint, to the byte, and what is read from its answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionAssistantMessageParam
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter

from remit import Agent, App, Effect, Runtime, tool
from remit.call.contract import tool_definition
from remit.chat.chat import ChatRequest, Completion, History, ToolDefinitions, encode_message
from remit.chat.wire import plain_message
from remit.errors import CompletionError, SetupError
from remit.models import ModelSettings
from remit.models.chat_completion import parse_completion
from remit.models.openai import OpenAI, build_body, from_environment, read_endpoint
from remit.record.items import Message, ModelUsage
from remit.testing import read_only_ledger, superuser
from remit.testing.history_check import HistoryErrorKind, history_errors
from tests.loopback import Endpoint, answering

SYSTEM = '{"role":"system","content":"Work."}'
ESCAPED = '{"role": "user",  "content": "caf\\u00e9 \\ud83d\\ude00"}'
PLAIN = '{"content":"café 😀","role":"user"}'


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number, quelle idée."""
    return number * 2


TOOLS = ToolDefinitions([tool_definition(double)])


def request(*texts: str, **knobs: Any) -> ChatRequest:
    return ChatRequest(agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History(texts), **knobs)


def answer(message: dict[str, Any], **more: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], **more}).encode()


HELLO = answer({"content": "hello"}).decode()


async def test_the_server_receives_the_wire_texts_to_the_byte() -> None:
    async with Endpoint(answering(200, HELLO)) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        await model(request(SYSTEM, ESCAPED, PLAIN))
    assert endpoint.received == [f'{{"model":"m","messages":[{SYSTEM},{ESCAPED},{PLAIN}]}}'.encode()]


KNOBS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "none": ({}, {}),
    "temperature": ({"settings": ModelSettings(temperature=0.0)}, {"temperature": 0.0}),
    "max_tokens": ({"settings": ModelSettings(max_tokens=7)}, {"max_tokens": 7}),
    "sampling": (
        {"settings": ModelSettings(top_p=0.5, seed=3, stop=("END",), max_completion_tokens=9, reasoning_effort="low")},
        {"top_p": 0.5, "seed": 3, "stop": ["END"], "max_completion_tokens": 9, "reasoning_effort": "low"},
    ),
    "format": (
        {"settings": ModelSettings(response_format={"type": "json_object"}, extra_body={"user": "ada"})},
        {"response_format": {"type": "json_object"}, "user": "ada"},
    ),
    "no choice without tools": ({"settings": ModelSettings(tool_choice="auto", parallel_tool_calls=False)}, {}),
    "choice": (
        {"tools": TOOLS, "settings": ModelSettings(tool_choice="double", parallel_tool_calls=False)},
        {
            "tools": [tool_definition(double)],
            "tool_choice": {"type": "function", "function": {"name": "double"}},
            "parallel_tool_calls": False,
        },
    ),
    "tools": ({"tools": TOOLS}, {"tools": [tool_definition(double)]}),
    "all": (
        {"tools": TOOLS, "settings": ModelSettings(temperature=0.5, max_tokens=1)},
        {"tools": [tool_definition(double)], "temperature": 0.5, "max_tokens": 1},
    ),
}


@pytest.mark.parametrize("name", KNOBS)
async def test_the_server_receives_only_the_knobs_that_are_set(name: str) -> None:
    knobs, expected = KNOBS[name]
    async with Endpoint(answering(200, HELLO)) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        await model(request(SYSTEM, PLAIN, **knobs))
    (body,) = map(json.loads, endpoint.received)
    assert body == {"model": "m", "messages": [json.loads(SYSTEM), json.loads(PLAIN)], **expected}


@pytest.mark.parametrize("name", KNOBS)
def test_the_body_is_one_that_the_official_client_could_have_sent(name: str) -> None:
    knobs, _ = KNOBS[name]
    calls = [{"id": "a", "type": "function", "function": {"name": "double", "arguments": "{"}}]
    texts = (
        SYSTEM,
        PLAIN,
        encode_message({"role": "assistant", "content": None, "tool_calls": calls}),
        encode_message({"role": "tool", "tool_call_id": "a", "content": "no"}),
    )
    body = json.loads(build_body("m", request(*texts, **knobs)))
    accepted = TypeAdapter(CompletionCreateParamsNonStreaming).validate_python(body)
    assert whole(accepted) == body, "and it would have meant the same"


def whole(value: Any) -> Any:
    """The value with everything read that pydantic leaves to be read later."""
    if isinstance(value, dict):
        return {key: whole(part) for key, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [whole(part) for part in cast("Iterable[Any]", value)]
    return value


def test_a_model_named_with_quotes_stays_one_name() -> None:
    assert json.loads(build_body('a "good" one\n', request(PLAIN)))["model"] == 'a "good" one\n'


def test_an_endpoint_that_cannot_read_every_message_is_sent_another_spelling() -> None:
    body = build_body("m", request(SYSTEM, PLAIN), lambda text: SYSTEM if text == PLAIN else text)
    assert body == f'{{"model":"m","messages":[{SYSTEM},{SYSTEM}]}}'.encode()


@given(st.lists(st.text(max_size=20), max_size=4))
def test_whatever_text_is_said_the_body_is_json_that_says_it(said: list[str]) -> None:
    body = json.loads(build_body("m", request(*(encode_message({"role": "user", "content": text}) for text in said))))
    assert [message["content"] for message in body["messages"]] == said


async def test_an_answer_becomes_a_completion_with_its_raw_body() -> None:
    raw = answer(
        {"content": "café"}, model="m-2026", usage={"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    ).decode()
    async with Endpoint(answering(200, raw)) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        completion = await model(request(PLAIN))
    assert completion == Completion(
        message='{"role": "assistant", "content": "caf\\u00e9"}',
        content="café",
        finish_reason="stop",
        model="m-2026",
        prompt_tokens=11,
        completion_tokens=3,
        response=raw,
    )


async def test_what_the_endpoint_was_sent_is_what_the_journal_holds() -> None:
    calls = [{"id": "a", "type": "function", "function": {"name": "double", "arguments": '{"number" : 4}'}}]
    script = [answer({"content": None, "tool_calls": calls}).decode(), answer({"content": "huit, é"}).decode()]
    async with (
        Endpoint(lambda _: (200, script[len(endpoint.received) - 1])) as endpoint,
        OpenAI("m", base_url=endpoint.url, api_key="k") as model,
    ):
        agent = Agent(
            "agent", instructions="Réponds.", tools=[double], model=model, settings=ModelSettings(temperature=0.0)
        )
        runtime = Runtime(App(name="test", agents=(agent,)))
        result = await runtime.run("4 ?", by=superuser())
    items = [position.item for position in await runtime.store.read(result.run)]
    system = next(item.text for item in items if isinstance(item, Message))
    spliced = ",".join([system, *(await runtime.history(result.run))[:-1]])
    assert result.value() == "huit, é"
    assert f'"messages":[{spliced}]'.encode() in endpoint.received[-1]
    assert [item.response for item in items if isinstance(item, ModelUsage)] == script


ODD: dict[str, dict[str, Any]] = {
    "null content": {"content": None},
    "no content": {},
    "empty calls": {"content": "x", "tool_calls": []},
    "null calls": {"content": "x", "tool_calls": None},
    "a refusal": {"content": None, "refusal": "no"},
    "extra keys": {"content": "x", "reasoning_content": "hm", "annotations": [], "audio": None, "function_call": None},
    "calls beside text": {"content": "x", "tool_calls": [{"id": "a", "function": {"name": "n", "arguments": "{}"}}]},
    "calls with extra keys": {
        "tool_calls": [{"index": 0, "id": "a", "type": "tool", "function": {"name": "n", "arguments": "{", "x": 1}}]
    },
    "a call without arguments": {"tool_calls": [{"id": "a", "function": {"name": "n"}}]},
    "a call without a function": {"tool_calls": [{"id": "a", "type": "custom"}]},
    "arguments that are an object": {"tool_calls": [{"id": "a", "function": {"name": "n", "arguments": {"b": 1}}}]},
    "arguments that are null": {"tool_calls": [{"id": "a", "function": {"name": "n", "arguments": None}}]},
    "a custom tool": {"tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "n", "input": "free"}}]},
    "content in parts": {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "x"}]},
    "half a surrogate pair": {"content": "\ud800"},
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_is_kept_as_received_and_other_models_get_what_all_accept(name: str) -> None:
    completion = parse_completion(answer(ODD[name]))
    assert json.loads(completion.message) == {"role": "assistant", **ODD[name]}
    others = encode_message(plain_message(json.loads(completion.message)))
    TypeAdapter(ChatCompletionAssistantMessageParam).validate_python(json.loads(others))
    kinds = {HistoryErrorKind.UNPAIRED_CALL, HistoryErrorKind.EMPTY_NAME}
    assert {fault.kind for fault in history_errors([others])} <= kinds


def test_a_message_is_kept_to_the_letter_but_for_spaces() -> None:
    body = (
        b'{"choices": [ {"message": {\n  "z": [1.10, 1e-07], "role" : "assistant", "content": "a \\u00e9 \xc3\xa9"}} ]}'
    )
    assert parse_completion(body).message == '{"z":[1.10,1e-07],"role":"assistant","content":"a \\u00e9 é"}'


def test_a_message_without_a_role_gets_one() -> None:
    assert json.loads(parse_completion(answer({"role": None, "content": "x"})).message)["role"] == "assistant"


SAID: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "an object": ({"function": {"name": "n", "arguments": {"b": 1.5}}}, ("n", '{"b":1.5}')),
    "null": ({"function": {"name": "n", "arguments": None}}, ("n", "")),
    "nothing": ({"function": {"name": "n"}}, ("n", "")),
    "a custom tool's input": ({"type": "custom", "custom": {"name": "n", "input": "free"}}, ("n", "free")),
    "no function": ({"type": "function"}, ("", "")),
    "a function that is text": ({"function": "n"}, ("", "")),
}


@pytest.mark.parametrize("name", SAID)
def test_the_arguments_of_a_call_are_read_whatever_their_type(name: str) -> None:
    call, expected = SAID[name]
    (read,) = parse_completion(answer({"tool_calls": [{"id": "a", **call}]})).tool_calls
    assert read == ("a", *expected)


USAGE: dict[str, tuple[Any, tuple[int, int, int, int]]] = {
    "openai": (
        {
            "prompt_tokens": 9,
            "completion_tokens": 8,
            "prompt_tokens_details": {"cached_tokens": 7},
            "completion_tokens_details": {"reasoning_tokens": 6},
        },
        (9, 8, 7, 6),
    ),
    "deepseek": ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_cache_hit_tokens": 7}, (9, 8, 7, 0)),
    "nulls": ({"prompt_tokens": None, "prompt_tokens_details": None}, (0, 0, 0, 0)),
    "other types": ({"prompt_tokens": "9", "completion_tokens": True, "prompt_tokens_details": []}, (0, 0, 0, 0)),
    "fractions": (
        {
            "prompt_tokens": 9.0,
            "completion_tokens": 8.0,
            "prompt_tokens_details": {"cached_tokens": 7.0},
            "completion_tokens_details": {"reasoning_tokens": 6.0},
        },
        (9, 8, 7, 6),
    ),
    "texts": ({"prompt_tokens": "9", "completion_tokens": "8"}, (9, 8, 0, 0)),
    "no whole number": ({"prompt_tokens": 9.5, "completion_tokens": 8}, (0, 0, 0, 0)),
    "no object": ([], (0, 0, 0, 0)),
}


@pytest.mark.parametrize("name", USAGE)
def test_cached_and_reasoning_tokens_are_read(name: str) -> None:
    usage, expected = USAGE[name]
    read = parse_completion(answer({"content": "x"}, usage=usage))
    assert (read.prompt_tokens, read.completion_tokens, read.cached_tokens, read.reasoning_tokens) == expected


@pytest.mark.parametrize("role", ["model", "user", "tool"])
def test_an_answer_in_another_role_than_the_assistants_is_refused(role: str) -> None:
    with pytest.raises(CompletionError, match=f"answered with a message of role '{role}', not 'assistant'"):
        parse_completion(answer({"role": role, "content": "x"}))


def test_a_refusal_is_what_the_completion_says() -> None:
    assert parse_completion(answer({"content": None, "refusal": "I cannot."})).content == "I cannot."


@pytest.mark.parametrize("call", [{"function": {"name": "n"}}, {"id": None, "function": {"name": "n"}}])
def test_a_call_without_an_id_is_given_one_by_whoever_joins_it_to_a_history(call: dict[str, Any]) -> None:
    (wanted,) = parse_completion(answer({"tool_calls": [call]})).tool_calls
    assert wanted == ("", "n", "")


def test_escapes_in_an_answer_are_read_and_kept() -> None:
    completion = parse_completion(
        b'{"choices":[{"message":{"role":"assistant","content":"\\ud83d\\ude00 caf\\u00e9"}}]}'
    )
    assert completion.content == "😀 café"
    assert completion.message == '{"role":"assistant","content":"\\ud83d\\ude00 caf\\u00e9"}'


@pytest.mark.parametrize("finish", ["length", "content_filter", "tool_calls"])
def test_why_the_model_stopped_is_kept(finish: str) -> None:
    raw = json.dumps({"choices": [{"message": {"content": "x"}, "finish_reason": finish}]}).encode()
    assert parse_completion(raw).finish_reason == finish


GARBAGE = {
    "html": b"<html>Bad gateway</html>",
    "nothing": b"",
    "an error with status 200": b'{"error": {"message": "no"}}',
    "no choices": b'{"choices": []}',
    "no message": b'{"choices": [{}]}',
    "a number for text": b'{"choices": [{"message": {"content": 5}}]}',
    "calls that are no list": b'{"choices": [{"message": {"tool_calls": {"id": "a"}}}]}',
    "a call that is no object": b'{"choices": [{"message": {"tool_calls": ["a"]}}]}',
    "NaN": b'{"choices": [{"message": {"content": "x", "n": NaN}}]}',
    "not UTF-8": b'{"choices": [{"message": {"content": "\xff"}}]}',
    "not UTF-8 where nobody looks": b'{"choices": [{"message": {"content": "x"}}], "x": "\xff"}',
}


@pytest.mark.parametrize("name", GARBAGE)
def test_an_answer_that_is_no_completion_is_shown_in_one_line(name: str) -> None:
    with pytest.raises(CompletionError, match=r"not a chat completion; it begins: ") as raised:
        parse_completion(GARBAGE[name])
    assert "\n" not in raised.value.message


def test_of_a_long_answer_that_is_no_completion_the_beginning_is_shown() -> None:
    with pytest.raises(CompletionError, match=r"it begins: (no ){66}no…$"):
        parse_completion(b"no\n" * 5_000)


def test_the_environment_names_the_endpoint_and_the_key() -> None:
    model = from_environment("m", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    assert repr(model) == "OpenAI('m' at http://127.0.0.1:1/v1/)"


@pytest.mark.parametrize("environ", [{"OPENAI_API_KEY": "k"}, {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": ""}])
def test_without_an_endpoint_in_the_environment_it_is_openais_own(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert "at https://api.openai.com/v1/" in repr(from_environment("m", environ))


def test_an_endpoint_of_ones_own_may_need_no_key() -> None:
    assert read_endpoint({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}) == ("http://127.0.0.1:1/v1", "none")


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": ""}])
def test_without_a_key_in_the_environment_the_error_names_what_to_set(environ: dict[str, str]) -> None:
    with pytest.raises(SetupError, match="OPENAI_API_KEY is not set; set it"):
        from_environment("m", environ)


def test_the_key_is_never_shown() -> None:
    assert "canary" not in repr(OpenAI("m", base_url="http://127.0.0.1:1/v1", api_key="canary"))
