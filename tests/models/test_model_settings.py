"""The settings of an agent reach the model through both drivers, and what a model cannot take is refused before."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings as PydanticSettings

from remit import Agent, App, Runtime, tool
from remit.agent import NativeDriver
from remit.agent.driver import AgentDriver
from remit.errors import ModelAccessError, NoModelError, SetupError
from remit.models import ModelSettings, OpenAI, PydanticAIModel, resolve_model
from remit.models.pydantic_settings import to_pydantic_settings
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.workers import PydanticAIDriver
from tests.loopback import Endpoint

SETTINGS = ModelSettings(
    temperature=0.5,
    top_p=0.25,
    max_completion_tokens=99,
    tool_choice="look",
    parallel_tool_calls=False,
    response_format={"type": "json_object"},
    seed=3,
    stop=("END",),
    extra_body={"user": "ada"},
    extra_headers={"X-Route": "env:ROUTE_KEY"},
)


@tool(effect="pure")
async def look() -> str:
    """Look."""
    return "seen"


@tool(effect="pure")
async def listen() -> str:
    """Listen."""
    return "heard"


def chat_model(url: str, name: str = "m") -> OpenAIChatModel:
    return OpenAIChatModel(name, provider=OpenAIProvider(base_url=url, api_key="k"))


WAYS: dict[str, tuple[Callable[[str], Any], AgentDriver]] = {
    "native, raw": (lambda url: OpenAI("m", base_url=url, api_key="k"), NativeDriver()),
    "native, PydanticAI": (lambda url: PydanticAIModel(chat_model(url)), NativeDriver()),
    "PydanticAI": (chat_model, PydanticAIDriver()),
    "PydanticAI, raw": (lambda url: OpenAI("m", base_url=url, api_key="k"), PydanticAIDriver()),
}


def answer(body: bytes) -> tuple[int, str]:
    replied = any(each["role"] == "tool" for each in json.loads(body)["messages"])
    called = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
    message = {"role": "assistant", "content": "done"} if replied else {"role": "assistant", "tool_calls": called}
    choice = {"index": 0, "message": message, "finish_reason": "stop" if replied else "tool_calls"}
    return 200, json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})


@pytest.mark.parametrize("way", WAYS)
async def test_every_setting_reaches_the_endpoint_and_no_header_the_journal(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUTE_KEY", "canary-of-the-route")
    make, driver = WAYS[way]
    store = InMemoryStore()
    async with Endpoint(answer) as endpoint, make(endpoint.url) as model:
        agent = Agent("agent", instructions="Look.", tools=[look, listen], settings=SETTINGS, driver=driver)
        runtime = Runtime(App(name="test", agents=(agent,)), model=model, store=store)
        result = await runtime.run("go", by=superuser())
        first, second = map(json.loads, endpoint.received)
    assert result.text == "done"
    assert first["tool_choice"] == {"type": "function", "function": {"name": "look"}}
    assert second.get("tool_choice") in (None, "auto")
    for body, head in zip((first, second), endpoint.heads, strict=True):
        assert (body["temperature"], body["top_p"], body["seed"], body["stop"]) == (0.5, 0.25, 3, ["END"])
        assert (body["max_completion_tokens"], body["parallel_tool_calls"], body["user"]) == (99, False, "ada")
        assert (body["response_format"], "max_tokens" in body) == ({"type": "json_object"}, False)
        assert "x-route: canary-of-the-route" in head
    assert "canary" not in "".join(repr(each) for each in await store.read(result.run))
    assert (await runtime.replay(result.run)).difference == ""


@pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=repr)
@pytest.mark.parametrize(
    "changed",
    [{"seed": 4}, {"stop": ["STOP"]}, {"extra_body": {}}, {"extra_headers": {"X-Route": "env:OTHER"}}],
    ids=["seed", "stop", "body", "headers"],
)
async def test_a_changed_setting_is_found_by_a_replay(changed: dict[str, Any], driver: AgentDriver) -> None:
    store = InMemoryStore()

    def runtime(settings: ModelSettings) -> Runtime:
        model = Scripted([calls(("look", {})), "done"])
        agent = Agent("agent", instructions="Look.", tools=[look], settings=settings, driver=driver)
        return Runtime(App(name="test", agents=(agent,)), model=model, store=store)

    result = await runtime(SETTINGS).run("go", by=superuser())
    assert (await runtime(SETTINGS).replay(result.run)).difference == ""
    assert "differs from the recorded one" in (await runtime(SETTINGS.update(**changed)).replay(result.run)).difference


async def test_how_much_a_model_thinks_is_sent_where_it_can_think() -> None:
    model = chat_model("http://127.0.0.1:9/v1", "gpt-5")
    low = await to_pydantic_settings(ModelSettings(reasoning_effort="low"), model)
    assert low == {"thinking": "low", "max_retries": 0}
    none = await to_pydantic_settings(ModelSettings(reasoning_effort="none"), model)
    assert none == {"thinking": False, "max_retries": 0}


async def test_the_settings_of_a_model_stay_below_those_of_the_agent() -> None:
    base = PydanticSettings(temperature=0.1, top_p=0.9, extra_body={"a": 1, "b": 1})
    settings = ModelSettings(temperature=0.7, extra_body={"b": 2})
    merged = await to_pydantic_settings(settings, chat_model("http://127.0.0.1:9/v1"), base)
    assert merged == {"temperature": 0.7, "top_p": 0.9, "max_retries": 0, "extra_body": {"a": 1, "b": 2}}


def responses_model() -> Model:
    return WrapperModel(OpenAIResponsesModel("gpt-4o", provider=OpenAIProvider(api_key="k")))


@pytest.mark.parametrize(
    ("model", "settings", "refused"),
    [
        (TestModel(), ModelSettings(reasoning_effort="low"), "reasoning_effort"),
        (TestModel(), ModelSettings(response_format={"type": "text"}), "response_format"),
        (responses_model(), ModelSettings(seed=1, stop=("x",)), "seed, stop"),
    ],
)
async def test_a_setting_that_a_model_cannot_take_is_refused_by_the_check_and_before_the_request(
    model: Model, settings: ModelSettings, refused: str
) -> None:
    for driver, own in ((NativeDriver(), PydanticAIModel(model)), (PydanticAIDriver(), model)):
        agent = Agent("agent", instructions="x", settings=settings, driver=driver, model=own)
        with pytest.raises(NoModelError, match=f"cannot take {refused}; remove it from the settings"):
            agent.check_model()
    with pytest.raises(ModelAccessError, match=f"cannot take the settings? {refused}; remove it"):
        await to_pydantic_settings(settings, model)


@pytest.mark.parametrize(
    ("name", "settings", "refused"),
    [
        ("openai:gpt-5", ModelSettings(max_tokens=5), ["max_tokens"]),
        ("openai:o3-mini", ModelSettings(max_tokens=5), ["max_tokens"]),
        ("openai:gpt-5", ModelSettings(max_completion_tokens=5), []),
        ("openai:gpt-4o", ModelSettings(max_tokens=5, temperature=0, stop=("x",)), []),
        ("openai:gpt-4o", ModelSettings(reasoning_effort="low"), ["reasoning_effort"]),
        ("openai:ft:gpt-4o-mini:us::1", ModelSettings(reasoning_effort="low"), ["reasoning_effort"]),
        ("openai:gpt-5-mini", ModelSettings(temperature=0, top_p=0.5, stop=("x",)), ["stop", "temperature", "top_p"]),
        ("openai:gpt-5", ModelSettings(temperature=1, reasoning_effort="minimal"), []),
        ("openai:gpt-5", ModelSettings(reasoning_effort="none"), ["reasoning_effort"]),
        ("openai:gpt-5-chat-latest", ModelSettings(temperature=0), []),
        ("openai:gpt-5.1", ModelSettings(temperature=0, reasoning_effort="none"), []),
        ("openai:gpt-5.1", ModelSettings(temperature=0, reasoning_effort="low"), ["temperature"]),
        ("openai:gpt-4-turbo", ModelSettings(response_format={"type": "json_schema"}), ["response_format"]),
        ("openai:gpt-4-turbo", ModelSettings(response_format={"type": "json_object"}), []),
        ("openai-chat:gpt-5", ModelSettings(temperature=0), ["temperature"]),
        ("openai-chat:gpt-5.1", ModelSettings(temperature=0), []),
        ("openai-chat:gpt-5.1", ModelSettings(temperature=0, reasoning_effort="low"), ["temperature"]),
        ("openai-responses:gpt-5", ModelSettings(seed=5), ["seed"]),
        ("local:base", ModelSettings(seed=5, max_tokens=5), []),
        ("nobody:x", ModelSettings(seed=5), []),
    ],
)
def test_the_settings_that_a_named_model_cannot_take_are_known_without_a_key(
    name: str, settings: ModelSettings, refused: list[str]
) -> None:
    assert resolve_model(name, {}).list_unsupported(settings) == refused


def test_an_endpoint_of_somebody_else_takes_every_setting() -> None:
    settings = ModelSettings(temperature=0, max_tokens=5, reasoning_effort="none")
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:9/api.openai.com/v1"}
    assert resolve_model("openai:gpt-5", environ).list_unsupported(settings) == []


@pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=repr)
async def test_a_run_with_a_setting_or_header_that_cannot_be_sent_is_refused_before_it_is_opened(
    driver: AgentDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROUTE_KEY", raising=False)
    foreign = OpenAIChatModel("gpt-5", provider=OpenAIProvider(api_key="k"))
    own = OpenAI("gpt-5", api_key="k")
    cases = {
        "agent agent: the header X-Route needs the environment variable ROUTE_KEY; set it": SETTINGS,
        "agent agent: the model .*gpt-5.* cannot take temperature; remove it": ModelSettings(temperature=0),
    }
    async with own:
        model: Any = own if isinstance(driver, NativeDriver) else foreign
        for message, settings in cases.items():
            below = Agent("agent", instructions="Look.", tools=[look], settings=settings, driver=driver)
            above = Agent("above", instructions="Ask.", tools=[below], model=Scripted(["done"]))
            runtime = Runtime(App(name="test", agents=(above, below)), model=model)
            for name in ("above", "agent"):
                for start in (runtime.run, runtime.submit):
                    with pytest.raises(NoModelError, match=message):
                        await start("go", by=superuser(), agent=name)
            assert await runtime.store.list_runs() == []


@pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=repr)
async def test_who_submits_a_run_needs_no_key_of_its_model(
    driver: AgentDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for settings, is_refused in ((ModelSettings(temperature=0), True), (ModelSettings(max_completion_tokens=9), False)):
        agent = Agent("agent", instructions="Look.", settings=settings, driver=driver)
        runtime = Runtime(App(name="test", agents=(agent,)), model="openai:gpt-5")
        if is_refused:
            with pytest.raises(NoModelError, match="cannot take temperature"):
                await runtime.submit("go", by=superuser())
        else:
            assert await runtime.submit("go", by=superuser())


@pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=repr)
async def test_a_submitted_run_whose_header_is_missing_where_it_executes_rests_until_it_is_set(
    driver: AgentDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUTE_KEY", "canary-of-the-route")
    make = WAYS["native, raw" if isinstance(driver, NativeDriver) else "PydanticAI"][0]
    async with Endpoint(answer) as endpoint, make(endpoint.url) as model:
        agent = Agent("agent", instructions="Look.", tools=[look], settings=SETTINGS, driver=driver)
        runtime = Runtime(App(name="test", agents=(agent,)), model=model)
        run = await runtime.submit("go", by=superuser())
        monkeypatch.delenv("ROUTE_KEY")
        with pytest.raises(NoModelError, match="the header X-Route needs the environment variable ROUTE_KEY; set it"):
            await runtime.resume(run)
        (row,) = await runtime.store.list_runs()
        assert (row.status, endpoint.received) == ("stalled", [])
        monkeypatch.setenv("ROUTE_KEY", "canary-of-the-route")
        assert (await runtime.resume(run)).text == "done"


def test_a_forced_tool_that_the_agent_does_not_have_is_refused() -> None:
    def runtime(choice: str, *tools: Any) -> Runtime:
        agent = Agent("agent", instructions="x", tools=tools, settings=ModelSettings(tool_choice=choice))
        return Runtime(App(name="test", agents=(agent,)), model=Scripted([]))

    with pytest.raises(SetupError, match="agent agent: tool_choice='lok' is not one of its tools; did you mean look"):
        runtime("lok", look)
    with pytest.raises(SetupError, match="agent agent: tool_choice='required', but it has no tools"):
        runtime("required")


def test_a_format_beside_a_typed_result_is_refused() -> None:
    settings = ModelSettings(response_format={"type": "json_object"})
    with pytest.raises(SetupError, match="agent agent: response_format and output contradict each other; keep output"):
        Agent("agent", instructions="x", output=int, settings=settings)


@pytest.mark.parametrize("name", ["temperature", "seed"])
def test_a_setting_given_to_an_agent_is_refused_with_where_it_goes(name: str) -> None:
    values: dict[str, Any] = {name: 1}
    with pytest.raises(SetupError, match=rf"write settings=ModelSettings\({name}=…\)"):
        Agent("agent", instructions="x", **values)
