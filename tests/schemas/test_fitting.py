"""Whether a value fits a schema is said where it is certain; what is said to contradict itself has no value."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import jsonschema_rs
import pytest

from remit.schemas.fitting import equal, exact, fits
from remit.schemas.satisfiable import find_contradiction

VALUES: Final[list[Any]] = [
    *(None, True, False, 0, 1, 2, 3, 1.5, -1, 10, 1.0, 2.0, "", "a", "b", "ab", "abc", "1"),
    *([], [1], [1, 1], [1, 2], ["a"], {}, {"a": 1}, {"a": "b"}, {"b": 1}, {"a": 1, "b": 2}),
]
PLAIN: Final[list[Any]] = [
    *(True, False, {}, {"type": "string"}, {"type": "integer"}, {"const": 1}, {"enum": ["a", 1]}),
    *({"type": ["string", "null"]}, {"minimum": 2}, {"maxLength": 1}, {"not": {"type": "string"}}, {"title": "x"}),
]
RULES: Final[dict[str, list[Any]]] = {
    "type": ["string", "integer", "number", "null", "boolean", "array", "object", ["string", "integer"], ["array"]],
    "const": VALUES,
    "minimum": [0, 1, 2, 3],
    "maximum": [0, 1, 2, 3],
    "exclusiveMinimum": [0, 1, 2],
    "exclusiveMaximum": [1, 2, 3],
    "multipleOf": [1, 2, 0.5, 3],
    "minLength": [0, 1, 2, 3],
    "maxLength": [0, 1, 2],
    "minItems": [0, 1, 2],
    "maxItems": [0, 1, 2],
    "minProperties": [0, 1, 2],
    "required": [["a"], ["b"]],
    "additionalProperties": [False, True, {"type": "integer"}],
    "$ref": ["#/$defs/d"],
    "title": ["t"],
}


def make_schema(random: Random, depth: int) -> Any:
    """A schema of a few keywords, which often contradict each other."""
    if depth == 0 or random.random() < 0.1:
        return random.choice(PLAIN)
    made: dict[str, Any] = {}
    for key in random.choices([*RULES, "enum", "items", "not", "allOf", "anyOf", "oneOf", "properties"], k=3):
        if key in RULES:
            made[key] = random.choice(RULES[key])
        elif key == "enum":
            made[key] = random.sample(VALUES, 2)
        elif key in ("items", "not"):
            made[key] = make_schema(random, depth - 1)
        elif key == "properties":
            made[key] = {random.choice("ab"): make_schema(random, depth - 1)}
        else:
            made[key] = [make_schema(random, depth - 1) for _ in range(random.randint(1, 3))]
    if "oneOf" in made and random.random() < 0.2:
        made["oneOf"].append(made["oneOf"][0])
    if "not" not in made and random.random() < 0.2:
        made["not"] = dict([next(iter(made.items()))])
    return made


@pytest.mark.parametrize("start", range(0, 1200, 300))
def test_no_schema_is_refused_that_a_value_fits(start: int) -> None:
    refused = 0
    for seed in range(start, start + 300):
        random = Random(seed)  # noqa: S311 - the same each time
        schema = {"allOf": [make_schema(random, 3)], "$defs": {"d": make_schema(random, 1)}}
        validator = jsonschema_rs.Draft202012Validator(schema)
        fitting = [value for value in VALUES if validator.is_valid(value)]
        if reason := find_contradiction(schema):
            refused += 1
            assert not fitting, (schema, reason, fitting)
    assert refused > 30


@pytest.mark.parametrize("start", range(0, 600, 300))
def test_what_is_certain_of_a_value_is_what_a_validator_says(start: int) -> None:
    certain = 0
    for seed in range(start, start + 300):
        random = Random(seed)  # noqa: S311 - the same each time
        schema = make_schema(random, 2)
        validator = jsonschema_rs.Draft202012Validator({"allOf": [schema], "$defs": {"d": make_schema(random, 1)}})
        for value in VALUES:
            said = fits(value, schema)
            certain += said is not None
            assert said in (None, validator.is_valid(value)), (schema, value)
    assert certain > 1000


def test_values_of_json_are_equal_by_type_and_in_all_of_their_parts() -> None:
    assert equal(1, 1.0)
    assert equal({"a": [1, "b"]}, {"a": [1.0, "b"]})
    assert not equal(1, True)
    assert not equal([1], [1, 1])
    assert not equal({"a": 1}, {"b": 1})
    assert not equal({"a": 1}, {"a": 2})
    assert not equal("1", 1)


def test_what_is_no_schema_or_no_finite_number_is_not_certain() -> None:
    assert fits(1, 3) is None
    assert fits(float("inf"), {"minimum": 3}) is None
    assert exact(None) is None
    assert exact(float("nan")) is None


def test_a_pattern_for_another_engine_decides_nothing() -> None:
    assert fits("a", {"pattern": "(?=a)"}) is None
    assert fits("a", {"pattern": "^a"}) is True
    assert fits("a", {"format": "date"}) is False
