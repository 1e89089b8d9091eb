"""Checks dates, times and durations against the formats that a type's JSON schema shows.

Pydantic reads more than it shows: digits for a ``date-time`` count seconds since 1970, so ``20260308`` would be a day
of that year. A caller who keeps to the shown format is never refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from remit.schemas.json_schema import JsonSchema
from remit.schemas.schema_document import iter_schemas, resolve_pointer

_DATE: Final = r"\d{4}-\d\d-\d\d"
_TIME: Final = r"\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?"
_DURATION: Final = r"[+-]?P(?=\d|T\d)(\d+W)?(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?"
_FLAGS: Final = re.ASCII | re.IGNORECASE
_FORMATS: Final = {
    "date-time": (re.compile(f"{_DATE}([T _]{_TIME})?", _FLAGS), "a date and time like 2026-03-08T14:30:00Z"),
    "date": (re.compile(_DATE, _FLAGS), "a date like 2026-03-08"),
    "time": (re.compile(_TIME, _FLAGS), "a time like 14:30:00"),
    "duration": (re.compile(_DURATION, _FLAGS), "a duration like P1DT12H"),
}
_UNIONS: Final = ("anyOf", "oneOf")
_Path = tuple[str | int, ...]


class FormatMismatch(NamedTuple):
    """A part of a value that does not have the format that its schema shows."""

    path: _Path
    message: str


class FormatCheck:
    """Checks values that fit a pydantic type against the formats of its JSON schema."""

    def __init__(self, document: JsonSchema) -> None:
        self._document = document
        self._has_formats = any(node.get("format") in _FORMATS for _, node in iter_schemas(document))

    def find(self, value: object) -> FormatMismatch | None:
        """The first part that has another format than its schema shows."""
        return next(self._find(value, self._document, ()), None) if self._has_formats else None

    def _find(self, value: object, schema: object, path: _Path) -> Iterator[FormatMismatch]:
        if not isinstance(schema, dict):
            return
        node = cast("JsonSchema", schema)
        if "$ref" in node:
            yield from self._find(value, resolve_pointer(self._document, node["$ref"]), path)
        for key in _UNIONS:
            if key in node:
                yield from self._find_in_union(value, node[key], path)
        if isinstance(value, dict):
            named: JsonSchema = node.get("properties", {})
            others = next(iter(node.get("patternProperties", {}).values()), node.get("additionalProperties"))
            for key, part in cast("dict[str, Any]", value).items():
                yield from self._find(part, named.get(key, others), (*path, key))
        elif isinstance(value, list):
            first: list[object] = node.get("prefixItems", [])
            for index, part in enumerate(cast("list[object]", value)):
                yield from self._find(part, first[index] if index < len(first) else node.get("items"), (*path, index))
        elif node.get("format") in _FORMATS and isinstance(value, (str, int, float)):
            pattern, example = _FORMATS[node["format"]]
            if not isinstance(value, str) or not pattern.fullmatch(value):
                yield FormatMismatch(path, f"Input should be {example}")

    def _find_in_union(self, value: object, alternatives: list[object], path: _Path) -> Iterator[FormatMismatch]:
        """What the first alternative for this value finds, unless another one finds nothing."""
        meant = [each for each in alternatives if self._is_meant(value, each)]
        found = [list(self._find(value, each, path)) for each in meant]
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
        if node.get("format") in _FORMATS and isinstance(value, (int, float)):
            return True  # which pydantic reads as a time
        if type(value) not in _KINDS.get(node.get("type", ""), (type(value),)):
            return False
        if not isinstance(value, dict):
            return True
        fields, named = cast("dict[str, object]", value), cast("JsonSchema", node.get("properties", {}))
        has_keys = set(node.get("required", ())) <= fields.keys()
        return has_keys and all(self._is_meant(fields[key], part) for key, part in named.items() if key in fields)


_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
