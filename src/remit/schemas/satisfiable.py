"""Finds out why no value can fit a schema from outside.

A tool with a contradictory schema would refuse every call, and its model would try again and again. Contradictions
found here are certain, but not all contradictions are found.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import reduce
from math import ceil, gcd, lcm
from typing import Final, cast

from remit.errors import ContractError
from remit.schemas.closed_schema import named_keys
from remit.schemas.fitting import Texts, conditions_of, exact, fits, includes, type_of, types_of
from remit.schemas.json_schema import JsonSchema
from remit.schemas.schema_document import resolve_pointer

_MAX_STEPS: Final = 20_000
"""The maximum number of inspected schemas. The rest of a larger document counts as satisfiable."""
_SIZES: Final = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_LENGTHS: Final = {"date": (10, 10), "date-time": (20, 1 << 20), "ipv4": (7, 15), "uuid": (36, 36)}
"""The minimum and maximum lengths of mutually exclusive text formats."""
_TYPES: Final = frozenset({"array", "boolean", "null", "number", "object", "string"})


def refuse_contradiction(document: JsonSchema, values: str) -> None:
    """Raise `ContractError` if it is certain that no ``values``, such as arguments, fit a document."""
    if reason := find_contradiction(document):
        raise ContractError(f"no {values} fit its JSON schema: {reason}")


def find_contradiction(document: JsonSchema) -> str:
    """Say why no value fits a checked document, or "" if one may. Close it first if objects accept no other keys."""
    return _Search(document).explain(document, "#")


class _Search:
    """A search for schemas that no value fits."""

    def __init__(self, document: JsonSchema) -> None:
        self._document = document
        self._open: dict[int, int] = {}
        """The schemas being inspected, with the level at which each began."""
        self._level = 0
        self._texts = Texts()
        self._steps = 0

    def explain(self, schema: object, pointer: str) -> str:
        """Why no value fits a schema; empty if one may fit."""
        self._steps += 1
        if schema is False:
            return f"{pointer} is false"
        if not isinstance(schema, dict) or self._steps > _MAX_STEPS:
            return ""
        node = cast("JsonSchema", schema)
        if id(node) in self._open:  # for the same value, it is already being inspected
            return "" if self._open[id(node)] == self._level else f"{pointer} requires itself within itself"
        self._open[id(node)] = self._level
        try:
            return self._explain_node(node, pointer)
        finally:
            del self._open[id(node)]

    def _explain_below(self, schema: object, pointer: str) -> str:
        """Why no value fits the schema of a part of a value."""
        self._level += 1
        try:
            return self.explain(schema, pointer)
        finally:
            self._level -= 1

    def _explain_node(self, node: JsonSchema, pointer: str) -> str:
        if "$ref" in node and (found := self.explain(resolve_pointer(self._document, node["$ref"]), node["$ref"])):
            return found
        for index, part in enumerate(cast("list[object]", node.get("allOf", ()))):
            if found := self.explain(part, f"{pointer}/allOf/{index}"):
                return found
        parts = self._list_parts(node)
        for key in ("anyOf", "oneOf"):
            if key in node and (found := self._explain_choice(parts, node[key], key, pointer)):
                return found
        if found := self._explain_condition(node, pointer) or self._explain_together(parts, pointer):
            return found
        if _list_values(parts) is not None:
            return ""
        reasons = [self._explain_type(node, each, pointer) for each in sorted(_common_types(parts))]
        return reasons[0] if all(reasons) else ""

    def _list_parts(self, node: JsonSchema) -> list[JsonSchema]:
        """A schema with the others that also apply: those that it references, and the parts of ``allOf``."""
        parts: dict[int, JsonSchema] = {}
        pending: list[object] = [node]
        while pending and self._steps <= _MAX_STEPS:
            part = pending.pop()
            if isinstance(part, dict) and id(cast("object", part)) not in parts:
                found = cast("JsonSchema", part)
                parts[id(found)] = found
                pending += [resolve_pointer(self._document, found["$ref"])] if "$ref" in found else []
                pending += found.get("allOf", ())
                self._steps += 1
        return list(parts.values())

    def _explain_condition(self, node: JsonSchema, pointer: str) -> str:
        """Why neither branch of ``if`` has a value."""
        condition = node.get("if", False)
        ways = ([] if condition is False else ["then"]) + ([] if condition in (True, {}) else ["else"])
        reasons = [self.explain(node.get(way), f"{pointer}/{way}") for way in ways if "if" in node]
        return reasons[0] if reasons and all(reasons) else ""

    def _explain_choice(self, parts: list[JsonSchema], choices: list[object], key: str, pointer: str) -> str:
        """Why no alternative can be chosen: none has a value apart from the rest, or two of ``oneOf`` are equal."""
        texts = [self._texts.of_schema({} if each is True else each) for each in choices] if key == "oneOf" else []
        reasons: list[str] = []
        for index, each in enumerate(choices):
            where = f"{pointer}/{key}/{index}"
            reason = self.explain(each, where)
            if not reason and texts and texts.count(texts[index]) > 1:
                reason = f"{where} is there twice, and oneOf takes one alone"
            if not reason and isinstance(each, dict):
                reason = self._explain_together([*parts, *self._list_parts(cast("JsonSchema", each))], where)
            if not reason:
                return ""
            reasons.append(reason)
        return reasons[0] if reasons else f"{pointer}/{key} is empty"

    def _explain_together(self, parts: list[JsonSchema], pointer: str) -> str:
        """Why no value fits all of several schemas."""
        excluding = [part for part in parts if "not" in part]
        self._steps += len(parts) * (1 + len(excluding))
        if self._steps > _MAX_STEPS:
            return ""
        for each in excluding:
            if any(includes(part, each["not"], self._texts) for part in parts):
                return f"{pointer} excludes {'everything' if each['not'] in ({}, True) else 'what it takes'}"
        kinds = _common_types(parts)
        if not kinds:
            return f"{pointer} has parts of different types"
        listed = _list_values(parts)
        if listed is not None:
            return (
                "" if self._has_fitting(listed, parts, kinds) else f"no value listed at {pointer} fits the rest of it"
            )
        reasons = [_explain_bounds(parts, kind, pointer) for kind in sorted(kinds)]
        return reasons[0] if all(reasons) else ""

    def _has_fitting(self, listed: list[object], parts: list[JsonSchema], kinds: frozenset[str]) -> bool:
        """Whether one of the listed values may fit. If there are too many to test, their types decide."""
        left = [each for each in listed if type_of(each) in kinds]
        self._steps += (cost := len(left) * sum(1 + len(part.get("enum", ())) for part in parts))
        if cost > _MAX_STEPS or self._steps > _MAX_STEPS:
            return bool(left)
        return any(all(fits(value, part) is not False for part in parts) for value in left)

    def _explain_type(self, node: JsonSchema, kind: str, pointer: str) -> str:
        if found := _explain_bounds([node], kind, pointer):
            return found
        if kind == "array":
            return self._explain_array(node, pointer)
        return self._explain_object(node, pointer) if kind == "object" else ""

    def _explain_array(self, node: JsonSchema, pointer: str) -> str:
        """Why no array fits: one of its first items has no value, or it needs more items than values exist."""
        least = node.get("minItems", 0)
        first: list[object] = node.get("prefixItems", [])
        for index, part in enumerate(first[: int(least)]):
            if found := self._explain_below(part, f"{pointer}/prefixItems/{index}"):
                return found
        others = node.get("items")
        if least > len(first) and (found := self._explain_below(others, f"{pointer}/items")):
            return found
        values = _count_values(others) if node.get("uniqueItems") is True and not first else None
        if values is not None and values < least:
            return f"{pointer} needs more items than there are different ones"
        return self._explain_contained(node, pointer)

    def _explain_contained(self, node: JsonSchema, pointer: str) -> str:
        """Why no array can contain a required item."""
        contained, least = node.get("contains"), node.get("minContains", 1)
        if contained is None or not least:
            return ""
        if least > min(node.get("maxContains", least), node.get("maxItems", least)):
            return f"{pointer} must contain more items than it may"
        items = node.get("items") if "prefixItems" not in node else None
        if found := self._explain_below(contained, f"{pointer}/contains"):
            return found
        if not isinstance(items, dict) or not isinstance(contained, dict):
            return ""
        parts = [*self._list_parts(cast("JsonSchema", items)), *self._list_parts(cast("JsonSchema", contained))]
        return self._explain_together(parts, f"{pointer}/contains")

    def _explain_object(self, node: JsonSchema, pointer: str) -> str:
        """Why no object fits: a required key is not accepted or has no value."""
        required = _required_of(node)
        for key in required:
            if found := self._explain_key(node, key, pointer):
                return found
        if len(required) > node.get("maxProperties", len(required)):
            return f"{pointer} requires more keys than it may have"
        if node.get("additionalProperties") is False and "patternProperties" not in node:
            names = frozenset(cast("JsonSchema", node.get("properties", {})))
        elif node.get("unevaluatedProperties") is not False or (named := named_keys(self._document, node)) is None:
            return ""
        else:
            names = named
        if key := self._find_unlisted(node, names, frozenset()):
            return f"{pointer} requires {key!r}, which it does not accept"
        return f"{pointer} needs more keys than it accepts" if len(names) < node.get("minProperties", 0) else ""

    def _explain_key(self, node: JsonSchema, key: str, pointer: str) -> str:
        """Why a required key has no name or no value, or allows no others."""
        if fits(key, node.get("propertyNames", True)) is False:
            return f"{pointer} requires {key!r}, which its propertyNames do not allow"
        if found := self.explain(node.get("dependentSchemas", {}).get(key), f"{pointer}/dependentSchemas/{key}"):
            return found
        values = {f"properties/{key}": part for part in [node.get("properties", {}).get(key)] if part is not None}
        patterns = cast("dict[str, object]", node.get("patternProperties", {}))
        self._steps += len(patterns)
        for pattern, part in patterns.items() if self._steps <= _MAX_STEPS else ():
            if fits(key, {"pattern": pattern}) is True:
                values[f"patternProperties/{pattern}"] = part
        reasons = (self._explain_below(part, f"{pointer}/{where}") for where, part in values.items())
        return next(filter(None, reasons), "")

    def _find_unlisted(self, schema: object, names: frozenset[str], seen: frozenset[int]) -> str:
        """A key that a schema always requires but does not accept."""
        if not isinstance(schema, dict) or id(cast("object", schema)) in seen:
            return ""
        node, within = cast("JsonSchema", schema), seen | {id(cast("object", schema))}
        unlisted = [key for key in _required_of(node) if key not in names]
        parts = [resolve_pointer(self._document, node["$ref"])] if "$ref" in node else []
        unlisted += [self._find_unlisted(part, names, within) for part in (*parts, *node.get("allOf", ()))]
        for key in ("anyOf", "oneOf"):
            found = [self._find_unlisted(part, names, within) for part in node.get(key, ())]
            unlisted += found[:1] if all(found) else []
        return next(filter(None, unlisted), "")


def _required_of(node: JsonSchema) -> list[str]:
    """The keys that a schema requires, including dependent required keys."""
    required: dict[str, None] = dict.fromkeys(node.get("required", ()))
    pending = [*required]
    while pending:
        more = [each for each in node.get("dependentRequired", {}).get(pending.pop(), ()) if each not in required]
        required |= dict.fromkeys(more)
        pending += more
    return [*required]


def _list_values(parts: list[JsonSchema]) -> list[object] | None:
    """The values that one of several schemas lists; None if none does."""
    lists = [part.get("enum", [part.get("const")]) for part in parts if "enum" in part or "const" in part]
    return min(lists, key=len, default=None)


def _common_types(parts: list[JsonSchema]) -> frozenset[str]:
    """The types that several schemas all accept. Whole numbers are numbers."""
    kinds = _TYPES
    for part in parts:
        named = types_of(part)
        if named is not None:
            kinds &= {"number" if each == "integer" else each for each in named}
        excluded = part.get("not")
        if isinstance(excluded, dict) and conditions_of(cast("JsonSchema", excluded)).keys() == {"type"}:
            kinds -= types_of(cast("JsonSchema", excluded)) or frozenset()
    return kinds


def _takes_whole_numbers_alone(part: JsonSchema) -> bool:
    named = types_of(part) or frozenset()
    return "integer" in named and "number" not in named


def _explain_bounds(parts: list[JsonSchema], kind: str, pointer: str) -> str:
    """Why no value of a type has a size that all schemas allow."""
    if kind == "number":
        return _explain_range(parts, pointer)
    if kind not in _SIZES:
        return ""
    least, most = _SIZES[kind]
    smallest, largest = [part[least] for part in parts if least in part], [part[most] for part in parts if most in part]
    if smallest and largest and max(smallest) > min(largest):
        return f"{pointer} has a {least} above its {most}"
    return _explain_format(parts, smallest, largest, pointer) if kind == "string" else ""


def _explain_format(parts: list[JsonSchema], smallest: list[int], largest: list[int], pointer: str) -> str:
    """Why no text fits: there are two formats, or the format excludes the length."""
    formats = {part["format"] for part in parts if part.get("format") in _LENGTHS}
    if len(formats) > 1:
        return f"{pointer} has the formats {' and '.join(sorted(formats))} at once"
    for name in formats:
        shortest, longest = _LENGTHS[name]
        if min(largest, default=longest) < shortest or max(smallest, default=shortest) > longest:
            return f"{pointer} has a length that no {name} has"
    return ""


def _count_values(schema: object) -> int | None:
    """The maximum number of values of a schema; None if unknown."""
    node = cast("JsonSchema", schema) if isinstance(schema, dict) else {}
    if "enum" in node:
        listed = cast("list[object]", node["enum"])
        return len({json.dumps(each, sort_keys=True) for each in listed})
    if "const" in node:
        return 1
    named = types_of(node)
    if named is None or not named <= {"boolean", "null"}:
        return None
    return 2 * ("boolean" in named) + ("null" in named)


def _explain_range(parts: list[JsonSchema], pointer: str) -> str:
    """Why no number fits: its bounds exclude each other, or no whole number or multiple is between them."""
    lowest = [
        (low, key[0] == "e")
        for part in parts
        for key in ("minimum", "exclusiveMinimum")
        if (low := exact(part.get(key))) is not None
    ]
    highest = [
        (-top, key[0] == "e")
        for part in parts
        for key in ("maximum", "exclusiveMaximum")
        if (top := exact(part.get(key))) is not None
    ]
    if not lowest or not highest:
        return ""
    (low, without_low), (high, without_high) = max(lowest), max(highest)
    if low > -high or (low == -high and (without_low or without_high)):
        return f"{pointer} has a minimum above its maximum"
    steps = [step for part in parts if (step := exact(part.get("multipleOf")))]
    if not steps and not any(map(_takes_whole_numbers_alone, parts)):
        return ""
    whole = [Fraction(1)] if any(map(_takes_whole_numbers_alone, parts)) else []
    step = reduce(_common_multiple, [*steps, *whole])
    first = ceil(low / step) * step
    first += step if without_low and first == low else 0
    is_empty = first > -high or (without_high and first == -high)
    return f"{pointer} has no {'multiple' if steps else 'whole number'} in its range" if is_empty else ""


def _common_multiple(one: Fraction, other: Fraction) -> Fraction:
    return Fraction(lcm(one.numerator, other.numerator), gcd(one.denominator, other.denominator))
