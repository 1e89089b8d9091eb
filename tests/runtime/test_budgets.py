"""Limits on tokens, money and seconds end a run before its model is asked, on both drivers and over executions."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, App, Effect, Runtime, Stack, tool
from remit.agent import AgentDriver, AgentLimits
from remit.errors import BudgetError, CallError, SetupError
from remit.layers import Budget, CallLayer, Fallback
from remit.models import ModelSettings, Price
from remit.testing import Scripted, calls, superuser
from tests.agent.both import BOTH

LIMITED: dict[str, Any] = {"instructions": "Work.", "settings": ModelSettings(max_tokens=50)}


@tool(effect=Effect.PURE)
async def look(page: str) -> str:
    """Look at a page."""
    return f"saw {page}"


def endless(tokens: int) -> Scripted:
    return Scripted([calls(("look", {"page": str(number)}), tokens=(tokens, 0)) for number in range(20)])


def runtime_of(agent: Agent, budget: Budget | None = None, **options: Any) -> Runtime:
    layers: Stack[CallLayer] = Stack(budget or Budget())
    return Runtime(App(name="budgets", agents=(agent,)), layers=layers, **options)


def error_in(result: Any) -> CallError:
    assert result.reply is not None
    assert result.reply.error is not None
    return result.reply.error


@BOTH
async def test_the_tokens_of_a_run_end_it_and_the_refusal_replays(driver: AgentDriver) -> None:
    model = endless(1_000)
    runtime = runtime_of(Agent("agent", tools=[look], model=model, driver=driver, **LIMITED), Budget(tokens=3_000))
    result = await runtime.run("go", by=superuser())
    assert isinstance(error_in(result), BudgetError)
    assert (len(model.requests), result.usage.tokens, result.usage.requests) == (3, 3_000, 3)
    assert (await runtime.replay(result.run)).difference == ""
    again = await runtime.resume(result.run)
    assert (again.usage, len(model.requests)) == (result.usage, result.usage.requests)


@BOTH
async def test_the_limits_of_an_agent_bind_the_agents_below_it(driver: AgentDriver) -> None:
    model = endless(1_000)
    inner = Agent("inner", tools=[look], model=model, **LIMITED)
    above = Scripted([calls(("inner", {"prompt": "a"}), tokens=(1, 0))])
    outer = Agent("outer", tools=[inner], model=above, driver=driver, limits=AgentLimits(tokens=3_300), **LIMITED)
    result = await runtime_of(outer).run("go", by=superuser())
    assert isinstance(error_in(result), BudgetError)
    assert len(model.requests) == 4


async def test_requests_of_layers_are_reserved_too() -> None:
    spare = Scripted(["done"])
    broken = Scripted([ConnectionError("down")])
    agent = Agent("agent", model=broken, **LIMITED).layer(Fallback(spare))
    refused = await runtime_of(agent, Budget(tokens=20)).run("go", by=superuser())
    assert isinstance(error_in(refused), BudgetError)
    assert (broken.requests, spare.requests) == ([], [])
    assert (await runtime_of(agent, Budget(tokens=2_000)).run("go", by=superuser())).status == "done"


async def test_a_limit_on_cost_ends_a_run_by_its_prices() -> None:
    model = endless(1_000)
    agent = Agent("agent", tools=[look], model=model, **LIMITED)
    prices = {model.model: Price(1.0, 1.0)}
    runtime = runtime_of(agent, Budget(cost=0.0025), prices=prices)
    result = await runtime.run("go", by=superuser())
    assert isinstance(error_in(result), BudgetError)
    assert result.usage.cost == pytest.approx(0.003)
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ({"m": 3}, r"Runtime: prices\['m'\] is 3; give Price"),
        ([], "prices"),
    ],
)
def test_prices_of_another_type_are_refused(prices: Any, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        runtime_of(Agent("agent", model=endless(1), **LIMITED), prices=prices)
