"""Resolves paths in JSON schemas, as far as the schema is specific."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from remit.schemas.compat import inline_references

Shape = dict[str, Any]
"""A JSON schema without references. An empty one accepts anything."""

_JSON_TYPE_NAMES: Final[dict[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


def inline_shape(schema: Shape) -> Shape:
    """The shape described by a contract's schema."""
    return inline_references(schema, schema.get("$defs", {}))


def shape_at(shape: Shape, path: Sequence[str | int]) -> Shape | None:
    """The shape at a path; None if nothing can exist there."""
    found: Shape | None = shape
    for part in path:
        found = None if found is None else _child_shape(found, part)
    return found


def element_shape(shape: Shape) -> Shape | None:
    """The shape of a list's elements; None for other shapes."""
    return shape_at(shape, (0,))


def field_names(shape: Shape) -> list[str]:
    """The fields named by a shape."""
    nested = [name for branch in _union_branches(shape) for name in field_names(branch)]
    return [*shape.get("properties", {}), *nested]


def are_disjoint(parameter: Shape, argument: Shape) -> bool:
    """Whether no value can have both shapes, judged by their types alone."""
    takes, gives = _json_types(parameter), _json_types(argument)
    if takes is None or gives is None:
        return False
    return not (takes & gives or ("number" in takes and "integer" in gives))


def literal_shape(value: object) -> Shape:
    """The shape of a literal value."""
    return {"type": _JSON_TYPE_NAMES.get(type(value), "null")}


def _child_shape(shape: Shape, part: str | int) -> Shape | None:
    branches = _union_branches(shape)
    if branches:
        found = [each for each in (_child_shape(branch, part) for branch in branches) if each is not None]
        return {"anyOf": found} if found else None
    kind = shape.get("type")
    if kind is None or "$ref" in shape:  # it accepts anything, or is recursive
        return {}
    if kind == "object" and isinstance(part, str):
        more = shape.get("additionalProperties", "properties" not in shape)
        found = shape.get("properties", {}).get(part, more)
        return cast("Shape | None", {True: {}, False: None}[found] if isinstance(found, bool) else found)
    if kind == "array" and isinstance(part, int):
        first = shape.get("prefixItems", ())
        return cast("Shape", first[part] if part < len(first) else shape.get("items", {}))
    return None


def _union_branches(shape: Shape) -> list[Shape]:
    return [branch for key in ("anyOf", "oneOf") for branch in shape.get(key, ())]


def _json_types(shape: Shape) -> set[str] | None:
    """The JSON types of a shape's values; None if unknown."""
    branches = _union_branches(shape)
    if branches:
        found = [_json_types(branch) for branch in branches]
        return None if None in found else set[str]().union(*(each for each in found if each is not None))
    if "enum" in shape or "const" in shape:
        return {cast("str", literal_shape(value)["type"]) for value in shape.get("enum", [shape.get("const")])}
    kind = shape.get("type")
    return {kind} if isinstance(kind, str) else None
