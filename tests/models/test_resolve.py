"""A name stands for one model, which is opened by its first request and says beforehand why it cannot be used."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.test import TestModel

from remit import Agent, App, Runtime
from remit.errors import ModelAccessError, NoModelError, SetupError
from remit.models.resolve import (
    ModelResolver,
    ResolvedModel,
    close_opened_models,
    get_model_name,
    resolve_model,
)
from remit.models.scripted import SCRIPTED_MODEL_NAME
from remit.stores import InMemoryStore
from remit.testing import Scripted, superuser
from tests.call.steps import chat_request
from tests.loopback import Endpoint, answering
from tests.workers.kit import runtime_of, worker_of


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """When a local model was opened and closed; the first attempt fails where the name is ``late``."""
    events: list[str] = []

    class LocalModels:
        def check(self, name: str) -> None:
            """Every model is here."""

        @asynccontextmanager
        async def open(self, name: str) -> AsyncGenerator[Scripted]:
            events.append(f"open {name}")
            await asyncio.sleep(0)
            if name == "late" and len(events) == 1:
                raise SetupError("not yet")
            yield Scripted(["hello"])
            events.append(f"close {name}")

    monkeypatch.setattr("remit.models.resolve.find_local_models", LocalModels)
    return events


async def test_a_model_is_opened_by_its_first_request_and_once_for_all_users(opened: list[str]) -> None:
    model = resolve_model("local:base")
    assert opened == []
    answers = await asyncio.gather(*[model(await chat_request()) for _ in range(3)])
    assert [answer.content for answer in answers] == ["hello"] * 3
    assert opened == ["open base"]
    await model.close()
    assert opened == ["open base", "close base"]


async def test_a_closed_model_is_opened_again_by_the_next_request(opened: list[str]) -> None:
    model = resolve_model("local:base")
    first = await model.start()
    await model.close()
    assert await model.start() is not first
    assert opened == ["open base", "close base", "open base"]


async def test_a_model_that_could_not_be_opened_is_tried_again(opened: list[str]) -> None:
    model = resolve_model("local:late")
    with pytest.raises(NoModelError, match="the model 'local:late' cannot be used: not yet"):
        await model(await chat_request())
    assert (await model(await chat_request())).content == "hello"


@pytest.mark.parametrize("resolve", [resolve_model, ModelResolver()])
async def test_all_opened_models_are_closed_whoever_resolved_them(
    opened: list[str], resolve: Callable[[str], ResolvedModel]
) -> None:
    await resolve("local:base").start()
    await close_opened_models()
    await close_opened_models()
    assert opened == ["open base", "close base"]


def test_only_the_models_of_the_present_event_loop_are_closed(opened: list[str]) -> None:
    with asyncio.Runner() as first, asyncio.Runner() as second:
        first.run(resolve_model("local:base").start())
        second.run(close_opened_models())
        assert opened == ["open base"]
        first.run(close_opened_models())


async def test_calls_of_a_worker_share_its_model(opened: list[str]) -> None:
    model = resolve_model("local:base")
    worker = worker_of(model)
    for _ in range(2):
        assert (await runtime_of(worker).call(worker, superuser(), "go")).value() == "hello"
    assert opened == ["open base"]


@pytest.mark.parametrize(
    ("name", "kind", "vendor", "model", "in_pydantic_ai"),
    [
        ("openai:gpt-x:y", "openai", "openai", "gpt-x:y", "openai-chat:gpt-x:y"),
        ("anthropic:claude-x", "pydantic-ai", "anthropic", "claude-x", "anthropic:claude-x"),
        ("pydantic-ai:openai:gpt-x", "pydantic-ai", "openai", "gpt-x", "openai:gpt-x"),
        ("gateway/openai:gpt-x", "pydantic-ai", "gateway/openai", "gpt-x", "gateway/openai:gpt-x"),
        ("test", "pydantic-ai", "test", "test", "test"),
        ("local:/a/b:c.gguf", "local", "local", "/a/b:c.gguf", ""),
        ("scripted:a.json", "scripted", "scripted", SCRIPTED_MODEL_NAME, ""),
    ],
)
def test_a_name_has_a_kind_a_vendor_and_a_model(
    name: str, kind: str, vendor: str, model: str, in_pydantic_ai: str
) -> None:
    found = resolve_model(name)
    assert (found.kind, found.vendor, found.model, found.pydantic_ai_name) == (kind, vendor, model, in_pydantic_ai)


def test_the_pydantic_ai_driver_gets_the_model_of_pydantic_ai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    chat = resolve_model("openai:gpt-4o").as_pydantic_ai()
    assert isinstance(chat, OpenAIChatModel)
    assert str(chat.base_url).startswith("http://127.0.0.1:9/v1")
    assert isinstance(resolve_model("pydantic-ai:openai-chat:gpt-4o").as_pydantic_ai(), OpenAIChatModel)
    assert isinstance(resolve_model("pydantic-ai:openai:gpt-4o").as_pydantic_ai(), OpenAIResponsesModel)
    assert isinstance(resolve_model("test").as_pydantic_ai(), TestModel)
    assert resolve_model("local:base").as_pydantic_ai() is None


def test_a_model_has_the_name_that_it_was_given() -> None:
    class Nameless:
        async def __call__(self, request: object, /) -> object:
            raise AssertionError

    assert [get_model_name(each) for each in (resolve_model("a:b"), "a:b", Scripted([]), TestModel())] == [
        "a:b",
        "a:b",
        f"scripted:{SCRIPTED_MODEL_NAME}",
        "test:test",
    ]
    assert get_model_name(Nameless()) == ""  # pyright: ignore[reportArgumentType] - it is never asked


async def test_an_error_of_the_endpoint_that_repeats_the_key_is_told_without_it() -> None:
    key = "canary-of-a-key"
    async with Endpoint(answering(401, json.dumps({"error": {"message": f"wrong key: {key}"}}))) as endpoint:
        for environ, own in (({"OPENAI_API_KEY": key}, ""), ({}, key)):
            model = resolve_model("openai:m", {**environ, "OPENAI_BASE_URL": endpoint.url}, key=own)
            with pytest.raises(ModelAccessError, match=r"wrong key: \[key\]") as caught:
                await model(await chat_request())
            assert key not in repr(caught.value)
            await model.close()


def test_a_model_of_another_provider_is_made_with_the_key_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(NoModelError):
        resolve_model("anthropic:claude-sonnet-5-5").check()
    resolve_model("anthropic:claude-sonnet-5-5", key="canary-of-a-key").check()
    found = resolve_model("openai:m", {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, key="k").as_pydantic_ai()
    assert found is not None
    assert found.base_url == "http://127.0.0.1:1/v1/"


def test_a_script_is_never_described_as_a_model() -> None:
    assert resolve_model("scripted:a.json").description == "a script, not a model (a.json)"
    assert resolve_model("local:base").description.startswith("local:base (Qwen2.5-Coder 1.5B")
    assert resolve_model("openai:x").description == "openai:x"


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("opnai:x", "did you mean openai?"),
        ("pydantic-ai:opnai:x", "did you mean openai?"),
        ("zzzzzz:x", "write PROVIDER:NAME, like openai:gpt-5-mini"),
        ("gpt", "write PROVIDER:NAME, like openai:gpt-5-mini"),
        ("openai:", "write PROVIDER:NAME, like openai:gpt-5-mini"),
        ("scripted:none.json", "none.json is not a script"),
        ("local:bse", "did you mean base?"),
        ("local:zzzzzz", "write local:small or local:base, or name a GGUF file"),
        ("openai:x", ""),
        ("anthropic:x", ""),
        ("gateway/anthropic:x", ""),
        ("test", ""),
        ("local:base", ""),
    ],
)
def test_an_unknown_name_is_explained_and_a_missing_key_or_package_does_not_matter(
    name: str, fix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMIT_CACHE", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setitem(sys.modules, "anthropic", None)
    assert resolve_model(name).explain_unknown().startswith(fix)
    assert bool(resolve_model(name).explain_unknown()) is bool(fix)


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("openai:gpt-5", ["code_execution", "web_search"]),
        ("openai-responses:gpt-5", []),
        ("local:base", ["code_execution", "web_search"]),
        ("anthropic:x", []),
    ],
)
def test_provider_tools_that_the_api_lacks_are_found_without_a_key(
    name: str, missing: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = resolve_model(name).unsupported_tools(["code_execution", "web_search"])
    assert found == {tool: f"has no tool {tool!r}" for tool in missing}


def test_a_resolver_gives_one_model_for_each_name() -> None:
    models = ModelResolver()
    assert models("local:base") is models("local:base")
    assert models("local:base") is not models("local:small")


async def test_an_agent_with_a_named_model_is_the_listed_one_also_when_it_is_given_as_an_object(
    tmp_path: Path,
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).write_text(f'{{"script": ["{name}"]}}')
    inner = Agent("inner", instructions="x", model=f"scripted:{tmp_path / 'one'}")
    outer = Agent("outer", instructions="x", tools=[inner], model=Scripted(["done"]))
    runtime = Runtime(App(name="test", agents=(outer, inner)))
    assert (await runtime.run("go", agent=inner, by=superuser())).value() == "one"
    moved = inner.with_model(f"scripted:{tmp_path / 'other'}")
    assert (await runtime.run("go", agent=moved, by=superuser())).value() == "other"
    assert (await runtime.call(moved, superuser(), "go")).value() == "other"
    assert repr(resolve_model("a:b")) == "ResolvedModel('a:b')"


async def test_a_run_is_refused_before_it_opens_also_for_a_model_further_down_and_a_sent_key_is_not() -> None:
    store = InMemoryStore()
    inner = Agent("inner", instructions="x", model="scripted:none.json")
    outer = Agent("outer", instructions="x", tools=[inner], model=Scripted(["done"]))

    def runtime(*agents: Agent) -> Runtime:
        return Runtime(App(name="test", agents=agents), store=store)

    with pytest.raises(NoModelError, match=r"the model 'scripted:none.json' cannot be used: none.json is not a script"):
        await runtime(outer, inner).run("go", by=superuser())
    assert await store.list_runs() == []
    alone = Agent("outer", instructions="x", model=Scripted(["done"]))
    first = await runtime(alone).run("go", by=superuser(), idempotency_key="k")
    again = await runtime(alone.with_model("scripted:none.json")).run("go", by=superuser(), idempotency_key="k")
    assert (again.run, again.value()) == (first.run, "done")


@pytest.mark.process
def test_resolving_a_name_imports_no_vendor() -> None:
    program = (
        "import sys; from remit import Agent, App, Runtime; "
        "Runtime(App(name='a', agents=(Agent('b', instructions='x', model='anthropic:x'),)), model='openai:gpt-5'); "
        "print([each for each in ('openai', 'pydantic_ai', 'xllamacpp') if each in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_an_endpoint_that_repeats_the_key_of_the_environment_does_not_bring_it_into_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = json.dumps({"error": {"message": "no such key: canary-of-a-key"}})
    async with Endpoint(answering(401, refused)) as endpoint:
        monkeypatch.setenv("OLLAMA_BASE_URL", endpoint.url)
        monkeypatch.setenv("OLLAMA_API_KEY", "canary-of-a-key")
        model = resolve_model("ollama:tiny")
        with pytest.raises(ModelAccessError, match=r"no such key: \[key\]"):
            await model(await chat_request())
        await model.close()
