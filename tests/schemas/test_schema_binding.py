"""Binding fills in defaults and writes numbers by their type, so that equal calls have one canonical text."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from remit.errors import ContractError, SetupError
from remit.schemas.json_validator import SchemaMismatchError
from remit.schemas.jsontext import compact_json
from remit.schemas.number_ranges import with_number_ranges
from remit.schemas.schema_binding import SchemaBinder
from tests.strangers.schemas import MALFORMED, UNSTORABLE


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_schema_is_refused_in_one_line_that_says_where(name: str) -> None:
    schema, reason = MALFORMED[name]
    with pytest.raises(ContractError) as caught:
        SchemaBinder(schema)
    assert reason in caught.value.message
    assert "\n" not in caught.value.message


def test_a_schema_needs_the_library_that_checks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    with pytest.raises(SetupError, match="needs jsonschema-rs"):
        SchemaBinder({"type": "object"})


def test_a_schema_may_have_characters_of_two_code_units() -> None:
    for smile in ("\U0001f600", "\ud83d\ude00"):
        binder = SchemaBinder({"type": "object", "properties": {"a": {"enum": [smile]}}})
        assert binder.bind({"a": "\U0001f600"}, strict=True) == {"a": "\U0001f600"}


NUMBER, INTEGER = {"type": "number"}, {"type": "integer"}
NAMED = {"type": "object", "properties": {"n": NUMBER, "kind": {"default": "page"}}}

BOUND: dict[str, tuple[dict[str, Any], str, str]] = {
    "a whole number for a fraction": ({"properties": {"a": NUMBER}}, '{"a":1}', '{"a":1}'),
    "a whole number written as a fraction": ({"properties": {"a": NUMBER}}, '{"a":-1.0}', '{"a":-1}'),
    "a whole number of 64 bits": ({"properties": {"a": NUMBER}}, '{"a":9007199254740993}', '{"a":9007199254740993}'),
    "a fraction": ({"properties": {"a": NUMBER}}, '{"a":1.5}', '{"a":1.5}'),
    "a float that stands for several numbers": ({"properties": {"a": NUMBER}}, '{"a":1e16}', '{"a":1e+16}'),
    "a number beyond 64 bits": (
        {"properties": {"a": NUMBER}},
        '{"a":9223372036854775809}',
        '{"a":9223372036854775809}',
    ),
    "a whole number for either": ({"properties": {"a": {"type": ["integer", "number"]}}}, '{"a":1}', '{"a":1}'),
    "a fraction for either": ({"properties": {"a": {"type": ["integer", "number"]}}}, '{"a":1.0}', '{"a":1}'),
    "a number without a type": ({"properties": {"a": {}}}, '{"a":1}', '{"a":1}'),
    "a boolean": ({"properties": {"a": {"type": ["number", "boolean"]}}}, '{"a":true}', '{"a":true}'),
    "a number that no float holds": (
        {"properties": {"a": NUMBER}},
        '{"a":1%s}' % ("0" * 400),
        '{"a":1%s}' % ("0" * 400),
    ),
    "a default": ({"properties": {"a": {"default": [1]}}}, "{}", '{"a":[1]}'),
    "a default, bound": ({"properties": {"a": {**NUMBER, "default": 1}}}, "{}", '{"a":1}'),
    "a default that does not fit": ({"properties": {"a": {"type": "string", "default": None}}}, "{}", "{}"),
    "a default of 64 bits": (
        {"properties": {"a": {"default": [-(2**63), 2**63 - 1]}}},
        "{}",
        '{"a":[-9223372036854775808,9223372036854775807]}',
    ),
    "defaults that hold what cannot be stored": (
        {"properties": {"a": {"default": {"b": [2**63]}}, "c": {"default": {"\0": 1}}, "d": {"default": [None, 1.5]}}},
        "{}",
        '{"d":[null,1.5]}',
    ),
    "a default written as a fraction": ({"properties": {"a": {"type": "integer", "default": 1.0}}}, "{}", '{"a":1}'),
    "a default within": ({"properties": {"a": NAMED}}, '{"a":{"n":1.0}}', '{"a":{"n":1,"kind":"page"}}'),
    "a list": ({"properties": {"a": {"items": NUMBER, "prefixItems": [{}]}}}, '{"a":[1,2.0]}', '{"a":[1,2]}'),
    "a mapping": ({"additionalProperties": NUMBER}, '{"a":1.0}', '{"a":1}'),
    "a mapping by pattern": (
        {"patternProperties": {"^a": NUMBER}, "additionalProperties": NUMBER},
        '{"a":1.0}',
        '{"a":1}',
    ),
    "a reference": ({"properties": {"a": {"$ref": "#/$defs/N"}}, "$defs": {"N": NUMBER}}, '{"a":1.0}', '{"a":1}'),
    "all of several": (
        {"allOf": [{"properties": {"a": NUMBER}}, {"properties": {"b": {"default": 1}}}]},
        '{"a":1.0}',
        '{"a":1,"b":1}',
    ),
    "a number or a text": ({"properties": {"a": {"anyOf": [{"type": "string"}, NUMBER]}}}, '{"a":1.0}', '{"a":1}'),
    "a number or an integer": (
        {"properties": {"a": {"oneOf": [{**NUMBER, "minimum": 5}, INTEGER]}}},
        '{"a":1}',
        '{"a":1}',
    ),
    "a float or an integer": ({"properties": {"a": {"anyOf": [INTEGER, NUMBER]}}}, '{"a":1.0}', '{"a":1}'),
    "an object or nothing": (
        {"properties": {"a": {"anyOf": [NAMED, {"type": "null"}]}}},
        '{"a":{}}',
        '{"a":{"kind":"page"}}',
    ),
    "anything or nothing": ({"properties": {"a": {"anyOf": [True, {"type": "null"}]}}}, '{"a":1}', '{"a":1}'),
    "a condition that holds": (
        {"properties": {"a": {}, "n": {}}, "if": {"required": ["a"]}, "then": {"properties": {"n": NUMBER}}},
        '{"a":0,"n":1.0}',
        '{"a":0,"n":1}',
    ),
    "a condition that does not": (
        {"if": {"required": ["a"]}, "then": {"properties": {"n": NUMBER}}},
        '{"n":1.0}',
        '{"n":1.0}',
    ),
    "a condition that decides nothing": (
        {"properties": {"a": {"anyOf": [{**NUMBER, "if": {"pattern": "("}}]}}, "if": {"pattern": "(?!x)"}},
        '{"a":1.0}',
        '{"a":1}',
    ),
    "a condition that decides nothing, with a pattern": (
        {"properties": {"a": NUMBER}, "if": {"properties": {"a": {"pattern": "^(?!x)"}}}},
        '{"a":1.0}',
        '{"a":1}',
    ),
    "a key that needs others": (
        {"dependentSchemas": {"a": {"properties": {"a": NUMBER}}, "b": {"properties": {"a": {}}}}},
        '{"a":1.0}',
        '{"a":1}',
    ),
}


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize("name", BOUND)
def test_a_value_is_bound_by_its_schema_and_binding_it_again_changes_nothing(name: str, strict: bool) -> None:
    schema, raw, text = BOUND[name]
    binder = SchemaBinder(schema)
    if strict and name == "a condition that does not":
        schema["properties"] = {"n": {}}
        binder = SchemaBinder(schema)
    bound = binder.bind(json.loads(raw), strict=strict)
    assert json.dumps(bound, separators=(",", ":")) == text
    assert binder.bind(bound, strict=strict) == bound
    binder.check(bound)


def test_what_is_bound_is_a_copy() -> None:
    schema: dict[str, Any] = {"properties": {"a": {}, "b": {"default": [1]}}}
    binder, given = SchemaBinder(schema), {"a": [{"c": 1}]}
    first: Any = binder.bind(given, strict=True)
    first["a"][0]["c"] = 2
    first["b"].append(2)
    assert binder.bind(given, strict=True) == {"a": [{"c": 1}], "b": [1]}


@pytest.mark.parametrize("name", UNSTORABLE)
def test_a_default_that_no_journal_can_hold_is_left_out(name: str) -> None:
    assert SchemaBinder(UNSTORABLE[name]).bind({}, strict=True) == {}


def test_a_default_that_holds_itself_is_not_filled_in() -> None:
    tree: dict[str, Any] = {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree", "default": {}}}}
    binder = SchemaBinder({"$ref": "#/$defs/tree", "$defs": {"tree": tree}})
    assert binder.bind({}, strict=True) == {}
    assert binder.bind({"next": {}}, strict=True) == {"next": {}}


def test_strict_takes_no_fraction_for_an_integer_and_lenient_converts_it() -> None:
    binder = SchemaBinder({"properties": {"a": {"items": INTEGER}}})
    with pytest.raises(SchemaMismatchError, match=r"^a\.1: Input should be a valid integer$"):
        binder.bind({"a": [1, 3.0]}, strict=True)
    assert json.dumps(binder.bind({"a": [1, 3.0]}, strict=False)) == '{"a": [1, 3]}'


def test_lenient_leaves_unknown_keys_out_at_every_level_of_objects_that_name_theirs() -> None:
    schema: dict[str, Any] = {
        "properties": {"a": {"properties": {"b": {}}}, "free": {"type": "object"}, "list": {"items": NAMED}}
    }
    given = {"a": {"b": 1, "x": 1}, "free": {"x": 1}, "list": [{"n": 1.5, "kind": "k", "x": 1}], "x": 1}
    bound = SchemaBinder(schema).bind(given, strict=False)
    assert bound == {"a": {"b": 1}, "free": {"x": 1}, "list": [{"n": 1.5, "kind": "k"}]}


def test_strict_names_the_parameters_there_are_for_an_unknown_one() -> None:
    with pytest.raises(SchemaMismatchError, match=r"^x: no such parameter\. Parameters: n, kind$"):
        SchemaBinder(NAMED).bind({"x": 1}, strict=True)
    with pytest.raises(SchemaMismatchError, match=r"^x: no such parameter\. Parameters: none$"):
        SchemaBinder({"properties": {}}).bind({"x": 1}, strict=True)


def test_what_was_bound_strictly_fits_although_lenient_reading_sees_two_alternatives() -> None:
    binder = SchemaBinder({"oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}, "required": ["b"]}]})
    binder.check(binder.bind({"b": 1}, strict=True))
    with pytest.raises(SchemaMismatchError, match=r"^b: "):
        SchemaBinder({"properties": {"b": False}}).check({"b": 1})


DEFAULT_BREAKS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {
            "properties": {"iban": {"type": "string"}, "card": {"type": "string", "default": "main"}},
            "oneOf": [{"required": ["iban"]}, {"required": ["card"]}],
        },
        {"iban": "DE1"},
    ),
    ({"properties": {"a": {}, "b": {"default": 1}}, "maxProperties": 1}, {"a": 1}),
    ({"properties": {"b": {"default": 1}, "c": {}}, "dependentRequired": {"b": ["c"]}}, {}),
    ({"properties": {"a": {}, "b": {"default": 1}}, "not": {"required": ["a", "b"]}}, {"a": 1}),
    (
        {
            "properties": {"a": {"default": "x"}, "b": {}},
            "if": {"properties": {"a": {"const": "x"}}, "required": ["a"]},
            "then": {"required": ["b"]},
        },
        {},
    ),
]


@pytest.mark.parametrize(("schema", "value"), DEFAULT_BREAKS, ids=map(str, range(len(DEFAULT_BREAKS))))
@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
def test_defaults_that_the_schema_does_not_allow_with_the_value_are_left_out(
    schema: dict[str, Any], value: dict[str, Any], strict: bool
) -> None:
    binder = SchemaBinder({"type": "object", **schema})
    bound = binder.bind(value, strict=strict)
    assert bound == value
    binder.check(bound)
    assert binder.bind(value, strict=strict) == bound


def test_defaults_are_filled_in_again_for_the_next_value() -> None:
    binder = SchemaBinder({"type": "object", **DEFAULT_BREAKS[0][0]})
    assert binder.bind({"iban": "DE1"}, strict=True) == {"iban": "DE1"}
    assert binder.bind({"card": "other"}, strict=True) == {"card": "other"}


@pytest.mark.parametrize(
    ("schema", "bound"),
    [
        ({"patternProperties": {"^m": {"type": "string"}, "^n": {"type": "number"}}}, 42),
        ({"patternProperties": {"^m": {"type": "string"}}, "additionalProperties": {"type": "number"}}, 42),
        ({"unevaluatedProperties": {"type": "number"}}, 42),
        ({"unevaluatedProperties": {"type": "number"}, "allOf": [{"minProperties": 1}]}, 42.0),
    ],
    ids=["pattern", "no pattern", "unevaluated", "combined"],
)
def test_a_whole_number_under_a_key_that_is_no_property_is_written_as_such(schema: Any, bound: float) -> None:
    value = SchemaBinder({"type": "object", **schema}).bind({"n": 42.0}, strict=True)
    assert compact_json(value) == compact_json({"n": bound})


@pytest.mark.parametrize(
    ("name", "value"),
    [("int32", 2**31), ("int32", -(2**31) - 1), ("int64", 2**63), ("uint32", -1), ("uint64", 2**64)],
)
def test_a_whole_number_is_within_the_range_of_its_format(name: str, value: int) -> None:
    for kind in ("integer", ["integer", "null"]):
        binder = SchemaBinder({"type": "object", "properties": {"v": {"type": kind, "format": name}}})
        assert binder.bind({"v": 1}, strict=True) == {"v": 1}
        with pytest.raises(SchemaMismatchError, match="v: Input should be "):
            binder.bind({"v": value}, strict=True)


def test_the_range_of_a_format_keeps_narrower_bounds_and_leaves_texts_alone() -> None:
    node = {"type": "integer", "format": "int32", "minimum": 1, "maximum": 5}
    text = {"type": "string", "format": "int64"}
    document = with_number_ranges({"properties": {"v": node, "w": text, "x": True}})
    assert document == {"properties": {"v": node, "w": text, "x": True}}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("byte", "QUJDRA==", "QUJD!"),
        ("date-time", "2026-03-08T23:59:59.5+01:00", "2026-03-08T23:59:60Z"),
        ("date-time", "2026-03-08t23:59:59z", "0001-01-01T00:00:00+23:00"),
        ("date-time", "2026-03-08T00:00:00-00:30", "2026-02-30T00:00:00Z"),
    ],
    ids=["byte", "second", "edge", "day"],
)
def test_a_text_has_the_format_as_for_typed_tools(name: str, right: str, wrong: str) -> None:
    binder = SchemaBinder({"type": "object", "properties": {"v": {"type": "string", "format": name}}})
    assert binder.bind({"v": right}, strict=True) == {"v": right}
    with pytest.raises(SchemaMismatchError, match="v: Input should be "):
        binder.bind({"v": wrong}, strict=True)
