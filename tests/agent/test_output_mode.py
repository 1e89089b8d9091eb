"""Typed results by the JSON schema of the model's API, with both drivers: corrected, refused, replayed and resumed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from remit import Agent, App, Effect, Risk, Runtime, tool
from remit.agent import NativeDriver
from remit.agent.driver import AgentDriver
from remit.agent.settings import OutputMode
from remit.errors import ModelBusyError, SetupError
from remit.models import OpenAI, PydanticAIModel, resolve_model
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.workers import PydanticAIDriver
from tests.loopback import Endpoint

BOTH = pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=repr)


class Found(BaseModel):
    page: str
    words: int


ABOUT = Found(page="about", words=3)


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


@tool(effect=Effect.PURE, risk=Risk.HIGH)
async def ask() -> str:
    """Ask."""
    return "asked"


def runtime_of(
    driver: AgentDriver,
    model: Any,
    output: Any = Found,
    store: InMemoryStore | None = None,
    mode: OutputMode = "native",
) -> Runtime:
    agent = Agent("agent", instructions="Work.", tools=[look, ask], output=output, driver=driver, output_mode=mode)
    return Runtime(App(name="test", agents=(agent,)), model=model, store=store or InMemoryStore())


@BOTH
async def test_the_schema_is_sent_and_a_text_that_fits_it_is_the_result(driver: AgentDriver) -> None:
    model = Scripted([calls(("look", {})), '{"page": "about", "words": 3}'])
    runtime = runtime_of(driver, model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == ABOUT
    for request in model.requests:
        wanted: Any = request.settings.response_format
        assert (wanted["type"], wanted["json_schema"]["name"]) == ("json_schema", "final_result")
        assert {*wanted["json_schema"]["schema"]["properties"]} == {"page", "words"}
        assert request.tools.names == ("look", "ask")
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_result_that_is_not_an_object_is_wrapped_for_the_model_alone(driver: AgentDriver) -> None:
    runtime = runtime_of(driver, Scripted(['{"response": [1, 2]}']), output=list[int])
    result = await runtime.run("go", by=superuser())
    assert result.value() == [1, 2]
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
@pytest.mark.parametrize("invalid", ["3", '{"result": 3}', "{"])
async def test_a_result_without_its_wrapper_is_corrected_in_plain_words(driver: AgentDriver, invalid: str) -> None:
    model = Scripted([invalid, '{"response": 3}'])
    assert (await runtime_of(driver, model, output=int).run("go", by=superuser())).value() == 3
    reason = str(json.loads(model.requests[1].history[-1])["content"])
    assert reason == 'the result is not valid: give {"response": RESULT}; answer with JSON again'


@BOTH
async def test_the_model_corrects_an_invalid_result_with_the_reason_as_message(driver: AgentDriver) -> None:
    model = Scripted(['{"page": "about"}', '{"page": "about", "words": 3}'])
    runtime = runtime_of(driver, model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == ABOUT
    last = json.loads(model.requests[1].history[-1])
    assert last["role"] == "user"
    assert "words" in last["content"]
    assert "Field required" in last["content"]
    assert (await runtime.replay(result.run)).difference == ""


INVALID_RESULTS: dict[str, tuple[OutputMode, Any]] = {
    "JSON": ("native", '{"page": "about"}'),
    "a call": ("tool", calls(("final_result", {"page": "about"}))),
    "a text in place of a call": ("tool", "It is about."),
}


@BOTH
@pytest.mark.parametrize("case", INVALID_RESULTS)
async def test_why_a_result_is_not_valid_is_on_record_once_also_after_a_resume(driver: AgentDriver, case: str) -> None:
    mode, invalid = INVALID_RESULTS[case]
    valid = (
        '{"page": "about", "words": 3}' if mode == "native" else calls(("final_result", {"page": "about", "words": 3}))
    )
    store = InMemoryStore()
    first = runtime_of(driver, Scripted([invalid, ModelBusyError("429", retry_after=3600)]), store=store, mode=mode)
    stalled = await first.run("go", by=superuser())
    assert stalled.status == "stalled"
    model = Scripted([invalid, valid])
    runtime = runtime_of(driver, model, store=store, mode=mode)
    runtime.add_principals(superuser())
    assert (await runtime.resume(stalled.run)).value() == ABOUT
    history = [json.loads(text) for text in await runtime.history(stalled.run)]
    assert [each["role"] for each in history[:2]] == ["user", "assistant"]
    seen = "".join(str(json.loads(text)["content"]) for text in model.requests[0].history)
    assert history[2]["content"] in seen
    assert [each["role"] for each in history[3:4]] == ["assistant"]
    assert (await runtime.replay(stalled.run)).difference == ""


@BOTH
async def test_the_next_run_sees_why_a_result_was_not_valid(driver: AgentDriver) -> None:
    model = Scripted(['{"page": "about"}', *['{"page": "about", "words": 3}'] * 2])
    runtime = runtime_of(driver, model)
    await runtime.run("go", by=superuser(), conversation="talk")
    await runtime.run("again", by=superuser(), conversation="talk")
    assert [json.loads(text)["role"] for text in model.requests[-1].history] == [
        "system",
        *["user", "assistant"] * 2,
        "user",
    ]


@BOTH
async def test_too_many_invalid_results_end_the_agent(driver: AgentDriver) -> None:
    model = Scripted(["no", "no JSON", '{"page": "about", "words": 3}'])
    result = await runtime_of(driver, model).run("go", by=superuser())
    assert (result.status, len(model.requests)) == ("failed", 2)
    assert '"errorCode":"INVALID_OUTPUT"' in result.text


@BOTH
async def test_a_result_that_was_cut_is_asked_for_again_with_the_reason(driver: AgentDriver) -> None:
    cut = {"role": "assistant", "content": '{"page": "ab', "finish_reason": "length"}
    model = Scripted([cut, '{"page": "about", "words": 3}'])
    assert (await runtime_of(driver, model).run("go", by=superuser())).value() == ABOUT


@BOTH
@pytest.mark.parametrize(
    "fields",
    [
        {"finish_reason": "content_filter"},
        {"refusal": "I will not"},
        {"refusal": True},
        {"content": [{"type": "text", "text": '{"page": "about", "words": 3}'}, {"type": "refusal", "refusal": "no"}]},
    ],
    ids=str,
)
async def test_a_result_that_was_held_back_in_part_is_asked_for_again(
    fields: dict[str, Any], driver: AgentDriver
) -> None:
    held = {"role": "assistant", "content": '{"page": "about", "words": 3}', **fields}
    model = Scripted([held, '{"page": "home", "words": 3}'])
    runtime = runtime_of(driver, model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == Found(page="home", words=3)
    assert "a part of your answer was held back" in json.loads(model.requests[1].history[-1])["content"]
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_run_that_waited_for_a_person_goes_on_to_its_result(driver: AgentDriver) -> None:
    store = InMemoryStore()
    model = Scripted([calls(("ask", {})), '{"page": "about", "words": 3}'])
    first = await runtime_of(driver, model, store=store).run("go", by=superuser())
    assert first.status == "waiting"
    runtime = runtime_of(driver, model, store=store)
    runtime.add_principals(superuser())
    await runtime.decide(first.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(first.run)).value() == ABOUT
    assert (await runtime.replay(first.run)).difference == ""


def answer(_body: bytes) -> tuple[int, str]:
    message = {"role": "assistant", "content": '{"page": "about", "words": 3}'}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return 200, json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})


@pytest.mark.parametrize("way", ["raw", "wrapped", "PydanticAI"])
async def test_an_endpoint_gets_the_schema(way: str) -> None:
    async with Endpoint(answer) as endpoint:
        provider = OpenAIProvider(base_url=endpoint.url, api_key="k")
        models = {
            "raw": OpenAI("m", base_url=endpoint.url, api_key="k"),
            "wrapped": PydanticAIModel(OpenAIChatModel("gpt-4o", provider=provider)),
            "PydanticAI": OpenAIChatModel("gpt-4o", provider=provider),
        }
        async with models["raw"], models["PydanticAI"]:
            runtime = runtime_of(PydanticAIDriver() if way == "PydanticAI" else NativeDriver(), models[way])
            assert (await runtime.run("go", by=superuser())).value() == ABOUT
    (body,) = map(json.loads, endpoint.received)
    wanted = body["response_format"]
    assert (wanted["type"], wanted["json_schema"]["name"]) == ("json_schema", "final_result")
    assert {*wanted["json_schema"]["schema"]["properties"]} == {"page", "words"}


@pytest.mark.parametrize(
    ("name", "environ", "known"),
    [
        ("openai:gpt-5", {}, True),
        ("openai:gpt-3.5-turbo", {}, False),
        ("openai:gpt-5", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, False),
        ("openai-responses:gpt-5", {}, True),
        ("local:base", {}, False),
        ("nobody:x", {}, False),
    ],
)
async def test_a_named_model_is_known_to_take_a_schema_without_a_key(
    name: str, environ: dict[str, str], known: bool
) -> None:
    assert await resolve_model(name, environ).supports_json_schema() is known


@BOTH
async def test_a_model_of_which_nothing_is_known_calls_the_tool(driver: AgentDriver) -> None:
    model = Scripted([calls(("final_result", {"page": "about", "words": 3}))])
    agent = Agent("agent", instructions="Work.", output=Found, driver=driver)
    result = await Runtime(App(name="test", agents=(agent,)), model=model).run("go", by=superuser())
    assert result.value() == ABOUT
    assert (model.requests[0].tools.names, model.requests[0].settings.response_format) == (("final_result",), None)


def test_an_unknown_mode_is_refused() -> None:
    mode: Any = "json"
    with pytest.raises(SetupError, match="agent a: output_mode is 'json'; give one of 'auto', 'native', 'tool'"):
        Agent("a", instructions="x", output=int, output_mode=mode)
