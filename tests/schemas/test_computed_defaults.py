"""Which values of a payload were computed because its caller left them out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, RootModel

from remit.call.json_contract import JsonInput
from remit.call.schema import Input
from remit.errors import InvalidArgumentsError
from remit.record.arguments import parse_arguments
from remit.schemas.computed_defaults import find_computed


class Order(BaseModel):
    model_config = ConfigDict(frozen=True)

    title: str = "a"
    number: UUID = Field(default_factory=uuid4, alias="no")


@dataclass
class Stamp:
    number: UUID = field(default_factory=uuid4)


class Orders(RootModel[list[Order]]):
    pass


class Shelf(BaseModel):
    one: Order | None = None
    more: list[Order] = Field(default_factory=list[Order])
    named: dict[str, Order] = {}
    pair: tuple[int, Order] | None = None
    rate: float = 1
    several: set[Any] = set()
    texts: set[str] = {"b", "a"}
    stamp: Stamp | None = None
    orders: Orders | None = None


NO = "00000000-0000-0000-0000-000000000001"


@pytest.mark.parametrize(
    ("raw", "same"),
    [
        ("{}", '{"rate":1.0,"more":[]}'),
        ('{"one":{}}', '{"one":{"title":"a"},"texts":["a","b"]}'),
        ('{"rate":42}', '{"rate":42.0}'),
        ('{"more":[{}],"named":{"x":{}},"pair":[1,{}]}', '{"more":[{"title":"a"}],"named":{"x":{}},"pair":[1,{}]}'),
        ('{"orders":[]}', '{"orders":[],"several":[]}'),
        (f'{{"one":{{"no":"{NO}"}}}}', f'{{"one":{{"no":"{NO}","title":"a"}}}}'),
    ],
)
def test_what_a_caller_says_is_the_same_with_and_without_constant_defaults(raw: str, same: str) -> None:
    schema = Input(Shelf)
    first, second = (schema.dump_given(schema.bind(parse_arguments(each), strict=True)) for each in (raw, same))
    assert first == second
    assert ("no" in first) is (NO in raw)


def test_a_computed_default_that_is_written_out_counts() -> None:
    schema = Input(Shelf)
    given = {
        schema.dump_given(schema.bind(parse_arguments(raw))) for raw in ('{"one":{}}', f'{{"one":{{"no":"{NO}"}}}}')
    }
    assert len(given) == 2


@pytest.mark.parametrize(
    "values",
    [
        {"stamp": Stamp()},
        {"several": frozenset[Any]([Order()])},
        {"named": {"__all__": Order()}},
        {"orders": Orders([Order()])},
    ],
    ids=["dataclass", "set", "all", "root"],
)
def test_computed_defaults_that_cannot_be_told_from_given_values_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentsError, match=r"^the computed defaults of \w+ cannot be told from given values$"):
        find_computed(Shelf(**values))


class Lossy(BaseModel):
    number: UUID = Field(default_factory=uuid4)
    title: Annotated[str, PlainSerializer(lambda text: text[:1])] = ""


def test_arguments_that_json_would_change_are_refused_and_not_taken_for_others() -> None:
    schema = Input(Lossy)
    assert schema.dump_given(Lossy(title="a")) == '{"title":"a"}'
    with pytest.raises(InvalidArgumentsError, match=r"^title: its serializer"):
        schema.dump_given(Lossy(title="ab"))


def test_arguments_of_a_json_schema_are_the_same_with_their_defaults() -> None:
    schema = JsonInput({"type": "object", "properties": {"n": {"type": "number", "default": 42}}})
    given = {schema.dump_given(schema.bind(parse_arguments(raw), strict=True)) for raw in ("{}", '{"n":42.0}')}
    assert given == {'{"n":42}'}
