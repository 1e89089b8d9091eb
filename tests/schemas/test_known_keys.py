"""Which keys an error about unknown ones names."""

from __future__ import annotations

from typing import Any

from remit.schemas.known_keys import describe_known_keys

SCHEMA: dict[str, Any] = {
    "properties": {
        "title": {"type": "string"},
        "meta": {"anyOf": [{"$ref": "#/$defs/Meta"}, {"type": "null"}]},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Meta"}},
        "free": {"type": "object"},
    },
    "$defs": {"Meta": {"properties": {"name": {}, "text": {}}}},
}


def test_without_unknown_keys_nothing_is_named() -> None:
    assert describe_known_keys(SCHEMA, []) == ""


def test_parameters_are_named_once_for_several_unknown_ones() -> None:
    assert describe_known_keys(SCHEMA, [("a",), ("b",)]) == ". Parameters: title, meta, parts, free"


def test_the_keys_of_an_object_further_in_are_named_with_its_place() -> None:
    assert describe_known_keys(SCHEMA, [("meta", "a"), ("parts", 1, "a")]) == (
        ". meta has: name, text. parts.1 has: name, text"
    )


def test_a_part_of_the_path_that_only_names_an_alternative_is_left_out() -> None:
    assert describe_known_keys(SCHEMA, [("meta", "Meta", "a")]) == ". meta has: name, text"


def test_an_object_without_named_keys_is_not_mentioned() -> None:
    assert describe_known_keys(SCHEMA, [("free", "a")]) == ""


def test_only_the_first_objects_are_described() -> None:
    unknown = [("parts", index, "a") for index in range(9)]
    assert describe_known_keys(SCHEMA, unknown).count(" has: ") == 3
