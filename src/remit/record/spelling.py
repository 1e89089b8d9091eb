"""Spellings of secrets: the forms in which a text may contain a value, including escapes."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final

from remit.core.patterns import lazy_pattern

_DEPTH: Final = 3
"""The number of escape layers that are undone, such as a URL in JSON in JSON."""

_MAX_UNDONE: Final = 10_000
_WINDOW: Final = 1 << 16
"""The number of characters searched at a time, so that no step of a search takes long."""
_EXPANSION: Final = 128
"""The maximum number of characters that encode one character of a value, for the edges of windows."""
_FEW: Final = 100
"""The number of spellings up to which they are searched for one by one; more are found in one pass."""
_STRIDE: Final = 4
_GRAM: Final = 5

_ESCAPES: Final = tuple(
    (lazy_pattern(mark), lazy_pattern(pattern))
    for mark, pattern in (
        (
            r"\\",  # escapes of JSON and of Python strings
            (
                r"(\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|"
                r"U000[0-9a-fA-F]{5}|[\"'\\/bfnrt]))"
            ),
        ),
        (
            r"\\(?:x[c-fC-F]|[013][0-7]{2})",  # escapes of Python bytes that differ from those
            (
                r"(\\(?:x[0-7][0-9a-fA-F]|x[c-fC-F][0-9a-fA-F](?:\\x[89abAB][0-9a-fA-F]){1,3}"
                r"|[01][0-7]{2}|3[0-7]{2}(?:\\2[0-7]{2}){1,3}|[\"'\\nrt]))"
            ),
        ),
        ("%", r"(%[0-7][0-9a-fA-F]|%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3})"),
        ("&", r"(&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)"),
    )
)
"""Patterns for each kind of escape: a quick test, and the escape itself. Each layer of a text has one kind."""

_OPEN_ESCAPE: Final = lazy_pattern(r"(?:\\+|%|&)[^\\%&]{0,10}\Z")
"""The end of text that may continue as an escape."""

Replacement = tuple[str, str]


class Spellings:
    """The spellings of values, each with its replacement."""

    def __init__(self, replacements: Iterable[Replacement] = ()) -> None:
        self.replacements = tuple(sorted(dict(replacements).items(), key=lambda pair: -len(pair[0])))
        self._shortest = len(self.replacements[-1][0]) if self.replacements else sys.maxsize

    def is_in(self, text: str) -> bool:
        """Whether a text contains one of the spellings, as it is or after escapes are undone."""
        if len(text) < self._shortest:
            return False
        return any(True for _, window in self._split(text) for view, _ in _walk(window) for _ in self._find(view))

    def replace_in(self, text: str) -> str:
        """Replace each part of ``text`` that is a spelling, as it is or after escapes are undone."""
        if len(text) < self._shortest:
            return text
        pieces, end = list[str](), 0
        for start, stop, replacement in sorted(self._find_stretches(text), key=lambda each: (each[0], -each[1])):
            if start >= end:
                pieces += [text[end:start], replacement]
            end = max(end, stop)
        return "".join([*pieces, text[end:]])

    def length_of_beginning(self, text: str) -> int:
        """The length of the longest suffix of ``text`` that may begin a spelling."""
        open_escape = _OPEN_ESCAPE.search(text)
        whole = text if open_escape is None else text[: open_escape.start()]
        begins = len(whole)
        for view, layers in _walk(whole):
            lengths = (_length_of_common_end(spelling, view) for spelling, _ in self.replacements)
            begins = min(begins, _locate(whole, layers)[len(view) - max(lengths, default=0)])
        return len(text) - begins

    def _split(self, text: str) -> Iterator[tuple[int, str]]:
        """Split a text into overlapping parts with their offsets."""
        overlap = _EXPANSION * len(self.replacements[0][0])
        for start in range(0, max(len(text) - overlap, 1), _WINDOW):
            yield start, text[start : start + _WINDOW + overlap]

    def _find_stretches(self, text: str) -> Iterator[tuple[int, int, str]]:
        for begin, window in self._split(text):
            for view, layers in _walk(window):
                starts: Sequence[int] = ()
                for at, (spelling, replacement) in self._find(view):
                    starts = starts or _locate(window, layers)
                    yield begin + starts[at], begin + starts[at + len(spelling)], replacement

    def _find(self, view: str) -> Iterator[tuple[int, Replacement]]:
        """Find the spellings in a text as it is."""
        one_by_one, grams = self._index
        for each in one_by_one:
            at = view.find(each[0])
            while at >= 0:
                yield at, each
                at = view.find(each[0], at + 1)
        for at in range(0, len(view), _STRIDE) if grams else ():
            for offset, each in grams.get(view[at : at + _GRAM], ()):
                if offset <= at and view.startswith(each[0], at - offset):
                    yield at - offset, each

    @cached_property
    def _index(self) -> tuple[Sequence[Replacement], dict[str, list[tuple[int, Replacement]]]]:
        """Index the spellings: some are searched for one by one, others by their parts at every fourth position."""
        grams = dict[str, list[tuple[int, Replacement]]]()
        if len(self.replacements) <= _FEW:
            return self.replacements, grams
        shortest = _STRIDE + _GRAM - 1
        for each in self.replacements:
            for offset in range(_STRIDE) if len(each[0]) >= shortest else ():
                grams.setdefault(each[0][offset : offset + _GRAM], []).append((offset, each))
        return [each for each in self.replacements if len(each[0]) < shortest], grams


def derive_spellings(value: str) -> tuple[str, ...]:
    """Derive a value's spellings without escapes: plain, hexadecimal, and Base64 at any offset."""
    data = value.encode("utf-8", "surrogatepass")
    spellings = [value]
    spellings += [value.replace(" ", "+")]
    spellings += [data.hex()]
    spellings += [data.hex().upper()]
    # the preceding bytes, and the first character that depends only on the value
    for before, first in enumerate((0, 2, 3)):
        whole = base64.b64encode(bytes(before) + data)[first : (before + len(data)) * 8 // 6].decode()
        spellings += [whole]
        spellings += [whole.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(spellings))


def _walk(text: str) -> Iterator[tuple[str, tuple[list[str], ...]]]:
    """The views of a text: as it is, and with up to three layers of escapes undone.

    Each view comes with the text of each layer in parts, of which every second one is an escape.
    """
    level: list[tuple[str, tuple[list[str], ...]]] = [(text, ())]
    seen = {text}
    for depth in range(_DEPTH + 1):
        views, level = level, []
        for view, layers in views:
            yield view, layers
            for mark, escape in _ESCAPES if depth < _DEPTH else ():
                parts = escape.split(view) if mark.search(view) else []
                if len(parts) > 1:
                    undone = _undo(parts)
                    if undone not in seen:
                        seen.add(undone)
                        level.append((undone, (*layers, parts)))


def _undo(parts: list[str]) -> str:
    characters = parts.copy()
    characters[1::2] = map(_CHARACTERS.__getitem__, parts[1::2])
    return "".join(characters)


def _locate(text: str, layers: Sequence[list[str]]) -> Sequence[int]:
    """The offset in ``text`` of each character of a view, and the end of the last one."""
    starts: Sequence[int] = range(len(text) + 1)
    for parts in layers:
        ends = [0, *accumulate(map(len, parts))]
        undone = list[int]()
        for number, (start, end) in enumerate(pairwise(ends)):
            undone += starts[start:end] if number % 2 == 0 else starts[start : start + 1]
        starts = [*undone, starts[-1]]
    return starts


class _Characters(dict[str, str]):
    """Caches the character of each escape."""

    def __missing__(self, escape: str) -> str:
        if len(self) > _MAX_UNDONE:
            self.clear()
        self[escape] = _read_escape(escape)
        return self[escape]


_CHARACTERS: Final = _Characters()


_HEXADECIMAL: Final = len(r"\x41")


def _read_escape(escape: str) -> str:
    if escape[0] == "&":
        import html  # noqa: PLC0415 - two thousand names of characters, needed where a secret is known

        character = html.unescape(escape)
    elif escape[0] == "%":
        character = bytes.fromhex(escape.replace("%", "")).decode(errors="replace")
    elif escape[1] == "x" and len(escape) > _HEXADECIMAL:
        character = bytes.fromhex(escape.replace(r"\x", "")).decode(errors="replace")
    elif escape[1] in "0123":
        character = bytes(int(each, 8) for each in escape.split("\\")[1:]).decode(errors="replace")
    elif escape[1] in "xU":
        character = chr(int.from_bytes(bytes.fromhex(escape[2:])))
    else:
        character = "'" if escape == r"\'" else json.loads(f'"{escape}"')
    return character if len(character) == 1 else "\ufffd"


def _length_of_common_end(spelling: str, text: str) -> int:
    """The length of the longest suffix of ``text`` that is a prefix of ``spelling``."""
    start = text.find(spelling[0], max(len(text) - len(spelling) + 1, 0))
    while start >= 0 and not spelling.startswith(text[start:]):
        start = text.find(spelling[0], start + 1)
    return len(text) - start if start >= 0 else 0
