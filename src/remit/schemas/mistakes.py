"""Describes what is wrong with a value in one plain line, for pydantic and JSON schemas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pydantic_core import ErrorDetails, ValidationError

from remit.core.names import show_hidden
from remit.schemas.json_schema import JsonSchema
from remit.schemas.known_keys import find_description

_PREFIXES: Final = ("Value error, ", "Assertion failed, ")
_NO_UNICODE: Final = "unable to parse raw data as a unicode string"
_PATTERN: Final = "String should match pattern "
_LENGTH: Final = re.compile(r"\w+ should have (at least|at most) (\d+) (\w+)( after validation, not .*)?")
_MAX_LENGTH: Final = 400
_MAX_MISTAKES: Final = 10_000
"""The maximum number of described mistakes in one value, since every part of a long list may be wrong."""
_ENDING: Final = 150


def describe_mistake(detail: ErrorDetails, document: JsonSchema | None = None) -> str:
    """Say where and how a value is wrong. Descriptions in the schema ``document`` replace patterns."""
    path = ".".join(str(part) for part in detail["loc"] if not str(part).startswith("function-"))
    where, message = _shorten(show_hidden(path, "")), explain_mistake(detail["msg"], detail["loc"], document)
    return f"{where}: {message}" if where else message


def list_mistakes(error: ValidationError) -> list[ErrorDetails]:
    """List all mistakes in a value, or only their number if there are very many."""
    if (count := error.error_count()) <= _MAX_MISTAKES:
        return error.errors(include_url=False, include_context=False)
    return [{"type": "too_many", "loc": (), "msg": f"{count:,} parts are not valid; correct them", "input": None}]


def explain_mistake(message: str, path: Sequence[str | int] = (), document: JsonSchema | None = None) -> str:
    """The message of a validation error without the library's phrases, shortened in the middle if it is long."""
    for prefix in _PREFIXES:
        message = message.removeprefix(prefix)
    message = " ".join(message.split())
    if message.endswith(_NO_UNICODE):
        message = "give a string without lone surrogates"
    if message.startswith(_PATTERN):
        description = find_description(document, path) if document else ""
        message = f"not in the required form; expected: {description or message.removeprefix(_PATTERN)}"
    if (found := _LENGTH.fullmatch(message)) is not None:
        message = _describe_length(*found.group(1, 2, 3))
    return _shorten(message)


def _describe_length(bound: str, number: str, unit: str) -> str:
    """How long a value has to be: it is said what to write, not what a schema has."""
    if bound == "at least" and number == "1" and unit == "character":
        return "it is empty; give a text"
    return f"give {bound} {number} {unit}"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - _ENDING]}…{text[-_ENDING:]}"
