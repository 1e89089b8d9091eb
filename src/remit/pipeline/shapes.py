"""What a JSON schema says is to be found at a path, as far as it says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from remit.schemas.compat import inlined

Shape = dict[str, Any]
"""A JSON schema without references. An empty one is of anything."""

_NAMES: Final[dict[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


def shape_of(schema: Shape) -> Shape:
    """The shape that a contract's schema describes."""
    return inlined(schema, schema.get("$defs", {}))


def at(shape: Shape, path: Sequence[str | int]) -> Shape | None:
    """The shape at a path; None where there can be nothing."""
    found: Shape | None = shape
    for part in path:
        found = None if found is None else _inside(found, part)
    return found


def elements(shape: Shape) -> Shape | None:
    """The shape of a list's elements; None where it is no list."""
    return at(shape, (0,))


def names(shape: Shape) -> list[str]:
    """The fields that a shape names."""
    inside = [name for branch in _branches(shape) for name in names(branch)]
    return [*shape.get("properties", {}), *inside]


def clash(wanted: Shape, given: Shape) -> bool:
    """Whether no value can be of both shapes, by their types alone."""
    takes, gives = _kinds(wanted), _kinds(given)
    if takes is None or gives is None:
        return False
    return not (takes & gives or ("number" in takes and "integer" in gives))


def literal(value: object) -> Shape:
    """The shape of a value that is written down."""
    return {"type": _NAMES.get(type(value), "null")}


def _inside(shape: Shape, part: str | int) -> Shape | None:
    branches = _branches(shape)
    if branches:
        found = [each for each in (_inside(branch, part) for branch in branches) if each is not None]
        return {"anyOf": found} if found else None
    kind = shape.get("type")
    if kind is None or "$ref" in shape:  # of anything, or of what holds itself
        return {}
    if kind == "object" and isinstance(part, str):
        more = shape.get("additionalProperties", "properties" not in shape)
        found = shape.get("properties", {}).get(part, more)
        return cast("Shape | None", {True: {}, False: None}[found] if isinstance(found, bool) else found)
    if kind == "array" and isinstance(part, int):
        first = shape.get("prefixItems", ())
        return cast("Shape", first[part] if part < len(first) else shape.get("items", {}))
    return None


def _branches(shape: Shape) -> list[Shape]:
    return [branch for key in ("anyOf", "oneOf") for branch in shape.get(key, ())]


def _kinds(shape: Shape) -> set[str] | None:
    """The JSON types that values of a shape have; None where they cannot be told."""
    branches = _branches(shape)
    if branches:
        found = [_kinds(branch) for branch in branches]
        return None if None in found else set[str]().union(*(each for each in found if each is not None))
    if "enum" in shape or "const" in shape:
        return {cast("str", literal(value)["type"]) for value in shape.get("enum", [shape.get("const")])}
    kind = shape.get("type")
    return {kind} if isinstance(kind, str) else None
