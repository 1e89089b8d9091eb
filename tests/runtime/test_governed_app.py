"""An application holds what governs it: policy, budget and layers, for every runtime that is built from it."""

from __future__ import annotations

from typing import Any

import pytest

from remit import App, Ask, Effect, Principal, Runtime, preset, tool
from remit.app import Env
from remit.errors import SetupError
from remit.layers import AddMessage
from remit.models import Price
from remit.policies import HighRisk
from remit.record.items import Position
from remit.testing import superuser

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a rule as a policy": (
        {"policy": HighRisk()},
        "App: policy is HighRisk(name='high risk'); give Policy(…)",
    ),
    "a number as a budget": ({"budget": 5}, "App: budget is 5; give Budget(…)"),
    "no question at all": ({"max_questions": 0}, "Approve: max_questions is 0; give a whole number of at least 1"),
    "a function that builds layers": (
        {"layers": lambda: preset(Env())},
        "application shop: layers is <function ",
    ),
    "the layers of the preset once more": (
        {"layers": preset(Env())},
        "application shop: layers has Authorize(), but the application has one; give only what is added to the ",
    ),
    "a layer around the model": (
        {"layers": AddMessage("Be brief.")},
        "AddMessage(text='Be brief.', role='system') is a layer around model requests or steps; attach it ",
    ),
    "a model": ({"model": "openai:x"}, "App has no parameter 'model'; give it to the runtime: Runtime(app, model=…)"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_govern_an_application_is_refused_in_one_line(case: str) -> None:
    arguments, problem = WRONG[case]
    with pytest.raises(SetupError) as caught:
        App(name="shop", **arguments)
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("price", "problem"),
    [
        ((-1, 1), "Price: input is $-1 for a million tokens; give 0 or more"),
        ((1, 4e-6), "Price: output is $0.000004 for a million tokens; for a price of one token write output=4"),
        ((1, 4, 1e-7), "Price: cached is $0.0000001 for a million tokens; for a price of one token write cached=0.1"),
        ((1, float("inf")), "Price: output is "),
        ((None, 1), "Price: input is None; give a number"),
    ],
)
def test_a_price_that_is_negative_or_for_one_token_is_refused(price: Any, problem: str) -> None:
    with pytest.raises(SetupError) as caught:
        Price(*price)
    assert str(caught.value).startswith(problem)


def test_a_model_may_cost_nothing() -> None:
    assert Price(0, 0).cost(10**6, 10**6) == 0


@pytest.mark.parametrize("word", ["cms", "cms:", "a.decide", "*:*", "*:write", "cms:w*", "admin:bills,x", "Cms:write"])
def test_a_permission_that_no_tool_can_require_is_refused_where_it_is_granted_or_asked_for(word: str) -> None:
    with pytest.raises(SetupError, match="give a permission, like cms:write"):
        Principal("ada", permissions=frozenset({word}))
    with pytest.raises(SetupError, match="give a permission, like cms:write"):
        Ask(reason="why", who=word)


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


async def test_an_observer_that_raises_ends_no_run(caplog: pytest.LogCaptureFixture) -> None:
    def fail(position: Position) -> None:
        raise ValueError(position.seq)

    result = await Runtime(App(name="shop", tools=[look]), on_item=fail).call(look, superuser())
    assert (result.value(), "on_item failed for" in caplog.text) == ("seen", True)


async def _watch(_position: Position) -> None:
    """Never called."""


class _Watcher:
    async def __call__(self, _position: Position) -> None:
        """Never called."""


@pytest.mark.parametrize("on_item", [_watch, _Watcher()])
def test_an_observer_that_would_not_be_awaited_is_refused(on_item: Any) -> None:
    with pytest.raises(SetupError, match=r"Runtime: on_item is .*; give a function that is not async"):
        Runtime(App(name="shop"), on_item=on_item)
