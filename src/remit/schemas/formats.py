"""Checks dates, times, durations and numbers against a type's JSON schema.

Pydantic accepts more than the schema shows: it reads digits for a ``date-time`` as seconds since 1970, so ``20260308``
would be a day of that year, and it rounds a whole number for a ``number`` to the nearest float. A caller that follows
the schema is never refused. Rules that a type's author adds to the schema are checked too, by the JSON Schema
validator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from enum import Flag
from functools import cache
from typing import Any, Final, NamedTuple, cast

from pydantic_core import SchemaError, SchemaValidator, ValidationError
from pydantic_core.core_schema import str_schema

from remit.core.patterns import lazy_pattern
from remit.schemas.core_nodes import Node
from remit.schemas.json_schema import LOCAL_DATE_TIME, TIME, JsonSchema
from remit.schemas.jsontext import LARGEST_EXACT, StrictError, is_written_as, read_strictly
from remit.schemas.mapping_keys import BOOLEAN_KEY, UUID_KEY, WHOLE_NUMBER_KEY
from remit.schemas.schema_document import iter_schemas, resolve_pointer

_DATE: Final = r"\d{4}-\d\d-\d\d"
_DURATION: Final = r"[+-]?P(?=\d|T\d)(\d+W)?(\d+Y)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?"
_UUID: Final = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_FLAGS: Final = re.ASCII | re.IGNORECASE
_ADDRESS: Final = "an address like 192.0.2.1 or 2001:db8::1"
_BASE64: Final = "(?:{0}{{4}})*(?:{0}{{2}}==|{0}{{3}}=)?"
_FORMATS: Final = {
    "date-time": (
        lazy_pattern(rf"{_DATE}T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", _FLAGS),
        "a date and time with a zone like 2026-03-08T14:30:00Z",
    ),
    LOCAL_DATE_TIME: (lazy_pattern(LOCAL_DATE_TIME, _FLAGS), "a date and time without a zone like 2026-03-08T14:30:00"),
    "date": (lazy_pattern(_DATE, _FLAGS), "a date like 2026-03-08"),
    TIME: (lazy_pattern(TIME, _FLAGS), "a time like 14:30:00"),
    "uuid": (lazy_pattern(_UUID, _FLAGS), "a UUID like 0f8fad5b-d9cb-469f-a165-70867728950e"),
    "duration": (lazy_pattern(_DURATION, _FLAGS), "a duration like P1DT12H"),
    "base64": (lazy_pattern(_BASE64.format("[A-Za-z0-9+/]")), "Base64 like UmVtaXQ="),
    "base64url": (lazy_pattern(_BASE64.format("[A-Za-z0-9_-]")), "Base64 for addresses like UmVtaXQ="),
    "complex": (lazy_pattern(".+"), "a complex number in a text like 1+2j"),
    "ipvanyaddress": (lazy_pattern(".+"), _ADDRESS),
    "ipvanyinterface": (lazy_pattern(".+"), "an address with a prefix like 192.0.2.1/24"),
    "ipvanynetwork": (lazy_pattern(".+"), "a network like 192.0.2.0/24"),
    WHOLE_NUMBER_KEY: (lazy_pattern(WHOLE_NUMBER_KEY, re.ASCII), "a whole number in digits like 42"),
    BOOLEAN_KEY: (lazy_pattern(BOOLEAN_KEY), "true or false"),
    UUID_KEY: (lazy_pattern(UUID_KEY), "a UUID in lower case like 0f8fad5b-d9cb-469f-a165-70867728950e"),
}
_OTHERS: Final = {
    "time": "a time with a zone like 14:30:00Z",
    "email": "an e-mail address like ada@example.org",
    "uri": "an address like https://example.org/about",
    "byte": "Base64 like UmVtaXQ=",
    "ipv4": "an address like 192.0.2.1",
    "ipv6": "an address like 2001:db8::1",
}
"""The formats of external JSON schemas in addition to those of typed tools."""
_EDGES: Final = ("0001-01-01", "9999-12-31")
_ESCAPE: Final = lazy_pattern(r"\\(.)", re.DOTALL)
_LONG_NUMBER: Final = lazy_pattern(r"[0-9.]{16}")
_EXACT_KINDS: Final = frozenset({"decimal", "fraction"})
_LOOSE_KINDS: Final = frozenset({"call", "generator", "named-tuple"})
"""Array types that pydantic also reads from other values: named tuples from objects, iterables from texts."""
_UNIONS: Final = ("anyOf", "oneOf")
_Path = tuple[str | int, ...]


def describe_format(name: str) -> str:
    """Describe a JSON Schema format, with an example, for typed and other tools."""
    shown = _FORMATS[name][1] if name in _FORMATS else _OTHERS.get(name, f"in the format {name!r}")
    return f"Input should be {shown}"


def is_base64(text: str) -> bool:
    """Whether a text is Base64, with its padding and without spaces."""
    return _FORMATS["base64"][0].fullmatch(text) is not None


def is_moment(text: str) -> bool:
    """Whether a text is an RFC 3339 date and time with a zone that UTC can express, without leap seconds."""
    try:
        return _FORMATS["date-time"][0].fullmatch(text) is not None and bool(
            datetime.fromisoformat(text.upper()).astimezone(UTC)
        )
    except (ValueError, OverflowError):
        return False


class FormatMismatch(NamedTuple):
    """A part of a value that does not have the format that its schema shows."""

    path: _Path
    message: str


class _Place(NamedTuple):
    """The position of a part of a value, and its serialised form; None if that is unknown."""

    path: _Path = ()
    written: object = None

    def below(self, part: str | int) -> _Place:
        written: Any = self.written
        parts: dict[str | int, object] = {}
        if isinstance(written, dict):
            parts = cast("dict[str | int, object]", written)
        elif isinstance(written, list) and isinstance(part, int):
            parts = dict(zip([part], cast("list[object]", written)[part : part + 1], strict=False))
        return _Place((*self.path, part), parts.get(part))


class FormatCheck:
    """Checks values that fit a pydantic type against its JSON schema, if that ``is_needed``.

    Args:
        nodes: the nodes of its core schema.
    """

    def __init__(self, document: JsonSchema, nodes: Iterable[Node]) -> None:
        self._document = document
        known = list(nodes)
        kinds = {node["type"] for node in known}
        shown = [node for _, node in iter_schemas(document)]
        self._has_flags = any(issubclass(node["cls"], Flag) for node in known if node["type"] == "enum")
        self._is_loose = not _LOOSE_KINDS.isdisjoint(kinds)
        self._has_formats = self._is_loose or any(
            _format_of(node) or _list_numbers(node) or _has_digits(node) or node.get("uniqueItems") for node in shown
        )
        self._has_floats = "float" in kinds
        self._has_exact = not _EXACT_KINDS.isdisjoint(kinds)
        self._has_json = "json" in kinds
        self.has_texts_beside = any(map(self._has_texts_beside, shown))
        self.is_needed = (
            self._has_formats or self._has_floats or self._has_exact or self._has_json or self.has_texts_beside
        )

    def find(self, value: object, raw: str = "", written: object = None) -> FormatMismatch | None:
        """Find the first part that does not match its schema.

        ``raw`` is the parsed JSON, and ``written`` its serialisation, which is compared only if the check
        ``has_texts_beside`` other types.
        """
        has_long_numbers = (self._has_floats or self._has_exact) and (not raw or _LONG_NUMBER.search(raw) is not None)
        if not (self._has_formats or self._has_json or has_long_numbers or written is not None):
            return None
        exact = json.loads(raw, parse_float=_read_exactly) if raw and has_long_numbers else value
        return next(self._find(exact, self._document, _Place(written=written)), None)

    def _find(self, value: object, schema: object, at: _Place, *, is_exact: bool = False) -> Iterator[FormatMismatch]:
        if not isinstance(schema, dict):
            return
        node = cast("JsonSchema", schema)
        if self._is_loose and node.get("type") == "array" and type(value) not in _KINDS["array"]:
            yield FormatMismatch(at.path, "Input should be a valid array")
        if "$ref" in node:
            yield from self._find(value, resolve_pointer(self._document, node["$ref"]), at)
        for key in _UNIONS:
            if key in node:
                yield from self._find_in_union(value, node[key], at)
        if isinstance(value, dict):
            yield from self._find_in_mapping(cast("dict[str, Any]", value), node, at)
        elif isinstance(value, list):
            yield from self._find_in_array(cast("list[object]", value), node, at)
        elif "contentSchema" in node and isinstance(value, str):
            yield from self._find_in_json(value, node["contentSchema"], at)
        elif numbers := _list_numbers(node):
            yield from self._find_other_kind(value, numbers, at.path)
        elif node.get("type") == "number":
            yield from _find_lost_digits(value, at.path, is_exact=is_exact)
        elif (shown := _format_of(node)) and isinstance(value, (str, int, float, Decimal)):
            yield from _find_other_format(value, shown, at.path)
        elif isinstance(value, str) and not value.isascii() and _has_digits(node):
            yield from _find_other_digits(value, node["pattern"], at.path)

    def _find_in_array(self, value: list[object], node: JsonSchema, at: _Place) -> Iterator[FormatMismatch]:
        first: list[object] = node.get("prefixItems", [])
        if node.get("uniqueItems"):
            kept = set(map(_freeze, value))
            if len(kept) < len(value):  # 1, 1.0 and true are one item of a set
                yield FormatMismatch(at.path, "Input should have different items; some of these are the same")
            at = at._replace(written=_align(value, at.written))
        for index, part in enumerate(value):
            shown = first[index] if index < len(first) else node.get("items")
            yield from self._find(part, shown, at.below(index))

    def _find_other_kind(self, value: object, listed: list[object], path: _Path) -> Iterator[FormatMismatch]:
        """Find a value that equals a listed value but has another type, or that is a combination of flags."""
        equal = [each for each in listed if each == value]
        kind = float if isinstance(value, Decimal) else type(value)
        if (equal or (self._has_flags and kind in (int, bool))) and not any(type(each) is kind for each in equal):
            yield FormatMismatch(path, f"Input should be {' or '.join(json.dumps(each) for each in equal or listed)}")

    def _find_in_mapping(self, value: dict[str, Any], node: JsonSchema, at: _Place) -> Iterator[FormatMismatch]:
        named: JsonSchema = node.get("properties", {})
        others = next(iter(node.get("patternProperties", {}).values()), node.get("additionalProperties"))
        for key, part in value.items():
            if key not in named:
                yield from self._find(key, node.get("propertyNames"), at.below(key))
            yield from self._find(part, named.get(key, others), at.below(key))

    def _find_in_json(self, text: str, schema: object, at: _Place) -> Iterator[FormatMismatch]:
        """Find a problem in a nested JSON text that pydantic has parsed, which must be lossless too."""
        try:
            read_strictly(text)
        except StrictError as error:
            yield FormatMismatch(at.path, str(error))
        except ValueError:  # another alternative of the union has read it
            return
        else:
            written = json.loads(at.written) if isinstance(at.written, str) else None
            yield from self._find(json.loads(text, parse_float=_read_exactly), schema, at._replace(written=written))

    def _find_in_union(self, value: object, alternatives: list[object], at: _Place) -> Iterator[FormatMismatch]:
        """Find the problem under the first alternative for this value, unless another alternative has none."""
        meant = [each for each in alternatives if self._is_meant(value, each)]
        is_exact = self._has_exact and any(_takes_texts(each) for each in alternatives)
        found = [list(self._find(value, each, at, is_exact=is_exact)) for each in meant]
        if found and all(found):
            yield from found[0]
        elif (
            isinstance(value, str)
            and isinstance(at.written, str)
            and value != at.written
            and any(map(_takes_any_text, meant))
            and not any(_has_format(value, each) for each in meant)
        ):
            message = f"{value!r:.80} would be read as {at.written!r:.80}; write that, or another text"
            yield FormatMismatch(at.path, message)

    def _has_texts_beside(self, node: JsonSchema) -> bool:
        """Whether a text may be confused with another alternative of a union that reads texts."""
        alternatives = [each for key in _UNIONS for each in node.get(key, ())]
        return any(map(_takes_any_text, alternatives)) and any(
            "format" in each or _format_of(each) or (self._has_exact and each.get("type") == "number")
            for each in alternatives
        )

    def _is_meant(self, value: object, schema: object) -> bool:
        """Whether a value may be meant for an alternative, by its kind, keys and constants."""
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
    """The format of a schema for dates, times and durations, or its pattern if no format exists."""
    shown = node.get("format", node.get("pattern"))
    return shown if shown in _FORMATS else ""


def _list_numbers(node: JsonSchema) -> list[object]:
    """The values that a schema lists, if they include numbers or booleans: in Python, 1, 1.0 and True are equal."""
    listed: list[object] = node.get("enum", [node["const"]] if "const" in node else [])
    return listed if any(isinstance(each, (int, float)) for each in listed) else []


def _has_digits(node: JsonSchema) -> bool:
    """Whether a pattern matches digits, which means 0 to 9 in a JSON schema but more in pydantic."""
    return isinstance(pattern := node.get("pattern"), str) and "\\d" in pattern and not _format_of(node)


def _find_other_digits(value: str, pattern: str, path: _Path) -> Iterator[FormatMismatch]:
    validator = _compile_ascii(pattern)
    try:
        if validator is not None:
            validator.validate_python(value)
    except ValidationError:
        yield FormatMismatch(path, f"String should match pattern '{pattern}'")


@cache
def _compile_ascii(pattern: str) -> SchemaValidator | None:
    """Compile a pattern with ASCII digits, as in JSON schemas; None if it needs another engine."""
    written = _ESCAPE.sub(lambda found: "[0-9]" if found[1] == "d" else found[0], pattern)
    try:
        return SchemaValidator(str_schema(pattern=written))
    except SchemaError:
        return None


def _freeze(value: object) -> object:
    """A hashable form of a JSON value."""
    if isinstance(value, dict):
        return frozenset((key, _freeze(part)) for key, part in cast("dict[str, object]", value).items())
    return tuple(map(_freeze, cast("list[object]", value))) if isinstance(value, list) else value


def _align(given: list[object], written: object) -> list[object]:
    """Reorder the serialised texts of a set, which are sorted, to the order in which they were given."""
    texts = [
        each for each in cast("list[object]", written if isinstance(written, list) else []) if isinstance(each, str)
    ]
    kept, known = {None, *texts}, {each for each in given if isinstance(each, str)}
    changed = (each for each in texts if each not in known)
    return [each if each in kept else next(changed, None) for each in map(_text_or_none, given)]


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _takes_any_text(schema: object) -> bool:
    node = cast("JsonSchema", schema)
    return (
        node.get("type") == "string" and "contentSchema" not in node and "format" not in node and not _format_of(node)
    )


def _has_format(text: str, schema: object) -> bool:
    """Whether a text is in the format that a schema shows. Whitespace in JSON may differ."""
    shown = _format_of(cast("JsonSchema", schema))
    return "contentSchema" in cast("JsonSchema", schema) or (
        bool(shown) and _FORMATS[shown][0].fullmatch(text) is not None
    )


def _takes_texts(schema: object) -> bool:
    return isinstance(schema, dict) and cast("JsonSchema", schema).get("type") == "string"


def _find_other_format(value: object, shown: str, path: _Path) -> Iterator[FormatMismatch]:
    pattern, _ = _FORMATS[shown]
    if not isinstance(value, str) or not pattern.fullmatch(value):
        yield FormatMismatch(path, describe_format(shown))
    elif shown == "date-time" and value.startswith(_EDGES) and not is_moment(value):
        yield FormatMismatch(path, "Input should be within the years 1 to 9999 in UTC")


def _find_lost_digits(value: object, path: _Path, *, is_exact: bool) -> Iterator[FormatMismatch]:
    """Find a number that would change: a whole number as a float, or a decimal with many digits."""
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
