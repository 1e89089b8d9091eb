"""Lays out the text of HTML in lines, with the signs that people see before and within them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from remit.markup.elements import Effect

_SPACES: Final = re.compile(r"\s+")
_LINE_END: Final = re.compile(r"\r\n?|\n")
_STRUCK: Final = "~~"
_CELL: Final = "| "
_MAX_MARKER: Final = 60
_MAX_LEVELS: Final = 8
"""The depth to which lists and quotes are indented."""
_MADE: Final = {
    "^(": str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ"),
    "_(": str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"),
}
"""The characters for superscripts and subscripts."""


class Line(NamedTuple):
    """A line of text."""

    text: str
    gap: int
    """The number of empty lines before it."""
    place: Effect | None
    """Whether it is in the main part of a page, outside it, or in neither."""


class LineWriter:
    """Writes lines.

    Args:
        active: the number of open elements per effect, which the owner of the writer updates.
    """

    def __init__(self, active: Mapping[Effect, int]) -> None:
        self.lines: list[Line] = []
        self.marker = ""
        """The prefix of the next line: the number of an item, or the level of a heading."""
        self.has_text = False
        """Whether there is text in the line that is being written."""
        self._active = active
        self._parts: list[str] = []
        self._is_struck = self._has_mark = False
        self._gap = self._number = 0
        self._marked: set[int] = set()
        self._begun: set[int] = set()

    def add(self, text: str) -> None:
        """Add text. Each run of spaces and line breaks becomes one space."""
        text = _SPACES.sub(" ", text)
        if text.startswith(" ") and (not self._parts or self._parts[-1].endswith(" ")):
            text = text[1:]
        if text:
            self._add(text)

    def add_verbatim(self, text: str) -> None:
        """Add text, keeping its spaces and line breaks."""
        first, *others = _LINE_END.split(text)
        self._add(first)
        for line in others:
            self.break_line(0 if self.has_text else self._gap + 1)
            self._add(line)

    def add_marker(self, marker: str) -> None:
        """Write a sign before the next line, after any earlier signs."""
        self.marker = self.marker[-_MAX_MARKER:] + marker

    def begin_cell(self, *, is_first: bool) -> None:
        """Separate a table cell from the previous one."""
        if self._parts or not is_first:
            self._parts.append(f" {_CELL}" if self._parts and not self._parts[-1].endswith(" ") else _CELL)

    def begin_mark(self, opening: str) -> tuple[int, int]:
        """Add the sign before a specially displayed text, such as a superscript. Returns the sign's position."""
        self._end_struck(is_struck=self._active["struck"] > 0)
        self._parts.append(opening)
        self._has_mark = True
        self._begun.add(len(self._parts) - 1)
        return self._number, len(self._parts) - 1

    def end_mark(self, place: tuple[int, int], closing: str) -> None:
        """Add the sign after such a text, or replace the text by special characters if they exist."""
        number, begin = place
        if number in self._marked:
            self._end_line_with(closing)
        elif number != self._number:
            return  # the line that began with the sign was never written
        elif begin == len(self._parts) - 1:
            self._parts.pop()
            self._begun.discard(begin)
        else:
            self._begun.discard(begin)
            made, inside = _MADE.get(self._parts[begin], {}), self._parts[begin + 1]
            is_only_text = begin == len(self._parts) - 2 and begin + 1 not in self._begun
            if is_only_text and all(ord(letter) in made for letter in inside):
                self._parts[begin:] = [inside.translate(made)]
            else:
                self._parts.append(closing)

    def break_line(self, gap: int = 0) -> None:
        """End the line, and ensure at least that many empty lines before the next one."""
        if self._is_struck:
            self._end_struck(is_struck=False)
        if self.has_text:
            text = f"{self._prefix()}{''.join(self._parts)}".rstrip()
            self.lines.append(Line(text, self._gap, self._place()))
            self.marker, self._gap = "", 0
            if self._has_mark:
                self._marked.add(self._number)
        self._parts.clear()
        self._begun.clear()
        self.has_text = self._has_mark = False
        self._number += 1
        self._gap = max(self._gap, gap)

    def _add(self, text: str) -> None:
        is_space, is_struck = not text or text.isspace(), self._active["struck"] > 0
        if self._is_struck != is_struck and not (is_space and is_struck):
            self._end_struck(is_struck=is_struck)
        self.has_text = self.has_text or not is_space
        self._parts.append(text)

    def _end_line_with(self, sign: str) -> None:
        """Add a sign to the last line with text."""
        if self.has_text:
            self._parts.append(sign)
        else:
            self.lines[-1] = self.lines[-1]._replace(text=self.lines[-1].text + sign)

    def _end_struck(self, *, is_struck: bool) -> None:
        """Write the sign between struck-through text and other text."""
        if self._is_struck != is_struck:
            self._parts.append(_STRUCK)
            self._is_struck = is_struck

    def _prefix(self) -> str:
        """The prefix of a line's text."""
        levels = min(self._active["listed"], _MAX_LEVELS) - bool(self.marker and self._active["listed"])
        return "> " * min(self._active["quoted"], _MAX_LEVELS) + "  " * levels + self.marker

    def _place(self) -> Effect | None:
        if self._active["outside"]:
            return "outside"
        return "main" if self._active["main"] else None
