"""Any model drives a worker: one of PydanticAI by its name, and those of Remit's own port."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic_ai.messages import (
    BinaryContent,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
)
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from remit import Risk
from remit.chat.chat import encode_message
from remit.errors import InvalidArgumentsError
from remit.layers import ModelService, layer_fn
from remit.messages import ChatRequest, Completion
from remit.models import ModelSettings
from remit.record.items import Message
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from remit.workers import Attachment, AttachmentPolicy, PromptWithAttachments
from tests.loopback import Endpoint
from tests.runtime.kit import World
from tests.workers.kit import Found, Script, call, filed, prompts_of, runtime_of, worker_of


class Answers:
    """An endpoint's answers, one for each request, as an OpenAI-compatible one gives them."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self._messages = list(messages)

    def __call__(self, _request: bytes) -> tuple[int, str]:
        message = {"role": "assistant", "content": None} | self._messages.pop(0)
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        return 200, json.dumps(body)


def asked_at(endpoint: Endpoint) -> OpenAIChatModel:
    return OpenAIChatModel("m", provider=OpenAIProvider(base_url=endpoint.url, api_key="none"))


async def test_it_works_over_an_endpoint_and_sends_our_schemas_as_they_are() -> None:
    world = World()
    danger = world.write("danger", risk=Risk.HIGH)
    answers = Answers(calls(("danger", '{ "text" : "café" }')), calls(("final_result", {"page": "about", "words": 3})))
    async with Endpoint(answers) as endpoint, asked_at(endpoint) as model:
        worker = worker_of(model, danger, output=Found)
        runtime = runtime_of(worker)
        result = await runtime.call(worker, superuser(), "go")
        assert (result.status, len(endpoint.received)) == ("waiting", 1)
        await runtime.decide(result.questions[0], approved=True, by=superuser())
        result = await runtime.resume(result.run)
        assert (result.value(), world.texts) == (Found(page="about", words=3), ["café"])
        first, second = [json.loads(body) for body in endpoint.received]
        assert (await runtime.replay(result.run)).is_identical
        assert len(endpoint.received) == 2
    (sent,) = [each["function"] for each in first["tools"] if each["function"]["name"] == "danger"]
    assert sent["parameters"] == danger.schema_in.json_schema
    assert sent.get("strict") in (None, False)
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert second["messages"][-1]["content"] == "wrote café"
    assert json.loads(second["messages"][-2]["tool_calls"][0]["function"]["arguments"]) == {"text": "café"}
    assert history_errors(map(encode_message, second["messages"])) == []


async def test_a_port_of_ours_drives_a_worker() -> None:
    world = World()
    model = Scripted(
        [
            calls(("write", {"text": "a"}), ("nothing", {})),
            "no result yet",
            calls(("final_result", {"page": "about"})),
            calls(("final_result", {"page": "about", "words": 3})),
        ]
    )
    worker = worker_of(model, world.write(), output=Found, retries=2)
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    assert (result.value(), world.texts) == (Found(page="about", words=3), ["a"])
    assert history_errors(model.requests[-1].history) == []
    assert model.requests[0].tools.names == ("write", "final_result")
    messages = [json.loads(text) for text in model.requests[-1].history]
    roles = ["system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant", "tool"]
    assert [message["role"] for message in messages] == roles
    assert sum(bool(message.request) for message in await filed(runtime.store, result.run, Message)) == 4
    assert (await runtime.replay(result.run)).is_identical


async def test_a_port_is_told_of_texts_and_images_and_refuses_what_it_cannot_read() -> None:
    model = Scripted(["done", "done"])
    policy = AttachmentPolicy(suffixes=(".png", ".txt", ".pdf"))
    worker = worker_of(model, input=PromptWithAttachments, attachments=policy)
    kinds = {"a.png": "image/png", "a.txt": "text/plain"}
    given = [Attachment(name=name, media_type=kind, data="aGk=") for name, kind in kinds.items()]
    assert (await runtime_of(worker).call(worker, superuser(), prompt="go", attachments=given)).value() == "done"
    assert json.loads(model.requests[0].history[1])["content"] == [
        {"type": "text", "text": "go"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "text", "text": "hi"},
    ]
    paper = Attachment(name="a.pdf", media_type="application/pdf", data="aGk=")
    result = await runtime_of(worker).call(worker, superuser(), prompt="go", attachments=[paper])
    assert result.reply is not None
    assert type(result.reply.error) is InvalidArgumentsError


@layer_fn
async def pass_on(request: ChatRequest, inner: ModelService) -> Completion:
    """Change nothing."""
    return await inner(request)


@pytest.mark.parametrize("layered", [False, True])
async def test_requests_after_a_resume_have_their_numbers_and_settings(layered: bool) -> None:
    danger = World().write("danger", risk=Risk.HIGH)
    port = Scripted([calls(("danger", {"text": "x"})), "done"])
    worker = worker_of(port, danger, settings=ModelSettings(tool_choice="required"))
    worker = worker.layer(pass_on()) if layered else worker
    runtime = runtime_of(worker)
    waiting = await runtime.call(worker, superuser(), "go")
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert [each.turn for each in port.requests] == [1, 2]
    assert [each.settings.tool_choice for each in port.requests] == ["required", None]
    assert [each.used_call_ids for each in port.requests[1:]] == [{"call_0_danger"}]


THOUGHT = ThinkingPart("Hm.", signature="signed")
SEARCH = [NativeToolCallPart("web_search", {"q": "a"}, "s1"), NativeToolReturnPart("web_search", "none", "s1")]
ASKS = ModelResponse([THOUGHT, *SEARCH, TextPart("Let me look."), call("write", {"text": "a"})])


@pytest.mark.parametrize("layered", [False, True])
async def test_thinking_and_provider_tools_are_kept_and_sent_back_to_the_model(layered: bool) -> None:
    script = Script(ASKS, "done")
    worker = worker_of(script.model, World().write())
    worker = worker.layer(pass_on()) if layered else worker
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    assert result.value() == "done"
    kinds = ["thinking", "builtin-tool-call", "builtin-tool-return", "text", "tool-call"]
    first = next(message for message in await filed(runtime.store, result.run, Message) if message.request)
    assert [part["part_kind"] for part in json.loads(first.text)["pydantic_ai"]["parts"]] == kinds
    (answer,) = [message for message in script.requests[1] if isinstance(message, ModelResponse)]
    assert [part.part_kind for part in answer.parts] == kinds
    assert answer.parts[0] == THOUGHT
    assert (await runtime.replay(result.run)).is_identical


async def test_an_attachment_of_any_kind_reaches_a_model_of_pydantic_ai() -> None:
    script = Script("done")
    policy = AttachmentPolicy(suffixes=(".mp3",))
    worker = worker_of(script.model, input=PromptWithAttachments, attachments=policy)
    song = Attachment(name="a.mp3", media_type="audio/mpeg", data="aGk=")
    assert (await runtime_of(worker).call(worker, superuser(), prompt="go", attachments=[song])).value() == "done"
    assert prompts_of(script.requests[0]) == [["go", BinaryContent(b"hi", media_type="audio/mpeg")]]
