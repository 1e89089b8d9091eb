"""Streams of chat completions: joined to what the same answer is in one, and never a part taken as the whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from remit.chat.chat import ChatRequest, History
from remit.chat.streaming import CURRENT_CHAT, CurrentChat, Delta
from remit.chat.wire import received_message
from remit.errors import (
    ContextLengthError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)
from remit.models.answer_stream import AnswerStream, StreamCutError
from remit.models.chat_completion import parse_completion
from remit.models.openai import OpenAI
from remit.models.pydantic_ai import keep_as_received
from remit.models.pydantic_stream import ask_pydantic_model
from remit.testing import read_only_ledger
from tests.loopback import Answer, Endpoint, answering

MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "content": "Let me see, caf\u00e9 \U0001f600.",
    "reasoning_content": "They want two.",
    "reasoning_details": [{"type": "reasoning.text", "text": "They want two.", "signature": "s1", "index": 0}],
    "tool_calls": [
        {
            "id": "a",
            "type": "function",
            "function": {"name": "double", "arguments": '{"number": 1}'},
            "extra_content": {"google": {"thought_signature": "sig"}},
        },
        {"id": "b", "type": "function", "function": {"name": "double", "arguments": '{"number": 2}'}},
    ],
}
USAGE = {"prompt_tokens": 7, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 3}}
WHOLE = json.dumps(
    {"model": "m", "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "tool_calls"}], "usage": USAGE}
)


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"object": "chat.completion.chunk", "model": "m", "choices": choices, **more}


def call(index: int, **fields: Any) -> dict[str, Any]:
    return chunk({"tool_calls": [{"index": index, **fields}]})


CHUNKS: list[dict[str, Any]] = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": None, "reasoning_content": "They want"}),
    chunk({"reasoning_details": [{"type": "reasoning.text", "text": "They want", "index": 0}]}),
    chunk({"reasoning_content": " two.", "reasoning_details": [{"text": " two.", "signature": "s1", "index": 0}]}),
    chunk({"content": "Let me see, "}),
    chunk({"content": "caf\u00e9 \U0001f600."}),
    call(0, id="a", type="function", function={"name": "double", "arguments": ""}),
    call(0, function={"arguments": '{"num'}, extra_content={"google": {"thought_signature": "sig"}}),
    call(1, id="b", type="function", function={"name": "double", "arguments": '{"number"'}),
    call(0, id="", function={"name": "", "arguments": 'ber": 1}'}),
    call(1, function={"arguments": ": 2}"}),
    chunk({}, "tool_calls"),
    {"object": "chat.completion.chunk", "choices": [], "usage": USAGE},
]


def events(*chunks: object, end: str = "data: [DONE]\n\n") -> str:
    return "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + end


async def ask(answer: Answer) -> tuple[Any, list[Delta], Endpoint]:
    deltas = list[Delta]()
    request = ChatRequest(
        agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History(['{"role":"user","content":"hi"}'])
    )
    async with Endpoint(answer) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        return await model.stream(request, deltas.append), deltas, endpoint


async def test_a_stream_is_joined_to_the_answer_in_one() -> None:
    completion, deltas, endpoint = await ask(answering(200, events(*CHUNKS)))
    whole = parse_completion(WHOLE.encode())
    assert json.loads(completion.message) == json.loads(whole.message)
    assert (completion.tool_calls, completion.finish_reason) == (whole.tool_calls, "tool_calls")
    assert (completion.prompt_tokens, completion.completion_tokens, completion.reasoning_tokens) == (7, 9, 3)
    assert "".join(each.text for each in deltas if each.kind == "text") == MESSAGE["content"]
    assert [(each.text, each.index, each.name) for each in deltas if each.kind == "arguments"] == [
        ('{"num', 0, "double"),
        ('{"number"', 1, "double"),
        ('ber": 1}', 0, "double"),
        (": 2}", 1, "double"),
    ]
    assert json.loads(endpoint.received[0])["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("size", [1, 7, 100])
def test_events_may_be_cut_anywhere(size: int) -> None:
    deltas = list[Delta]()
    stream, data = AnswerStream(deltas.append), events(*CHUNKS, end="").replace("\n", "\r\n").encode()
    for start in range(0, len(data), size):
        stream.add_bytes(data[start : start + size])
    assert json.loads(parse_completion(stream.body().encode()).message) == MESSAGE


async def test_an_endpoint_may_answer_in_one() -> None:
    completion, deltas, _ = await ask(answering(200, WHOLE))
    assert (json.loads(completion.message), deltas) == (MESSAGE, [])


async def test_an_endpoint_that_refuses_streams_is_asked_without() -> None:
    def answer(body: bytes) -> tuple[int, str]:
        return (400, '{"error":{"message":"unknown field stream_options"}}') if b"stream" in body else (200, WHOLE)

    completion, _, endpoint = await ask(answer)
    assert json.loads(completion.message) == MESSAGE
    assert len(endpoint.received) == 2


@pytest.mark.parametrize("kept", range(len(CHUNKS) - 2))
async def test_an_answer_that_is_cut_is_never_taken_as_whole(kept: int) -> None:
    with pytest.raises(ModelUnavailableError, match="broke off: the answer was cut off"):
        await ask(answering(200, "data: " if not kept else events(*CHUNKS[:kept], end="")))


ERRORS: list[tuple[object, type[ModelError]]] = [
    ({"message": "overloaded"}, ModelUnavailableError),
    ({"message": "slow down", "code": 429}, ModelBusyError),
    ({"message": "slow down", "status": 429}, ModelBusyError),
    ({"message": "slow down", "code": "rate_limit_exceeded"}, ModelBusyError),
    ({"message": "too long", "code": "context_length_exceeded"}, ContextLengthError),
    ({"message": "no", "code": 400}, ModelRefusedError),
    ("away", ModelUnavailableError),
]


@pytest.mark.parametrize(("error", "expected"), ERRORS)
async def test_an_error_in_a_stream_is_that_of_the_request(error: object, expected: type[ModelError]) -> None:
    with pytest.raises(expected, match=r"answered 200 with (an error|error 4\d\d): "):
        await ask(answering(200, events(CHUNKS[4], {"error": error})))


@pytest.mark.parametrize(
    "data", ["data: nonsense\n\n", "data: [1]\n\n", events({"choices": [1]}), events({"choices": 7})]
)
async def test_what_is_no_stream_is_an_outage(data: str) -> None:
    with pytest.raises(ModelUnavailableError, match="is not a stream of a chat completion"):
        await ask(answering(200, data))


def test_an_event_without_end_is_refused() -> None:
    with pytest.raises(TypeError, match="an event is longer"):
        AnswerStream(list[Delta]().append).add_bytes(b"data: " + b"x" * 5_000_000)


def test_an_event_of_lines_without_end_is_refused() -> None:
    stream = AnswerStream(list[Delta]().append)
    with pytest.raises(TypeError, match="an event is longer"):
        stream.add_bytes((b"data: " + b"x" * 100_000 + b"\n") * 50)


def test_a_line_in_many_pieces_is_joined_once() -> None:
    deltas = list[Delta]()
    stream = AnswerStream(deltas.append)
    for each in events(chunk({"content": "whole"})).encode():
        stream.add_bytes(bytes([each]))
    assert [each.text for each in deltas] == ["whole"]


def test_an_answer_with_thousands_of_numbered_calls_is_refused() -> None:
    calls = [call(index, id=str(index), function={"name": "a"}) for index in range(2_000)]
    stream = AnswerStream(lambda _delta: None)
    with pytest.raises(TypeError, match="the answer is longer"):
        stream.add_bytes(events(*calls).encode())


def test_an_answer_without_end_is_refused() -> None:
    stream = AnswerStream(lambda _delta: None)
    piece = events(chunk({"content": "x" * 3_000_000}), end="").encode()
    for _ in range(10):
        stream.add_bytes(piece)
    with pytest.raises(TypeError, match="the answer is longer"):
        stream.add_bytes(piece)


class Sink(list[Delta]):
    """Takes deltas."""

    restarts = 0

    def __call__(self, delta: Delta, /) -> None:
        self.append(delta)

    def restart(self) -> None:
        self.restarts += 1
        self.clear()


async def ask_pydantic(answer: Answer, sink: Sink) -> Any:
    async with Endpoint(answer) as endpoint, AsyncOpenAI(base_url=endpoint.url, api_key="k") as client:
        model = keep_as_received(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)))
        token = CURRENT_CHAT.set(CurrentChat(sink=sink))
        try:
            messages = [ModelRequest(parts=[UserPromptPart("hi")])]
            return await ask_pydantic_model(model, messages, None, ModelRequestParameters())
        finally:
            CURRENT_CHAT.reset(token)


async def test_pydantic_ais_chat_models_stream_and_keep_what_was_received() -> None:
    sink = Sink()
    response = await ask_pydantic(answering(200, events(*CHUNKS)), sink)
    assert json.loads(received_message(response.provider_details)[0]) == MESSAGE
    assert "".join(each.text for each in sink if each.kind == "text") == MESSAGE["content"]


async def test_pydantic_ais_client_asks_again_from_the_beginning() -> None:
    answers, sink = [events(*CHUNKS[:6], end=""), events(*CHUNKS)], Sink()
    response = await ask_pydantic(lambda _body: (200, answers.pop(0)), sink)
    assert [call.tool_call_id for call in response.tool_calls] == ["a", "b"]
    assert "".join(each.text for each in sink if each.kind == "text") == MESSAGE["content"]
    assert sink.restarts == 2


async def test_pydantic_ais_chat_models_ask_without_where_streams_are_refused() -> None:
    def answer(body: bytes) -> tuple[int, str]:
        return (422, '{"detail":"stream"}') if b"stream_options" in body else (200, WHOLE)

    response = await ask_pydantic(answer, Sink())
    assert [call.tool_call_id for call in response.tool_calls] == ["a", "b"]


def join_deltas(*deltas: dict[str, Any]) -> dict[str, Any]:
    """The message of a stream."""
    stream = AnswerStream(list[Delta]().append)
    stream.add_bytes(events(*map(chunk, deltas)).encode())
    return json.loads(stream.body())["choices"][0]["message"]


PAY: dict[str, Any] = {"to": "DE1", "lines": [{"index": 0, "note": "rent"}], "urgent": False}


@pytest.mark.parametrize("key", ["arguments", "input"])
@pytest.mark.parametrize("others", [[PAY], [{}, "", None], [PAY, PAY, []]])
def test_arguments_that_are_no_text_are_whole_and_may_come_again(key: str, others: list[object]) -> None:
    named = "function" if key == "arguments" else "custom"
    pieces = [{"index": 0, "id": "c", named: {"name": "pay", key: each}} for each in (PAY, *others)]
    message = join_deltas(*({"tool_calls": [each]} for each in pieces))
    assert message["tool_calls"] == [{"id": "c", named: {"name": "pay", key: PAY}}]
    message = join_deltas(*({"function_call": each[named]} for each in pieces))
    assert message["function_call"] == {"name": "pay", key: PAY}


@pytest.mark.parametrize("other", [{"to": "DE2"}, [PAY], PAY | {"to": ""}, '{"to":"DE2"}'])
def test_arguments_that_come_twice_and_differ_are_refused(other: object) -> None:
    pieces = [{"index": 0, "id": "c", "function": {"name": "pay", "arguments": each}} for each in (PAY, other)]
    with pytest.raises(TypeError, match="arguments"):
        join_deltas(*({"tool_calls": [each]} for each in pieces))


def test_a_function_call_never_has_the_arguments_of_another_name() -> None:
    message = join_deltas(
        {"function_call": {"name": "read", "arguments": '{"page":'}},
        {"function_call": {"name": "", "arguments": "1"}},
        {"function_call": {"name": "drop", "arguments": "}"}},
    )
    assert message["function_call"] == {"name": "readdrop", "arguments": '{"page":1}'}


@pytest.mark.parametrize("empty", ["", {}, [], None])
def test_what_is_empty_replaces_no_calls(empty: object) -> None:
    calls = [{"id": "c", "function": {"name": "look", "arguments": "{}"}}]
    assert join_deltas({"tool_calls": empty}, {"tool_calls": calls}, {"tool_calls": empty})["tool_calls"] == calls


def test_a_cut_stream_is_a_lost_connection() -> None:
    stream = AnswerStream(lambda _delta: None)
    stream.add_bytes(events(*CHUNKS[:3], end="").encode())
    with pytest.raises(StreamCutError):
        stream.body()
