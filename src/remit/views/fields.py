"""The arguments of a call in words, whole, for the person who decides about it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from remit.core.names import show_hidden
from remit.record.arguments import Limits, parse_arguments
from remit.schemas.verbs import split_name
from remit.views.values import JOINERS, describe_time, is_referent

_ALLOWED: Final = f"\n\t{JOINERS}"
_MISLEADING: Final = re.compile(r"\"|^\s|\s$|^(nothing|yes|no|an empty list|no fields)$|^-?\d+(\.\d+)?([eE][+-]?\d+)?$")
"""A text that could be taken for a value of another type."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_LIMITS: Final = Limits(argument_bytes=1 << 30, argument_depth=1 << 10)


class ShownField(NamedTuple):
    """An argument, or a part of one: ``content, heading`` and its whole text."""

    name: str
    text: str
    is_default: bool = False


def list_fields(arguments: str, at_default: Collection[str] = ()) -> list[ShownField]:
    """The arguments of a call, canonical JSON, in words: those ``at_default`` last.

    Nothing is left out or shortened, and a text that looks like a number or another word for a value is in quotes. An
    object in place of a reference is shown by its name.
    """
    values = parse_arguments(arguments, _LIMITS).value
    if values is None:
        return [ShownField("as given", show_hidden(arguments, _ALLOWED))]
    given = [(name, value) for name, value in values.items() if name not in at_default]
    left = [(name, value) for name, value in values.items() if name in at_default]
    return [
        ShownField(name, text, is_default)
        for pairs, is_default in ((given, False), (left, True))
        for key, value in pairs
        for name, text in _describe((_label(key, value),), value)
    ]


def _describe(path: tuple[str, ...], value: object) -> Iterator[tuple[str, str]]:
    """A value as rows, one for each value in it."""
    if isinstance(value, dict) and value:
        fields = cast("Mapping[str, Any]", value)
        if is_referent(fields):
            yield ", ".join(path), _quote(str(fields["name"] or fields["id"]))
            return
        for key, each in fields.items():
            yield from _describe((*path, _label(key, each)), each)
    elif isinstance(value, list) and value:
        for number, each in enumerate(cast("list[object]", value), start=1):
            yield from _describe((*path, str(number)), each)
    else:
        yield ", ".join(path), _describe_one(cast("object", value))


def _describe_one(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "yes" if value else "no"
        case str():
            return describe_time(value) or _quote(value)
        case []:
            return "an empty list"
        case {}:
            return "no fields"
        case _:
            return json.dumps(value)


def _label(key: str, value: object) -> str:
    """A key in words; one that is no identifier is quoted, since its words could be those of another."""
    if not _IDENTIFIER.fullmatch(key):
        return show_hidden(json.dumps(key, ensure_ascii=False))
    words = split_name(key)
    is_named = isinstance(value, dict) and is_referent(cast("Mapping[str, Any]", value))
    return " ".join(words[:-1] if is_named and words[1:] and words[-1] == "id" else words)


def _quote(text: str) -> str:
    """A text as it is, or in quotes if it is empty or could be misread."""
    if not text or _MISLEADING.search(text):
        return show_hidden(json.dumps(text, ensure_ascii=False))
    return show_hidden(text, _ALLOWED)
