"""A tool exposes less than its operation: parameters fixed or hidden, by the types of their fields. Never more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field, model_validator

from remit import App, Runtime, tool
from remit.errors import ContractError
from remit.inventory.narrowing import narrow_tool_body, resolve_fixed_values
from remit.testing import superuser
from remit.tools import Arguments


class Order(BaseModel):
    """An order."""

    amount: int = Field(ge=1)
    currency: str = Field(default="EUR", alias="cur")
    express: bool = False
    more: int = 0

    @model_validator(mode="after")
    def fits(self) -> Order:
        """More than so many are not to be had."""
        if self.amount + self.more > 100:
            raise ValueError("at most 100")
        return self


@tool(effect="idempotent")
async def order(order: Order) -> str:
    """Order something."""
    return repr(order)


def less(fix: dict[str, Any], hide: tuple[str, ...] = ()) -> Any:
    return tool(narrow_tool_body(order, fix, hide), description="Order less.", effect="idempotent")


async def call(made: Any, **arguments: object) -> str:
    text = Arguments(json.dumps(arguments), dict(arguments))
    return (await Runtime(App(name="shop", tools=(made,))).call_by_name("order", text, by=superuser())).text


async def test_what_is_fixed_and_hidden_is_no_parameter_and_still_there() -> None:
    made = less({"cur": "USD"}, ("express",))
    assert list(made.schema_in.json_schema["properties"]) == ["amount", "more"]
    assert await call(made, amount=3) == "Order(amount=3, currency='USD', express=False, more=0)"


async def test_what_is_fixed_cannot_be_said_by_a_caller() -> None:
    assert '"errorCode":"VALIDATION_ERROR"' in await call(less({"cur": "USD"}), amount=3, cur="EUR")


async def test_the_rules_of_the_whole_payload_hold() -> None:
    assert "at most 100" in await call(less({"more": 99}), amount=2)


@pytest.mark.parametrize(
    ("fix", "hide", "said"),
    [
        (
            {"colour": "red"},
            (),
            "there is no parameter 'colour' to narrow; the parameters are: amount, cur, express, more",
        ),
        ({}, ("currency",), "there is no parameter 'currency'"),
        ({"amount": 0}, (), "'amount' cannot be 0: Input should be greater than or equal to 1"),
        ({"amount": "3"}, (), "'amount' cannot be '3'"),
        ({}, ("amount",), "'amount' is required and has no default; give it a fixed value"),
        ({"more": 1}, ("more",), "'more' is fixed and therefore already hidden"),
    ],
)
def test_what_cannot_be_narrowed_is_refused_by_name(fix: dict[str, Any], hide: tuple[str, ...], said: str) -> None:
    with pytest.raises(ContractError) as raised:
        resolve_fixed_values(Order, fix, hide)
    assert said in raised.value.message
