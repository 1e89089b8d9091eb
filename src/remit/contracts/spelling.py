"""Spellings of secrets: the forms in which text may contain a value, and the text that escapes stand for."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

_DEPTH: Final = 3
"""How many layers of escapes are undone: JSON in JSON, or a URL in JSON in JSON."""

_MAX_UNDONE: Final = 10_000

_ESCAPE: Final = re.compile(
    r"(\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\"\\/bfnrt])"
    r"|\\(?:x[0-9a-fA-F]{2}|U000[0-9a-fA-F]{5}|')"
    r"|%[0-7][0-9a-fA-F]|%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3}"
    r"|&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)"
)
"""One character as an escape of JSON, Python, URLs or HTML."""

_OPEN_ESCAPE: Final = re.compile(r"(?:\\+|%|&)[^\\%&]{0,10}\Z")
"""The end of text that may continue as an escape."""


def derive_spellings(value: str) -> tuple[str, ...]:
    """The texts by which a value is found once escapes are undone: plain, hexadecimal, and in Base64 at any offset."""
    data = value.encode("utf-8", "surrogatepass")
    spellings = [value]
    spellings += [value.replace(" ", "+")]
    spellings += [data.hex()]
    spellings += [data.hex().upper()]
    for before, first in enumerate((0, 2, 3)):  # bytes before it, and the first character that depends on it alone
        whole = base64.b64encode(bytes(before) + data)[first : (before + len(data)) * 8 // 6].decode()
        spellings += [whole]
        spellings += [whole.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(spellings))


def read_views(text: str) -> Iterator[str]:
    """The text, and the text with one, two and three layers of escapes undone, as far as it has so many."""
    for _ in range(_DEPTH):
        yield text
        parts = _undo_escapes(text)
        if len(parts) == 1:
            return
        text = "".join(parts)
    yield text


def replace_spellings(text: str, replacements: Sequence[tuple[str, str]]) -> str:
    """Replace each stretch of ``text`` that is a spelling, as it stands or once escapes are undone."""
    found = sorted(_find_stretches(text, replacements), key=lambda each: (each[0], -each[1]))
    pieces, end = list[str](), 0
    for start, stop, placeholder in found:
        if start >= end:
            pieces += [text[end:start], placeholder]
        end = max(end, stop)
    return "".join([*pieces, text[end:]])


def length_of_beginning(text: str, replacements: Sequence[tuple[str, str]]) -> int:
    """The length of the longest end of ``text`` that may be the beginning of a spelling."""
    open_escape = _OPEN_ESCAPE.search(text)
    whole = text if open_escape is None else text[: open_escape.start()]
    begins = len(whole)
    for view, starts in _locate_views(whole):
        lengths = (_length_of_common_end(spelling, view) for spelling, _ in replacements)
        begins = min(begins, starts[len(view) - max(lengths, default=0)])
    return len(text) - begins


def _find_stretches(text: str, replacements: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    for view, starts in _locate_views(text):
        for spelling, placeholder in replacements:
            at = view.find(spelling)
            while at >= 0:
                yield starts[at], starts[at + len(spelling)], placeholder
                at = view.find(spelling, at + 1)


def _locate_views(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Each view with the position in ``text`` at which each of its characters begins, and its end."""
    starts: Sequence[int] = range(len(text) + 1)
    for view in read_views(text):
        yield view, starts
        ends = [0]
        for part in _ESCAPE.split(view):
            ends.append(ends[-1] + len(part))
        undone = list[int]()
        for number, (start, end) in enumerate(pairwise(ends)):
            undone += starts[start:end] if number % 2 == 0 else starts[start : start + 1]
        starts = [*undone, starts[-1]]


def _undo_escapes(text: str) -> list[str]:
    """The text in parts, every second of which is the character that an escape stood for."""
    parts = _ESCAPE.split(text)
    parts[1::2] = map(_CHARACTERS.__getitem__, parts[1::2])
    return parts


class _Characters(dict[str, str]):
    """The one character for each escape that was met."""

    def __missing__(self, escape: str) -> str:
        if len(self) > _MAX_UNDONE:
            self.clear()
        self[escape] = _read_escape(escape)
        return self[escape]


_CHARACTERS: Final = _Characters()


def _read_escape(escape: str) -> str:
    if escape[0] == "&":
        character = html.unescape(escape)
    elif escape[0] == "%":
        character = bytes.fromhex(escape.replace("%", "")).decode(errors="replace")
    elif escape[1] in "xU":
        character = chr(int.from_bytes(bytes.fromhex(escape[2:])))
    else:
        character = "'" if escape == r"\'" else json.loads(f'"{escape}"')
    return character if len(character) == 1 else "\ufffd"


def _length_of_common_end(spelling: str, text: str) -> int:
    """The length of the longest end of ``text`` with which ``spelling`` begins."""
    start = text.find(spelling[0], max(len(text) - len(spelling) + 1, 0))
    while start >= 0 and not spelling.startswith(text[start:]):
        start = text.find(spelling[0], start + 1)
    return len(text) - start if start >= 0 else 0
