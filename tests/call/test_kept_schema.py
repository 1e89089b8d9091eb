"""Tools with one payload model share its schema, which a model that is built anew has made anew."""

from __future__ import annotations

from pydantic import BaseModel

from remit import Effect, tool
from remit.call.kept_schema import input_of, output_of


class Order(BaseModel):
    number: int


class Receipt(BaseModel):
    total: int


class Gift(Order):
    text: str


@tool(effect=Effect.PURE)
async def place(order: Order) -> Receipt:
    """Place an order."""
    return Receipt(total=order.number)


@tool(effect=Effect.PURE)
async def price(order: Order) -> Receipt:
    """Price an order."""
    return Receipt(total=order.number)


def test_tools_with_one_payload_and_one_result_share_their_schemas() -> None:
    assert place.schema_in is price.schema_in
    assert place.schema_out is price.schema_out


def test_a_derived_model_has_a_schema_of_its_own() -> None:
    assert input_of(Gift) is not input_of(Order)
    assert set(input_of(Gift).json_schema["properties"]) == {"number", "text"}


def test_a_model_that_is_built_anew_has_a_new_schema() -> None:
    class Parcel(BaseModel):
        weight: int

    before = input_of(Parcel), output_of(Parcel)
    Parcel.model_fields["weight"].description = "In grams."
    Parcel.model_rebuild(force=True)
    after = input_of(Parcel), output_of(Parcel)
    assert [each.json_schema["properties"]["weight"] for each in before] == [{"type": "integer"}] * 2
    assert [each.json_schema["properties"]["weight"]["description"] for each in after] == ["In grams."] * 2


def test_a_result_that_is_no_model_has_an_output_of_its_own() -> None:
    assert output_of(list[int]).json_schema == {"type": "array", "items": {"type": "integer"}}
