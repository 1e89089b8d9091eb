"""Checks dates, times, durations and numbers against what a type's JSON schema shows.

Pydantic reads more than it shows: digits for a ``date-time`` count seconds since 1970, so ``20260308`` would be a day
of that year, and a whole number for a ``number`` becomes the nearest float. A caller who keeps to the shown format is
never refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple, cast

from remit.schemas.json_schema import LOCAL_DATE_TIME, TIME, JsonSchema
from remit.schemas.jsontext import LARGEST_EXACT, is_written_as
from remit.schemas.mapping_keys import BOOLEAN_KEY, UUID_KEY, WHOLE_NUMBER_KEY
from remit.schemas.schema_document import iter_schemas, resolve_pointer
from remit.schemas.strict_json import StrictError, read_strictly

_DATE: Final = r"\d{4}-\d\d-\d\d"
_DURATION: Final = r"[+-]?P(?=\d|T\d)(\d+W)?(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?"
_FLAGS: Final = re.ASCII | re.IGNORECASE
_FORMATS: Final = {
    "date-time": (
        re.compile(rf"{_DATE}T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", _FLAGS),
        "a date and time with a zone like 2026-03-08T14:30:00Z",
    ),
    LOCAL_DATE_TIME: (re.compile(LOCAL_DATE_TIME, _FLAGS), "a date and time without a zone like 2026-03-08T14:30:00"),
    "date": (re.compile(_DATE, _FLAGS), "a date like 2026-03-08"),
    TIME: (re.compile(TIME, _FLAGS), "a time like 14:30:00"),
    "duration": (re.compile(_DURATION, _FLAGS), "a duration like P1DT12H"),
    WHOLE_NUMBER_KEY: (re.compile(WHOLE_NUMBER_KEY, re.ASCII), "a whole number in digits like 42"),
    BOOLEAN_KEY: (re.compile(BOOLEAN_KEY), "true or false"),
    UUID_KEY: (re.compile(UUID_KEY), "a UUID in lower case like 0f8fad5b-d9cb-469f-a165-70867728950e"),
}
_EDGES: Final = ("0001-01-01", "9999-12-31")
_LONG_NUMBER: Final = re.compile(r"[0-9.]{16}")
_EXACT_KINDS: Final = frozenset({"decimal", "fraction"})
_UNIONS: Final = ("anyOf", "oneOf")
_Path = tuple[str | int, ...]


class FormatMismatch(NamedTuple):
    """A part of a value that does not have the format that its schema shows."""

    path: _Path
    message: str


class FormatCheck:
    """Checks values that fit a pydantic type against its JSON schema, if that ``is_needed``.

    Args:
        kinds: the kinds of nodes of its core schema.
    """

    def __init__(self, document: JsonSchema, kinds: Collection[str]) -> None:
        self._document = document
        self._has_formats = any(_format_of(node) or _list_numbers(node) for _, node in iter_schemas(document))
        self._has_floats = "float" in kinds
        self._has_exact = not _EXACT_KINDS.isdisjoint(kinds)
        self._has_json = "json" in kinds
        self.is_needed = self._has_formats or self._has_floats or self._has_exact or self._has_json

    def find(self, value: object, raw: str = "") -> FormatMismatch | None:
        """The first part that is not what its schema shows. ``raw`` is the JSON that was read as the value."""
        has_long_numbers = (self._has_floats or self._has_exact) and (not raw or _LONG_NUMBER.search(raw) is not None)
        if not self._has_formats and not self._has_json and not has_long_numbers:
            return None
        exact = json.loads(raw, parse_float=_read_exactly) if raw and has_long_numbers else value
        return next(self._find(exact, self._document, ()), None)

    def _find(self, value: object, schema: object, path: _Path, *, is_exact: bool = False) -> Iterator[FormatMismatch]:
        if not isinstance(schema, dict):
            return
        node = cast("JsonSchema", schema)
        if "$ref" in node:
            yield from self._find(value, resolve_pointer(self._document, node["$ref"]), path)
        for key in _UNIONS:
            if key in node:
                yield from self._find_in_union(value, node[key], path)
        if isinstance(value, dict):
            yield from self._find_in_mapping(cast("dict[str, Any]", value), node, path)
        elif isinstance(value, list):
            first: list[object] = node.get("prefixItems", [])
            for index, part in enumerate(cast("list[object]", value)):
                yield from self._find(part, first[index] if index < len(first) else node.get("items"), (*path, index))
        elif "contentSchema" in node and isinstance(value, str):
            yield from self._find_in_json(value, node["contentSchema"], path)
        elif numbers := _list_numbers(node):
            yield from _find_other_kind(value, numbers, path)
        elif node.get("type") == "number":
            yield from _find_lost_digits(value, path, is_exact=is_exact)
        elif (shown := _format_of(node)) and isinstance(value, (str, int, float, Decimal)):
            yield from _find_other_format(value, shown, path)

    def _find_in_mapping(self, value: dict[str, Any], node: JsonSchema, path: _Path) -> Iterator[FormatMismatch]:
        named: JsonSchema = node.get("properties", {})
        others = next(iter(node.get("patternProperties", {}).values()), node.get("additionalProperties"))
        for key, part in value.items():
            if key not in named:
                yield from self._find(key, node.get("propertyNames"), (*path, key))
            yield from self._find(part, named.get(key, others), (*path, key))

    def _find_in_json(self, text: str, schema: object, path: _Path) -> Iterator[FormatMismatch]:
        """What is found in a text of JSON, which pydantic has read: it must lose nothing either."""
        try:
            read_strictly(text)
        except StrictError as error:
            yield FormatMismatch(path, str(error))
        else:
            yield from self._find(json.loads(text, parse_float=_read_exactly), schema, path)

    def _find_in_union(self, value: object, alternatives: list[object], path: _Path) -> Iterator[FormatMismatch]:
        """What the first alternative for this value finds, unless another one finds nothing."""
        meant = [each for each in alternatives if self._is_meant(value, each)]
        is_exact = self._has_exact and any(_takes_texts(each) for each in alternatives)
        found = [list(self._find(value, each, path, is_exact=is_exact)) for each in meant]
        if found and all(found):
            yield from found[0]

    def _is_meant(self, value: object, schema: object) -> bool:
        """Whether an alternative may be the one of this value: it has its kind, its keys and its constants."""
        node = cast("JsonSchema", schema)
        while "$ref" in node:
            node = cast("JsonSchema", resolve_pointer(self._document, node["$ref"]))
        if any(key in node for key in _UNIONS):
            return any(self._is_meant(value, each) for key in _UNIONS for each in node.get(key, ()))
        if "const" in node or "enum" in node:
            return value in node.get("enum", [node.get("const")])
        if _format_of(node) and isinstance(value, (int, float, Decimal)):
            return True  # which pydantic reads as a time
        if type(value) not in _KINDS.get(node.get("type", ""), (type(value),)):
            return False
        if not isinstance(value, dict):
            return True
        fields, named = cast("dict[str, object]", value), cast("JsonSchema", node.get("properties", {}))
        has_keys = set(node.get("required", ())) <= fields.keys()
        return has_keys and all(self._is_meant(fields[key], part) for key, part in named.items() if key in fields)


def _format_of(node: JsonSchema) -> str:
    """What a schema shows of dates, times and durations: a format, or a pattern where there is no format for it."""
    shown = node.get("format", node.get("pattern"))
    return shown if shown in _FORMATS else ""


def _list_numbers(node: JsonSchema) -> list[object]:
    """The values that a schema lists, if numbers or booleans are among them. In Python, 1, 1.0 and True are equal."""
    listed: list[object] = node.get("enum", [node["const"]] if "const" in node else [])
    return listed if any(isinstance(each, (int, float)) for each in listed) else []


def _find_other_kind(value: object, listed: list[object], path: _Path) -> Iterator[FormatMismatch]:
    equal = [each for each in listed if each == value]
    kind = float if isinstance(value, Decimal) else type(value)
    if equal and not any(type(each) is kind for each in equal):
        yield FormatMismatch(path, f"Input should be {' or '.join(json.dumps(each) for each in equal)}")


def _takes_texts(schema: object) -> bool:
    return isinstance(schema, dict) and cast("JsonSchema", schema).get("type") == "string"


def _find_other_format(value: object, shown: str, path: _Path) -> Iterator[FormatMismatch]:
    pattern, example = _FORMATS[shown]
    if not isinstance(value, str) or not pattern.fullmatch(value):
        yield FormatMismatch(path, f"Input should be {example}")
    elif shown == "date-time" and value.startswith(_EDGES):
        try:
            datetime.fromisoformat(value).astimezone(UTC)
        except OverflowError:
            yield FormatMismatch(path, "Input should be within the years 1 to 9999 in UTC")


def _find_lost_digits(value: object, path: _Path, *, is_exact: bool) -> Iterator[FormatMismatch]:
    """Find a number that would be another one: a whole number as a float, or a decimal of many digits on its way."""
    if isinstance(value, int) and not is_exact and abs(value) >= LARGEST_EXACT and not is_written_as(value, value):
        yield FormatMismatch(path, f"Input should be a number that a float holds; {str(value)[:40]} would be changed")
    elif isinstance(value, Decimal) and is_exact and not is_written_as(float(value), value):
        yield FormatMismatch(path, "Input should be a text: a number of so many digits would be changed")


def _read_exactly(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent of very many digits
        return Decimal("NaN")  # which no float equals


_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float, Decimal),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
