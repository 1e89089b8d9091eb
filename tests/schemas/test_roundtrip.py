"""What a contract writes as JSON says everything that was there; a type of which that is not so is no contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple

import pydantic.dataclasses
import pytest
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    SerializeAsAny,
    computed_field,
    field_serializer,
    field_validator,
    model_serializer,
)

from remit import tool
from remit.call.schema import Input, Output, serialize_content
from remit.errors import InvalidArgumentsError, InvalidOutputError
from remit.layers import Reply


class Titled(BaseModel):
    type: Literal["title"] = "title"
    words: str = ""


class Written(BaseModel):
    type: Literal["writeOnly"] = "writeOnly"


class Other(BaseModel):
    type: Literal["other"] = "other"


class Tagged(BaseModel):
    part: Annotated[Titled | Other, Field(discriminator="type")]


class TaggedByAKeyword(BaseModel):
    part: Annotated[Written | Other, Field(discriminator="type")]


class Tree(BaseModel):
    branches: list[Tree] = []
    leaves: set[int] = set()


class Area(BaseModel):
    width: int

    @computed_field
    @property
    def squared(self) -> int:
        return self.width**2


class Room(BaseModel):
    area: Area


class Closed(Area):
    model_config = ConfigDict(extra="forbid")


class Hidden(BaseModel):
    number: int = 1

    @model_serializer
    def other_words(self) -> dict[str, int]:
        return {"value": self.number}


class Unread(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int = 1

    @field_serializer("number")
    def in_words(self, number: int) -> str:
        return "five"


class Spelled(BaseModel):
    number: int = 1
    where: AnyUrl | None = None

    @field_serializer("number")
    def in_hexadecimal(self, number: int) -> str:
        return f"{number:x}"

    @field_validator("number", mode="before")
    @classmethod
    def from_hexadecimal(cls, number: object) -> object:
        return int(number, 16) if isinstance(number, str) else number


class Keeping(Area):
    model_config = ConfigDict(extra="allow")


class Loose(BaseModel):
    value: Any


def test_a_payload_that_holds_itself_has_a_canonical_text() -> None:
    tree = Tree(branches=[Tree(leaves={8, 0})])
    text = Input(Tree).dump_canonical(tree)
    assert text == '{"branches":[{"branches":[],"leaves":[0,8]}],"leaves":[]}'
    assert Input(Tree).load(text) == tree


def test_the_schema_of_a_payload_that_holds_itself_is_an_object() -> None:
    schema = Input(Tree).json_schema
    assert (schema.get("type"), list(schema.get("properties", {}))) == ("object", ["branches", "leaves"])


def test_a_union_keeps_the_tag_title_in_its_mapping() -> None:
    mapping = Input(Tagged).json_schema["properties"]["part"]["discriminator"]["mapping"]
    assert mapping == {"title": "#/$defs/Titled", "other": "#/$defs/Other"}


def test_a_union_may_have_the_tag_of_any_keyword() -> None:
    assert "writeOnly" in Input(TaggedByAKeyword).json_schema["properties"]["part"]["discriminator"]["mapping"]


def test_a_computed_field_within_a_payload_is_no_argument() -> None:
    room = Room(area=Area(width=2))
    assert Input(Room).bind(Input(Room).dump_arguments(room), strict=True) == room


def test_a_result_with_a_computed_field_comes_back_to_a_closed_model() -> None:
    output = Output[Closed](Closed)
    assert output.load(output.dump(Closed(width=2))[1]) == Closed(width=2)


def test_a_payload_that_does_not_come_back_from_what_it_writes_is_refused() -> None:
    with pytest.raises(InvalidArgumentsError):
        Input(Hidden).dump_arguments(Hidden(number=5))


def test_a_payload_whose_text_is_not_read_at_all_is_refused() -> None:
    with pytest.raises(
        InvalidArgumentsError, match="its serializer writes what does not read back as the same value: number: "
    ):
        Input(Unread).dump_arguments(Unread(number=5))


def test_a_person_is_never_shown_another_payload_than_the_one_that_would_run() -> None:
    with pytest.raises(
        InvalidArgumentsError, match=r"^number: its serializer writes what does not read back as the same value$"
    ):
        Input(Hidden).dump_canonical(Hidden(number=5))


def test_a_serializer_of_ones_own_may_write_what_its_model_reads() -> None:
    payload = Spelled(number=30, where=AnyUrl("http://127.0.0.1/"))
    schema = Input(Spelled)
    assert schema.dump_arguments(payload).raw == '{"number":"1e","where":"http://127.0.0.1/"}'
    assert schema.load(schema.dump_canonical(payload)) == payload
    output = Output[Spelled](Spelled)
    assert output.load(output.dump(payload)[1]) == payload


@pytest.mark.parametrize(
    "value", [Hidden(number=5), Keeping.model_validate({"width": 2, "name": "x"})], ids=["serializer", "unknown keys"]
)
def test_a_result_that_does_not_come_back_from_what_it_writes_is_refused(value: BaseModel) -> None:
    with pytest.raises(InvalidOutputError, match="does not read back as the same value"):
        Output[Any](type(value)).dump(value)


def test_a_result_says_what_is_computed() -> None:
    assert Output[Room](Room).dump(Room(area=Area(width=2)))[1] == '{"area":{"width":2,"squared":4}}'


def test_an_unknown_key_beside_a_computed_field_is_an_argument_like_any_other() -> None:
    payload = Keeping.model_validate({"width": 2, "tags": {8, 0}})
    assert Input(Keeping).dump_canonical(payload) == '{"tags":[0,8],"width":2}'


class Letter(NamedTuple):
    to: set[int]


@dataclass(frozen=True)
class Plain:
    tags: frozenset[int]


@pydantic.dataclasses.dataclass
class Checked:
    tags: set[int]


class Leaf(BaseModel, frozen=True):
    tags: frozenset[int] = Field(alias="theTags")


class Shade(Enum):
    DARK = "dark"


EQUAL_SETS: dict[str, tuple[Any, Any, str]] = {
    "a set": ({0, 8}, {8, 0}, "[0,8]"),
    "in a list": ([{0, 8}], [{8, 0}], "[[0,8]]"),
    "in a tuple": ((1, {0, 8}), (1, {8, 0}), "[1,[0,8]]"),
    "in a named tuple": (Letter({0, 8}), Letter({8, 0}), "[[0,8]]"),
    "in a dictionary": ({"a": {"b": {0, 8}}}, {"a": {"b": {8, 0}}}, '{"a":{"b":[0,8]}}'),
    "in a set": ({frozenset({0, 8})}, {frozenset({8, 0})}, "[[0,8]]"),
    "in a model": (
        Leaf(theTags=frozenset([0, 8])),
        Leaf(theTags=frozenset([8, 0])),
        '{"theTags":[0,8]}',
    ),
    "in a dataclass": (Plain(frozenset([0, 8])), Plain(frozenset([8, 0])), '{"tags":[0,8]}'),
    "in a dataclass of pydantic": (Checked({0, 8}), Checked({8, 0}), '{"tags":[0,8]}'),
    "of models": (
        {Leaf(theTags=frozenset([1])), Leaf(theTags=frozenset([0]))},
        {Leaf(theTags=frozenset([0])), Leaf(theTags=frozenset([1]))},
        '[{"theTags":[0]},{"theTags":[1]}]',
    ),
    "of enums": ({Shade.DARK, "a"}, {"a", Shade.DARK}, '["a","dark"]'),
}


@pytest.mark.parametrize("name", EQUAL_SETS)
def test_equal_sets_are_written_alike_where_anything_is_allowed(name: str) -> None:
    first, second, text = EQUAL_SETS[name]
    for value in (first, second):
        assert serialize_content(value) == Output[Any](Any).dump(value)[1] == text
        assert Input(Loose).dump_arguments(Loose(value=value)).raw == f'{{"value":{text}}}'
        assert Output[Any](dict[str, Any]).dump({"a": value})[1] == f'{{"a":{text}}}'
        assert Output[Any](list[object]).dump([value])[1] == f"[{text}]"
        assert Output[Any](Sequence[Any]).dump([value])[1] == f"[{text}]"


def test_equal_sets_are_written_alike_in_a_model_that_is_written_as_whatever_it_is() -> None:
    kind: Any = list[SerializeAsAny[BaseModel]]
    assert Output[Any](kind).dump([Leaf(theTags=frozenset([8, 0]))])[1] == '[{"theTags":[0,8]}]'


async def may_end(value: str) -> str | Reply:
    """Answer, or end the run."""
    return Reply.final(value) if value == "end" else value


def test_a_function_may_return_a_value_or_a_reply() -> None:
    assert tool(may_end).schema_out.dump("x") == ("x", "x")


async def may_only_end() -> Reply | None:
    """Do nothing, or end the run."""


async def ends() -> Reply:
    """End the run."""
    return Reply.final(1)


def test_beside_a_reply_a_function_may_return_nothing_or_anything() -> None:
    assert tool(may_only_end).schema_out.json_schema == {"type": "null"}
    assert tool(ends).schema_out.json_schema == {}


class Forbidding(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int = 1


class Mixed(BaseModel):
    closed: Closed
    open: Area
    beside: Forbidding


def test_computed_fields_come_back_in_closed_and_open_models_side_by_side() -> None:
    output = Output[Mixed](Mixed)
    value = Mixed(closed=Closed(width=2), open=Area(width=3), beside=Forbidding())
    assert output.load(output.dump(value)[1]) == value


class Noted(BaseModel):
    model_config = ConfigDict(extra="allow")


class Measured(BaseModel):
    area: Area
    notes: Noted


def test_unknown_keys_come_back_beside_a_computed_field_of_another_model() -> None:
    output = Output[Measured](Measured)
    value = Measured(area=Area(width=2), notes=Noted.model_validate({"name": "x"}))
    assert output.load(output.dump(value)[1]) == value
