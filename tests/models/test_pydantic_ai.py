"""PydanticAI's models behind our port: what they are asked, what is made of their answers, and of their errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import RequestUsage

from remit import Agent, App, Effect, Runtime, tool
from remit.agent.model import Model as Port
from remit.call.contract import tool_definition
from remit.chat.chat import ChatRequest, History, ToolDefinitions, encode_message
from remit.chat.wire import ModelText
from remit.errors import ModelAccessError, SetupError
from remit.models import ModelSettings
from remit.models.openai import OpenAI
from remit.models.pydantic_ai import PydanticAIModel, to_completion, to_model_messages
from remit.record.items import Message, ModelUsage
from remit.testing import read_only_ledger, superuser
from remit.testing.history_check import history_errors
from tests.loopback import Endpoint

USER = encode_message({"role": "user", "content": "go"})


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number, quelle idée."""
    return number * 2


def request(*texts: str, **knobs: Any) -> ChatRequest:
    return ChatRequest(
        agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History(texts or (USER,)), **knobs
    )


def called(*calls: tuple[str, str, str], content: str | None = None) -> dict[str, Any]:
    functions = [
        {"id": wire, "type": "function", "function": {"name": name, "arguments": raw}} for wire, name, raw in calls
    ]
    return {"role": "assistant", "content": content, "tool_calls": functions}


async def convert_texts(texts: list[str], **knobs: Any) -> tuple[list[ModelMessage], AgentInfo]:
    """The messages and settings that a model of PydanticAI gets for a request."""
    heard: list[tuple[list[ModelMessage], AgentInfo]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append((messages, info))
        return ModelResponse(parts=[TextPart("hello")])

    await PydanticAIModel(FunctionModel(answer))(request(*texts, **knobs))
    (one,) = heard
    return one


async def test_each_message_becomes_a_part_and_what_stands_between_two_answers_is_one_request() -> None:
    texts = [
        encode_message({"role": "system", "content": "Work."}),
        USER,
        encode_message(called(("a", "double", '{"number": 2}'), ("b", "double", "{"), content="let me see")),
        encode_message({"role": "tool", "tool_call_id": "a", "content": "4"}),
        encode_message({"role": "tool", "tool_call_id": "b", "content": "no"}),
        encode_message({"role": "assistant", "content": "four"}),
        encode_message({"role": "user", "content": "thanks"}),
    ]
    messages, _ = await convert_texts(texts)
    parts = [(type(part), part) for message in messages for part in message.parts]
    assert [len(message.parts) for message in messages] == [2, 3, 2, 1, 1]
    assert [kind for kind, _ in parts] == [
        SystemPromptPart,
        UserPromptPart,
        TextPart,
        ToolCallPart,
        ToolCallPart,
        ToolReturnPart,
        ToolReturnPart,
        TextPart,
        UserPromptPart,
    ]
    made = [part for _, part in parts if isinstance(part, ToolCallPart)]
    assert [(part.tool_call_id, part.tool_name, part.args) for part in made] == [
        ("a", "double", '{"number": 2}'),
        ("b", "double", "{"),
    ]
    ended = [part for _, part in parts if isinstance(part, ToolReturnPart)]
    assert [(part.tool_call_id, part.tool_name, part.content) for part in ended] == [
        ("a", "double", "4"),
        ("b", "double", "no"),
    ]


def test_a_history_that_ends_with_an_answer_has_no_empty_request_after_it() -> None:
    messages = to_model_messages([USER, encode_message({"role": "assistant", "content": "hello"})])
    assert [type(message) for message in messages] == [ModelRequest, ModelResponse]


def test_words_of_refusal_are_words_of_the_model() -> None:
    (message,) = to_model_messages([encode_message({"role": "assistant", "content": None, "refusal": "never"})])
    assert [part.content for part in message.parts if isinstance(part, TextPart)] == ["never"]


def test_a_message_of_several_parts_keeps_texts_and_images() -> None:
    pixel = "data:image/png;base64,iVBORw0KGgo="
    content = [
        {"type": "text", "text": "what is this?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "image_url", "image_url": {"url": pixel, "detail": "low"}},
    ]
    (message,) = to_model_messages([encode_message({"role": "user", "content": content})])
    (part,) = message.parts
    assert isinstance(part, UserPromptPart)
    text, linked, held = part.content
    assert text == "what is this?"
    assert isinstance(linked, ImageUrl)
    assert linked.url == "https://example.org/a.png"
    assert isinstance(held, BinaryContent)
    assert held.media_type == "image/png"


def test_the_name_of_a_user_stands_before_what_they_say() -> None:
    part = {"type": "text", "text": "hi"}
    for content, said in (("hi", "ada: hi"), ([part], ["ada: ", "hi"])):
        (message,) = to_model_messages([encode_message({"role": "user", "content": content, "name": "ada"})])
        assert [each.content for each in message.parts if isinstance(each, UserPromptPart)] == [said]


async def test_tools_keep_name_description_and_schema_and_are_never_strict() -> None:
    _, info = await convert_texts([USER], tools=ToolDefinitions([tool_definition(double)]))
    (made,) = info.function_tools
    function = tool_definition(double)["function"]
    assert (made.name, made.description, made.strict) == ("double", function["description"], False)
    assert made.parameters_json_schema == function["parameters"]


@pytest.mark.parametrize("knobs", [{}, {"temperature": 0.0}, {"max_tokens": 7}, {"temperature": 1.5, "max_tokens": 1}])
async def test_only_the_knobs_that_are_set_are_passed_on_and_the_client_does_not_retry(knobs: dict[str, Any]) -> None:
    _, info = await convert_texts([USER], settings=ModelSettings(**knobs))
    assert info.model_settings == {**knobs, "max_retries": 0}


def test_an_answer_keeps_text_calls_tokens_and_why_it_ended() -> None:
    response = ModelResponse(
        parts=[
            ThinkingPart("hm"),
            TextPart("let "),
            TextPart("me"),
            ToolCallPart("double", '{"number" : 2}', "a"),
            ToolCallPart("double", {"number": 3}, "b"),
            ToolCallPart("double", None, "c"),
        ],
        usage=RequestUsage(input_tokens=5, output_tokens=3),
        model_name="some-model",
        finish_reason="tool_call",
    )
    completion = to_completion(response)
    expected = called(
        ("a", "double", '{"number" : 2}'), ("b", "double", '{"number":3}'), ("c", "double", "{}"), content="let me"
    )
    assert completion.message == encode_message(expected)
    assert (completion.finish_reason, completion.model) == ("tool_calls", "some-model")
    assert (completion.prompt_tokens, completion.completion_tokens) == (5, 3)
    kinds = [part["part_kind"] for part in json.loads(completion.response)["parts"]]
    assert kinds[0] == "thinking", "what the history loses, the journal keeps"


@pytest.mark.parametrize(
    ("parts", "finish", "expected", "ended"),
    [
        ([TextPart("hi")], None, {"role": "assistant", "content": "hi"}, "stop"),
        ([TextPart("hi")], "length", {"role": "assistant", "content": "hi"}, "length"),
        ([], "content_filter", {"role": "assistant", "content": ""}, "content_filter"),
        ([ToolCallPart("f", "{}", "a")], None, called(("a", "f", "{}")), "tool_calls"),
    ],
)
def test_an_answer_is_written_as_a_request_may_carry_it(
    parts: list[Any], finish: Any, expected: dict[str, Any], ended: str
) -> None:
    completion = to_completion(ModelResponse(parts=parts, finish_reason=finish))
    assert (completion.message, completion.finish_reason) == (encode_message(expected), ended)


def test_a_refusal_is_kept_as_one() -> None:
    completion = to_completion(ModelResponse(parts=[], provider_details={"refusal": "never"}))
    assert completion.message == encode_message({"role": "assistant", "content": None, "refusal": "never"})
    assert completion.content == "never"


def test_an_answer_that_the_provider_paused_is_no_answer() -> None:
    with pytest.raises(ModelAccessError, match="the model paused its answer \\(suspended\\)"):
        to_completion(ModelResponse(parts=[TextPart("wait")], state="suspended"))


async def test_the_test_model_of_pydantic_ai_calls_tools_through_the_door() -> None:
    model = PydanticAIModel(TestModel())
    runtime = Runtime(App(name="test", agents=(Agent("agent", instructions="x", tools=[double]),)), model=model)
    result = await runtime.run("go", by=superuser())
    assert result.status == "done"
    assert json.loads(result.value()) == {"double": "0"}
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).difference == ""


def reply_of(message: dict[str, Any], finish: str) -> str:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [choice], "usage": usage}
    return json.dumps(whole)


ANSWERS = [
    reply_of(called(("a", "double", '{"number" : 2}'), ("b", "double", '{"number":"two"}')), "tool_calls"),
    reply_of(called(("c", "nobody", "{"), content="and now, é"), "tool_calls"),
    reply_of({"content": "fertig \u2713"}, "stop"),
]


def in_turn(body: bytes) -> tuple[int, str]:
    """The answer whose number is the number of answers in the request."""
    said = [message["role"] for message in json.loads(body)["messages"]]
    return 200, ANSWERS[said.count("assistant")]


async def talked(model: Port) -> tuple[list[Any], list[Any], list[tuple[str, str, int, int]]]:
    agent = Agent("agent", instructions="Work.", tools=[double], settings=ModelSettings(temperature=0.5, max_tokens=99))
    runtime = Runtime(App(name="test", agents=(agent,)), model=model)
    result = await runtime.run("go, é", by=superuser())
    items = [position.item for position in await runtime.store.read(result.run)]
    messages = [item.text for item in items if isinstance(item, Message)]
    usage = [
        (item.model, item.finish, item.prompt_tokens, item.completion_tokens)
        for item in items
        if isinstance(item, ModelUsage)
    ]
    return list(map(json.loads, await runtime.history(result.run))), list(map(json.loads, messages)), usage


async def test_one_conversation_gives_equal_histories_here_and_through_the_raw_client() -> None:
    async with Endpoint(in_turn) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as raw:
        first = await talked(raw)
        bodies = [json.loads(body) for body in endpoint.received]
        endpoint.received.clear()
        provider = OpenAIProvider(base_url=endpoint.url, api_key="k")
        async with PydanticAIModel(OpenAIChatModel("m", provider=provider)) as wrapped:
            second = await talked(wrapped)
        others = [json.loads(body) for body in endpoint.received]
    assert first == second
    assert len(bodies) == len(others) == 3
    for body, other in zip(bodies, others, strict=True):
        assert [normalize_message(each) for each in other["messages"]] == [
            normalize_message(each) for each in body["messages"]
        ]
        assert [each["function"]["name"] for each in other["tools"]] == ["double"]
        assert other["temperature"] == body["temperature"]
        assert 99 in (other.get("max_tokens"), other.get("max_completion_tokens"))


def normalize_message(message: dict[str, Any]) -> dict[str, Any]:
    """A message with parsed arguments. PydanticAI rewrites arguments, and puts invalid JSON under a key of its own."""
    for call in message.get("tool_calls", ()):
        raw = call["function"]["arguments"]
        try:
            call["function"]["arguments"] = json.loads(raw)
        except ValueError:
            call["function"]["arguments"] = {"INVALID_JSON": raw}
    return {name: value for name, value in message.items() if value is not None}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nobody:claude", "Unknown model: nobody:claude"),
        ("groq:llama-4", "groq"),
        ("openai-chat:gpt-x", "OPENAI_API_KEY"),
        ("claude", "Unknown model: claude"),
    ],
)
def test_a_model_that_cannot_be_had_is_one_clear_error(name: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(SetupError, match=f"PydanticAI cannot build '{name}': .*{why}") as raised:
        PydanticAIModel(name)
    assert "\n" not in raised.value.message


async def test_a_model_is_found_by_its_name_and_says_whose_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    async with PydanticAIModel("openai-chat:gpt-x") as model:
        assert (model.model, model.vendor) == ("gpt-x", "openai")
        assert repr(model) == "PydanticAIModel(openai:gpt-x)"


def test_a_model_of_pydantic_ai_is_taken_as_it_is() -> None:
    given: Model = TestModel()
    assert PydanticAIModel(given).model == "test"


@pytest.mark.parametrize("pauses", [1, 3])
async def test_an_answer_that_the_provider_pauses_goes_on_to_its_end(pauses: int) -> None:
    seen: list[int] = []

    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        seen.append(len(messages))
        if len(seen) <= pauses:
            usage, details = RequestUsage(input_tokens=5, output_tokens=1), {"finish_reason": "pause_turn"}
            return ModelResponse([TextPart("a moment, ")], state="suspended", usage=usage, provider_details=details)
        return ModelResponse([TextPart("done")], usage=RequestUsage(input_tokens=7, output_tokens=2))

    completion = await PydanticAIModel(FunctionModel(answer))(request(USER))
    assert completion.content == "a moment, " * pauses + "done"
    assert (completion.prompt_tokens, completion.completion_tokens) == (7 + 5 * pauses, 2 + pauses)
    assert seen == [1, *[2] * pauses], "the answer so far is sent back"


async def test_an_answer_that_is_paused_without_end_is_an_error() -> None:
    def answer(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        details = {"finish_reason": "pause_turn"}
        return ModelResponse([TextPart("wait")], state="suspended", provider_details=details)

    with pytest.raises(ModelAccessError, match="the model paused its answer"):
        await PydanticAIModel(FunctionModel(answer))(request(USER))


@pytest.mark.parametrize(
    "part",
    [
        {"part_kind": "thinking", "content": None, "signature": "s"},
        {"part_kind": "thinking", "content": 5},
        {"part_kind": "tool-call", "tool_name": None, "args": "{}", "tool_call_id": "c"},
        {"part_kind": "tool-call", "tool_name": "look", "args": "{}", "tool_call_id": None},
        {"part_kind": "of another version"},
        None,
    ],
)
def test_a_response_that_cannot_be_read_again_is_read_as_its_message(part: object) -> None:
    kept = {"pydantic_ai": {"parts": [part, {"part_kind": "text", "content": "I look."}]}}
    message = {**called(("c", "look", '{"page":1}'), content="I look."), **kept}
    (read,) = to_model_messages([ModelText(encode_message(message), "m at x")])
    assert [each for each in read.parts if not isinstance(each, ThinkingPart)] == [
        TextPart("I look."),
        ToolCallPart("look", '{"page":1}', "c"),
    ]


def test_a_call_whose_name_and_id_are_null_is_one_without_a_name() -> None:
    unnamed: Any = ToolCallPart("", {"page": 1}, "")
    unnamed.tool_name = unnamed.tool_call_id = None
    completion = to_completion(ModelResponse(parts=[unnamed]))
    assert completion.tool_calls == (("", "", '{"page":1}'),)
    (read,) = to_model_messages([completion.message])
    assert read.parts == [ToolCallPart("", '{"page":1}', "")]
