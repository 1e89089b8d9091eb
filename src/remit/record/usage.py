"""The usage of model requests: tokens, and their cost by a table of prices."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from remit.core.amounts import format_dollars
from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.record.items import ModelUsage

_LEAST: Final = 0.001
"""The lowest valid price of a million tokens. A lower price was probably meant for one token."""


@check_arguments()
@dataclass(frozen=True, slots=True)
class Price:
    """A model's price in US dollars per million tokens. ``cached`` applies to prompt tokens that the provider cached.

    Without a price for them, cached tokens cost as much as others.
    """

    input: float
    output: float
    cached: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("input", self.input), ("output", self.output), ("cached", self.cached)):
            if value is not None and not (value == 0 or value >= _LEAST):
                what = (
                    f"for a price of one token write {name}={value * 1e6:g}" if 0 < value < _LEAST else "give 0 or more"
                )
                raise SetupError(f"Price: {name} is {format_dollars(value)} for a million tokens; {what}")

    @property
    def by_kind(self) -> tuple[float, float, float]:
        """The prices of prompt, completion and cached prompt tokens."""
        return self.input, self.output, self.input if self.cached is None else self.cached

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """US dollars for a request. The cached tokens are part of the prompt."""
        cached = min(cached_tokens, prompt_tokens)
        cached_price = self.input if self.cached is None else self.cached
        dollars = (prompt_tokens - cached) * self.input + cached * cached_price + completion_tokens * self.output
        return dollars / 1_000_000


Prices = Mapping[str, Price]
"""Prices by the name of the model, without its provider."""

_VERSION: Final = re.compile(r"-(latest|\d{4}-\d{2}-\d{2}|\d{8})$")


_SCRIPT: Final = "scripted:"
_FREE: Final = ("local:", _SCRIPT)
"""The prefixes of local models and scripts, which are free unless they have a price."""


def find_price(prices: Prices, model: str) -> Price | None:
    """Find the price of a model; None if it is unknown.

    ``openai:gpt-5`` and ``openrouter:openai/gpt-5`` are found as ``gpt-5``, and so is ``gpt-5-2025-08-07``. An entry
    under the whole name comes first.
    """
    if prices:
        short = _short_name(model)
        for name in (model, short, _VERSION.sub("", short)):
            if name in prices:
                return prices[name]
    return Price(0.0, 0.0) if model.startswith(_FREE) else None


def _short_name(model: str) -> str:
    return model.rpartition(":")[2].rpartition("/")[2]


def describe_missing_price(model: str) -> str:
    """Say which price is unknown, and the line to write."""
    name = _short_name(model)
    if not name:
        return (
            "the price of a model without a name is unknown; give it the attributes vendor and model, and "
            "Runtime(prices={'its name': Price(…, …)})"
        )
    key = name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return (
        f"the price of the model {model!r} is unknown; write prices.{key} = {{input = …, output = …}}, in US dollars "
        f"for a million tokens, at the top of config.toml, or Runtime(prices={{{name!r}: Price(…, …)}})"
    )


_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


class ModelName(NamedTuple):
    """The requested model, and the model that its answers name."""

    requested: str
    model: str


def price_of(requested: str, model: str, prices: Prices) -> Price | None:
    """The price of requests to a model; None if it is unknown.

    Each price is the higher one of the requested model and the model in the answer, so that a provider that names a
    cheaper or unknown model cannot loosen a budget.
    """
    price = find_price(prices, requested) if requested else None
    other = find_price(prices, model) if model and model != requested else None
    if price is None or other is None:
        return price or other
    return Price(*map(max, zip(price.by_kind, other.by_kind, strict=True)))


class TokenCounts(NamedTuple):
    """The requests to a model and their tokens. Prompt tokens include cached, completion tokens reasoning tokens."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def add(self, item: ModelUsage) -> TokenCounts:
        """Return the counts with one more request."""
        return TokenCounts(
            self.requests + 1,
            self.prompt_tokens + item.prompt_tokens,
            self.completion_tokens + item.completion_tokens,
            self.cached_tokens + item.cached_tokens,
            self.reasoning_tokens + item.reasoning_tokens,
        )

    def plus(self, other: TokenCounts) -> TokenCounts:
        """Return the sum of both."""
        return TokenCounts(*map(operator.add, self, other))


NO_TOKENS: Final = TokenCounts()


_MAX_TOKENS: Final = 100_000_000
"""A number of tokens that no request can use."""


def are_tokens(*counts: object) -> bool:
    """Whether these token counts are plausible for one request."""
    for each in counts:  # noqa: SIM110 - a generator costs a call for each of them
        if type(each) is not int or not 0 <= each <= _MAX_TOKENS:
            return False
    return True


class UsageTotals(NamedTuple):
    """The usage of a run: tokens, requests to models, and US dollars.

    ``cost`` is None if the price of a model is unknown. ``cached_tokens`` are part of the prompts,
    ``reasoning_tokens`` of the completions. ``scripted_requests`` are those that a script answered in place of a model,
    and ``scripted_tokens`` what these would have used.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    requests: int = 0
    cost: float | None = 0.0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    scripted_requests: int = 0
    scripted_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of prompts and completions together."""
        return self.prompt_tokens + self.completion_tokens

    @staticmethod
    def of(used: Iterable[tuple[ModelName, TokenCounts]], prices: Prices) -> UsageTotals:
        """The totals of the requests to several models."""
        cost: float | None = 0.0
        all_requests = all_prompts = all_completions = all_cached = all_reasoning = scripted = scripted_tokens = 0
        for name, (requests, prompts, completions, cached, reasoning) in used:
            price = price_of(*name, prices)
            if price is None or cost is None:
                cost = None
            else:
                cost += price.cost(prompts, completions, cached)
            all_requests += requests
            all_prompts += prompts
            all_completions += completions
            all_cached += cached
            all_reasoning += reasoning
            if name.requested.startswith(_SCRIPT):
                scripted += requests
                scripted_tokens += prompts + completions
        return UsageTotals(
            all_prompts, all_completions, all_requests, cost, all_cached, all_reasoning, scripted, scripted_tokens
        )

    def plus(self, other: UsageTotals) -> UsageTotals:
        """Return the sum of both."""
        return UsageTotals(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.requests + other.requests,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.scripted_requests + other.scripted_requests,
            self.scripted_tokens + other.scripted_tokens,
        )


NO_USAGE: Final = UsageTotals()
