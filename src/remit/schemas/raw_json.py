"""Extracts parts of a JSON text verbatim, with the order of keys and the spelling of numbers and escapes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from json.encoder import encode_basestring_ascii
from typing import Any, Final, NoReturn, cast

from msgspec import DecodeError, Raw
from msgspec.json import Decoder
from msgspec.json import format as format_json

_MEMBERS: Final = Decoder(dict[str, Raw])
_ITEMS: Final = Decoder(list[Raw])

MAX_DEPTH: Final = 100
"""The maximum nesting of arrays and objects in external JSON."""

_BETWEEN: Final = re.compile(r"[ \t,:]*")
_DECODER: Final = json.JSONDecoder()
_NESTING: Final = re.compile(r'[\[\]{}]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A bracket, or a text that may contain brackets."""


def load_json(text: str) -> object:
    """Load a JSON text. NaN and infinities are refused.

    Raises:
        ValueError: the text is not JSON, or too deep.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def limit_depth(text: str, most: int = MAX_DEPTH) -> str:
    """Replace each array and object nested deeper than ``most`` levels by null.

    JSON readers accept as much depth as the stack has left, so without this their limit would depend on the caller.
    """
    if text.count("[") + text.count("{") <= most:
        return text
    kept: list[str] = []
    level = begin = 0
    for token in _NESTING.finditer(text):
        if token[0] in ("[", "{"):
            level += 1
            if level == most + 1:
                kept += (text[begin : token.start()], "null")
        elif token[0] in ("]", "}"):
            if level == most + 1:
                begin = token.end()
            level -= 1
    return text if level > most else "".join((*kept, text[begin:]))  # a truncated text cannot be read in any case


def raw_items(text: str) -> list[str]:
    """The texts of an array's items, each on one line. The text must be valid JSON, as checked by `load_json`."""
    line = _on_one_line(text)
    with suppress(DecodeError, UnicodeError):
        return [bytes(raw).decode() for raw in _ITEMS.decode(line.encode())]
    return list(_split(line))


def raw_members(text: str) -> dict[str, str]:
    """The texts of an object's values by key, of which the last counts. Otherwise like `raw_items`."""
    line = _on_one_line(text)
    with suppress(DecodeError, UnicodeError):
        return {key: bytes(raw).decode() for key, raw in _MEMBERS.decode(line.encode()).items()}
    parts = list(_split(line))
    return dict(zip(map(json.loads, parts[::2]), parts[1::2], strict=True))


def join_items(items: Iterable[str]) -> str:
    """Join the texts of values to an array."""
    return f"[{','.join(items)}]"


def join_members(members: Mapping[str, str]) -> str:
    """Join the texts of values to an object."""
    return f"{{{','.join([f'{encode_basestring_ascii(key)}:{value}' for key, value in members.items()])}}}"


def _on_one_line(text: str) -> str:
    """The text without line breaks, which in JSON occur only between tokens."""
    if "\n" not in text and "\r" not in text:
        return text
    try:
        return format_json(text, indent=-1)
    except (DecodeError, UnicodeError):
        return text.replace("\n", " ").replace("\r", " ")


def _split(text: str) -> Iterator[str]:
    """The texts of the items of the outermost array, or of the keys and values of the outermost object.

    For texts that Python's parser accepts and msgspec refuses, such as those with lone surrogates.
    """
    at = len(text) - len(text.lstrip()) + 1
    while at < len(text):
        at = cast("re.Match[str]", _BETWEEN.match(text, at)).end()
        if text[at] in "]}":
            return
        _, end = _DECODER.raw_decode(text, at)
        yield text[at:end]
        at = end


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def as_object(value: object) -> Mapping[str, Any]:
    """The value, which must be a JSON object.

    Raises:
        TypeError: the value is not an object.
    """
    if not isinstance(value, dict):
        raise TypeError(type(value).__name__)
    return cast("Mapping[str, Any]", value)
