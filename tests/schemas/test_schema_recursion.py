"""A schema whose recursive alternatives overlap accepts values of limited depth, so that checking one stays cheap."""

from __future__ import annotations

from typing import Any

import pytest

from remit.schemas.json_validator import SchemaMismatchError
from remit.schemas.schema_binding import SchemaBinder
from remit.schemas.schema_document import read_schema
from remit.schemas.schema_recursion import max_value_depth, value_depth

REF = {"$ref": "#/$defs/N"}


def document(node: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"v": REF}, "$defs": {"N": node}}


def reference_to(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": name}, "next": REF}, "required": ["kind"]}


TEXT = {"type": "string"}
DEPTHS: dict[str, tuple[Any, int | None]] = {
    "no recursion": ({"anyOf": [TEXT, {"type": "object", "properties": {"a": TEXT}}]}, None),
    "one alternative leads back": ({"anyOf": [TEXT, reference_to("a")]}, None),
    "a list and an object lead back": (
        {"anyOf": [{"type": "array", "items": REF}, {"type": ["object"], "additionalProperties": REF}]},
        None,
    ),
    "two alternatives lead back": ({"anyOf": [reference_to("a"), reference_to("b")]}, 9),
    "three alternatives lead back": ({"oneOf": [reference_to("a"), reference_to("b"), reference_to("c")]}, 5),
    "more alternatives lead back than one level allows": ({"anyOf": [reference_to(str(i)) for i in range(600)]}, 0),
    "alternatives without a type lead back": ({"anyOf": [{"properties": {"a": REF}}, {"items": REF}]}, 9),
    "a cycle of two levels": (
        {"anyOf": [{"properties": {"a": {"items": REF}}}, {"properties": {"b": {"items": REF}}}]},
        18,
    ),
    "the same alternative twice": (
        {"anyOf": [{"allOf": [{"$ref": "#/$defs/N/anyOf/1"}, {"$ref": "#/$defs/N/anyOf/1"}]}, reference_to("b")]},
        4,
    ),
    "a part that is named before": (
        {
            "anyOf": [
                {"$ref": "#/$defs/N/anyOf/1/properties/leaf", "allOf": [{"$ref": "#/$defs/N/anyOf/1"}]},
                {"type": "object", "properties": {"leaf": {"type": "object"}, "next": REF}},
            ]
        },
        9,
    ),
    "through references": ({"anyOf": [{"$ref": "#/$defs/N/anyOf/1"}, reference_to("b"), True]}, 9),
}


@pytest.mark.parametrize("name", DEPTHS)
def test_only_overlapping_recursive_alternatives_limit_the_depth(name: str) -> None:
    node, depth = DEPTHS[name]
    assert max_value_depth(read_schema(document(node))) == depth


VALUES: list[tuple[Any, int]] = [(1, 0), ([], 1), ({"a": [1, {"b": 2}]}, 3), ([[], [[]]], 3)]


@pytest.mark.parametrize(("value", "depth"), VALUES)
def test_the_depth_of_a_value_counts_its_lists_and_objects(value: object, depth: int) -> None:
    assert value_depth(value) == depth


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"kind": "c"}
    for _ in range(levels):
        value = {"kind": "b", "next": value}
    return {"v": value}


def test_a_value_that_nests_too_deeply_is_refused_before_it_is_checked() -> None:
    binder = SchemaBinder(document({"anyOf": [reference_to("a"), reference_to("b")]}))
    for call in (lambda: binder.bind(nested(40), strict=True), lambda: binder.check(nested(40))):
        with pytest.raises(SchemaMismatchError, match="nest at most 9 levels"):
            call()


def test_a_value_within_the_limit_is_bound() -> None:
    binder = SchemaBinder(document({"anyOf": [reference_to("a"), reference_to("b")]}))
    value = {"v": {"kind": "a", "next": {"kind": "b"}}}
    assert binder.bind(value, strict=True) == value
