"""A schema costs a bounded number of checks, whatever its references and alternatives lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from remit.errors import ContractError
from remit.schemas.json_validator import SchemaMismatchError
from remit.schemas.schema_binding import MAX_DEFAULT_CHARS, SchemaBinder
from remit.schemas.schema_cost import MAX_CHECKS, SchemaCost
from remit.schemas.schema_document import read_schema

TEXT = {"type": "string"}


def chain(length: int, link: Callable[[dict[str, Any]], Any], last: Any) -> dict[str, Any]:
    """A document whose definitions lead to one another: ``link`` makes each of a reference to the next."""
    named = {f"d{index}": link({"$ref": f"#/$defs/d{index + 1}"}) for index in range(length)}
    return {"$defs": {**named, f"d{length}": last}, "properties": {"v": {"$ref": "#/$defs/d0"}}}


def nested(levels: int, key: str = "a") -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {key: value}
    return {"v": value}


def branch(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": name}, "a": {"$ref": "#/$defs/N"}}, "required": ["kind"]}


SHARED = {f"d{index}": {"type": "object", "properties": {"a": {"$ref": "#/$defs/big"}}} for index in range(60)}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "allOf that doubles": (
        chain(26, lambda next_one: {"allOf": [next_one] * 2}, {}),
        "more than 10,000 schemas describe",
    ),
    "anyOf that doubles": (
        chain(26, lambda next_one: {"anyOf": [next_one] * 2}, TEXT),
        "more than 10,000 schemas describe",
    ),
    "conditions that double": (
        chain(26, lambda next_one: {"if": next_one, "then": next_one}, TEXT),
        "more than 10,000 schemas describe the same value at #/$defs/d0; combine fewer of them",
    ),
    "a long chain of references": (
        chain(6000, lambda next_one: next_one, TEXT),
        "more than 64 schemas for the same value",
    ),
    "alternatives that lead to a large schema": (
        {
            "$defs": {"big": {"properties": {f"p{index}": TEXT for index in range(2000)}}, **SHARED},
            "properties": {"v": {"oneOf": [{"$ref": f"#/$defs/d{index}"} for index in range(60)]}},
        },
        "its alternatives lead to more than 100,000 schemas",
    ),
    "a circle of references": (
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        "its JSON schema refers only to itself at #/$defs/a; describe a type there",
    ),
    "alternatives of themselves": (
        {"$defs": {"a": {"anyOf": [TEXT, {"$ref": "#/$defs/a"}]}}},
        "its JSON schema refers only to itself at #/$defs/a; describe a type there",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_schema_that_costs_too_much_is_refused_in_one_line(name: str) -> None:
    schema, reason = REFUSED[name]
    with pytest.raises(ContractError) as caught:
        SchemaBinder(schema)
    assert reason in caught.value.message
    assert "\n" not in caught.value.message


ACCEPTED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "definitions that parts share": (
        chain(200, lambda next_one: {"properties": {"a": next_one, "b": next_one}}, {}),
        nested(40),
    ),
    "one alternative that leads back": (
        {"$defs": {"N": {"anyOf": [TEXT, branch("a")]}}, "properties": {"v": {"$ref": "#/$defs/N"}}},
        {"v": {"kind": "a", "a": {"kind": "a", "a": "end"}}},
    ),
    "hundreds of alternatives": (
        {"properties": {"v": {"enum": [1]}, "w": {"anyOf": [{"const": n} for n in range(900)]}}},
        {"w": 899},
    ),
    "a list of many numbers": (
        {"properties": {"v": {"type": "array", "items": {"type": "integer"}}}},
        {"v": [1] * 9000},
    ),
    "true in place of a schema": (
        {"properties": {"v": True}, "patternProperties": {"^x": {"items": False}}},
        {"v": [1]},
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_costs_little_is_bound(name: str) -> None:
    schema, value = ACCEPTED[name]
    assert SchemaBinder(schema).bind(value, strict=True) == value


TOO_MUCH: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "two alternatives that lead back": (
        {"$defs": {"N": {"anyOf": [branch("a"), branch("b")]}}, "properties": {"v": {"$ref": "#/$defs/N"}}},
        nested(40),
    ),
    "the same part described twice at each level": (
        chain(40, lambda next_one: {"allOf": [{"properties": {"a": next_one}}] * 2}, {}),
        nested(40),
    ),
    "a part described by name and by pattern": (
        chain(40, lambda next_one: {"properties": {"a": next_one}, "patternProperties": {"^a": next_one}}, {}),
        nested(40),
    ),
    "many parts with many alternatives each": (
        {"properties": {"v": {"type": "array", "items": {"anyOf": [{"const": n} for n in range(900)]}}}},
        {"v": [899] * 2000},
    ),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_value_that_takes_too_many_checks_is_refused_before_it_is_checked(name: str) -> None:
    schema, value = TOO_MUCH[name]
    binder = SchemaBinder(schema)
    for call in (lambda: binder.bind(value, strict=True), lambda: binder.check(value)):
        with pytest.raises(SchemaMismatchError, match="alternatives of the schema take more than 1,000,000 checks"):
            call()


def test_a_value_of_the_same_schema_that_nests_less_is_bound() -> None:
    schema, _ = TOO_MUCH["two alternatives that lead back"]
    value = {"v": {"kind": "a", "a": {"kind": "b"}}}
    assert SchemaBinder(schema).bind(value, strict=True) == value


def test_the_number_of_checks_counts_every_part_at_its_depth() -> None:
    cost = SchemaCost(read_schema({"properties": {"v": {"items": {"anyOf": [TEXT, {"type": "integer"}]}}}}))
    assert cost.count({"v": [1] * 1000}) == 3 * 1002
    with pytest.raises(SchemaMismatchError, match="checks"):
        cost.count({"v": [1] * (MAX_CHECKS // 3)})


def test_all_problems_of_a_small_value_are_described_and_the_first_of_a_large_one() -> None:
    binder = SchemaBinder({"properties": {"v": {"type": "array", "items": TEXT}}})
    for length, shown in ((6, "and 1 more"), (30_000, r"^v\.0: Input should be a valid string$")):
        with pytest.raises(SchemaMismatchError, match=shown):
            binder.bind({"v": [1] * length}, strict=True)


def test_a_value_nests_at_most_a_hundred_levels() -> None:
    binder = SchemaBinder({"type": "object"})
    assert binder.bind(nested(98), strict=True) == nested(98)
    with pytest.raises(SchemaMismatchError, match="nest at most 100 levels"):
        binder.check(nested(100))


def doubling_defaults(length: int) -> dict[str, Any]:
    def link(next_one: dict[str, Any]) -> dict[str, Any]:
        return {"type": "object", "properties": {name: {**next_one, "default": {}} for name in "ab"}}

    return chain(length, link, {"type": "object"})


def test_defaults_that_double_are_refused_before_they_fill_memory() -> None:
    assert SchemaBinder(doubling_defaults(4)).bind({"v": {}}, strict=True) != {"v": {}}
    binder = SchemaBinder(doubling_defaults(40))
    for _ in range(2):
        with pytest.raises(SchemaMismatchError, match="a: the defaults of the schema are too long"):
            binder.bind({"v": {}}, strict=True)


def test_the_defaults_that_a_list_repeats_are_counted_together() -> None:
    row = {"type": "object", "properties": {"note": {"type": "string", "default": "x" * (MAX_DEFAULT_CHARS - 10)}}}
    binder = SchemaBinder({"properties": {"rows": {"type": "array", "items": row}}})
    empty: dict[str, Any] = {}
    for _ in range(2):  # the second time, the default is known
        assert len(str(binder.bind({"rows": [empty] * 64}, strict=True))) > 1_000_000
    with pytest.raises(SchemaMismatchError, match=r"rows\.64\.note: the defaults of the schema are too long"):
        binder.bind({"rows": [empty] * 80}, strict=True)


@pytest.mark.parametrize(
    ("schema", "patterns"),
    [
        ({}, 0),
        ({"pattern": "a", "patternProperties": {"b": {"pattern": "c"}, "d": True}}, 4),
        ({"anyOf": [{"pattern": "a"}, True, {"$ref": "#/$defs/d"}], "$defs": {"d": {"pattern": "b"}}}, 4),
        ({"properties": {"a": {"pattern": "a", "default": "a"}, "b": {"pattern": "b"}, "c": True}}, 3),
    ],
)
def test_a_pattern_counts_once_for_each_schema_that_is_compiled_with_it(schema: dict[str, Any], patterns: int) -> None:
    assert SchemaCost(read_schema(schema)).patterns == patterns


def test_the_patterns_of_alternatives_share_the_memory_of_the_document() -> None:
    fitting = {"properties": {f"p{index}": {"pattern": f"a{{90}}{index}"} for index in range(1_000)}}
    SchemaBinder(fitting)
    with pytest.raises(ContractError, match=r"among [0-9,]+ patterns"):
        SchemaBinder({"$defs": {"d": fitting}, "oneOf": [{"$ref": "#/$defs/d"}] * 60})
