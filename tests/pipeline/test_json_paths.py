"""What a JSON schema says of a place in a value is found as far as it says it."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel

from remit.call.schema import Output
from remit.pipeline.json_paths import are_disjoint, element_shape, field_names, inline_shape, literal_shape, shape_at


class Leaf(BaseModel):
    """A leaf."""

    size: int


class Tree(BaseModel):
    """A tree."""

    leaf: Leaf | None = None
    trees: list[Tree] = []
    pair: tuple[str, Leaf] = ("", Leaf(size=1))
    sizes: dict[str, int] = {}
    anything: Any = None
    closed: Literal[1, 2] = 1


TREE = inline_shape(Output[Any](Tree).json_schema)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (("leaf", "size"), "integer"),
        (("pair", 0), "string"),
        (("pair", 1, "size"), "integer"),
        (("sizes", "x"), "integer"),
        (("trees", 3, "leaf", "size"), "integer"),
        (("trees", 3, "trees", 1, "whatever"), None),
        (("anything", "x", 0), None),
    ],
    ids=str,
)
def test_what_may_be_there_has_its_shape(path: tuple[str | int, ...], kind: str | None) -> None:
    found = shape_at(TREE, path)
    assert found is not None
    shape = found.get("anyOf", [found])[0]
    assert shape.get("type") == kind


@pytest.mark.parametrize("path", [("lef",), ("leaf", "sze"), ("leaf", 0), ("closed", "x"), ("lef", "x")], ids=str)
def test_what_cannot_be_there_has_none(path: tuple[str | int, ...]) -> None:
    assert shape_at(TREE, path) is None


def test_additional_properties_are_what_the_schema_says() -> None:
    assert shape_at({"type": "object", "properties": {}, "additionalProperties": True}, ("x",)) == {}
    assert shape_at({"type": "object", "properties": {}, "additionalProperties": False}, ("x",)) is None
    assert shape_at({"type": "object"}, ("x",)) == {}


def test_the_elements_of_a_list_are_found_and_of_nothing_else() -> None:
    assert element_shape({"type": "array", "items": {"type": "string"}}) == {"type": "string"}
    assert element_shape({"type": "array"}) == {}
    assert element_shape({"type": "string"}) is None


def test_the_fields_of_every_branch_have_names() -> None:
    assert field_names({"anyOf": [{"properties": {"a": {}}}, {"oneOf": [{"properties": {"b": {}}}]}]}) == ["a", "b"]


@pytest.mark.parametrize(
    ("wanted", "given", "clashes"),
    [
        ({"type": "string"}, {"type": "integer"}, True),
        ({"type": "number"}, {"type": "integer"}, False),
        ({"type": "integer"}, {"type": "number"}, True),
        ({"type": "string"}, {}, False),
        ({}, {"type": "string"}, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "null"}, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "array"}, True),
        ({"anyOf": [{"type": "string"}, {}]}, {"type": "array"}, False),
        ({"enum": ["a", 1]}, {"type": "string"}, False),
        ({"const": True}, {"type": "integer"}, True),
    ],
    ids=str,
)
def test_types_clash_where_no_value_is_of_both(wanted: dict[str, Any], given: dict[str, Any], clashes: bool) -> None:
    assert are_disjoint(wanted, given) is clashes


def test_what_is_written_down_has_the_shape_of_its_type() -> None:
    values: list[object] = ["a", True, 1, 1.5, [1], {"a": 1}, None]
    kinds = ["string", "boolean", "integer", "number", "array", "object", "null"]
    assert [literal_shape(each)["type"] for each in values] == kinds
