"""Layers around the model of a worker see chat messages, and lose nothing that they leave unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    BinaryContent,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolReturnPart,
    UserPromptPart,
)

from remit import Agent, Effect, tool
from remit.contracts.chat import ToolDefinitions
from remit.contracts.items import ModelReply
from remit.layers import ModelLayer, ModelService, layer_fn
from remit.messages import ChatRequest, Completion, completion_from_message, decode_message, encode_message
from remit.models import ModelSettings
from remit.testing import superuser
from remit.workers import Attachment, AttachmentPolicy, PromptWithAttachments, PydanticAIDriver
from tests.workers.kit import Found, Script, call, filed, found, runtime_of, worker_of

THOUGHT = ThinkingPart("Hm.", signature="signed")
SEARCH = [NativeToolCallPart("web_search", {"q": "a"}, "s1"), NativeToolReturnPart("web_search", "none", "s1")]
ASKS = ModelResponse([THOUGHT, *SEARCH, TextPart("Let me look."), call("look", {"page": "a"})])


@tool(effect=Effect.PURE)
async def look(page: str) -> str:
    """Look at a page."""
    return f"saw {page}"


def asking(change: Callable[[ChatRequest], ChatRequest]) -> ModelLayer:
    @layer_fn
    async def ask(request: ChatRequest, inner: ModelService) -> Completion:
        return await inner(change(request))

    return ask()


def with_texts(change: Callable[[list[str]], list[str]]) -> ModelLayer:
    return asking(lambda request: replace(request, history=type(request.history)(change(list(request.history)))))


async def done(worker: Agent, *args: Any, **fields: Any) -> tuple[Any, list[str]]:
    """The result, and the recorded responses."""
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), *args, **fields)
    assert (await runtime.replay(result.run)).difference == ""
    return result.value(), [each.response for each in await filed(runtime.store, result.run, ModelReply)]


async def test_a_layer_that_changes_nothing_leaves_thinking_and_provider_tools_untouched() -> None:
    script = Script(ASKS, "done")
    value, responses = await done(worker_of(script.model, look).layer(asking(lambda request: request)), "go")
    assert value == "done"
    assert [part["part_kind"] for part in json.loads(responses[0])["parts"]] == [
        "thinking",
        "builtin-tool-call",
        "builtin-tool-return",
        "text",
        "tool-call",
    ]
    (answer,) = [message for message in script.requests[1] if isinstance(message, ModelResponse)]
    assert answer.parts[0] == THOUGHT


async def test_a_message_that_a_layer_adds_leaves_the_others_as_they_were() -> None:
    script = Script(ASKS, "done")
    added = encode_message({"role": "system", "content": "Be brief."})
    worker = worker_of(script.model, look).layer(with_texts(lambda texts: [*texts, added]))
    assert (await done(worker, "go"))[0] == "done"
    first, answer, second = script.requests[1]
    assert isinstance(first, ModelRequest)
    assert [type(part) for part in first.parts] == [UserPromptPart]
    assert isinstance(answer, ModelResponse)
    assert answer.parts[0] == THOUGHT
    assert [type(part) for part in second.parts] == [ToolReturnPart, SystemPromptPart]
    assert script.told[1].instructions == "Do as you are told."


async def test_a_layer_that_changes_a_tools_result_keeps_its_tool() -> None:
    script = Script(ASKS, "done")
    worker = worker_of(script.model, look).layer(
        with_texts(lambda texts: [text.replace("saw a", "saw [x]") for text in texts])
    )
    await done(worker, "go")
    (part,) = script.requests[1][-1].parts
    assert isinstance(part, ToolReturnPart)
    assert (part.tool_name, part.tool_call_id, part.content) == ("look", "call_look", "saw [x]")


async def test_a_layer_may_take_the_instructions_away() -> None:
    script = Script("done")
    await done(worker_of(script.model).layer(with_texts(lambda texts: texts[1:])), "go")
    assert script.told[0].instructions is None


async def test_an_attachment_that_no_chat_message_holds_is_a_placeholder_for_layers_alone() -> None:
    script, seen = Script("done"), list[str]()
    policy = AttachmentPolicy(suffixes=(".pdf",))
    worker = worker_of(script.model, input=PromptWithAttachments, attachments=policy).layer(
        with_texts(lambda texts: seen.extend(texts) or [*texts, encode_message({"role": "user", "content": "Now."})])
    )
    paper = Attachment(name="a.pdf", media_type="application/pdf", data="aGk=")
    await done(worker, prompt="go", attachments=[paper])
    assert json.loads(seen[1])["content"] == [{"type": "text", "text": "go"}, {"type": "text", "text": "[binary]"}]
    part = script.requests[0][0].parts[0]
    assert isinstance(part, UserPromptPart)
    assert isinstance(part.content[1], BinaryContent)


async def test_tools_and_settings_reach_the_model_as_a_layer_changed_them() -> None:
    def change(request: ChatRequest) -> ChatRequest:
        listed = json.loads(request.tools.text)
        listed[0]["function"]["description"] = "Look away."
        more = {"type": "function", "function": {"name": "more", "description": "", "parameters": {"type": "object"}}}
        return replace(request, tools=ToolDefinitions([*listed, more]), settings=ModelSettings(temperature=0.1))

    script = Script(found())
    worker = Agent(
        "worker",
        instructions="Work.",
        tools=[look],
        output=Found,
        settings=ModelSettings(temperature=0.9, max_tokens=9),
        driver=PydanticAIDriver(),
        model=script.model,
    ).layer(asking(change))
    assert (await done(worker, "go"))[0] == Found(page="about", words=3)
    (info,) = script.told
    assert [(each.name, each.description) for each in info.function_tools] == [("look", "Look away."), ("more", "")]
    assert [each.name for each in info.output_tools] == ["final_result"]
    assert info.model_settings == {"temperature": 0.1}


async def test_an_answer_that_a_layer_changed_has_only_what_the_layer_wrote() -> None:
    @layer_fn
    async def shout(request: ChatRequest, inner: ModelService) -> Completion:
        completion = await inner(request)
        text = encode_message({**decode_message(completion.message), "content": "LET ME LOOK."})
        return replace(completion_from_message(text), finish_reason=completion.finish_reason)

    script = Script(ASKS, "done")
    value, responses = await done(worker_of(script.model, look).layer(shout()), "go")
    assert value == "LET ME LOOK."
    assert [part["part_kind"] for part in json.loads(responses[0])["parts"]] == ["text", "tool-call"]
