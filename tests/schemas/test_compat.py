"""Whether one JSON schema accepts all that another accepts; where that cannot be shown, it does not."""

from __future__ import annotations

from typing import Any, Protocol, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from remit.schemas.compat import inline_references, is_wider

TEXT: dict[str, Any] = {"type": "string"}
SHORT = {"type": "string", "maxLength": 5}
NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
ONE = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (TEXT, TEXT),
        ({}, TEXT),
        (TEXT, SHORT),
        (NUMBER, WHOLE),
        ({"anyOf": [TEXT, {"type": "null"}]}, TEXT),
        ({"anyOf": [TEXT, WHOLE]}, {"anyOf": [WHOLE, SHORT]}),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}),
        ({"enum": ["a", "b"]}, {"const": "a"}),
        ({"type": "string"}, {"type": "string", "enum": ["a"]}),
        ({"type": "integer", "minimum": 0}, {"type": "integer", "minimum": 1}),
        ({"type": "array", "items": NUMBER}, {"type": "array", "items": WHOLE}),
        ({"type": "object", "properties": {"a": TEXT}}, ONE),
        (ONE, {**ONE, "additionalProperties": False}),
        ({"type": "object", "additionalProperties": NUMBER}, {"type": "object", "additionalProperties": WHOLE}),
        ({**ONE, "properties": {"a": TEXT, "b": {}}}, ONE),
        ({**ONE, "properties": {"a": TEXT, "b": TEXT}}, {**ONE, "additionalProperties": False}),
    ],
)
def test_what_takes_more_accepts_what_took_less(new: dict[str, Any], old: dict[str, Any]) -> None:
    assert is_wider(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (SHORT, TEXT),
        (WHOLE, NUMBER),
        (TEXT, WHOLE),
        (TEXT, {"anyOf": [TEXT, {"type": "null"}]}),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}),
        ({"enum": ["a"]}, TEXT),
        ({"type": "string", "pattern": "a"}, TEXT),
        ({"type": "integer", "minimum": 2}, {"type": "integer", "minimum": 1}),
        ({"type": "array", "items": WHOLE}, {"type": "array", "items": NUMBER}),
        (ONE, {"type": "object", "properties": {"a": TEXT}}),
        ({**ONE, "additionalProperties": False}, ONE),
        ({"type": "object", "additionalProperties": False}, {**ONE, "additionalProperties": False}),
        ({"type": "object", "additionalProperties": WHOLE}, {"type": "object"}),
        ({"type": "object", "additionalProperties": WHOLE}, {**ONE, "additionalProperties": False}),
        ({**ONE, "properties": {"a": TEXT, "b": TEXT}}, ONE),
    ],
)
def test_what_takes_less_does_not(new: dict[str, Any], old: dict[str, Any]) -> None:
    assert not is_wider(new, old)


Schema = dict[str, Any]
LEAVES: list[Schema] = [
    *(TEXT, SHORT, NUMBER, WHOLE),
    {"type": "null"},
    {"enum": ["a", 1]},
    {"type": "integer", "minimum": 1},
]


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _any_of(each: list[Schema]) -> Schema:
    return {"anyOf": each}


def _object(fields: dict[str, Schema], required: set[str], more: object) -> Schema:
    needed = sorted(required & fields.keys())
    return {"type": "object", "properties": fields, "required": needed, "additionalProperties": more}


def _larger(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    fields = st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    return st.one_of(
        st.builds(_array, inner),
        st.builds(_any_of, st.lists(inner, min_size=1, max_size=2)),
        st.builds(_object, fields, st.sets(st.sampled_from("ab")), st.one_of(st.booleans(), inner)),
    )


def _deeper(each: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.lists(each, max_size=2), st.dictionaries(st.sampled_from("abc"), each, max_size=3))


SCHEMAS = st.recursive(st.sampled_from(LEAVES), _larger, max_leaves=4)
PLAIN: st.SearchStrategy[object] = st.sampled_from([None, "a", "longer text", 0, 1, 1.5])
VALUES = st.recursive(PLAIN, _deeper, max_leaves=5)


@given(new=SCHEMAS, old=SCHEMAS, value=VALUES)
def test_it_never_claims_to_accept_what_a_validator_refuses(new: Any, old: Any, value: Any) -> None:
    if is_wider(new, old) and fits(value, old):
        assert fits(value, new)


class Validator(Protocol):
    """What is asked of the independent validator."""

    def is_valid(self, instance: object) -> bool: ...


def fits(value: Any, schema: Schema) -> bool:
    """Whether an independent validator accepts a value."""
    validator = cast("Validator", Draft202012Validator(schema))
    return validator.is_valid(value)


def test_references_are_replaced_by_what_they_name_and_words_are_left_out() -> None:
    schema = {
        "description": "words",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}},
        "items": {"$ref": "#/$defs/A"},
    }
    plain = inline_references(schema, {"A": {"type": "string", "title": "A", "default": "x"}})
    assert plain == {"properties": {"a": TEXT, "b": {"anyOf": [TEXT, {"type": "null"}]}}, "items": TEXT}


def test_a_schema_that_holds_itself_keeps_its_name_there() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#/$defs/Tree"}}}
    assert inline_references({"$ref": "#/$defs/Tree"}, {"Tree": tree}) == {
        "type": "object",
        "properties": {"child": {"$ref": "Tree"}},
    }
