"""Layers around the model act the same way on both drivers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from remit import Agent
from remit.agent import AgentDriver, NativeDriver
from remit.chat.chat import History, ToolDefinitions, encode_message
from remit.errors import DeadlineError, ModelError, SetupError
from remit.layers import ModelService, Timeout, layer_fn
from remit.messages import ChatRequest, Completion, completion_from_message
from remit.models import ModelSettings
from remit.record.arguments import Arguments
from remit.testing import Scripted, calls, superuser
from remit.workers import PydanticAIDriver
from tests.agent.both import BOTH, Found, look, messages_of, result_of, runtime_of
from tests.runtime.kit import World


@layer_fn
async def listen(request: ChatRequest, inner: ModelService, seen: list[Any]) -> Completion:
    completion = await inner(request)
    roles = [json.loads(text)["role"] for text in request.history]
    settings = (request.settings.temperature, request.max_tokens)
    answer = (completion.content, [each.name for each in completion.tool_calls], completion.finish_reason)
    seen.append((request.turn, roles, request.tools.names, settings, answer))
    return completion


@layer_fn
async def change(
    request: ChatRequest, inner: ModelService, ask: Callable[[ChatRequest], ChatRequest], answer: str = ""
) -> Completion:
    """Ask otherwise, and answer otherwise if ``answer`` is given."""
    completion = await inner(ask(request))
    return replace(completion, message=message(answer), content=answer) if answer else completion


def message(text: str, role: str = "assistant") -> str:
    return encode_message({"role": role, "content": text})


@BOTH
async def test_a_layer_around_the_model_sees_chat_requests_and_completions(driver: AgentDriver) -> None:
    model, seen = Scripted([calls(("look", {"page": "a"})), calls(result_of())]), list[Any]()
    agent = Agent(
        "agent",
        instructions="Work.",
        tools=[look],
        output=Found,
        driver=driver,
        settings=ModelSettings(temperature=0.5),
    )
    runtime = runtime_of(agent.layer(listen(seen)), model=model)
    result = await runtime.run("go", by=superuser())
    tools = ("look", "final_result")
    first = (1, ["system", "user"], tools, (0.5, None), (None, ["look"], "tool_calls"))
    second = (2, ["system", "user", "assistant", "tool"], tools, (0.5, None), (None, ["final_result"], "tool_calls"))
    assert seen == [first, second]
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_layer_around_the_model_changes_the_request(driver: AgentDriver) -> None:
    def ask(request: ChatRequest) -> ChatRequest:
        return replace(
            request,
            history=History([message("Be kind.", "system"), *list(request.history)[1:], message("Now.", "user")]),
            tools=ToolDefinitions(json.loads(request.tools.text)[1:]),
            settings=ModelSettings(max_tokens=7),
        )

    model = Scripted([calls(("write", {"text": "a"})), "done"])
    tools = [look, World().write()]
    agent = Agent(
        "agent", instructions="Work.", tools=tools, driver=driver, settings=ModelSettings(temperature=0.5)
    ).layer(change(ask))
    result = await runtime_of(agent, model=model).run("go", by=superuser())
    assert result.value() == "done"
    start = [("system", "Be kind."), ("user", "go")]
    assert messages_of(model, 0) == [*start, ("user", "Now.")]
    assert messages_of(model) == [*start, ("assistant", None), ("tool", "wrote a"), ("user", "Now.")]
    assert [(each.tools.names, each.settings.temperature, each.max_tokens) for each in model.requests] == [
        (("write",), None, 7)
    ] * 2


@BOTH
async def test_a_layer_around_the_model_changes_the_answer(driver: AgentDriver) -> None:
    agent = Agent("agent", instructions="Work.", driver=driver).layer(change(lambda request: request, "[x]"))
    result = await runtime_of(agent, model=Scripted(["secret"])).run("go", by=superuser())
    assert result.value() == "[x]"


@BOTH
async def test_a_layer_around_the_model_meets_errors_of_remit(driver: AgentDriver) -> None:
    class Broken:
        async def __call__(self, request: ChatRequest, /) -> Completion:
            raise ValueError("no such thing")

    @layer_fn
    async def apologise(request: ChatRequest, inner: ModelService) -> Completion:
        try:
            return await inner(request)
        except ModelError as error:
            return completion_from_message(message(f"Sorry: {error.code}"))

    agent = Agent("agent", instructions="Work.", driver=driver, model=Broken()).layer(apologise())
    assert (await runtime_of(agent).call(agent, superuser(), "go")).value() == "Sorry: MODEL_ERROR"


def test_only_the_native_driver_has_a_place_for_layers_around_steps() -> None:
    agent = Agent("agent", instructions="x", driver=NativeDriver()).layer(Timeout(9).steps)
    assert len(agent.agent_layers) == 1
    with pytest.raises(SetupError, match=r"agent agent: Timeout\(seconds=9.* cannot be attached, because PydanticAI"):
        Agent("agent", instructions="x", driver=PydanticAIDriver()).layer(Timeout(9).steps)


@pytest.mark.looptime
@BOTH
async def test_a_timeout_around_the_model_ends_the_run_and_is_on_record(driver: AgentDriver) -> None:
    class Slow:
        async def __call__(self, request: ChatRequest, /) -> Completion:
            await asyncio.sleep(60)
            raise AssertionError

    agent = Agent("agent", instructions="Work.", driver=driver, model=Slow()).layer(Timeout(9).models)
    runtime = runtime_of(agent)
    result = await runtime.call(agent, superuser(), "go")
    assert result.reply is not None
    assert type(result.reply.error) is DeadlineError
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_parallel_calls_of_an_agent_keep_their_requests_apart(driver: AgentDriver) -> None:
    class Echo:
        async def __call__(self, request: ChatRequest, /) -> Completion:
            await asyncio.sleep(0)
            return completion_from_message(message(json.loads(request.history[1])["content"]))

    @layer_fn
    async def wait(request: ChatRequest, inner: ModelService) -> Completion:
        await asyncio.sleep(0)
        completion = await inner(request)
        await asyncio.sleep(0)
        return completion.with_text(f"{completion.content}!")

    inner = Agent("inner", instructions="x", driver=driver, model=Echo()).layer(wait())
    model = Scripted([calls(*[("inner", {"prompt": word}) for word in "abc"]), "done"])
    runtime = runtime_of(Agent("lead", instructions="x", tools=[inner], driver=driver, model=model), inner)
    result = await runtime.call_by_name("lead", Arguments('{"prompt":"go"}', {"prompt": "go"}), by=superuser())
    answers = [content for role, content in messages_of(model) if role == "tool"]
    assert answers == [f"{word}!" for word in "abc"]
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_layer_changes_the_arguments_of_a_call_before_it_is_made(driver: AgentDriver) -> None:
    @layer_fn
    async def correct(request: ChatRequest, inner: ModelService) -> Completion:
        completion = await inner(request)
        text = completion.message.replace("secret", "about")
        return replace(completion_from_message(text), finish_reason=completion.finish_reason)

    model = Scripted([calls(result_of("secret"))])
    agent = Agent("agent", instructions="Find.", output=Found, driver=driver, model=model).layer(correct())
    runtime = runtime_of(agent)
    result = await runtime.call(agent, superuser(), "go")
    assert result.value() == Found(page="about", words=3)
    assert "secret" not in " ".join(position.body for position in await runtime.store.read(result.run))
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_layer_may_answer_for_an_agent_without_a_model(driver: AgentDriver) -> None:
    @layer_fn
    async def answer(request: ChatRequest, inner: ModelService) -> Completion:
        return completion_from_message(message("Closed."))

    runtime = runtime_of(Agent("agent", instructions="x", driver=driver).layer(answer()))
    assert (await runtime.run("go", by=superuser())).value() == "Closed."
