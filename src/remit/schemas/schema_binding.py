"""Binds a JSON value to a JSON schema: checks it, fills in defaults and writes whole numbers as such.

Arguments of the same call must have one canonical form, because approvals and call ids are digests of it. Therefore
missing arguments get their defaults, and ``42.0`` becomes 42 if the schema accepts it: a person sees 42, and addresses
contain it, for both ``integer`` and ``number``. Defaults that would make a valid value invalid, as with ``oneOf``, are
omitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final, cast

from remit.schemas.closed_schema import close_schema, in_place_schemas, named_keys
from remit.schemas.error_cost import ErrorCost
from remit.schemas.json_schema import JsonSchema
from remit.schemas.json_validator import DOCUMENT, JsonValidator, Problem, SchemaMismatchError, check_is_schema
from remit.schemas.jsontext import LARGEST_EXACT, LARGEST_INTEGER, compact_json
from remit.schemas.number_ranges import with_number_ranges
from remit.schemas.schema_cost import SchemaCost
from remit.schemas.schema_document import map_children, read_schema, resolve_pointer

_UNIONS: Final = ("anyOf", "oneOf")
_NOTHING: Final[JsonSchema] = {}
_NO_DEFAULT: Final = object()
_MAX_CHEAP: Final = 20_000
"""The maximum checks of a value for which all problems are described; otherwise, only the first is."""
MAX_DEFAULT_CHARS: Final = 16 << 10
"""The maximum JSON characters of a default, including nested defaults."""
MAX_ADDED_CHARS: Final = 1 << 20
"""The maximum characters that a schema's defaults may add to one value."""
_Path = tuple[str | int, ...]


class SchemaBinder:
    """A compiled JSON schema.

    Raises:
        ContractError: the schema is not supported; see `read_schema`.
        SetupError: `jsonschema-rs` is not installed.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        document = read_schema(schema)
        check_is_schema(document)
        self.document = with_number_ranges(document)
        self._cost = SchemaCost(self.document)
        self._lenient = _Binding(self.document, self._cost, strict=False)

    def bind(self, value: object, *, strict: bool) -> object:
        """Copy ``value`` and fill in defaults.

        ``strict`` refuses unknown keys and ``3.0`` for an integer. Otherwise unknown keys are omitted and ``3.0``
        becomes 3. An object without ``properties``, or with ``additionalProperties``, keeps all keys that it allows.

        Raises:
            SchemaMismatchError: the value does not fit.
        """
        checks = self._cost.count(value)
        return (self._strict if strict else self._lenient).bind(value, checks)

    def check(self, value: object) -> None:
        """Raise `SchemaMismatchError` unless ``value`` fits the schema without changes."""
        checks = self._cost.count(value)
        try:
            self._lenient.check(value, checks)
        except SchemaMismatchError:  # several alternatives may fit, but only one when they are closed
            self._strict.check(value, checks)

    @cached_property
    def _strict(self) -> _Binding:
        return _Binding(close_schema(self.document), self._cost, strict=True)


class _Binding:
    """Binds values to one document, strictly or not."""

    def __init__(self, document: JsonSchema, cost: SchemaCost, *, strict: bool) -> None:
        self._document = document
        self._cost = cost
        self._strict = strict
        self._fills_in = True
        self._whole = JsonValidator(document, patterns=cost.patterns)
        self._validators: dict[int, JsonValidator] = {}  # by id of a part of the document, which never changes
        self._defaults: dict[int, tuple[object, int]] = {}
        self._added_chars = 0
        self._named_keys: dict[int, frozenset[str] | None] = {}
        self._patterns: dict[str, JsonValidator] = {}

    def check(self, value: object, checks: int) -> None:
        if not self._whole.is_valid(value):
            raise SchemaMismatchError(self._find_problems(value, checks), self._document)

    def _find_problems(self, value: object, checks: int) -> list[Problem]:
        is_affordable = self._error_cost.is_affordable(value, checks)
        if is_affordable or not self._error_cost.has_unions:
            return self._whole.problems(value, find_all=is_affordable and checks <= _MAX_CHEAP)
        return [Problem((), "Input does not fit the schema, and is too large to say where; send less at a time")]

    @cached_property
    def _error_cost(self) -> ErrorCost:
        return ErrorCost(self._document)

    def bind(self, value: object, checks: int) -> object:
        """Bind a value with the schema's defaults, or without any if the schema does not allow the result."""
        self.check(value, checks)
        self._added_chars = 0
        bound = self._fit(value, self._document, ())
        if self._added_chars and not self._allows(bound):
            self._fills_in = False
            try:
                bound = self._fit(value, self._document, ())
            finally:
                self._fills_in = True
        return bound

    def _allows(self, bound: object) -> bool:
        self._cost.count(bound)
        return self._whole.is_valid(bound)

    def _fit(self, value: object, schema: object, path: _Path, *, is_whole: bool = True) -> object:
        """Bind a value that fits ``schema``. ``is_whole`` means that no other schema describes the value."""
        if not isinstance(schema, dict):
            return copy_json(value)
        node = cast("JsonSchema", schema)
        if isinstance(value, dict):
            value = self._fit_object(cast("dict[str, Any]", value), node, path, is_whole=is_whole)
        elif isinstance(value, list):
            value = self._fit_array(cast("list[Any]", value), node, path)
        else:
            value = self._fit_number(value, node, path)
        for child in self._other_schemas(value, node):
            value = self._fit(value, child, path, is_whole=False)
        return value

    def _fit_object(self, value: dict[str, Any], node: JsonSchema, path: _Path, *, is_whole: bool) -> dict[str, Any]:
        properties = cast("JsonSchema", node.get("properties", _NOTHING))
        kept = self._keys_of(node) if is_whole and not self._strict else None
        bound = {
            key: self._fit(part, properties[key] if key in properties else self._other(node, key), (*path, key))
            for key, part in value.items()
            if kept is None or key in kept
        }
        for key, each in properties.items() if self._fills_in else ():
            if key not in bound and isinstance(each, dict) and "default" in each:
                default, chars = self._default_of(cast("JsonSchema", each))
                if default is not _NO_DEFAULT:
                    self._added_chars += chars
                    if self._added_chars > MAX_ADDED_CHARS or chars > MAX_DEFAULT_CHARS:
                        message = "the defaults of the schema are too long together"
                        raise SchemaMismatchError([Problem((*path, key), message)])
                    bound[key] = copy_json(default)
        return bound

    def _other(self, node: JsonSchema, key: str) -> object:
        """The schema of a key that is not a property by name."""
        for pattern, schema in cast("JsonSchema", node.get("patternProperties", _NOTHING)).items():
            if pattern not in self._patterns:
                self._patterns[pattern] = JsonValidator({"pattern": pattern}, patterns=self._cost.patterns)
            if self._patterns[pattern].is_valid(key):
                return schema
        if "additionalProperties" in node or "$ref" in node or next(in_place_schemas(node), None) is not None:
            return node.get("additionalProperties")
        return node.get("unevaluatedProperties")

    def _fit_array(self, value: list[Any], node: JsonSchema, path: _Path) -> list[Any]:
        first, rest = cast("list[object]", node.get("prefixItems", [])), node.get("items")
        schemas = (*first, *[rest] * (len(value) - len(first)))
        return [self._fit(part, schemas[index], (*path, index)) for index, part in enumerate(value)]

    def _fit_number(self, value: object, node: JsonSchema, path: _Path) -> object:
        types = node.get("type")
        takes_fractions = _names(types, "number")
        if type(value) is not float or not (takes_fractions or _names(types, "integer")):
            return value
        if takes_fractions:
            return int(value) if value.is_integer() and abs(value) < LARGEST_EXACT else value
        if self._strict:
            raise SchemaMismatchError([Problem(path, "Input should be a valid integer")])
        return int(value)

    def _other_schemas(self, value: object, node: JsonSchema) -> Iterator[object]:
        """The other schemas for the same value. Of a union, only the alternative that the value fits."""
        if "$ref" in node:
            yield resolve_pointer(self._document, node["$ref"])
        yield from node.get("allOf", ())
        for key in _UNIONS:
            if key in node:
                yield self._choose(value, node[key])
        if "if" in node and ("then" in node or "else" in node):  # alone it decides nothing, and is not compiled
            yield node.get("then" if self._fits(value, node["if"]) else "else")
        if isinstance(value, dict):
            yield from (each for key, each in node.get("dependentSchemas", {}).items() if key in value)

    def _choose(self, value: object, alternatives: list[object]) -> object:
        """The first alternative that a value fits. Whole numbers prefer ``integer``, floats ``number``."""
        fitting = [each for each in alternatives if self._fits(value, each)]
        if type(value) in (int, float):
            fitting.sort(key=lambda each: _takes_integers(each) != isinstance(value, int))
        return fitting[0] if fitting else None

    def _fits(self, value: object, schema: object) -> bool:
        """Whether a value fits one part of the document."""
        found = self._validators.get(id(schema))
        if found is None:
            found = self._validators[id(schema)] = self._whole.part(cast("JsonSchema", _relocate("", schema)))
        return found.is_valid(value)

    def _default_of(self, node: JsonSchema) -> tuple[object, int]:
        """The bound default of a property, and its size as JSON.

        A default that does not fit its schema, contains itself, or cannot be stored is ignored. It is not bound
        strictly, because it comes from the schema and not from the caller.
        """
        if id(node) not in self._defaults:
            self._defaults[id(node)] = (_NO_DEFAULT, 0)  # until it is known, since a default may contain itself
            before, strict, self._strict = self._added_chars, self._strict, False
            try:
                if self._fits(node["default"], node):
                    bound = self._fit(node["default"], node, ())
                    self._defaults[id(node)] = (bound, len(compact_json(bound)))
                    if self._fit(bound, node, ()) != bound or not _is_storable(bound):
                        self._defaults[id(node)] = (_NO_DEFAULT, 0)
            finally:
                self._strict = strict
            self._added_chars = before
        return self._defaults[id(node)]

    def _keys_of(self, node: JsonSchema) -> frozenset[str] | None:
        if id(node) not in self._named_keys:
            self._named_keys[id(node)] = named_keys(self._document, node)
        return self._named_keys[id(node)]


def _is_storable(value: Any) -> bool:
    """Whether journals and databases can hold a value: it has no NUL and no integer above 64 bits."""
    if isinstance(value, int):
        return ~LARGEST_INTEGER <= value <= LARGEST_INTEGER
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return all(map(_is_storable, (*members, *members.values())))
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return all(map(_is_storable, items)) and not (isinstance(value, str) and "\0" in value)


def copy_json(value: Any) -> Any:
    """A deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copy_json(part) for key, part in cast("dict[str, Any]", value).items()}
    return [copy_json(part) for part in cast("list[Any]", value)] if isinstance(value, list) else value


def _names(types: object, name: str) -> bool:
    return name in cast("list[str]", types) if isinstance(types, list) else types == name


def _takes_integers(schema: object) -> bool:
    return isinstance(schema, dict) and _names(cast("JsonSchema", schema).get("type"), "integer")


def _relocate(_key: str, schema: object) -> object:
    """Redirect the references in a part of a document to the whole document; see `JsonValidator.part`."""
    if not isinstance(schema, dict):
        return schema
    moved = map_children(cast("JsonSchema", schema), _relocate)
    if "$ref" in moved:
        moved["$ref"] = f"{DOCUMENT}{moved['$ref']}"
    return moved
