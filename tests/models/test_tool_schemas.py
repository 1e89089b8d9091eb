"""No tool schema is narrowed on its way to a provider: what each kind of model sends, over HTTP.

Bedrock is tested where boto3 is installed. It cannot be locked with the other requirements: botocore says that it needs
python-dateutil < 3, and the lock has 4. It works with 4 all the same (boto3 1.44.5, python-dateutil 4.0.0)::

    pip install --no-deps --target boto boto3 botocore s3transfer jmespath
    PYTHONPATH=boto pytest tests/models/test_tool_schemas.py -k bedrock
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

import remit_local.models
from remit import Agent, Tool
from remit.call.contract import tool_definition
from remit.chat.chat import ChatRequest, History, ToolDefinitions
from remit.errors import RemitError
from remit.models import Model, OpenAI, PydanticAIModel
from remit.schemas.json_validator import JsonValidator
from remit.testing import Scripted, read_only_ledger, superuser
from remit_cms.app import build
from remit_local.serving import ServedModel
from tests.agent.both import BOTH, AgentDriver, runtime_of
from tests.loopback import Endpoint, answering


def _openai(url: str) -> OpenAI:
    return OpenAI("m", base_url=url, api_key="k")


def _openai_chat(url: str) -> PydanticAIModel:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return PydanticAIModel(OpenAIChatModel("gpt-5", provider=OpenAIProvider(base_url=url, api_key="k")))


def _openai_responses(url: str) -> PydanticAIModel:
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return PydanticAIModel(OpenAIResponsesModel("gpt-5", provider=OpenAIProvider(base_url=url, api_key="k")))


def _anthropic(url: str) -> PydanticAIModel:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return PydanticAIModel(AnthropicModel("claude-opus-4-8", provider=AnthropicProvider(base_url=url, api_key="k")))


def _google(url: str) -> PydanticAIModel:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return PydanticAIModel(GoogleModel("gemini-2.5-pro", provider=GoogleProvider(base_url=url, api_key="k")))


def _mistral(url: str) -> PydanticAIModel:
    from pydantic_ai.models.mistral import MistralModel
    from pydantic_ai.providers.mistral import MistralProvider

    return PydanticAIModel(MistralModel("mistral-large-latest", provider=MistralProvider(base_url=url, api_key="k")))


def _bedrock(url: str) -> PydanticAIModel:
    pytest.importorskip("boto3", reason="the lock cannot have boto3; see above")
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    provider = BedrockProvider(
        base_url=url.removesuffix("/v1"), region_name="x", aws_access_key_id="k", aws_secret_access_key="k"
    )
    return PydanticAIModel(BedrockConverseModel("anthropic.claude-sonnet-4-20250514-v1:0", provider=provider))


@asynccontextmanager
async def _local(url: str) -> AsyncGenerator[Model]:
    """What reaches llama.cpp: its server is replaced by the endpoint, and weights are not needed."""

    @contextmanager
    def serve(_path: Path) -> Generator[ServedModel]:
        yield ServedModel(base_url=url, api_key="k", model="base")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remit_local.models, "serve", serve)
        patch.setattr(remit_local.models, "find_gguf", Path)
        async with remit_local.models.open_local_model("base") as model:
            yield model


KINDS: dict[str, Callable[[str], AbstractAsyncContextManager[Model]]] = {
    "openai": _openai,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "google": _google,
    "mistral": _mistral,
    "bedrock": _bedrock,
    "local": _local,
}
SENT_AS_DECLARED = ("openai", "openai-chat", "openai-responses", "local")

TRICKY: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "a free object": ({"type": "object"}, [{}, {"a": 1, "b": {"c": []}}]),
    "a free object, said so": ({"type": "object", "additionalProperties": True}, [{"a": 1}]),
    "an object of texts": ({"type": "object", "additionalProperties": {"type": "string"}}, [{"a": "b"}]),
    "an open object": ({"type": "object", "properties": {"a": {"type": "string"}}}, [{"a": "x", "b": 2}, {"b": 2}]),
    "a list of free objects": ({"type": "array", "items": {"type": "object"}}, [[{"a": 1}]]),
    "a list of anything": ({"type": "array"}, [[1, "a", None]]),
    "one of two": ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, ["a", 1]),
    "a default": ({"type": "string", "default": "a"}, ["b"]),
    "nullable": ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}, ["a", None]),
    "nullable by types": ({"type": ["object", "null"]}, [None, {"a": 1}]),
    "a format": ({"type": "string", "format": "date-time"}, ["2026-01-01T00:00:00Z"]),
    "a pattern": ({"type": "string", "pattern": "^[a-z]+$", "minLength": 1, "maxLength": 9}, ["abc"]),
    "bounds": ({"type": "number", "minimum": 0, "exclusiveMaximum": 10, "multipleOf": 0.5}, [0, 9.5]),
    "a constant": ({"const": "x"}, ["x"]),
    "choices": ({"enum": ["a", "b"]}, ["a", "b"]),
    "a title of its own": ({"type": "object", "properties": {"title": {"type": "string", "title": "Title"}}}, [{}]),
}


def _definition(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": "Do it.", "parameters": schema}}


NAMES = {f"tool_{index}": name for index, name in enumerate(TRICKY)}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The definitions of the tools with tricky schemas, and of all tools of the CMS."""
    cms = build(tmp_path_factory.mktemp("cms"))
    tricky = [
        _definition(tool, {"type": "object", "properties": {"value": TRICKY[name][0]}, "required": ["value"]})
        for tool, name in NAMES.items()
    ]
    return [*tricky, *map(tool_definition, cms.app.agents[0].tools)]


async def sent_by(kind: str, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The schemas that a kind of model sends, by tool. The endpoint refuses the request; it has been sent by then."""
    request = ChatRequest(
        agent_call_id="agent",
        turn=1,
        ledger=read_only_ledger(()),
        history=History(['{"role":"user","content":"go"}']),
        tools=ToolDefinitions(tools),
    )
    async with (
        Endpoint(answering(400, '{"error":{"message":"no"}}')) as endpoint,
        KINDS[kind](endpoint.url) as model,
    ):
        with contextlib.suppress(RemitError):
            await model(request)
    return dict(_find_schemas(json.loads(endpoint.received[0])))


_SCHEMA_KEYS = ("parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema", "inputSchema")


def _find_schemas(body: object) -> Iterator[tuple[str, Any]]:
    if isinstance(body, list):
        for each in cast("list[object]", body):
            yield from _find_schemas(each)
    elif isinstance(body, dict):
        values = cast("dict[str, Any]", body)
        key = next((key for key in _SCHEMA_KEYS if key in values), "")
        if key and isinstance(values.get("name"), str):
            yield values["name"], values[key].get("json", values[key])
            return
        for each in values.values():
            yield from _find_schemas(each)


@pytest.mark.parametrize("kind", KINDS)
async def test_no_kind_of_model_is_sent_a_schema_that_refuses_what_the_tool_accepts(
    kind: str, tools: list[dict[str, Any]]
) -> None:
    sent, declared = await sent_by(kind, tools), _by_name(tools)
    assert sent.keys() == declared.keys()
    values = [(tool, value) for tool, name in NAMES.items() for value in TRICKY[name][1]]
    assert [each for each in values if not JsonValidator(sent[each[0]]).is_valid({"value": each[1]})] == []
    assert [found for name in declared for found in _narrowed(declared[name], sent[name], name)] == []


@pytest.mark.parametrize("kind", SENT_AS_DECLARED)
async def test_openais_apis_and_local_models_are_sent_the_schemas_as_declared(
    kind: str, tools: list[dict[str, Any]]
) -> None:
    assert await sent_by(kind, tools) == _by_name(tools)


@BOTH
async def test_a_scripted_model_gets_the_schemas_as_declared(driver: AgentDriver, tools: list[dict[str, Any]]) -> None:
    async def work(arguments: dict[str, object]) -> dict[str, object]:
        return arguments

    made = [Tool.from_schema(name, "Do it.", schema, work) for name, schema in _by_name(tools).items()]
    model = Scripted(["done"])
    agent = Agent("agent", instructions="Work.", tools=made, driver=driver)
    await runtime_of(agent, model=model).run("Go.", by=superuser())
    assert _by_name(json.loads(model.requests[0].tools.text)) == _by_name([tool_definition(each) for each in made])


def _by_name(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {each["function"]["name"]: each["function"]["parameters"] for each in tools}


def _narrowed(declared: Any, sent: Any, path: str = "") -> list[str]:
    """Where a sent schema requires or forbids more than the declared one, or shows a free object as an empty one."""
    if not isinstance(declared, dict) or not isinstance(sent, dict):
        return []
    one, other = cast("dict[str, Any]", declared), cast("dict[str, Any]", sent)
    found = [f"{path}: required"] if set(other.get("required", ())) - set(one.get("required", ())) else []
    if other.get("additionalProperties") is False and one.get("additionalProperties") is not False:
        found.append(f"{path}: additionalProperties")
    if "properties" in other and "properties" not in one and "$ref" not in one:
        found.append(f"{path}: properties")
    for key in ("properties", "$defs"):
        for name, value in one.get(key, {}).items():
            found += _narrowed(value, other.get(key, {}).get(name), f"{path}.{name}")
    return found + _narrowed(one.get("items"), other.get("items"), f"{path}[]")


def test_the_contract_notices_a_narrowed_schema() -> None:
    free = {"type": "object", "properties": {"value": {"type": "object"}}}
    closed = {**free, "required": ["value"], "additionalProperties": False}
    assert _narrowed(free, closed) == [": required", ": additionalProperties"]
    empty: dict[str, Any] = {"type": "object", "properties": {"value": {"type": "object", "properties": {}}}}
    assert _narrowed(free, empty) == [".value: properties"]
    assert _narrowed(free, dict(free)) == []
