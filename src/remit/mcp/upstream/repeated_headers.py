"""The headers that repeat parameters of a request, by which something before a server may judge it."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

_SAFE: Final = re.compile(r"(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?")
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_KEY: Final = "x-mcp-header"
_TYPES: Final = ("string", "integer", "boolean")
_DATA: Final = frozenset({"const", "default", "enum", "examples"})

RepeatedParameters = Mapping[tuple[str, ...], str]
"""The headers of a tool, by the path of the parameter that each repeats."""


class InvalidHeaderError(Exception):
    """A tool declares a header that cannot be sent."""


def list_repeated(schema: object) -> RepeatedParameters:
    """The headers that a tool's input schema declares.

    Raises:
        InvalidHeaderError: one stands where no parameter is, or is no header of its own.
    """
    found = dict[tuple[str, ...], str]()
    for path, part in _walk(schema, ()):
        token: object = part[_KEY]
        if not path:
            raise InvalidHeaderError(f"{_KEY} stands where no parameter is")
        if not isinstance(token, str) or not _TOKEN.fullmatch(token):
            raise InvalidHeaderError(f"{_KEY} of {'.'.join(path)} is no name of a header")
        if part.get("type") not in _TYPES:
            raise InvalidHeaderError(f"{_KEY} of {'.'.join(path)} is not for text, whole numbers or truth values")
        header = f"mcp-param-{token.lower()}"
        if header in found.values():
            raise InvalidHeaderError(f"{_KEY} of {'.'.join(path)} is that of another parameter too")
        found[path] = header
    return found


def write_repeated(repeated: RepeatedParameters, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The headers for the arguments of a call."""
    headers = dict[str, str]()
    for path, header in repeated.items():
        value: object = arguments
        for key in path:
            value = cast("Mapping[str, object]", value).get(key) if isinstance(value, Mapping) else None
        if isinstance(value, (bool, int, str)):
            headers[header] = encode_header(str(value).lower() if isinstance(value, bool) else str(value))
    return headers


def encode_header(value: str) -> str:
    """A text as the value of a header, encoded if it has characters that headers may not have."""
    if _SAFE.fullmatch(value) and not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def is_safe_header(value: str) -> bool:
    """Whether a text can be the value of a header as it is."""
    return _SAFE.fullmatch(value) is not None


def _walk(part: object, path: tuple[str, ...] | None) -> Iterator[tuple[tuple[str, ...] | None, dict[str, Any]]]:
    """The parts of a schema that declare a header, with the path of their parameter; None beside properties."""
    if isinstance(part, list):
        for each in cast("list[object]", part):
            yield from _walk(each, None)
    if not isinstance(part, dict):
        return
    schema = cast("dict[str, Any]", part)
    if _KEY in schema:
        yield path, schema
    for keyword, value in schema.items():
        if keyword == "properties" and isinstance(value, dict):
            for name, each in cast("dict[str, object]", value).items():
                yield from _walk(each, None if path is None else (*path, name))
        elif keyword in ("patternProperties", "dependentSchemas", "$defs", "definitions") and isinstance(value, dict):
            for each in cast("dict[str, object]", value).values():
                yield from _walk(each, None)
        elif keyword not in _DATA:
            yield from _walk(value, None)
