"""What a model reports of its usage is not trusted, and what it used is on record whatever becomes of the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic_ai import settings as pydantic_settings
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage

from remit import Agent, App, Effect, Runtime, Stack, tool
from remit.agent.driver import AgentDriver
from remit.agent.native import NativeDriver
from remit.errors import BudgetError, ModelBusyError
from remit.items import ModelUsage
from remit.layers import AddMessage, Budget, CallLayer, Fallback, ModelLayer, RetryModel
from remit.messages import ChatRequest, Completion, completion_from_message
from remit.models import ModelSettings, Price, PydanticAIModel
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.workers import PydanticAIDriver
from tests.agent.both import BOTH
from tests.runtime.kit import find_superuser, items_of

JUNK = [(-5_000, 10), (10, -5_000), (None, 3), ("12", 3), (3.5, 1), (True, 1), (10**18, 1), (float("nan"), 1), (0, 0)]


@tool(effect=Effect.PURE)
async def look(page: str) -> str:
    """Look at a page."""
    return f"saw {page}"


def runtime_of(agent: Agent, *, tokens: int | None, **options: Any) -> Runtime:
    layers: Stack[CallLayer] = Stack(Budget(tokens=tokens))
    options.setdefault("store", InMemoryStore())
    return Runtime(App(name="usage", agents=(agent,)), layers=layers, directory=find_superuser, **options)


def endless_port(prompt: Any, completion: Any) -> Any:
    """A model of Remit's port that calls a tool again and again."""
    scripted = Scripted([calls(("look", {"page": str(number)})) for number in range(30)])

    async def model(request: ChatRequest, /) -> Completion:
        message = (await scripted(request)).message
        return completion_from_message(message, prompt_tokens=prompt, completion_tokens=completion)

    return model


def endless_function(prompt: Any, completion: Any) -> _Endless:
    """A model of PydanticAI that calls a tool again and again."""
    return _Endless(RequestUsage(input_tokens=prompt, output_tokens=completion))


def wrapped_function(prompt: Any, completion: Any) -> PydanticAIModel:
    """The same in a model of Remit's port."""
    return PydanticAIModel(endless_function(prompt, completion))


class _Endless(TestModel):
    def __init__(self, usage: RequestUsage) -> None:
        super().__init__()
        self._usage = usage

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: pydantic_settings.ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        part = ToolCallPart("look", {"page": str(len(messages))}, f"c{len(messages)}")
        return ModelResponse(parts=[part], usage=self._usage)


MODELS: list[Any] = [
    pytest.param(NativeDriver(), endless_port, (), id="native"),
    pytest.param(NativeDriver(), wrapped_function, (), id="native-function"),
    pytest.param(NativeDriver(), endless_port, (RetryModel(), Fallback(Scripted([]))), id="native-layers"),
    pytest.param(PydanticAIDriver(), endless_port, (), id="pydantic-ai-port"),
    pytest.param(PydanticAIDriver(), endless_function, (), id="pydantic-ai"),
    pytest.param(PydanticAIDriver(), endless_function, (RetryModel(), Fallback(Scripted([]))), id="pydantic-ai-layers"),
]


@pytest.mark.parametrize("usage", JUNK, ids=repr)
@pytest.mark.parametrize(("driver", "make_model", "layers"), MODELS)
async def test_impossible_or_missing_usage_is_charged_as_estimated_and_refunds_nothing(
    driver: AgentDriver, make_model: Callable[..., Any], layers: tuple[ModelLayer, ...], usage: tuple[Any, Any]
) -> None:
    store = InMemoryStore()
    agent = Agent(
        "agent",
        instructions="Work.",
        tools=[look],
        model=make_model(*usage),
        driver=driver,
        settings=ModelSettings(max_tokens=200),
    )
    for layer in layers:
        agent = agent.layer(layer)
    runtime = runtime_of(agent, tokens=2_000, store=store)
    result = await runtime.run("go", by=superuser())
    assert result.reply is not None
    assert isinstance(result.reply.error, BudgetError)
    recorded = [item for item in await items_of(store, result.run) if isinstance(item, ModelUsage)]
    assert 3 <= len(recorded) <= 8
    assert all(item.estimated and item.prompt_tokens > 0 and item.completion_tokens == 200 for item in recorded)
    assert result.usage.tokens == sum(item.prompt_tokens + item.completion_tokens for item in recorded) <= 2_000
    assert (await runtime.replay(result.run)).is_identical
    again = await runtime.resume(result.run)
    assert again.usage == result.usage


class Impostor:
    """A model with a price, whose answers name another model."""

    model, vendor = "dear", "lab"

    def __init__(self, answered: str) -> None:
        self._scripted = Scripted([calls(("look", {"page": str(number)})) for number in range(30)])
        self._answered = answered

    async def __call__(self, request: ChatRequest, /) -> Completion:
        message = (await self._scripted(request)).message
        return completion_from_message(message, model=self._answered, prompt_tokens=1_000, completion_tokens=200)


@BOTH
@pytest.mark.parametrize("answered", ["free", "unheard-of", "dear", ""])
@pytest.mark.parametrize("layers", [(), (RetryModel(), Fallback(Scripted([])))], ids=["plain", "layers"])
async def test_an_answer_that_names_another_model_costs_what_the_model_asked_costs(
    driver: AgentDriver, layers: tuple[ModelLayer, ...], answered: str
) -> None:
    settings = ModelSettings(max_tokens=200)
    agent = Agent(
        "agent", instructions="Work.", tools=[look], model=Impostor(answered), driver=driver, settings=settings
    )
    for layer in layers:
        agent = agent.layer(layer)
    store, prices = InMemoryStore(), {"dear": Price(1_000, 1_000), "free": Price(0, 0)}
    limits: Stack[CallLayer] = Stack(Budget(cost=4.0))
    runtime = Runtime(App(name="usage", agents=(agent,)), layers=limits, store=store, prices=prices)
    result = await runtime.run("go", by=superuser())
    assert result.reply is not None
    assert isinstance(result.reply.error, BudgetError)
    assert result.usage.cost == pytest.approx(3.6)
    recorded = [item for item in await items_of(store, result.run) if isinstance(item, ModelUsage)]
    assert {(item.requested, item.model) for item in recorded} == {("lab:dear", answered)}


@BOTH
async def test_impossible_usage_without_a_limit_counts_nothing(driver: AgentDriver) -> None:
    model = Scripted([{"role": "assistant", "content": "done", "usage": {"prompt_tokens": -7, "completion_tokens": 3}}])
    agent = Agent("agent", instructions="Work.", model=model, driver=driver)
    result = await runtime_of(agent, tokens=None).run("go", by=superuser())
    assert (result.value(), result.usage.tokens, result.usage.requests) == ("done", 0, 1)


@BOTH
async def test_cached_and_reasoning_tokens_count_in_a_run_and_for_a_client(driver: AgentDriver) -> None:
    async def think(_request: ChatRequest, /) -> Completion:
        message = '{"role":"assistant","content":"done"}'
        return completion_from_message(
            message, prompt_tokens=100, completion_tokens=20, cached_tokens=64, reasoning_tokens=12
        )

    runtime = runtime_of(Agent("agent", instructions="Work.", model=think, driver=driver), tokens=None)
    used = [(await runtime.run("go", by=superuser())).usage for _ in range(2)]
    assert [(each.cached_tokens, each.reasoning_tokens) for each in used] == [(64, 12), (64, 12)]
    assert await runtime.client(superuser()).usage(since=0, until=1e12) == used[0].plus(used[1])


@BOTH
async def test_an_answer_that_is_too_long_is_paid_for(driver: AgentDriver) -> None:
    model = Scripted(
        [{"role": "assistant", "content": "x" * 3_000_000, "usage": {"prompt_tokens": 9, "completion_tokens": 700}}]
    )
    agent = Agent("agent", instructions="Work.", model=model, driver=driver)
    result = await runtime_of(agent, tokens=100_000).run("go", by=superuser())
    assert (result.status, result.usage.tokens) == ("failed", 709)


BUSY = ModelBusyError("come back later", retry_after=10)
EMPTY: dict[str, Any] = {
    "role": "assistant",
    "content": "",
    "usage": {"prompt_tokens": 30, "completion_tokens": 4},
}


@pytest.mark.looptime
@pytest.mark.parametrize("layers", [(), (AddMessage("Be brief."),)], ids=["retry", "in layers"])
@BOTH
async def test_attempts_before_a_crash_count_after_it_with_their_tokens_and_waits(
    driver: AgentDriver, layers: tuple[ModelLayer, ...]
) -> None:
    loop = asyncio.get_running_loop()
    store = InMemoryStore(loop.time)
    answers: list[Any] = [EMPTY, BUSY]
    asked: list[float] = []

    async def model(request: ChatRequest, /) -> Completion:
        asked.append(loop.time())
        return await Scripted([answers.pop(0)] * 9)(request)

    retry = RetryModel(base_delay=1.0, jitter=lambda: 0.0)
    agent = Agent("agent", instructions="Work.", model=model, driver=driver)
    for layer in (*layers, retry):
        agent = agent.layer(layer)
    runtime = runtime_of(agent, tokens=None, store=store, clock=loop.time)
    run = await runtime.submit("go", by=superuser())
    stop = asyncio.Event()
    execution = asyncio.create_task(runtime.resume(run, stop))
    await asyncio.sleep(5)  # the second attempt is made after one second, and then the provider asks for ten
    stop.set()
    await asyncio.gather(execution, return_exceptions=True)
    kinds = [item.kind for item in await items_of(store, run)]
    assert (kinds.count("failure"), kinds.count("usage")) == (2, 1)

    answers = [BUSY]
    result = await runtime.resume(run)
    assert (result.status, len(asked)) == ("stalled", 3)
    assert asked[2] == pytest.approx(asked[1] + 10)
    assert result.usage.tokens == 34
    assert (await runtime.replay(run)).is_identical

    answers = [BUSY, {"role": "assistant", "content": "done"}]
    result = await runtime.resume(run)  # it has rested: the attempts begin anew
    assert (result.value(), result.usage.tokens, answers) == ("done", 34, [])
    assert (await runtime.replay(run)).is_identical
