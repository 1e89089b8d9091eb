"""Finds out why no value can fit a schema from outside.

A tool whose schema contradicts itself would refuse every call, and its model would try again and again. What is found
here is certain; a schema may contradict itself in ways that are not.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isfinite
from typing import Any, Final, cast

from remit.errors import ContractError
from remit.schemas.closed_schema import named_keys
from remit.schemas.json_schema import JsonSchema
from remit.schemas.schema_document import resolve_pointer

_MAX_STEPS: Final = 20_000
"""How many schemas are looked at. The rest of a larger document is taken for satisfiable."""
_SIZES: Final = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_TYPES: Final = frozenset({"array", "boolean", "null", "number", "object", "string"})


def refuse_contradiction(document: JsonSchema, values: str) -> None:
    """Raise `ContractError` if it is certain that no ``values``, such as arguments, fit a document."""
    if reason := find_contradiction(document):
        raise ContractError(f"no {values} fit its JSON schema: {reason}")


def find_contradiction(document: JsonSchema) -> str:
    """Why no value fits a checked document; empty if one may fit. Close it first if objects accept no other keys."""
    return _Search(document).explain(document, "#")


class _Search:
    """A search for schemas that no value fits."""

    def __init__(self, document: JsonSchema) -> None:
        self._document = document
        self._open: set[int] = set()
        self._steps = 0

    def explain(self, schema: object, pointer: str) -> str:
        """Why no value fits a schema; empty if one may fit."""
        self._steps += 1
        if schema is False:
            return f"{pointer} is false"
        if not isinstance(schema, dict) or self._steps > _MAX_STEPS:
            return ""
        node = cast("JsonSchema", schema)
        if id(node) in self._open:
            return f"{pointer} requires itself within itself"
        self._open.add(id(node))
        try:
            return self._explain_node(node, pointer)
        finally:
            self._open.discard(id(node))

    def _explain_node(self, node: JsonSchema, pointer: str) -> str:
        if "$ref" in node and (found := self.explain(resolve_pointer(self._document, node["$ref"]), node["$ref"])):
            return found
        for index, part in enumerate(cast("list[object]", node.get("allOf", ()))):
            if found := self.explain(part, f"{pointer}/allOf/{index}"):
                return found
        for key in ("anyOf", "oneOf"):
            reasons = [self.explain(part, f"{pointer}/{key}/{index}") for index, part in enumerate(node.get(key, ()))]
            if key in node and all(reasons):
                return reasons[0] if reasons else f"{pointer}/{key} is empty"
        if node.get("not") in ({}, True):
            return f"{pointer} excludes everything"
        return self._explain_types(node, pointer)

    def _explain_types(self, node: JsonSchema, pointer: str) -> str:
        """Why no value of any type that a schema takes fits it."""
        given = node.get("type", _TYPES)
        named = {given} if isinstance(given, str) else set(given)
        types = {"number" if each == "integer" else each for each in named}
        if "enum" in node or "const" in node:
            options: list[object] = node.get("enum", [node.get("const")])
            fits = any(_type_of(each) in types for each in options)
            return "" if fits else f"no value listed at {pointer} has its type"
        reasons = [self._explain_type(node, each, pointer) for each in sorted(types)]
        return reasons[0] if all(reasons) else ""

    def _explain_type(self, node: JsonSchema, kind: str, pointer: str) -> str:
        least, most = _SIZES.get(kind, ("", ""))
        if node.get(least, 0) > node.get(most, node.get(least, 0)):
            return f"{pointer} has a {least} above its {most}"
        if kind == "number":
            return _explain_range(node, pointer)
        if kind == "array":
            return self._explain_array(node, pointer)
        return self._explain_object(node, pointer) if kind == "object" else ""

    def _explain_array(self, node: JsonSchema, pointer: str) -> str:
        """Why no array fits: one of its first items has no value, or it needs more items than there are values."""
        least = node.get("minItems", 0)
        first: list[object] = node.get("prefixItems", [])
        for index, part in enumerate(first[: int(least)]):
            if found := self.explain(part, f"{pointer}/prefixItems/{index}"):
                return found
        others = node.get("items")
        if least > len(first) and (found := self.explain(others, f"{pointer}/items")):
            return found
        values = _count_values(others) if node.get("uniqueItems") is True and not first else None
        return f"{pointer} needs more items than there are different ones" if values and values < least else ""

    def _explain_object(self, node: JsonSchema, pointer: str) -> str:
        """Why no object fits: a key that is required is not accepted, or has no value."""
        properties = cast("dict[str, Any]", node.get("properties", {}))
        for key in cast("list[str]", node.get("required", ())):
            if key in properties and (found := self.explain(properties[key], f"{pointer}/properties/{key}")):
                return found
        if node.get("additionalProperties") is False and "patternProperties" not in node:
            names = frozenset(properties)
        elif node.get("unevaluatedProperties") is not False or (named := named_keys(self._document, node)) is None:
            return ""
        else:
            names = named
        key = self._find_unlisted(node, names, frozenset())
        return f"{pointer} requires {key!r}, which it does not accept" if key else ""

    def _find_unlisted(self, schema: object, names: frozenset[str], seen: frozenset[int]) -> str:
        """A key that a schema requires in any case, and that is none of the accepted ones."""
        if not isinstance(schema, dict) or id(cast("object", schema)) in seen:
            return ""
        node, within = cast("JsonSchema", schema), seen | {id(cast("object", schema))}
        unlisted = [key for key in cast("list[str]", node.get("required", ())) if key not in names]
        parts = [resolve_pointer(self._document, node["$ref"])] if "$ref" in node else []
        unlisted += [self._find_unlisted(part, names, within) for part in (*parts, *node.get("allOf", ()))]
        for key in ("anyOf", "oneOf"):
            found = [self._find_unlisted(part, names, within) for part in node.get(key, ())]
            unlisted += found[:1] if all(found) else []
        return next(filter(None, unlisted), "")


def _type_of(value: object) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    return kinds.get(cast("type[str]", type(value)), "null")


def _count_values(schema: object) -> int | None:
    """How many values a schema lists; None if it lists none."""
    node = cast("JsonSchema", schema) if isinstance(schema, dict) else {}
    return len(node["enum"]) if "enum" in node else 1 if "const" in node else None


def _explain_range(node: JsonSchema, pointer: str) -> str:
    """Why no number fits: its bounds exclude each other, or no whole number or multiple is between them."""
    lowest = [
        (low, key[0] == "e") for key in ("minimum", "exclusiveMinimum") if (low := _exact(node.get(key))) is not None
    ]
    highest = [
        (-top, key[0] == "e") for key in ("maximum", "exclusiveMaximum") if (top := _exact(node.get(key))) is not None
    ]
    if not lowest or not highest:
        return ""
    (low, without_low), (high, without_high) = max(lowest), max(highest)
    if low > -high or (low == -high and (without_low or without_high)):
        return f"{pointer} has a minimum above its maximum"
    step = _exact(node.get("multipleOf", 1 if node.get("type") == "integer" else 0))
    if not step:
        return ""
    first = ceil(low / step) * step
    first += step if without_low and first == low else 0
    is_empty = first > -high or (without_high and first == -high)
    return f"{pointer} has no {'multiple' if 'multipleOf' in node else 'whole number'} in its range" if is_empty else ""


def _exact(number: float | None) -> Fraction | None:
    """A number of a schema as it is written; None if there is none, or it is not finite."""
    return Fraction(repr(number)) if number is not None and isfinite(number) else None
