"""The JSON schema of a type is that of pydantic, less the titles; making it quicker changes nothing of it."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    PydanticUserError,
    Tag,
    TypeAdapter,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import CoreSchema
from typing_extensions import TypedDict

from remit.schemas.json_schema import generate_json_schema
from remit.schemas.mapping_keys import WHOLE_NUMBER_KEY
from tests.call.payloads import Everything, Frozen, Page, Point


class Color(Enum):
    """A color."""

    RED = "red"


class Size(IntEnum):
    """A size."""

    SMALL = 1


class Inner(BaseModel):
    """What is inside."""

    name: str = Field(default="n", title="The name")


class Pair(NamedTuple):
    """Two."""

    first: int
    second: str = "two"


class Named(TypedDict, total=False):
    """Names."""

    title: str


class Defaults(BaseModel):
    """Defaults of every kind."""

    model_config = ConfigDict(title="Titled", arbitrary_types_allowed=True)

    text: str = "plain"
    other: str = "é"
    number: int = 10**20
    flag: bool = True
    nothing: str | None = None
    share: float = 0.5
    day: date = date(2026, 11, 22)
    lasting: timedelta = timedelta(hours=1)
    money: Decimal = Decimal("1.50")
    color: Color = Color.RED
    size: Size = Size.SMALL
    inner: Inner = Inner()
    inners: list[Inner] = [Inner(name="a")]
    pair: Pair = Pair(1)
    title: str = "a field of that name"
    kind: Literal["a", "b"] = "a"
    named: Annotated[Named, Field(title="Names")] = {}
    numbers: dict[str, list[int]] = Field(default_factory=dict[str, list[int]])


class Tree(BaseModel):
    """Holds itself."""

    trees: list[Tree] = []
    leaf: Inner | None = None


T = TypeVar("T")


class Said(BaseModel):
    """Words in every place where they can stand."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "n"}]})

    name: str = Field(description="Its name.", pattern="^n", examples=["n"], json_schema_extra={"x-order": 1})
    old: int = Field(default=0, deprecated=True)
    default: dict[str, int] = Field(default={"b": 1, "a": 2}, description="A field of that name.")
    properties: list[str] = Field(default_factory=list[str], max_length=3)
    inner: Inner = Field(description="Whose words stand beside a reference.")


class Hooked(BaseModel):
    """Says itself what it is."""

    number: int

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> dict[str, Any]:
        said = handler.resolve_ref_schema(handler(core_schema))
        return {**said, "x-said": True}


class Written(BaseModel):
    """Written and read by functions of its own."""

    kept: Annotated[int, PlainSerializer(str)] = 1
    told: Annotated[int, WithJsonSchema({"type": "integer", "x-told": True})] = 1
    looked_at: int = 1

    @field_validator("looked_at")
    @classmethod
    def _looked_at(cls, value: int) -> int:
        return value


class Overridden(BaseModel):
    """Described as it is written, not as it is read."""

    model_config = ConfigDict(json_schema_mode_override="serialization")

    day: Annotated[date, PlainSerializer(str, return_type=str)] = date(2026, 11, 22)
    count: int = 1


class Boxed(BaseModel, Generic[T]):
    """Anything in a box."""

    held: T
    more: list[T] = []


def other_inner() -> type[BaseModel]:
    """Another class of the same name."""

    class Inner(BaseModel):
        number: int

    return Inner


class Alike(BaseModel):
    """Two parts of one name."""

    first: Inner
    second: other_inner()  # pyright: ignore[reportInvalidTypeForm] - a class that is made


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]
    friends: list[Cat | Dog] = []


def kind_of(value: Any) -> str:
    """The tag of a pet."""
    return str(value["kind"])


Pet = Annotated[Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("dog")], Discriminator(kind_of)]

KINDS: list[Any] = [
    Said,
    Hooked,
    list[Hooked],
    Written,
    Overridden,
    Boxed[int],
    Boxed[Boxed[Inner]],
    Alike,
    Annotated[Cat | Dog, Field(discriminator="kind")],
    Pet,
    Annotated[Inner, Field(description="Words of the whole.")],
    Defaults,
    Tree,
    Everything,
    Frozen,
    Page,
    Point,
    Pair,
    Named,
    list[Inner],
    Inner | Tree,
    dict[str, Defaults],
    str,
    int,
    Any,
]


@pytest.mark.parametrize("kind", KINDS, ids=[str(number) for number in range(len(KINDS))])
def test_it_is_that_of_pydantic_without_titles(kind: Any) -> None:
    adapter = TypeAdapter[Any](kind)
    plain: dict[str, Any] = untitled(adapter.json_schema(), fields=False)
    root = plain.pop("$ref", None)
    wanted = plain if root is None else {**plain["$defs"][root.rpartition("/")[2]], **plain}
    if kind is Everything:  # pydantic does not show what is accepted as the text of a number
        numbers = wanted["properties"]["by_number"]
        numbers["propertyNames"] = {"pattern": WHOLE_NUMBER_KEY}
        numbers["type"] = numbers.pop("type")
    assert json.dumps(generate_json_schema(adapter)) == json.dumps(wanted), "in the same order, too"


def test_a_part_that_json_cannot_describe_is_refused_as_pydantic_does() -> None:
    class Calls(BaseModel):
        call: Callable[[int], int]
        more: list[Calls] = []

    class Holds(BaseModel):
        first: Calls
        second: Calls

    with pytest.raises(PydanticUserError, match=r"Cannot generate a JsonSchema for core_schema\.CallableSchema"):
        generate_json_schema(TypeAdapter(Holds))


def test_what_describes_a_type_of_nameless_parts_is_gone_after_use() -> None:
    adapter = TypeAdapter(Frozen)
    gc.collect()
    gc.disable()
    try:
        generate_json_schema(adapter)
        assert [each for each in gc.get_objects() if type(each).__name__ == "_Describing"] == []
    finally:
        gc.enable()


def untitled(part: Any, *, fields: bool) -> Any:
    """A schema without titles; ``fields`` where keys are names of fields."""
    if isinstance(part, list):
        return [untitled(each, fields=False) for each in part]  # pyright: ignore[reportUnknownVariableType] - JSON
    if not isinstance(part, dict):
        return part
    return {
        key: value
        if key in {"default", "const", "enum"} and not fields
        else untitled(value, fields=key in {"properties", "$defs"} and not fields)
        for key, value in part.items()  # pyright: ignore[reportUnknownVariableType] - JSON
        if fields or key != "title"
    }
