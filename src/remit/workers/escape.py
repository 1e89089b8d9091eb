"""Finds where to put ``raw`` tags in a prompt so that literal text is not parsed as a template."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cached_property
from typing import Final

from msgspec import Struct

from remit.workers.literal_text import find_active_parts, find_unpaired_raw

FindError = Callable[[str], tuple[str, int] | None]
"""Finds the first syntax error of a text: its message and line, or None."""

_INNERMOST: Final = re.compile(r"Unexpected end of template.* to be closed is '(?P<name>\w+)'")
_TAG_NAME: Final = re.compile(r"\{%[-+]?\s*(?P<name>\w+)")
_WORD: Final = re.compile(r""""(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'|(?<![\w.])(?P<word>\w+)""", re.DOTALL)
_BREAK: Final = "\n"
_MAX_SHOWN: Final = 80
_MAX_TRIED: Final = 8
"""The most parts that are tried in the search for a syntax error. Each attempt parses the prompt."""

_MAX_DESCRIBED: Final = 8
"""The most hints for the parts of one line. Each hint counts what is the same before it in the line."""

_MAX_SEARCHED: Final = 32 << 10
"""The longest text in which the part is searched for."""


class Escape(Struct, frozen=True):
    """A piece of a text for ``raw`` tags to keep literal: part of a line, or whole lines."""

    start: int
    end: int
    is_lines: bool


class EscapeFinder:
    """Finds how to keep parts of one text. The text is scanned once; each hint looks up its part."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._active = find_active_parts(text)
        self._starts = [part[0] for part in self._active.parts]
        self._ends = [part[1] for part in self._active.parts]
        self._code_ends = [code[1] for code in self._active.codes]
        self._lines = [0, *(found.end() for found in re.finditer("\n", text)), len(text) + 1]
        self._escapes: dict[tuple[int, int], Escape] = {}
        self._described: dict[tuple[Escape, bool], str] = {}
        self._counts: Counter[int] = Counter()

    def escape_word(self, line: int, word: str) -> str:
        """How to keep the part in a line that contains a word, or else the first part in it.

        Empty after `_MAX_DESCRIBED` other parts of the line.
        """
        first, last = self._find_on_line(line)
        found = min(self._find_all(word, first, last), default=(False, first))[1]
        escape = self._make_escape(self._active.parts[found]) if first < last else self._all
        begins = self._find_line(escape.start)
        key = (escape, begins == line)
        if key not in self._described:
            if self._counts[begins] >= _MAX_DESCRIBED:
                return ""
            self._counts[begins] += 1
            self._described[key] = self._describe(escape, line)
        return self._described[key]

    def _find_all(self, word: str, first: int, last: int) -> list[tuple[bool, int]]:
        """The first ``{{ … }}`` and the first tag among some parts that contain a word, with whether each is a tag."""
        found: list[tuple[bool, int]] = []
        for is_tag in (False, True):
            parts = self._words.get((word, is_tag), [])
            following = bisect_left(parts, first)
            found += [(is_tag, each) for each in parts[following : following + 1] if each < last]
        return found

    @cached_property
    def _words(self) -> dict[tuple[str, bool], list[int]]:
        """The parts that contain each word or string, tags and ``{{ … }}`` apart."""
        words: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)
        for number, (start, end) in enumerate(self._active.parts):
            is_tag = self._text[start + 1] == "%"
            for word in {each["word"] or each[0][1:-1] for each in _WORD.finditer(self._text, start, end)}:
                words[word, is_tag].append(number)
        return words

    def escape_error(self, error: tuple[str, int], find_error: FindError) -> str:
        """How to keep the part with a syntax error; all of the text if none is found."""
        return self._describe(self._find_with_error(error, find_error), error[1])

    def _find_with_error(self, error: tuple[str, int], find_error: FindError) -> Escape:
        text, opens = self._text, self._active.opens
        if len(text) > _MAX_SEARCHED:
            return self._all
        if (opening := self._find_unclosed(error[0])) is not None:
            return self._make_escape(opening)
        if opens and _is_sound(find_error(text[: opens[0]])):
            end = text.find("\n", opens[0])
            return self._make_escape((opens[0], len(text) if end < 0 else end))
        first, last = self._find_on_line(error[1])
        for span in self._active.parts[first : min(last, first + _MAX_TRIED)]:
            if find_error(text[: span[1]]) == error:
                return self._make_escape(span)
        return self._all

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

    def _find_on_line(self, line: int) -> tuple[int, int]:
        """The numbers of the first part in a line and of the first part after it."""
        line = min(line, len(self._lines) - 1)
        start, end = self._lines[line - 1], self._lines[line] - 1
        return bisect_right(self._ends, start), bisect_left(self._starts, end)

    def _find_line(self, position: int) -> int:
        return bisect_right(self._lines, position)

    def _make_escape(self, span: tuple[int, int]) -> Escape:
        """How to keep a part and the code around it, in which a ``raw`` tag is text."""
        if span in self._escapes:
            return self._escapes[span]
        text, (start, end) = self._text, span
        number = bisect_right(self._code_ends, start)
        while number < len(self._code_ends) and (code := self._active.codes[number])[0] < end:
            start, end = min(start, code[0]), max(end, code[1])
            number += 1
        while text.startswith("{", start - 1) and start:
            start -= 1  # a brace before a tag would be parsed as part of the tag
        is_whole = text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
        is_lines = is_whole and self._find_line(start) < self._find_line(end)
        return self._escapes.setdefault(span, Escape(start, end, is_lines))

    @cached_property
    def _all(self) -> Escape:
        text = self._text
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return Escape(text.rfind("\n", 0, start) + 1, end, is_lines=True)

    def _describe(self, escape: Escape, line: int) -> str:
        """The way to write an escape, for a message about a line."""
        start, shown = escape.start, self._text[escape.start : escape.end]
        first, last = self._find_line(start), self._find_line(escape.end)
        if (tag := find_unpaired_raw(shown)) is not None:
            other = "{% endraw %} after" if tag["raw"] == "raw" else "{% raw %} before"
            return f"leave out {tag[0]} in line {self._find_line(start + tag.start())}, which has no {other} it"
        if escape.is_lines:
            below = "it" if first == last else f"line {last}"
            return f"write {{% raw %}} on a line above line {first} and {{% endraw %}} on a line below {below}"
        where = "" if first == last == line else f" in line {first}"
        begin, end = shown, "it"
        if first != last or len(shown) > _MAX_SHOWN:
            begin = f"{shown.partition(_BREAK)[0][: _MAX_SHOWN // 2]} …"
            end = f"… {shown.rpartition(_BREAK)[2][-_MAX_SHOWN // 2 :]} in line {last}"
        if number := self._text.count(begin.removesuffix(" …"), self._lines[first - 1], start):
            where = f" number {number + 1} in line {first}"
        return f"write {{% raw %}} before {begin}{where} and {{% endraw %}} after {end}"


def _is_sound(error: tuple[str, int] | None) -> bool:
    """Whether a text is the valid beginning of a template."""
    return error is None or _INNERMOST.search(error[0]) is not None
