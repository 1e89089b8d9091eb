"""Strictness for JSON schemas: unknown keys are refused.

JSON Schema allows every key unless a schema says otherwise; a typed tool refuses unknown ones. A schema that lists
properties without ``additionalProperties`` is read as complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from remit.schemas.json_schema import JsonSchema
from remit.schemas.schema_document import DEFINITION_KEYS, map_children, resolve_pointer

_UNIONS: Final = ("anyOf", "oneOf")
_IN_PLACE_LISTS: Final = ("allOf", *_UNIONS)
_IN_PLACE: Final = ("then", "else")
_OPEN_KEYS: Final = ("additionalProperties", "unevaluatedProperties", "patternProperties")
_WHOLE_VALUE_KEYS: Final = frozenset(
    {
        "additionalProperties",
        "items",
        "patternProperties",
        "prefixItems",
        "properties",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_IN_PLACE_KEYS: Final = frozenset({*DEFINITION_KEYS, *_IN_PLACE_LISTS, *_IN_PLACE, "dependentSchemas"})


def named_keys(document: JsonSchema, schema: object) -> frozenset[str] | None:
    """The keys that a schema names for its object; None if it allows others or names no keys."""
    names: set[str] = set()
    named = False
    for node in iter_in_place(document, schema):
        if _is_open(node):
            return None
        if "properties" in node:
            named = True
            names.update(cast("JsonSchema", node["properties"]))
    return frozenset(names) if named else None


def _is_open(node: JsonSchema) -> bool:
    return any(key in node and (key == "patternProperties" or node[key] is not False) for key in _OPEN_KEYS)


def close_schema(document: JsonSchema) -> JsonSchema:
    """Copy a document so that objects with named keys accept no other keys."""
    return cast("JsonSchema", _Closer(document).close(document))


def in_place_schemas(node: JsonSchema) -> Iterator[object]:
    """The subschemas of ``node`` that describe the same value. References are not followed."""
    for key in _IN_PLACE_LISTS:
        yield from cast("list[object]", node.get(key, ()))
    yield from (node[key] for key in _IN_PLACE if key in node)
    yield from cast("JsonSchema", node.get("dependentSchemas", {})).values()


def iter_in_place(document: JsonSchema, schema: object) -> Iterator[JsonSchema]:
    """Iterate over a schema and all subschemas for the same value. References are followed."""
    return _iter_in_place(document, schema, set())


def _iter_in_place(document: JsonSchema, schema: object, seen: set[str]) -> Iterator[JsonSchema]:
    if not isinstance(schema, dict):
        return
    node = cast("JsonSchema", schema)
    yield node
    reference = node.get("$ref")
    if reference is not None and reference not in seen:
        seen.add(reference)
        yield from _iter_in_place(document, resolve_pointer(document, reference), seen)
    for child in in_place_schemas(node):
        yield from _iter_in_place(document, child, seen)


class _Closer:
    def __init__(self, document: JsonSchema) -> None:
        self._document = document
        self._names: dict[int, bool | None] = {}

    def _names_keys(self, schema: object) -> bool | None:
        """Whether a schema names keys for its object, as `named_keys` does; None if it allows others."""
        if not isinstance(schema, dict):
            return False
        node = cast("JsonSchema", schema)
        if id(node) not in self._names:
            inside = [resolve_pointer(self._document, node["$ref"])] if "$ref" in node else []
            found = [self._names_keys(each) for each in (*inside, *in_place_schemas(node))]
            self._names[id(node)] = None if _is_open(node) or None in found else "properties" in node or any(found)
        return self._names[id(node)]

    def close(self, schema: object) -> object:
        """Close the schema of a whole value."""
        if not isinstance(schema, dict):
            return schema
        node = cast("JsonSchema", schema)
        if self._is_plain_union(node):
            return map_children(node, self._close_alternative)
        closed = map_children(node, self._close_child)
        if self._names_keys(node):
            combined = "$ref" in node or next(in_place_schemas(node), None) is not None
            closed["unevaluatedProperties" if combined else "additionalProperties"] = False
        return closed

    def _is_plain_union(self, node: JsonSchema) -> bool:
        """Whether a schema consists of alternatives only, so that each can be closed separately."""
        return any(key in node for key in _UNIONS) and not any(
            key in node for key in ("$ref", "allOf", "if", "dependentSchemas", "properties", *_OPEN_KEYS)
        )

    def _close_alternative(self, key: str, schema: object) -> object:
        return self.close(schema) if key in _UNIONS else self._close_child(key, schema)

    def _close_child(self, key: str, schema: object) -> object:
        """Close a subschema. If it describes only some keys of a value, close just its own subschemas."""
        if key in _WHOLE_VALUE_KEYS:
            return self.close(schema)
        if key in _IN_PLACE_KEYS and isinstance(schema, dict):
            return map_children(cast("JsonSchema", schema), self._close_child)
        return schema
