"""Reads the query of a request: known parameters, each once, with values that fit."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from remit.errors import InvalidArgumentsError

_MAX_QUERY: Final = 2000
_MAX_VALUE: Final = 500
_MAX_PARAMETERS: Final = 10
_DEFAULT_LIMIT: Final = 20
_MAX_LIMIT: Final = 100
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,2}")

PARAMETERS: Final[Mapping[str, tuple[dict[str, Any], str]]] = {
    "locale": ({"type": "string"}, "The language of texts and addresses; that of the site if omitted."),
    "limit": ({"type": "integer", "minimum": 1, "maximum": _MAX_LIMIT, "default": _DEFAULT_LIMIT}, "The most items."),
    "cursor": ({"type": "string"}, "nextCursor of the part of the list before."),
    "content": ({"type": "string", "enum": ["true", "false"], "default": "false"}, "Whether items have their content."),
    "path": ({"type": "string"}, "An address of the site, such as /about."),
}
"""The parameters of queries, each with its schema and meaning."""


@dataclass(frozen=True, slots=True)
class Query:
    """The parameters of a request, which are checked as far as the site does not matter."""

    locale: str | None = None
    limit: int = _DEFAULT_LIMIT
    cursor: str | None = None
    content: bool = False
    path: str = "/"


def parse_query(text: bytes, known: Collection[str]) -> Query:
    """The query of a request, of which some parameters are ``known``.

    Raises:
        InvalidArgumentsError: says which parameter does not fit, and what would.
    """
    pairs = _split(text)
    values = dict(pairs)
    named = ", ".join(known) or "none"
    for name in values:
        if name not in known:
            raise InvalidArgumentsError(f"There is no parameter {_quote(name)} here. Parameters: {named}.")
    if len(pairs) > len(values):
        raise InvalidArgumentsError(f"A parameter is given twice. Give each once: {named}.")
    for name, value in values.items():
        if not value.isprintable() or len(value) > _MAX_VALUE:
            raise InvalidArgumentsError(f"{name}: {_quote(value)} is too long, or has characters that cannot be read.")
    return Query(
        locale=values.get("locale"),
        limit=_parse_limit(values.get("limit", str(_DEFAULT_LIMIT))),
        cursor=values.get("cursor"),
        content=_parse_choice(values.get("content", "false")),
        path=values.get("path", "/"),
    )


def _split(text: bytes) -> list[tuple[str, str]]:
    """The parameters of a query in the order in which they are given."""
    unreadable = InvalidArgumentsError(
        f"The query cannot be read: give name=value, joined by '&', in at most {_MAX_QUERY} characters."
    )
    if len(text) > _MAX_QUERY:
        raise unreadable
    try:
        return parse_qsl(
            text.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(text),
            errors="strict",
            max_num_fields=_MAX_PARAMETERS,
        )
    except ValueError:
        raise unreadable from None


def _parse_limit(value: str) -> int:
    if not _NUMBER.fullmatch(value) or int(value) > _MAX_LIMIT:
        raise InvalidArgumentsError(f"limit: {_quote(value)} does not fit; give a number from 1 to {_MAX_LIMIT}.")
    return int(value)


def _parse_choice(value: str) -> bool:
    if value not in ("true", "false"):
        raise InvalidArgumentsError(f"content: {_quote(value)} does not fit; give true or false.")
    return value == "true"


def _quote(text: str) -> str:
    return ascii(text[:60])
