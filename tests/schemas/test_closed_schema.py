"""Objects of a JSON schema take the keys that it names, and no others unless it says so."""

from __future__ import annotations

from typing import Any

import pytest

from remit.schemas.closed_schema import close_schema, named_keys
from remit.schemas.json_validator import JsonValidator

A = {"type": "object", "properties": {"a": {"type": "integer"}}}
B = {"type": "object", "properties": {"b": {"type": "integer"}}}
DEFS: dict[str, Any] = {"A": A, "B": B, "Open": {"type": "object"}}

CLOSED: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "an object": (A, {"a": 1}, {"a": 1, "x": 1}),
    "an object within": ({"properties": {"in": A}}, {"in": {"a": 1}}, {"in": {"x": 1}}),
    "an object in a list": ({"items": A}, [{"a": 1}], [{"x": 1}]),
    "an object in a tuple": ({"prefixItems": [A]}, [{"a": 1}], [{"x": 1}]),
    "an object in a mapping": ({"additionalProperties": A}, {"any": {"a": 1}}, {"any": {"x": 1}}),
    "an object by pattern": ({"patternProperties": {"^p": A}}, {"p": {"a": 1}, "x": 1}, {"p": {"x": 1}}),
    "a reference": ({"$ref": "#/$defs/A"}, {"a": 1}, {"a": 1, "x": 1}),
    "all of several": ({"allOf": [{"$ref": "#/$defs/A"}, B]}, {"a": 1, "b": 1}, {"a": 1, "b": 1, "x": 1}),
    "one of several": ({"anyOf": [A, {"$ref": "#/$defs/B"}, {"type": "null"}]}, {"b": 1}, {"a": 1, "b": 1}),
    "exactly one of several": ({"oneOf": [A, {**B, "required": ["b"]}]}, {"b": 1}, {"x": 1}),
    "alternatives of an object": (
        {**A, "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": {}, "b": {}}},
        {"a": 1, "b": 1},
        {"a": 1, "x": 1},
    ),
    "a condition": (
        {**A, "if": {"required": ["a"]}, "then": B, "else": {"properties": {"c": {}}}},
        {"a": 1, "b": 1},
        {"a": 1, "x": 1},
    ),
    "a key that needs others": ({**A, "dependentSchemas": {"a": B}}, {"a": 1, "b": 2}, {"a": 1, "x": 1}),
    "a schema that says so itself": ({**A, "additionalProperties": False}, {"a": 1}, {"x": 1}),
}


@pytest.mark.parametrize("name", CLOSED)
def test_an_unknown_key_is_refused(name: str) -> None:
    schema, good, bad = CLOSED[name]
    document = {**schema, "$defs": DEFS}
    closed = JsonValidator(close_schema(document))
    assert closed.is_valid(good)
    assert not closed.is_valid(bad)


OPEN: dict[str, tuple[dict[str, Any], Any]] = {
    "an object that names no keys": ({"type": "object"}, {"x": 1}),
    "an object that takes others": ({**A, "additionalProperties": {"type": "string"}}, {"a": 1, "x": "y"}),
    "an object that takes any": ({**A, "additionalProperties": True}, {"x": 1}),
    "an object with patterns": ({**A, "patternProperties": {"^x": True}}, {"a": 1, "x": 1}),
    "a part that takes others": ({"allOf": [A, {"unevaluatedProperties": True}]}, {"a": 1, "x": 1}),
    "one of several": ({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Open"}]}, {"x": 1}),
    "what is ruled out": ({**A, "additionalProperties": True, "not": B}, {"b": "x"}),
    "anything": ({"items": True}, [{"x": 1}]),
}


@pytest.mark.parametrize("name", OPEN)
def test_an_object_that_says_so_keeps_its_other_keys(name: str) -> None:
    schema, value = OPEN[name]
    document = {**schema, "$defs": DEFS}
    assert JsonValidator(close_schema(document)).is_valid(value)


def test_a_schema_within_itself_is_closed_at_every_level() -> None:
    tree = {"properties": {"next": {"$ref": "#/$defs/tree"}, "n": {"type": "integer"}}}
    closed = JsonValidator(close_schema({"$ref": "#/$defs/tree", "$defs": {"tree": tree}}))
    assert closed.is_valid({"next": {"next": {"n": 1}}})
    assert not closed.is_valid({"next": {"next": {"x": 1}}})


def test_the_keys_of_all_parts_of_a_schema_are_its_own() -> None:
    looped: dict[str, Any] = {
        "$ref": "#/$defs/L",
        "$defs": {"L": {"properties": {"a": {}}, "anyOf": [{"$ref": "#/$defs/L"}]}},
    }
    assert named_keys(looped, looped) == {"a"}
    assert named_keys({}, True) is None


def test_a_boolean_beside_named_keys_is_no_schema_that_names_some() -> None:
    closed = close_schema({"allOf": [True], "properties": {"a": {}}})
    assert closed["unevaluatedProperties"] is False
