"""What a contract writes as JSON says everything that was there; a type of which that is not so is no contract."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, computed_field, model_serializer

from remit import Reply, tool
from remit.contracts.schema import Input, Output
from remit.errors import InvalidError


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


class Loose(BaseModel):
    value: Any


def test_a_payload_that_holds_itself_has_a_canonical_text() -> None:
    tree = Tree(branches=[Tree(leaves={8, 0})])
    text = Input(Tree).canonical(tree)
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
    assert Input(Room).bind(Input(Room).arguments(room), strict=True) == room


def test_a_result_with_a_computed_field_comes_back_to_a_closed_model() -> None:
    output = Output[Closed](Closed)
    assert output.load(output.dump(Closed(width=2))[1]) == Closed(width=2)


def test_a_payload_that_does_not_come_back_from_what_it_writes_is_refused() -> None:
    with pytest.raises(InvalidError):
        Input(Hidden).arguments(Hidden(number=5))


def test_equal_sets_are_equal_arguments_where_anything_is_allowed() -> None:
    first, second = Loose(value=[{0, 8}]), Loose(value=[{8, 0}])
    assert Input(Loose).arguments(first).raw == Input(Loose).arguments(second).raw


async def may_end(value: str) -> str | Reply:
    """Answer, or end the run."""
    return Reply.final(value) if value == "end" else value


def test_a_function_may_return_a_value_or_a_reply() -> None:
    assert tool(may_end).schema_out.dump("x") == ("x", "x")
