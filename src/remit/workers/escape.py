"""Finds where to put ``raw`` tags in a prompt so that literal text is not parsed as a template."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import takewhile
from typing import Final

from msgspec import Struct

from remit.workers.literal_text import find_active_parts, find_unpaired_raw

FindError = Callable[[str], tuple[str, int] | None]
"""Finds the first syntax error of a text: its message and line, or None."""

_INNERMOST: Final = re.compile(r"Unexpected end of template.* to be closed is '(?P<name>\w+)'")
_TAG_NAME: Final = re.compile(r"\{%[-+]?\s*(?P<name>\w+)")
_BREAK: Final = "\n"
_MAX_SHOWN: Final = 80
_MAX_TRIED: Final = 8
"""The most parts that are tried in the search for a syntax error. Each attempt parses the prompt."""

_MAX_SEARCHED: Final = 32 << 10
"""The longest text in which the part is searched for."""


class Escape(Struct, frozen=True):
    """A piece of a text for ``raw`` tags to keep literal: part of a line, or whole lines."""

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


class EscapeFinder:
    """Finds how to keep parts of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._active = find_active_parts(text)
        self._ends = [part[1] for part in self._active.parts]
        self._code_ends = [code[1] for code in self._active.codes]
        self._lines = [0, *(found.end() for found in re.finditer("\n", text)), len(text) + 1]

    def escape_word(self, line: int, word: str) -> Escape:
        """How to keep the part in a line that contains a word, or else the first part in it."""
        there = self._find_on_line(line)
        pattern = re.compile(rf"(?<![\w.]){re.escape(word)}(?!\w)")
        found = [span for span in there if pattern.search(self._text, *span)]
        found.sort(key=lambda span: self._text[span[0] + 1] == "%")
        return self._make_escape((found or there)[0]) if found or there else self._escape_all()

    def escape_error(self, error: tuple[str, int], find_error: FindError) -> Escape:
        """How to keep the part with a syntax error; all of the text if none is found."""
        text, opens = self._text, self._active.opens
        if len(text) > _MAX_SEARCHED:
            return self._escape_all()
        if (opening := self._find_unclosed(error[0])) is not None:
            return self._make_escape(opening)
        if opens and _is_sound(find_error(text[: opens[0]])):
            end = text.find("\n", opens[0])
            return self._make_escape((opens[0], len(text) if end < 0 else end))
        for span in self._find_on_line(error[1])[:_MAX_TRIED]:
            if find_error(text[: span[1]]) == error:
                return self._make_escape(span)
        return self._escape_all()

    def _find_unclosed(self, message: str) -> tuple[int, int] | None:
        """The tag of the unclosed block that an error message names."""
        innermost = _INNERMOST.search(message)
        if innermost is None:
            return None
        name, depth = innermost["name"], 0
        for span in reversed(self._active.parts):
            tag = _TAG_NAME.match(self._text, span[0])
            if tag is not None and tag["name"] == name and depth == 0:
                return span
            depth += 0 if tag is None else (tag["name"] == f"end{name}") - (tag["name"] == name)
        return None

    def _find_on_line(self, line: int) -> list[tuple[int, int]]:
        """The parts in a line."""
        line = min(line, len(self._lines) - 1)
        start, end = self._lines[line - 1], self._lines[line] - 1
        first = bisect_right(self._ends, start)
        return list(takewhile(lambda span: span[0] < end, self._active.parts[first:]))

    def _make_escape(self, span: tuple[int, int]) -> Escape:
        """How to keep a part and the code around it, in which a ``raw`` tag is text."""
        text, (start, end) = self._text, span
        for code in self._active.codes[bisect_right(self._code_ends, start) :]:
            if code[0] >= end:
                break
            start, end = min(start, code[0]), max(end, code[1])
        start = len(text[:start].rstrip("{"))  # a brace before a tag would be parsed as part of the tag
        is_whole = text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
        return Escape(text, start, end, is_whole and "\n" in text[start:end])

    def _escape_all(self) -> Escape:
        text = self._text
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return Escape(text, text.rfind("\n", 0, start) + 1, end, is_lines=True)


def _is_sound(error: tuple[str, int] | None) -> bool:
    """Whether a text is the valid beginning of a template."""
    return error is None or _INNERMOST.search(error[0]) is not None
