"""What the errors of a value copy is bounded, whatever a schema and a value make of it."""

from __future__ import annotations

import functools
import re
from typing import Any, cast

import pytest

from remit.schemas.error_cost import ErrorCost
from remit.schemas.json_validator import JsonValidator, SchemaMismatchError
from remit.schemas.schema_binding import SchemaBinder

NAMES = [f"r{index}" for index in range(300)]
NESTED: Any = functools.reduce(lambda inner, _: [inner], range(90), cast("Any", [1] * 6_000))
COSTLY: dict[str, tuple[dict[str, Any], Any]] = {
    "wrong names": ({"propertyNames": {"maxLength": 2}}, {f"ab{index}": 1 for index in range(1_000)}),
    "missing names": ({"required": NAMES}, {f"q{index}": "v" for index in range(2_000)}),
    "missing names of one text": ({"required": NAMES}, {"a": "v" * 60_000}),
    "missing dependents": (
        {"dependentRequired": {"q0": NAMES[:150], "q1": NAMES[150:]}},
        {f"q{index}": "v" for index in range(2_000)},
    ),
    "lists in lists": (
        {"$ref": "#/$defs/l", "$defs": {"l": {"uniqueItems": True, "maxItems": 0, "items": {"$ref": "#/$defs/l"}}}},
        NESTED,
    ),
    "options": ({"items": {"enum": list(range(2_000))}}, ["a"] * 300),
    "a long pattern": ({"items": {"pattern": "a" * 20_000}}, ["b"] * 900),
    "what must not fit": ({"items": {"not": {"properties": dict.fromkeys(NAMES, True)}}}, [1] * 900),
    "a long key": ({"additionalProperties": {"required": NAMES}}, {"k" * 60_000: {}}),
    "a long name in the schema": ({"properties": {"p" * 60_000: {"items": {"required": NAMES}}}}, {"p" * 60_000: [{}]}),
    "large numbers": ({"required": NAMES}, {"a": [10**4_000] * 40}),
}


@pytest.mark.parametrize("name", COSTLY)
def test_of_a_value_whose_errors_cost_too_much_one_is_collected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema, value = COSTLY[name]
    asked: list[bool] = []

    def collect(validator: JsonValidator, value: object, *, find_all: bool = True) -> list[Any]:
        asked.append(find_all)
        return []

    monkeypatch.setattr(JsonValidator, "problems", collect)
    with pytest.raises(SchemaMismatchError):
        SchemaBinder(schema).bind(value, strict=False)
    assert asked == [False]


@pytest.mark.parametrize("name", COSTLY)
def test_the_first_error_of_such_a_value_is_described(name: str) -> None:
    schema, value = COSTLY[name]
    with pytest.raises(SchemaMismatchError) as caught:
        SchemaBinder(schema).bind(value, strict=False)
    assert not re.search("and [0-9]+ more", str(caught.value))


def test_no_error_of_many_alternatives_is_collected_if_they_cost_too_much() -> None:
    binder = SchemaBinder({"anyOf": [{"required": [f"r{index}"]} for index in range(900)]})
    with pytest.raises(SchemaMismatchError, match="Input does not fit the schema, and is too large to say where"):
        binder.bind({"x": "v" * 100_000}, strict=False)
    with pytest.raises(SchemaMismatchError, match="not valid under any"):
        binder.bind({"x": "v"}, strict=False)


def test_all_errors_of_an_ordinary_value_are_described() -> None:
    item = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": NAMES[:5]}
    value = [{"a": "x", "b": [1, "text"]} for _ in range(30)]
    with pytest.raises(SchemaMismatchError, match="and 175 more"):
        SchemaBinder({"items": item}).bind(value, strict=False)


def test_a_value_with_more_checks_than_its_errors_may_cost_is_not_measured() -> None:
    assert not ErrorCost({}).is_affordable(object(), 500_001)
