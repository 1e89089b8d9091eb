"""The serializer sorts sets wherever they are, and otherwise writes what pydantic writes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic.dataclasses
import pytest
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, RootModel, TypeAdapter, computed_field

from remit.schemas.jsontext import compact_json
from remit.schemas.serializer import build_serializer

TAGS = frozenset({8, 0, -3, 16})
SORTED = [-3, 0, 16, 8]  # as texts


class Base(BaseModel):
    tags: frozenset[int] = TAGS


class Sub(Base):
    more: int = 1


class Holder(BaseModel):
    parts: list[Base] | list[Sub]


class Tree(BaseModel):
    branches: list[Tree | str] = []
    tags: frozenset[int] = TAGS


class Numbers(RootModel[frozenset[int]]):
    pass


class Counted(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: float

    @computed_field
    @property
    def tags(self) -> frozenset[int]:
        return TAGS


class Shape(BaseModel):
    model_config = ConfigDict(polymorphic_serialization=True)
    tags: frozenset[int] = TAGS


class Circle(Shape):
    radius: int = 1
    inner: Shape | None = None


@dataclass
class Plain:
    tags: frozenset[int]


@pydantic.dataclasses.dataclass(slots=True)
class Checked:
    tags: frozenset[int]


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    tags: frozenset[int] = TAGS


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


def _shout(value: object) -> str:
    return str(value).upper()


Shouted = Annotated[str, PlainSerializer(_shout)]
TAGS_ONLY = {"tags": SORTED}
WITH_MORE = {"tags": SORTED, "more": 1}
CIRCLE = {"tags": SORTED, "radius": 1, "inner": None}
LEAF = {"branches": [], "tags": SORTED}
Pet = Annotated[Cat | Dog, Field(discriminator="kind")]

# type, value, what is written
VALUES: dict[str, tuple[Any, Any, Any]] = {
    "a model in a model": (Holder, Holder(parts=[Base()]), {"parts": [TAGS_ONLY]}),
    "the list of a subclass in a union": (Holder, Holder(parts=[Sub()]), {"parts": [WITH_MORE]}),
    "a subclass behind its base in a union": (Base | Sub, Sub(), WITH_MORE),
    "a subclass of no choice of its own": (Base | Path, Sub(), TAGS_ONLY),
    "a dictionary of a subclass in a union": (dict[str, Base] | dict[str, Sub], {"a": Sub()}, {"a": WITH_MORE}),
    "a dictionary of models beside a text": (str | dict[str, Base], {"a": Base()}, {"a": TAGS_ONLY}),
    "a model beside a text": (str | Base, Base(), TAGS_ONLY),
    "a model beside a serializer": (Shouted | Base, Base(), str(Base()).upper()),
    "a model before a serializer": (Base | Shouted, Base(), TAGS_ONLY),
    "the text of a serializer": (Base | Shouted, "x", "X"),
    "a path beside a model": (Base | Path, Path("a"), "a"),
    "a model that holds itself": (Tree, Tree(branches=[Tree(), "x"]), {**LEAF, "branches": [LEAF, "x"]}),
    "a model that is one value": (list[Numbers], [Numbers(TAGS)], [SORTED]),
    "a computed field": (list[Counted], [Counted(number=1)], [{"number": 1.0, **TAGS_ONLY}]),
    "a dataclass": (list[Plain], [Plain(TAGS)], [TAGS_ONLY]),
    "a dataclass of pydantic": (list[Checked], [Checked(TAGS)], [TAGS_ONLY]),
    "a tagged union": (list[Pet], [Cat(), Dog()], [{"kind": "cat", **TAGS_ONLY}, {"kind": "dog"}]),
    "a polymorphic model": (list[Shape], [Shape()], [TAGS_ONLY]),
    "a subclass of a polymorphic model": (list[Shape], [Circle(inner=Circle())], [{**CIRCLE, "inner": CIRCLE}]),
}


@pytest.mark.parametrize("name", VALUES)
def test_sets_are_sorted_and_all_else_is_what_pydantic_writes(name: str) -> None:
    kind, value, written = VALUES[name]
    adapter = TypeAdapter[Any](kind)
    serializer = build_serializer(adapter)
    assert serializer.to_python(value, mode="json") == written
    assert TypeAdapter(Any).validate_json(serializer.to_json(value)) == written
    assert _without_order(adapter.dump_python(value, mode="json")) == _without_order(written)


def _without_order(value: Any) -> str:
    return "".join(sorted(compact_json(value)))


def test_a_number_that_json_does_not_have_is_written_as_it_is_in_a_nested_model() -> None:
    written = build_serializer(TypeAdapter(list[Counted])).to_json([Counted(number=math.inf)])
    assert written == b'[{"number":Infinity,"tags":[-3,0,16,8]}]'


def test_computed_fields_are_left_out_on_request() -> None:
    serializer = build_serializer(TypeAdapter(list[Counted]), include_computed=False)
    assert serializer.to_python([Counted(number=1)]) == [{"number": 1.0}]


def test_a_value_that_no_choice_takes_is_written_with_the_warning_of_pydantic() -> None:
    with pytest.warns(UserWarning, match="Pydantic serializer warnings"):
        assert build_serializer(TypeAdapter(Base | Sub)).to_python(5, mode="json") == 5
