"""Decides without a validator whether a value fits a schema: true, false, or None if uncertain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any, Final, cast

from remit.errors import ContractError, SetupError
from remit.schemas.json_schema import JsonSchema
from remit.schemas.json_validator import JsonValidator

_ANNOTATIONS: Final = frozenset(
    {"$comment", "$defs", "default", "definitions", "deprecated", "description", "examples", "readOnly", "title"}
)
_DEPENDENT: Final = frozenset(
    {"additionalProperties", "contains", "else", "if", "items", "maxContains", "minContains", "then"}
    | {"unevaluatedItems", "unevaluatedProperties"}
)
"""Keywords whose meaning depends on other keywords."""
_OF_STRINGS: Final = frozenset({"maxLength", "minLength", "pattern"})
_OF_ARRAYS: Final = frozenset(
    {"contains", "items", "maxContains", "maxItems", "minContains", "minItems", "prefixItems"}
    | {"unevaluatedItems", "uniqueItems"}
)
_OF_OBJECTS: Final = frozenset(
    {"additionalProperties", "dependentRequired", "dependentSchemas", "maxProperties", "minProperties"}
    | {"patternProperties", "properties", "propertyNames", "required", "unevaluatedProperties"}
)
_BOUNDS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "exclusiveMaximum": lambda value, bound: value < bound,
}
_SIZES: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "minLength": lambda value, bound: len(value) >= bound,
    "maxLength": lambda value, bound: len(value) <= bound,
    "minItems": lambda value, bound: len(value) >= bound,
    "maxItems": lambda value, bound: len(value) <= bound,
    "minProperties": lambda value, bound: len(value) >= bound,
    "maxProperties": lambda value, bound: len(value) <= bound,
}


def exact(number: float | None) -> Fraction | None:
    """A schema's number in exact form; None if it is missing or not finite."""
    return Fraction(repr(number)) if number is not None and isfinite(number) else None


def type_of(value: object) -> str:
    """The type of a JSON value; whole numbers are numbers."""
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    return kinds.get(cast("type[str]", type(value)), "null")


def types_of(node: JsonSchema) -> frozenset[str] | None:
    """The types that a schema names; None if it names none."""
    given = node.get("type")
    return None if given is None else frozenset([given] if isinstance(given, str) else given)


def conditions_of(node: JsonSchema) -> JsonSchema:
    """A schema without the keywords that do not constrain values."""
    return {key: rule for key, rule in node.items() if key not in _ANNOTATIONS}


class Texts:
    """The cached texts of parts of a document; equal parts have the same text."""

    def __init__(self) -> None:
        self._made: dict[int, str] = {}
        self._of_schemas: dict[int, str] = {}

    def of(self, value: object) -> str:
        """The text of a part, which distinguishes 1 from 1.0."""
        if id(value) not in self._made:
            self._made[id(value)] = json.dumps(value, sort_keys=True)
        return self._made[id(value)]

    def of_schema(self, schema: object) -> str:
        """The text of a schema, without keywords that do not constrain values."""
        if not isinstance(schema, dict):
            return self.of(schema)
        node = cast("JsonSchema", schema)
        if id(node) not in self._of_schemas:
            self._of_schemas[id(node)] = json.dumps(conditions_of(node), sort_keys=True)
        return self._of_schemas[id(node)]


def includes(node: JsonSchema, other: object, texts: Texts) -> bool:
    """Whether every value of a schema certainly fits another schema, which has no further constraints."""
    if not isinstance(other, dict):
        return other is True
    conditions = conditions_of(cast("JsonSchema", other))
    if not _DEPENDENT.isdisjoint(conditions):
        return texts.of_schema(cast("object", other)) == texts.of_schema(node)
    if "$ref" in conditions:  # the reference may lead back to itself
        return False
    return all(key in node and texts.of(node[key]) == texts.of(rule) for key, rule in conditions.items())


def equal(one: object, other: object) -> bool:
    """Whether two JSON values are equal. 1 equals 1.0, but not true."""
    if type_of(one) != type_of(other):
        return False
    if isinstance(one, dict):
        first, second = cast("dict[str, object]", one), cast("dict[str, object]", other)
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    if isinstance(one, list):
        parts, others = cast("list[object]", one), cast("list[object]", other)
        return len(parts) == len(others) and all(map(equal, parts, others))
    return one == other


def fits(value: object, schema: object) -> bool | None:
    """Whether a value fits a schema. References are not followed."""
    if not isinstance(schema, dict):
        return schema if isinstance(schema, bool) else None
    return _all(_fits_rule(value, key, rule) for key, rule in conditions_of(cast("JsonSchema", schema)).items())


def _all(found: Iterable[bool | None]) -> bool | None:
    several = list(found)
    return False if False in several else None if None in several else True


def _fits_rule(value: object, key: str, rule: Any) -> bool | None:
    kind = type_of(value)
    if key == "type":
        return _has_type(value, rule)
    if key in ("const", "enum"):
        return any(equal(value, each) for each in ([rule] if key == "const" else rule))
    if key in _BOUNDS:
        number, bound = exact(cast("float", value)) if kind == "number" else None, exact(rule)
        return True if kind != "number" else None if number is None or bound is None else _BOUNDS[key](number, bound)
    for keys, meant in ((_OF_STRINGS, "string"), (_OF_ARRAYS, "array"), (_OF_OBJECTS, "object")):
        if key in keys:
            return True if kind != meant else _fits_own_rule(value, key, rule)
    if key == "format":
        return True if kind != "string" else _fits_text(cast("str", value), key, rule)
    return _fits_combination(value, key, rule)


def _fits_own_rule(value: Any, key: str, rule: Any) -> bool | None:
    """Whether a text, a list or an object fits a rule for its type."""
    if key in _SIZES:
        return _SIZES[key](value, rule)
    if key == "pattern":
        return _fits_text(value, key, rule)
    if key == "required":
        return set(rule) <= value.keys()
    if key == "properties":
        return _all(fits(value[name], part) for name, part in rule.items() if name in value)
    return None


@lru_cache(maxsize=1024)
def _fits_text(value: str, key: str, rule: str) -> bool | None:
    try:
        return JsonValidator({key: rule}).is_valid(value)
    except (ContractError, SetupError):  # the pattern needs another engine, or no validator is installed
        return None


def _fits_combination(value: object, key: str, rule: Any) -> bool | None:
    if key == "not":
        inner = fits(value, rule)
        return None if inner is None else not inner
    if key not in ("allOf", "anyOf", "oneOf"):
        return None
    found = [fits(value, each) for each in cast("list[object]", rule)]
    if key == "allOf":
        return _all(found)
    if key == "oneOf" and found.count(True) > 1:
        return False
    if True in found and (key == "anyOf" or None not in found):
        return True
    return None if None in found or True in found else False


def _has_type(value: object, rule: Any) -> bool:
    named = [rule] if isinstance(rule, str) else cast("list[str]", rule)
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return type_of(value) in named or ("integer" in named and is_whole and not isinstance(value, bool))
