"""JSON schemas as servers publish them: whole numbers as ``number``, and schemas that no call can satisfy."""

from __future__ import annotations

from typing import Any, Final

NODE: Final[dict[str, Any]] = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["next"]}


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


def _of(schema: Any, **more: Any) -> dict[str, Any]:
    """An object that needs a value of a schema."""
    return {"type": "object", "properties": {"a": schema}, "required": ["a"], **more}


CONTRADICTORY: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "a required key that is not there": (_of({}) | {"required": ["b"]}, "# requires 'b', which it does not accept"),
    "a required key of a closed object": (
        {"type": "object", "additionalProperties": False, "required": ["b"]},
        "# requires 'b', which it does not accept",
    ),
    "a required key beside a part": (
        {"type": "object", "allOf": [{"required": ["b"]}, {"properties": {"a": {}}}]},
        "# requires 'b', which it does not accept",
    ),
    "a required key of every alternative": (
        {"type": "object", "properties": {"a": {}}, "oneOf": [{"required": ["b"]}, {"required": ["c"]}]},
        "# requires 'b', which it does not accept",
    ),
    "a required key of a reference": (
        {"type": "object", "$ref": "#/$defs/n", "properties": {"a": {}}, "$defs": {"n": {"required": ["b"]}}},
        "# requires 'b', which it does not accept",
    ),
    "nothing": (_of(False), "#/properties/a is false"),
    "everything but": (_of({"not": {}}), "#/properties/a excludes everything"),
    "a range": (_of({"type": "integer", "minimum": 5, "maximum": 3}), "#/properties/a has a minimum above its maximum"),
    "an open range": (
        _of({"type": "number", "exclusiveMinimum": 3, "maximum": 3}),
        "#/properties/a has a minimum above its maximum",
    ),
    "a length": (_of({"type": "string", "minLength": 5, "maxLength": 3}), "#/properties/a has a minLength above"),
    "a list": (_of({"type": "array", "minItems": 2, "maxItems": 1}), "#/properties/a has a minItems above"),
    "a list of nothing": (_of({"type": "array", "minItems": 1, "items": False}), "#/properties/a/items is false"),
    "a list that begins with nothing": (
        _of({"type": "array", "minItems": 1, "prefixItems": [False]}),
        "#/properties/a/prefixItems/0 is false",
    ),
    "a list with nothing in the second place": (
        _of({"type": "array", "minItems": 2, "prefixItems": [{}, False]}),
        "#/properties/a/prefixItems/1 is false",
    ),
    "a set of fewer words": (
        _of({"type": "array", "uniqueItems": True, "minItems": 3, "items": {"enum": [1, 2]}}),
        "#/properties/a needs more items than there are different ones",
    ),
    "no whole number": (
        _of({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}),
        "#/properties/a has no whole number in its range",
    ),
    "no multiple": (
        _of({"type": "number", "minimum": 0.1, "maximum": 0.15, "multipleOf": 0.2}),
        "#/properties/a has no multiple in its range",
    ),
    "words of another type": (_of({"type": "integer", "enum": ["1", "2"]}), "no value listed at #/properties/a"),
    "a constant of another type": (_of({"type": "string", "const": None}), "no value listed at #/properties/a"),
    "both types": (
        _of({"type": ["string", "number"], "minLength": 2, "maxLength": 1, "minimum": 2, "maximum": 1}),
        "#/properties/a has a minimum above its maximum",
    ),
    "no alternative": (_of({"anyOf": [False, {"not": {}}]}), "#/properties/a/anyOf/0 is false"),
    "a part of all": (_of({"allOf": [{}, False]}), "#/properties/a/allOf/1 is false"),
    "parts of different types": (
        _of({"allOf": [{"type": "string"}, {"type": "integer"}]}),
        "#/properties/a has parts of different types",
    ),
    "a reference to another type": (
        _of({"$ref": "#/$defs/n", "type": "string"}, **{"$defs": {"n": {"type": ["integer", "null"]}}}),
        "#/properties/a has parts of different types",
    ),
    "an alternative of another type": (
        _of({"type": "string", "anyOf": [{"type": "integer"}, {"const": 1}]}),
        "#/properties/a/anyOf/0 has parts of different types",
    ),
    "a range of several parts": (
        _of({"type": "integer", "allOf": [{"minimum": 5}, {"maximum": 3}]}),
        "#/properties/a has a minimum above its maximum",
    ),
    "a length of several parts": (
        _of({"type": "string", "allOf": [{"minLength": 5}, {"maxLength": 3}]}),
        "#/properties/a has a minLength above its maxLength",
    ),
    "no whole number of a part": (
        _of({"allOf": [{"type": "integer"}, {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2}]}),
        "#/properties/a has no whole number in its range",
    ),
    "a constant that is not listed": (_of({"const": 1, "enum": [2, True, "1"]}), "no value listed at #/properties/a"),
    "words that no part takes": (
        _of({"enum": ["a", "bb"], "allOf": [{"minLength": 3}]}),
        "no value listed at #/properties/a fits the rest of it",
    ),
    "words that are excluded": (
        _of({"enum": ["a", 1], "not": {"anyOf": [{"type": "string"}, {"minimum": 1}]}}),
        "no value listed at #/properties/a fits the rest of it",
    ),
    "what it excludes": (
        _of({"type": "string", "maxLength": 5, "not": {"title": "Text", "type": "string"}}),
        "#/properties/a excludes what it takes",
    ),
    "all that its lists are": (
        _of({"allOf": [{"items": False}], "not": {"items": False}}),
        "#/properties/a excludes what it takes",
    ),
    "the types that are left": (
        _of({"type": ["string", "null"], "not": {"type": ["string", "null", "array"]}}),
        "#/properties/a has parts of different types",
    ),
    "two alternatives that are one": (
        _of({"oneOf": [{"type": "string", "title": "A"}, {"type": "string", "title": "B"}, False]}),
        "#/properties/a/oneOf/0 is there twice, and oneOf takes one alone",
    ),
    "too few keys": (
        {"type": "object", "properties": {"a": {}}, "minProperties": 2},
        "# needs more keys than it accepts",
    ),
    "too many keys": (
        {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"], "maxProperties": 1},
        "# requires more keys than it may have",
    ),
    "a key that another one requires": (
        _of({}, dependentRequired={"a": ["b"]}),
        "# requires 'b', which it does not accept",
    ),
    "a key that another one requires and that has no value": (
        {
            "type": "object",
            "properties": {"a": {}, "b": {}, "c": False},
            "required": ["a"],
            "dependentRequired": {"a": ["b", "a"], "b": ["c"]},
        },
        "#/properties/c is false",
    ),
    "a schema for a required key": (_of({}, dependentSchemas={"a": False}), "#/dependentSchemas/a is false"),
    "a name that is not allowed": (
        _of({}, propertyNames={"pattern": "^b"}),
        "# requires 'a', which its propertyNames do not allow",
    ),
    "a pattern without values": (
        _of({}, patternProperties={"^b": {}, "^a$": False}),
        "#/patternProperties/^a$ is false",
    ),
    "a condition that always holds": (_of({"if": True, "then": False}), "#/properties/a/then is false"),
    "both ways of a condition": (
        _of({"if": {"type": "string"}, "then": False, "else": {"not": {}}}),
        "#/properties/a/then is false",
    ),
    "a condition that never holds": (_of({"if": False, "else": False}), "#/properties/a/else is false"),
    "containing nothing": (_of({"type": "array", "contains": False}), "#/properties/a/contains is false"),
    "containing none": (
        _of({"type": "array", "contains": {}, "maxContains": 0}),
        "#/properties/a must contain more items than it may",
    ),
    "containing more than there are": (
        _of({"type": "array", "contains": {}, "minContains": 3, "maxItems": 2}),
        "#/properties/a must contain more items than it may",
    ),
    "containing what is no item": (
        _of({"type": "array", "items": {"type": "string"}, "contains": {"type": "integer"}}),
        "#/properties/a/contains has parts of different types",
    ),
    "three different booleans": (
        _of({"type": "array", "uniqueItems": True, "minItems": 3, "items": {"type": "boolean"}}),
        "#/properties/a needs more items than there are different ones",
    ),
    "the same word twice": (
        _of({"type": "array", "uniqueItems": True, "minItems": 2, "items": {"enum": ["a", "a"]}}),
        "#/properties/a needs more items than there are different ones",
    ),
    "a word in another form": (_of({"enum": ["abc"], "pattern": "^x"}), "no value listed at #/properties/a"),
    "a word in another format": (_of({"enum": ["soon", 1], "format": "date", "type": "string"}), "no value listed at"),
    "an object without its key": (_of({"const": {"a": 1}, "required": ["b"]}), "no value listed at #/properties/a"),
    "an object with another value": (
        _of({"const": {"a": 1}, "properties": {"a": {"type": "string"}}}),
        "no value listed at #/properties/a",
    ),
    "two formats": (
        _of({"type": "string", "allOf": [{"format": "date"}, {"format": "ipv4"}]}),
        "#/properties/a has the formats date and ipv4 at once",
    ),
    "a format that is longer": (
        _of({"type": "string", "format": "date-time", "maxLength": 5}),
        "#/properties/a has a length that no date-time has",
    ),
    "a format that is shorter": (
        _of({"type": "string", "format": "date", "minLength": 11}),
        "#/properties/a has a length that no date has",
    ),
    "no multiple of two numbers": (
        _of({"type": "integer", "minimum": 1, "maximum": 5, "allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}),
        "#/properties/a has no multiple in its range",
    ),
    "no whole multiple of a half": (
        _of({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.5}),
        "#/properties/a has no multiple in its range",
    ),
    "everything twice": (_of({"oneOf": [True, {}]}), "#/properties/a/oneOf/0 is there twice"),
    "a range of another format": (
        _of({"type": "integer", "format": "int32", "minimum": 2**31}),
        "#/properties/a has a minimum above its maximum",
    ),
    "itself": (
        _of({"$ref": "#/$defs/node"}, **{"$defs": {"node": NODE}}),
        "#/$defs/node requires itself within itself",
    ),
}
"""Schemas that no arguments fit, and why."""

SATISFIABLE: Final[dict[str, dict[str, Any]]] = {
    "no names": {"type": "object", "required": ["b"]},
    "names by pattern": {"type": "object", "properties": {"a": {}}, "patternProperties": {"^b": {}}, "required": ["b"]},
    "closed names by pattern": {
        "type": "object",
        "patternProperties": {"^b": {}},
        "additionalProperties": False,
        "required": ["b"],
    },
    "others": {"type": "object", "properties": {"a": {}}, "additionalProperties": {}, "required": ["b"]},
    "a key of a part": {"type": "object", "allOf": [{"required": ["a"]}, {"properties": {"a": {}}}]},
    "all of anything": {"type": "object", "properties": {"a": {}}, "allOf": [True, {"required": ["a"]}]},
    "one alternative": {"type": "object", "properties": {"b": {}}, "oneOf": [{"required": ["b"]}, {"required": ["c"]}]},
    "itself or nothing": _of(
        {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
        **{"$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}}}},
    ),
    "a list of itself": _of(
        {"$ref": "#/$defs/t"},
        **{
            "$defs": {
                "t": {
                    "type": "object",
                    "properties": {"of": {"type": "array", "items": {"$ref": "#/$defs/t"}}},
                    "required": ["of"],
                }
            }
        },
    ),
    "one of two types": _of({"type": ["string", "number"], "minimum": 2, "maximum": 1}),
    "one number": _of({"type": "number", "minimum": 3, "maximum": 3}),
    "a list of one kind": _of({"type": "array", "minItems": 1, "items": {"type": "string"}}),
    "a multiple of a tenth": _of({"type": "number", "minimum": 0.25, "maximum": 0.3, "multipleOf": 0.1}),
    "a set of two words": _of({"type": "array", "uniqueItems": True, "minItems": 2, "items": {"enum": [1, 2]}}),
    "a list that may be empty": _of({"type": "array", "minItems": 1, "prefixItems": [{}, False]}),
    "words": _of({"enum": ["a", 1, None, True, [], {}]}),
    "an optional key that has no value": {"type": "object", "properties": {"a": False}},
    "parts of one type": _of({"allOf": [{"type": ["string", "null"]}, {"type": ["string", "integer"]}]}),
    "whole numbers among numbers": _of({"allOf": [{"type": "integer"}, {"type": "number"}], "const": 2.0}),
    "another alternative of its type": _of({"type": "string", "anyOf": [{"type": "integer"}, {"minLength": 1}]}),
    "an excluded type beside others": _of({"type": ["string", "null"], "not": {"type": "string"}}),
    "whole numbers excluded": _of({"type": "number", "not": {"type": "integer"}}),
    "a part that is excluded": _of({"type": "string", "not": {"type": "string", "minLength": 5}}),
    "properties named like words of schemas": _of(
        {"properties": {"title": {"type": "string"}}, "not": {"properties": {"title": {"type": "integer"}}}}
    ),
    "an excluded reference": _of(
        {"$ref": "#/$defs/n", "not": {"$ref": "#/$defs/n", "minLength": 2}}, **{"$defs": {"n": {"type": "string"}}}
    ),
    "three alternatives of which two are one": _of(
        {"oneOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}
    ),
    "a word that fits a pattern": _of({"enum": ["a", "b"], "pattern": "^b", "type": "string"}),
    "a word beside an unknown format": _of({"type": "string", "enum": ["a"], "format": "unknown"}),
    "as many keys as it needs": {"type": "object", "properties": {"a": {}}, "minProperties": 1, "maxProperties": 1},
    "more keys by pattern": {"type": "object", "patternProperties": {"^a": {}}, "minProperties": 9},
    "an optional key that requires another": {
        "type": "object",
        "properties": {"a": {}},
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"a": False},
    },
    "a name that is allowed": _of({}, propertyNames={"enum": ["a"]}, patternProperties={"^a": {}, "^b": False}),
    "one way of a condition": _of({"if": {"type": "string"}, "then": False}),
    "a way that is never taken": _of({"if": True, "else": False}),
    "a way without a condition": _of({"then": False, "else": False}),
    "containing what may be left out": _of({"type": "array", "contains": False, "minContains": 0}),
    "containing one of the first": _of(
        {"type": "array", "prefixItems": [{}], "items": {"type": "string"}, "contains": {"type": "integer"}}
    ),
    "containing any": _of({"type": "array", "items": {"type": "string"}, "contains": True}),
    "containing one of its items": _of(
        {"type": "array", "items": {"type": ["string", "null"]}, "contains": {"const": None}}
    ),
    "three values of two types": _of(
        {"type": "array", "uniqueItems": True, "minItems": 3, "items": {"type": ["boolean", "null"]}}
    ),
    "texts of any number": _of({"type": "array", "uniqueItems": True, "minItems": 3, "items": {"type": "string"}}),
    "a date of its length": _of({"type": "string", "format": "date", "minLength": 10, "maxLength": 10}),
    "one format twice": _of({"format": "date", "allOf": [{"format": "date"}, {"format": "email"}]}),
    "a multiple of two numbers": _of(
        {"type": "integer", "minimum": 1, "maximum": 6, "allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}
    ),
    "an object with its key": _of({"const": {"a": 1}, "required": ["a"], "properties": {"a": {"type": "integer"}}}),
    "an object that is not looked into": _of(
        {"const": {"a": 1}, "additionalProperties": {"type": "null"}, "minProperties": 1}
    ),
    "a reference beside names": {
        "type": "object",
        "$ref": "#/$defs/n",
        "properties": {"a": {}},
        "$defs": {"n": {"properties": {"b": {}}, "required": ["b"]}},
    },
}
"""Schemas that arguments fit, though they look as if none did."""

MALFORMED: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "a bound that is a text": (
        _of({"type": "integer", "format": "int32", "minimum": "5"}),
        "not valid at #/properties/a/minimum: '5' is not of type \"number\"",
    ),
    "a bound that is nothing": (
        _of({"type": "integer", "format": "int64", "maximum": None}),
        "#/properties/a/maximum: None",
    ),
    "a bound that is a list": (
        _of({"type": "integer", "format": "uint32", "minimum": [1]}),
        "#/properties/a/minimum: ",
    ),
    "a format that is a list": (_of({"type": "integer", "format": []}), "#/properties/a/format: "),
    "a format that is an object": (_of({"format": {}}), "#/properties/a/format: "),
    "patterns that are all": (_of({}, patternProperties=True), "#/patternProperties: True"),
    "patterns that are a list": (_of({"patternProperties": ["^a"]}), "#/properties/a/patternProperties: "),
    "a reference in what is no schema": (_of({"items": 5}, **{"$ref": "#/properties/a"}), "#/properties/a/items: 5"),
    "half a pair in a description": (
        _of({"description": "\ud83d!"}),
        "a lone surrogate at #/properties/a/description",
    ),
    "half a pair in a list": (_of({"enum": ["b", "\ude00"]}), "a lone surrogate at #/properties/a/enum/1"),
    "half a pair behind a number": (
        _of({"type": "string", "minLength": 1, "description": "\ud83d!"}),
        "a lone surrogate at #/properties/a/description",
    ),
    "half a pair in a name": (
        {"type": "object", "properties": {"\ud83d": {}}},
        "a lone surrogate in a key of #/properties",
    ),
    "half a pair in place of a schema": (_of({"allOf": "\ud83d"}), "a lone surrogate at #/properties/a/allOf"),
}
"""Documents that are no schemas, and what is said of them."""

WHOLE: Final = ((42, "42"), (42.0, "42"), (0, "0"), (-0.0, "0"), (2**53 + 1, str(2**53 + 1)), (-(2**63), str(-(2**63))))
"""Numbers as models write them for ``number``, and as a function and a person must see them."""

UNSTORABLE: Final[dict[str, dict[str, Any]]] = {
    "a default of 71 bits": _optional({"type": "integer", "default": 2**70}),
    "a default of 100 bits, as a fraction": _optional({"type": "integer", "default": 1e30}),
    "a default of 71 bits for any number": _optional({"type": "number", "default": -(2**70)}),
    "a default with NUL": _optional({"type": "string", "default": "a\0"}),
    "a default with NUL in a key": _optional({"type": "object", "default": {"\0": 1}}),
    "a default with NUL in a list": _optional({"default": [{"a": ["\0"]}]}),
}
"""Schemas whose default no journal can hold: it is left out, as one that does not fit."""
