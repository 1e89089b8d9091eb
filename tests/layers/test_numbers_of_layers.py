"""Numbers of layers, limits and prices are finite: what a run pins of them is JSON, which has no infinity."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from remit import App, Runtime, tool
from remit.agent import AgentLimits
from remit.agent.stop import CostUsed, SecondsUsed
from remit.errors import SetupError
from remit.layers import Breaker, Budget, Concurrency, RateLimit, Retry, RetryModel, Timeout
from remit.models import ModelSettings, Price
from remit.tools import Limits, Rate
from remit.users import ModelPrice

NUMBERS: dict[str, Callable[[Any], object]] = {
    "Budget cost": lambda number: Budget(cost=number),
    "Budget seconds": lambda number: Budget(seconds=number),
    "Budget calls": lambda number: Budget(calls=number),
    "Budget tokens": lambda number: Budget(tokens=number),
    "Budget depth": lambda number: Budget(depth=number),
    "Limits": lambda number: Limits(output_bytes=number),
    "Price input": lambda number: Price(number, 1),
    "Price cached": lambda number: Price(1, 1, cached=number),
    "ModelPrice": lambda number: ModelPrice(input=number, output=1),
    "Retry base": lambda number: Retry(base_delay=number),
    "Retry most": lambda number: Retry(max_delay=number),
    "RetryModel": lambda number: RetryModel(max_delay=number),
    "Timeout": Timeout,
    "Timeout grace": lambda number: Timeout(3, grace=number),
    "Breaker": lambda number: Breaker(seconds=number),
    "RateLimit": lambda number: RateLimit(calls=1, seconds=number),
    "RateLimit wait": lambda number: RateLimit(calls=1, seconds=1, max_wait=number),
    "Concurrency": lambda number: Concurrency(calls=1, max_wait=number),
    "Rate": lambda number: Rate(calls=1, seconds=number),
    "timeout of a tool": lambda number: tool(look, timeout=number),
    "AgentLimits cost": lambda number: AgentLimits(cost=number),
    "AgentLimits seconds": lambda number: AgentLimits(seconds=number),
    "ModelSettings": lambda number: ModelSettings(temperature=number),
    "CostUsed": CostUsed,
    "SecondsUsed": SecondsUsed,
}


async def look() -> str:
    """Look."""
    return "seen"


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_is_not_finite_is_refused_in_one_line(name: str, number: float) -> None:
    with pytest.raises((SetupError, ValueError)) as caught:
        NUMBERS[name](number)
    assert isinstance(caught.value, SetupError) or name == "ModelPrice"
    assert "\n" not in str(caught.value) or name == "ModelPrice"


def test_a_budget_without_a_limit_says_how_to_write_it() -> None:
    with pytest.raises(SetupError) as caught:
        Budget(cost=math.inf)
    assert caught.value.message == "Budget: cost is inf; leave it out for no limit, or give a finite number"


@pytest.mark.parametrize("number", [2**63, 10**400])
@pytest.mark.parametrize("name", ["calls", "tokens", "depth"])
def test_a_whole_number_that_records_do_not_hold_is_refused(name: str, number: int) -> None:
    with pytest.raises(SetupError, match=f"Budget: {name} has .* bits; give a whole number of at most 63"):
        Budget(**{name: number})  # pyright: ignore[reportArgumentType]


def test_the_largest_numbers_are_those_of_a_runtime() -> None:
    most = 2**63 - 1
    budget = Budget(calls=most, tokens=most, depth=most, cost=1e308, seconds=1e308)
    assert repr(budget) in repr(Runtime(App(name="test", tools=[tool(look)], budget=budget)))
