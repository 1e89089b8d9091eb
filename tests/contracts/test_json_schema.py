"""The JSON schema of a type is that of pydantic, less the titles; making it quicker changes nothing of it."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from remit.contracts.json_schema import json_schema_of
from tests.contracts.payloads import Everything, Frozen, Page, Point


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


KINDS: list[Any] = [
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


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_it_is_that_of_pydantic_without_titles(kind: Any) -> None:
    adapter = TypeAdapter[Any](kind)
    plain: dict[str, Any] = untitled(adapter.json_schema(), fields=False)
    root = plain.pop("$ref", None)
    wanted = plain if root is None else {**plain["$defs"][root.rpartition("/")[2]], **plain}
    assert json.dumps(json_schema_of(adapter)) == json.dumps(wanted), "in the same order, too"


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
