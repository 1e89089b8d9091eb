"""Contracts that were checked before, as they are, are read on first use; all others when they are made."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import BaseModel, PydanticUserError

from remit import Effect, LeafContext, tool
from remit.call.schema import Input, Output
from remit.call.typed_schema import EARLIER_CHECK, EarlierCheck, contracts_are_checked
from remit.errors import ContractError


@pytest.fixture
def checked() -> Iterator[None]:
    token = EARLIER_CHECK.set(EarlierCheck(governance=""))
    yield
    EARLIER_CHECK.reset(token)


class Wrong(BaseModel):
    """A model that cannot describe arguments or results."""

    form: type


class Order(BaseModel):
    number: int
    really: bool = False


def test_an_unchecked_contract_is_refused_when_it_is_made() -> None:
    assert not contracts_are_checked()
    with pytest.raises(PydanticUserError):
        Input(Wrong)
    with pytest.raises(ContractError):
        Output(Wrong)


@pytest.mark.usefixtures("checked")
def test_a_checked_contract_is_not_read_before_it_is_used() -> None:
    assert contracts_are_checked()
    assert isinstance(Input(Wrong), Input)
    assert isinstance(Output(Wrong), Output)


@pytest.mark.usefixtures("checked")
def test_a_checked_contract_is_the_same_once_it_is_used() -> None:
    @tool(effect=Effect.KEYED, confirm="really")
    async def place(ctx: LeafContext, order: Order) -> int:
        """Place an order."""
        return order.number

    @tool(effect=Effect.PURE)
    async def add(one: int, other: int = 2) -> int:
        """Add numbers."""
        return one + other

    @tool(effect=Effect.PURE)
    async def look(order: Order) -> int:
        """Look at an order."""
        return order.number

    assert "json_schema" not in vars(place.schema_in)
    assert place.schema_in is look.schema_in
    assert set(place.schema_in.json_schema["properties"]) == {"number", "really"}
    assert place.schema_in is look.schema_in
    assert add.schema_in.json_schema["required"] == ["one"]
    assert add.schema_out.json_schema == {"type": "integer"}
