"""JSON schemas from elsewhere: which are accepted, and in which words the others are refused."""

from __future__ import annotations

from typing import Any

import pytest

from remit.errors import ContractError
from remit.schemas.schema_document import MAX_SCHEMA_BYTES, iter_schemas, read_schema, resolve_pointer


def test_a_schema_is_copied_without_the_names_of_its_draft_and_itself() -> None:
    given = {"$schema": "https://json-schema.org/draft/2020-12/schema#", "$id": "x:y", "type": "object", "b": 1, "a": 2}
    read = read_schema(given)
    assert read == {"type": "object", "b": 1, "a": 2}
    assert list(read) == ["type", "b", "a"]


def test_references_may_name_any_subschema_percent_encoded_or_escaped() -> None:
    schema = {
        "$defs": {"a b": {"type": "string"}, "c/d": {"type": "null"}},
        "allOf": [{"$ref": "#/$defs/a%20b"}, {"$ref": "#/$defs/c~1d"}, {"$ref": "#/allOf/0"}],
    }
    read = read_schema(schema)
    assert resolve_pointer(read, "#/$defs/a%20b") == {"type": "string"}
    assert resolve_pointer(read, "#/$defs/c~1d") == {"type": "null"}
    assert resolve_pointer(read, "#/allOf/1") == {"$ref": "#/$defs/c~1d"}


def test_draft_7_is_translated() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"text": {"type": "string"}},
        "properties": {
            "pair": {"items": [{"type": "integer"}, True], "additionalItems": False},
            "open": {"items": [{"$ref": "#/definitions/text", "maxLength": 1}]},
            "list": {"items": {"type": "string"}, "additionalItems": False},
        },
        "dependencies": {"pair": ["open"], "open": {"required": ["list"]}},
        "anyOf": [True],
    }
    assert read_schema(schema) == {
        "definitions": {"text": {"type": "string"}},
        "properties": {
            "pair": {"prefixItems": [{"type": "integer"}, True], "items": False},
            "open": {"prefixItems": [{"$ref": "#/definitions/text"}]},
            "list": {"items": {"type": "string"}},
        },
        "dependentRequired": {"pair": ["open"]},
        "dependentSchemas": {"open": {"required": ["list"]}},
        "anyOf": [True],
    }


def test_every_subschema_is_found_with_its_pointer() -> None:
    schema = {"properties": {"a": {"items": {"anyOf": [{"type": "null"}, True]}}}, "not": False, "allOf": 3, "$defs": 3}
    assert [pointer for pointer, _ in iter_schemas(schema)] == [
        "#",
        "#/properties/a",
        "#/properties/a/items",
        "#/properties/a/items/anyOf/0",
    ]


def nested(levels: int) -> dict[str, Any]:
    return {"not": nested(levels - 1)} if levels else {}


REFUSED: dict[str, tuple[Any, str]] = {
    "another draft": (
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        "its JSON schema is written in 'http://json-schema.org/draft-04/schema#'; use draft 2020-12 or draft-07",
    ),
    "a remote reference": (
        {"properties": {"a": {"$ref": "https://example.com/a.json"}}},
        (
            "its JSON schema refers to 'https://example.com/a.json' at #/properties/a; "
            "only local references, like '#/$defs/Page', are read"
        ),
    ),
    "a reference to an anchor": ({"$ref": "#page"}, "refers to '#page' at #; only local references"),
    "a reference that is not text": ({"$ref": 3}, "refers to 3 at #; only local references"),
    "a reference to nothing": (
        {"$ref": "#/$defs/A"},
        "its JSON schema refers to '#/$defs/A' at #, which does not exist",
    ),
    "a reference to what is not a schema": ({"allOf": [{"$ref": "#/enum/0"}], "enum": [1]}, "which does not exist"),
    "an anchor": ({"$defs": {"a": {"$anchor": "page"}}}, "has '$anchor' at #/$defs/a: name a definition with"),
    "a dynamic reference": ({"$dynamicRef": "#a"}, "dynamic references are not supported"),
    "a document within": ({"items": {"$id": "x:y"}}, "contains another document at #/items: move it to '$defs'"),
    "a hidden value": (
        {"properties": {"pin": {"writeOnly": True}}},
        (
            "its JSON schema has 'writeOnly' at #/properties/pin: "
            "a value that is hidden from JSON cannot be an argument or a result"
        ),
    ),
    "nullable": ({"properties": {"a": {"nullable": True}}}, "it belongs to OpenAPI 3.0; write 'type': [..., 'null']"),
    "too long": ({"description": "x" * MAX_SCHEMA_BYTES}, "bytes long; at most 262,144"),
    "too deep": (nested(70), "its JSON schema is nested too deeply; at most 64 levels"),
    "text": ('{"type": "object"}', "its JSON schema is str; give a dictionary, such as json.loads(text)"),
    "not JSON": ({"default": {1, 2}}, "its JSON schema is not JSON: "),
    "not finite": ({"maximum": float("nan")}, "its JSON schema is not JSON: "),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_accepted_is_refused_in_one_line(name: str) -> None:
    schema, reason = REFUSED[name]
    with pytest.raises(ContractError) as caught:
        read_schema(schema)
    assert reason in caught.value.message
    assert "\n" not in caught.value.message


def test_a_schema_may_say_that_a_value_is_not_hidden() -> None:
    assert read_schema({"writeOnly": False, "nullable": False}) == {"writeOnly": False, "nullable": False}
