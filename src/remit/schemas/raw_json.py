"""Parts of a JSON text as they are written: the order of keys and the spelling of numbers and escapes are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from json.encoder import encode_basestring_ascii
from typing import Any, Final, NoReturn, cast

from msgspec import DecodeError, Raw
from msgspec.json import Decoder

_MEMBERS: Final = Decoder(dict[str, Raw])
_ITEMS: Final = Decoder(list[Raw])

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def load_json(text: str) -> object:
    """Load a JSON text. NaN and infinities are refused.

    Raises:
        ValueError: the text is not JSON, or too deep.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def raw_items(text: str) -> list[str]:
    """The texts of the items of an array, each on one line. The text must be valid JSON, as `load_json` checks."""
    if "\n" not in text:
        with suppress(DecodeError, UnicodeError):
            return [bytes(raw).decode() for raw in _ITEMS.decode(text.encode())]
    return ["".join(parts) for parts in _split(text)]


def raw_members(text: str) -> dict[str, str]:
    """The texts of the values of an object, by key; the last counts. The rest is as of `raw_items`."""
    if "\n" not in text:
        with suppress(DecodeError, UnicodeError):
            return {key: bytes(raw).decode() for key, raw in _MEMBERS.decode(text.encode()).items()}
    return {json.loads(parts[0]): "".join(parts[2:]) for parts in _split(text)}


def join_items(items: Iterable[str]) -> str:
    """The array of texts of values."""
    return f"[{','.join(items)}]"


def join_members(members: Mapping[str, str]) -> str:
    """The object of texts of values."""
    return f"{{{','.join([f'{encode_basestring_ascii(key)}:{value}' for key, value in members.items()])}}}"


def _split(text: str) -> Iterator[list[str]]:
    """The tokens of each item of the outermost array, or of each member of the outermost object.

    For texts of several lines, and what Python's parser takes and msgspec refuses, as halves of surrogate pairs.
    """
    depth, parts = 0, list[str]()
    for part in _TOKEN.findall(text):
        if part in ("]", "}"):
            depth -= 1
        if depth == 0 and parts:
            yield parts
            return
        if depth == 1 and part == ",":
            yield parts
            parts = []
        elif depth:
            parts.append(part)
        if part in ("[", "{"):
            depth += 1


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def as_object(value: object) -> Mapping[str, Any]:
    """The value, which must be a JSON object.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, dict):
        raise TypeError(type(value).__name__)
    return cast("Mapping[str, Any]", value)
