"""Tokens and money by a table of prices."""

from __future__ import annotations

import math
import tomllib

import pytest

from remit.errors import SetupError
from remit.record.usage import (
    ModelName,
    Price,
    TokenCounts,
    UsageTotals,
    describe_missing_price,
    find_price,
)

PRICES = {"gpt-5": Price(1.0, 10.0, 0.1), "gpt-5-mini": Price(0.5, 2.0), "lab:m": Price(3.0, 3.0), "m": Price(4.0, 4.0)}


GPT, MINI = ModelName("", "gpt-5"), ModelName("", "gpt-5-mini")


@pytest.mark.parametrize(
    ("model", "entry"),
    [
        ("gpt-5", "gpt-5"),
        ("openai:gpt-5", "gpt-5"),
        ("openrouter:openai/gpt-5", "gpt-5"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-5-mini-20250807", "gpt-5-mini"),
        ("gpt-5-mini-latest", "gpt-5-mini"),
        ("lab:m", "lab:m"),
        ("other:m", "m"),
    ],
)
def test_a_price_is_found_under_the_name_of_the_model_without_provider_and_version(model: str, entry: str) -> None:
    assert find_price(PRICES, model) == PRICES[entry]


@pytest.mark.parametrize("model", ["", "gpt-5-nano", "gpt-5-large", "gpt"])
def test_another_model_has_no_price(model: str) -> None:
    assert find_price(PRICES, model) is None


def test_without_prices_only_models_of_this_machine_have_one() -> None:
    assert find_price({}, "local:base") == Price(0.0, 0.0)
    assert find_price({}, "openai:gpt-5") is None


def test_cached_tokens_have_their_own_price_if_there_is_one() -> None:
    assert Price(1.0, 10.0, 0.1).cost(1_000_000, 100_000, 500_000) == pytest.approx(0.5 + 0.05 + 1.0)
    assert Price(1.0, 10.0).cost(1_000_000, 100_000, 500_000) == pytest.approx(2.0)
    assert Price(1.0, 10.0, 0.0).cost(100, 0, 1_000_000) == 0


def test_usage_adds_up_and_its_cost_is_unknown_once_a_price_is() -> None:
    used = {GPT: TokenCounts(1, 1000, 100), MINI: TokenCounts(1, 2000, 0)}
    totals = UsageTotals.of(used.items(), PRICES)
    assert (totals.tokens, totals.requests, totals.cost) == (3100, 2, pytest.approx(0.003))
    used = {GPT: TokenCounts(1, 1000, 100), ModelName("", "another"): TokenCounts(1, 1, 1), MINI: TokenCounts(1, 2000)}
    unknown = UsageTotals.of(used.items(), PRICES)
    assert (unknown.tokens, unknown.cost) == (3102, None)


@pytest.mark.parametrize(
    ("requested", "answered", "dollars"),
    [
        ("openai:gpt-5", "gpt-5-mini", 11.0),
        ("openai:gpt-5-mini", "gpt-5", 11.0),
        ("openai:gpt-5", "free", 11.0),
        ("openai:gpt-5", "unheard-of", 11.0),
        ("openai:gpt-5", "", 11.0),
        ("openrouter:auto", "openai/gpt-5", 11.0),
        ("openrouter:auto", "unheard-of", None),
    ],
)
def test_a_request_costs_what_the_dearer_of_the_model_asked_and_the_model_named_costs(
    requested: str, answered: str, dollars: float | None
) -> None:
    prices = {**PRICES, "free": Price(0, 0)}
    used = {ModelName(requested, answered): TokenCounts(1, 10**6, 10**6)}
    assert UsageTotals.of(used.items(), prices).cost == dollars


@pytest.mark.parametrize(
    ("value", "problem"),
    [(-1.0, "give 0 or more"), (0.000_002, "for a price of one token write input=2"), (math.inf, "input")],
)
def test_a_price_that_is_negative_endless_or_of_one_token_is_refused(value: float, problem: str) -> None:
    with pytest.raises(SetupError, match=problem):
        Price(value, 1.0)


@pytest.mark.parametrize("model", ["local:base", "scripted:scripted (no model)"])
def test_models_on_this_machine_and_scripts_cost_nothing_unless_they_have_a_price(model: str) -> None:
    assert find_price(PRICES, model) == Price(0, 0)
    assert find_price({model: Price(1, 2)}, model) == Price(1, 2)


@pytest.mark.parametrize(
    ("model", "name", "key"),
    [
        ("openai:my-model", "my-model", "my-model"),
        ("openrouter:lab/big.1", "big.1", '"big.1"'),
        ('odd:a"b', 'a"b', '"a\\"b"'),
    ],
)
def test_the_line_that_gives_a_missing_price_does(model: str, name: str, key: str) -> None:
    told = describe_missing_price(model)
    assert f"write prices.{key} = {{input = …, output = …}}, in US dollars" in told
    line = told.split("write ")[1].split(", in US dollars")[0].replace("…", "1.0")
    given = tomllib.loads(f"{line}\n[prices.other]\ninput = 1.0\n")["prices"][name]
    assert find_price({name: Price(**given)}, model) == Price(1, 1)


def test_a_model_without_a_name_is_told_to_have_one() -> None:
    assert "give it the attributes vendor and model" in describe_missing_price("")


def test_what_a_script_would_have_used_is_told_apart() -> None:
    script, model = ModelName("scripted:script", "script"), ModelName("openai:gpt-5", "gpt-5")
    totals = UsageTotals.of([(script, TokenCounts(1, 100, 10)), (model, TokenCounts(1, 1000, 100))], PRICES)
    assert (totals.requests, totals.tokens, totals.scripted_requests, totals.scripted_tokens) == (2, 1210, 1, 110)
    assert totals.plus(totals).scripted_tokens == 220
