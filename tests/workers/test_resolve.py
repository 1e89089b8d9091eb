"""Any model drives a worker: one of PydanticAI by its name, and those of Remit's own port."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import (
    ImageUrl,
    ModelRequest,
    RetryFeedbackPart,
    RetryInfo,
    SystemPromptPart,
    TextContent,
    ToolAvailabilityDeltaPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

import remit.models.local
from remit import Risk
from remit.contracts.chat import completion_from_message, encode_message
from remit.contracts.items import ModelReply
from remit.errors import InvalidArgumentsError, SetupError
from remit.messages import ChatRequest, Completion
from remit.models.scripted import SCRIPTED_MODEL_NAME
from remit.testing import Scripted, calls, read_only_ledger, superuser
from remit.testing.history_check import history_errors
from remit.workers import Attachment, AttachmentPolicy, ModelResolver, PromptWithAttachments, resolve_model
from remit.workers.port_adapter import ModelPortAdapter
from remit.workers.resolve import LocalModel, explain_unknown_model, get_model_name
from tests.loopback import Endpoint
from tests.runtime.kit import World
from tests.workers.kit import Found, filed, runtime_of, worker_of


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
    assert len(await filed(runtime.store, result.run, ModelReply)) == 4
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


class Knobs:
    """A port that says no name, and remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []

    async def __call__(self, request: ChatRequest, /) -> Completion:
        self.requests.append(request)
        return completion_from_message(
            encode_message({"role": "assistant", "content": "done"}), finish_reason="strange"
        )


async def test_knobs_and_every_kind_of_message_reach_a_port() -> None:
    class Frame:
        id = "call"
        ledger = read_only_ledger(())

    port = Knobs()
    model = ModelPortAdapter(port, Frame())  # pyright: ignore[reportArgumentType] - of a frame it reads these two
    feedback = RetryFeedbackPart("again", retry=RetryInfo(cause="model_retry"))
    request = ModelRequest([SystemPromptPart("be"), UserPromptPart(["a", TextContent("b")]), feedback])
    settings = ModelSettings(temperature=0.5, max_tokens=7)
    response = await model.request([request], settings, ModelRequestParameters())
    (asked,) = port.requests
    assert (asked.temperature, asked.max_tokens, len(asked.tools)) == (0.5, 7, 0)
    assert [json.loads(text)["role"] for text in asked.history] == ["system", "user", "user"]
    assert (response.text, response.finish_reason) == ("done", None)
    assert (model.model_name, model.system) == ("Knobs", "remit")
    scripted = ModelPortAdapter(Scripted([]), Frame())  # pyright: ignore[reportArgumentType] - as above
    assert (scripted.model_name, scripted.system) == (SCRIPTED_MODEL_NAME, "scripted")
    delta = ToolAvailabilityDeltaPart(tools_added=["x"], tool_call_id="c")
    for unread in ([delta], [UserPromptPart([ImageUrl("https://example.org/a.png")])]):
        with pytest.raises(InvalidArgumentsError):
            await model.request([ModelRequest(unread)], None, ModelRequestParameters())


def test_names_stand_for_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "script.json"
    file.write_text('{"script": ["done"]}')
    assert isinstance(resolve_model(f"scripted:{file}"), Scripted)
    assert isinstance(resolve_model("local:base"), LocalModel)
    assert isinstance(resolve_model("test"), TestModel)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    chat = resolve_model("openai:gpt-4o")
    assert isinstance(chat, OpenAIChatModel)
    assert str(chat.base_url).startswith("http://127.0.0.1:9/v1")
    assert isinstance(resolve_model("pydantic-ai:openai-chat:gpt-4o"), OpenAIChatModel)
    assert [get_model_name(each) for each in (chat, "a:b", Scripted([]), Knobs())] == [
        "openai:gpt-4o",
        "a:b",
        f"scripted:{SCRIPTED_MODEL_NAME}",
        "",
    ]
    with pytest.raises(SetupError, match="the model 'nobody:x' cannot be had: "):
        resolve_model("nobody:x")


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("opnai:x", "did you mean openai?"),
        ("pydantic-ai:opnai:x", "did you mean openai?"),
        ("zzzzzz:x", "write provider:name, like openai:gpt-5-mini or local:base"),
        ("scripted:none.json", "none.json is no script"),
        ("local:bse", "did you mean base?"),
        ("local:zzzzzz", "write local:small or local:base, or name a GGUF file"),
        ("openai:x", ""),
        ("anthropic:x", ""),
        ("local:base", ""),
    ],
)
def test_a_name_that_is_none_is_told_how_to_mend_and_a_missing_key_or_package_is_no_matter(
    name: str, mend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMIT_CACHE", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setitem(sys.modules, "anthropic", None)
    assert explain_unknown_model(name).startswith(mend)
    assert bool(explain_unknown_model(name)) is bool(mend)


def test_a_name_is_found_once_for_all_who_say_it() -> None:
    models = ModelResolver()
    assert models("local:base") is models("local:base")
    assert models("local:base") is not models("local:small")


async def test_a_local_model_is_started_when_it_is_first_asked_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    @asynccontextmanager
    async def local_model(which: str) -> AsyncGenerator[Scripted]:
        started.append(f"{which} begins")
        yield Scripted(["done"])
        started.append(f"{which} ends")

    monkeypatch.setattr(remit.models.local, "open_local_model", local_model)
    model = LocalModel("base")
    worker = worker_of(model)
    for _ in range(2):
        assert (await runtime_of(worker).call(worker, superuser(), "go")).value() == "done"
    assert started == ["base begins"]
    await model.close()
    assert started == ["base begins", "base ends"]
    assert (model.vendor, model.model) == ("local", "base")
