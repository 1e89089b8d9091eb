"""What a schema refuses is worded as a typed tool words it, in one line, and never holds the value."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from remit.errors import ContractError, SetupError
from remit.schemas.json_validator import JsonValidator, SchemaMismatchError

S, N = {"type": "string"}, {"type": "null"}
OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}

REFUSED: dict[str, tuple[dict[str, Any] | bool, Any, str]] = {
    "a type": ({"type": "integer"}, "x", "Input should be a valid integer"),
    "one of several types": ({"type": ["string", "null"]}, 1, "Input should be a valid string"),
    "an object": ({"type": "object"}, 1, "Input should be an object"),
    "nothing": (N, 1, "Input should be null"),
    "a missing field": (OBJECT, {}, "a: Field required"),
    "an unknown key": (OBJECT, {"a": 1, "x": 1}, "x: no such parameter"),
    "a key not evaluated": ({"unevaluatedProperties": False}, {"x": 1}, "x: no such parameter"),
    "a constant": ({"const": "a"}, "b", "Input should be 'a'"),
    "options": ({"enum": ["a", 1, None]}, "b", "Input should be 'a', 1 or None"),
    "a single option": ({"enum": ["a"]}, "b", "Input should be 'a'"),
    "too short": ({"minLength": 2}, "a", "give at least 2 characters"),
    "too long": ({"maxLength": 2}, "abc", "give at most 2 characters"),
    "a pattern": ({"pattern": "^a$"}, "b", "not in the required form; expected: '^a$'"),
    "too small": ({"minimum": 2}, 1, "Input should be greater than or equal to 2"),
    "too large": ({"maximum": 2}, 3, "Input should be less than or equal to 2"),
    "at the lower limit": ({"exclusiveMinimum": 2}, 2, "Input should be greater than 2"),
    "at the upper limit": ({"exclusiveMaximum": 2}, 2, "Input should be less than 2"),
    "a date": ({"format": "date"}, "soon", "Input should be a date like 2026-03-08"),
    "a place within": ({"items": {"properties": {"b": S}}}, [{}, {"b": 1}], "1.b: Input should be a valid string"),
    "a text or nothing": ({"anyOf": [S, N]}, 1, "Input should be a valid string"),
    "an object or a text": ({"anyOf": [S, OBJECT]}, {}, "a: Field required"),
    "two objects": (
        {"anyOf": [OBJECT, {**OBJECT, "required": ["b"]}]},
        {},
        "Input is not valid under any of the schemas",
    ),
    "neither of two": ({"oneOf": [S, N]}, 1, "Input should be a valid string"),
    "more than one": ({"oneOf": [True, {}]}, 1, "Input is valid under more than one of the schemas"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_value_that_does_not_fit_is_refused_in_one_line(name: str) -> None:
    schema, value, reason = REFUSED[name]
    validator = JsonValidator({"allOf": [schema]})
    found = validator.problems(value)
    text = str(SchemaMismatchError(found))
    assert not validator.is_valid(value)
    assert text.startswith(reason)
    assert "\n" not in text


def test_a_value_that_fits_has_no_problems() -> None:
    assert JsonValidator(OBJECT).problems({"a": 1}) == []


def test_a_value_is_never_part_of_its_refusal() -> None:
    long = "private " * 100
    for schema in (S, {"maxLength": 3}, {"not": S}, {"format": "date"}, {"anyOf": [{"const": "a"}, {"const": "b"}]}):
        value = [long] if schema is S else long
        assert "private" not in str(SchemaMismatchError(JsonValidator(schema).problems(value)))


def test_of_many_problems_five_are_listed() -> None:
    found = JsonValidator({"items": S}).problems([1] * 7)
    assert str(SchemaMismatchError(found)).endswith("4: Input should be a valid string; and 2 more")


@pytest.mark.parametrize(
    "pattern",
    [r"(?=a)b", r"(a)\1", "(a{1000}){1000}", "("],
    ids=["look-ahead", "back-reference", "huge", "not a pattern"],
)
def test_a_pattern_that_is_invalid_or_could_take_exponential_time_is_refused(pattern: str) -> None:
    for schema in (
        {"properties": {"a": {"pattern": pattern}}},
        {"properties": {"a": {"patternProperties": {pattern: S}}}},
    ):
        with pytest.raises(
            ContractError, match=r"has a pattern at #/properties/a/.* cannot be matched in linear "
        ) as caught:
            JsonValidator(schema)
        assert f"time: {pattern!r}; use no look-around" in caught.value.message


def test_a_pattern_that_backtracking_would_hang_on_is_matched_at_once() -> None:
    assert not JsonValidator({"pattern": "^(a+)+$"}).is_valid("a" * 5000 + "!")


def test_what_is_not_a_schema_is_refused_with_its_place() -> None:
    with pytest.raises(ContractError, match=r"^its JSON schema is not valid at #/properties/a/minimum: 'x' is not of"):
        JsonValidator({"properties": {"a": {"minimum": "x"}}})


def test_a_type_that_does_not_exist_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ContractError, match=r"at #/properties/a/type: 'strng' is not a type; did you mean string\?"):
        JsonValidator({"properties": {"a": {"type": "strng"}}})


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    with pytest.raises(SetupError, match=r"pip install '\.\[schema\]'"):
        JsonValidator({})


def test_all_patterns_of_a_document_share_the_memory_that_they_may_take() -> None:
    assert JsonValidator({"pattern": "a{3000}"}, patterns=100).is_valid("a" * 3000)
    with pytest.raises(ContractError, match=r"at #/pattern that is invalid .* time among 10,000 patterns: 'a\{3000\}'"):
        JsonValidator({"pattern": "a{3000}"}, patterns=10_000)
