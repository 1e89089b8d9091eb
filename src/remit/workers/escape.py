"""Finds how to keep as text what was meant as text in a prompt: between which places ``raw`` tags keep it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from remit.workers.literal_text import ActiveParts, find_active_parts, find_unpaired_raw

FindError = Callable[[str], tuple[str, int] | None]
"""The message and the line of the first syntax error of a text; None if it has none."""

_INNERMOST: Final = re.compile(r"Unexpected end of template.* to be closed is '(?P<name>\w+)'")
_TAG_NAME: Final = re.compile(r"\{%[-+]?\s*(?P<name>\w+)")
_BREAK: Final = "\n"
_MAX_SHOWN: Final = 80
_MAX_TRIED: Final = 8
"""The most parts that are tried to find the one with a syntax error. Each attempt parses the prompt."""

_MAX_SEARCHED: Final = 32 << 10
"""The longest text in which that part is searched."""


class Escape(Struct, frozen=True):
    """A piece of a text that ``raw`` tags keep as it is: within lines, or whole lines."""

    text: str
    start: int
    end: int
    is_lines: bool

    def describe(self, line: int) -> str:
        """The way to write it, for a message about a line."""
        shown = self.text[self.start : self.end]
        first, last = self._find_line(self.start), self._find_line(self.end)
        if (tag := find_unpaired_raw(shown)) is not None:
            other = "{% endraw %} after" if tag["raw"] == "raw" else "{% raw %} before"
            return f"leave out {tag[0]} in line {self._find_line(self.start + tag.start())}, which has no {other} it"
        if self.is_lines:
            below = "it" if first == last else f"line {last}"
            return f"write {{% raw %}} on a line above line {first} and {{% endraw %}} on a line below {below}"
        where = "" if first == last == line else f" in line {first}"
        begin, end = shown, "it"
        if first != last or len(shown) > _MAX_SHOWN:
            begin = f"{shown.partition(_BREAK)[0][: _MAX_SHOWN // 2]} …"
            end = f"… {shown.rpartition(_BREAK)[2][-_MAX_SHOWN // 2 :]} in line {last}"
        if number := self.text.count(begin.removesuffix(" …"), self.text.rfind(_BREAK, 0, self.start) + 1, self.start):
            where = f" number {number + 1} in line {first}"
        return f"write {{% raw %}} before {begin}{where} and {{% endraw %}} after {end}"

    def _find_line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1


def escape_word(text: str, line: int, word: str) -> Escape:
    """How to keep the part in a line that contains a word, or else the first part in it."""
    parts = find_active_parts(text)
    there = list(_find_on_line(text, parts, line))
    pattern = re.compile(rf"(?<![\w.]){re.escape(word)}(?!\w)")
    found = sorted((span for span in there if pattern.search(text, *span)), key=lambda span: text[span[0] + 1] == "%")
    found = found or there
    return _make_escape(text, parts, found[0]) if found else _escape_all(text)


def escape_error(text: str, error: tuple[str, int], find_error: FindError) -> Escape:
    """How to keep the part with a syntax error; all of the text if none is found."""
    parts = find_active_parts(text)
    if len(text) > _MAX_SEARCHED:
        return _escape_all(text)
    if (opening := _find_unclosed(text, parts, error[0])) is not None:
        return _make_escape(text, parts, opening)
    if parts.opens and _is_sound(find_error(text[: parts.opens[0]])):
        end = text.find("\n", parts.opens[0])
        return _make_escape(text, parts, (parts.opens[0], len(text) if end < 0 else end))
    for span in list(_find_on_line(text, parts, error[1]))[:_MAX_TRIED]:
        if find_error(text[: span[1]]) == error:
            return _make_escape(text, parts, span)
    return _escape_all(text)


def _find_unclosed(text: str, parts: ActiveParts, message: str) -> tuple[int, int] | None:
    """The tag of the block that a message says nothing closes."""
    innermost = _INNERMOST.search(message)
    if innermost is None:
        return None
    name, depth = innermost["name"], 0
    for span in reversed(parts.parts):
        tag = _TAG_NAME.match(text, span[0])
        if tag is not None and tag["name"] == name and depth == 0:
            return span
        depth += 0 if tag is None else (tag["name"] == f"end{name}") - (tag["name"] == name)
    return None


def _find_on_line(text: str, parts: ActiveParts, line: int) -> Iterator[tuple[int, int]]:
    """The parts of a text in a line."""
    end = _find_line_end(text, line)
    start = text.rfind("\n", 0, end) + 1
    return (span for span in parts.parts if span[0] < end and span[1] > start)


def _find_line_end(text: str, line: int) -> int:
    position = -1
    for _ in range(line):
        position = text.find("\n", position + 1)
        if position < 0:
            return len(text)
    return position


def _is_sound(error: tuple[str, int] | None) -> bool:
    """Whether a text is valid as far as it goes."""
    return error is None or _INNERMOST.search(error[0]) is not None


def _make_escape(text: str, parts: ActiveParts, span: tuple[int, int]) -> Escape:
    """How to keep a part with the code around it, where a ``raw`` tag is text."""
    start, end = span
    for code in parts.codes:
        if code[0] < end and start < code[1]:
            start, end = min(start, code[0]), max(end, code[1])
    start = len(text[:start].rstrip("{"))  # a brace before a tag would be read with it
    is_lines = "\n" in text[start:end] and text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
    return Escape(text, start, end, is_lines)


def _escape_all(text: str) -> Escape:
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return Escape(text, text.rfind("\n", 0, start) + 1, end, is_lines=True)
