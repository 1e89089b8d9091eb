"""Finds where the tags and ``{{ … }}`` of a text end, in time that grows with its length."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

_ESCAPED_OR_QUOTE: Final = re.compile(r"\\.|[\"']", re.DOTALL)
OUTPUT_MARK: Final = re.compile(r"[\"'{}]")
"""What may end ``{{ … }}``, or begin or end a part of it."""
TAG_MARK: Final = re.compile(r"[\"']|\{%|%\}")
"""What may end a tag, or begin a part of it or another tag."""
_MAX_DEPTH: Final = 2
"""How deep braces nest in ``{{ … }}``, as in an object in an object."""


class PartEnds:
    """The ends of the parts of one text.

    What follows a position does not depend on where the part began. Each position without an end is noted, so that a
    search from another beginning stops there.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._quotes: dict[str, list[int]] = {'"': [], "'": []}
        for found in _ESCAPED_OR_QUOTE.finditer(text):
            if found[0] in self._quotes:
                self._quotes[found[0]].append(found.start())
        self._endless_outputs: set[tuple[int, int]] = set()
        self._endless_tags: set[int] = set()

    def find_output_end(self, start: int) -> int | None:
        """The end of the ``{{ … }}`` that begins at ``start``, or None if it is not closed."""
        position: int | None = start + 2
        depth = 0
        while position is not None and (position, depth) not in self._endless_outputs:
            self._endless_outputs.add((position, depth))
            found = OUTPUT_MARK.search(self._text, position)
            if found is None or (found[0] == "{" and depth == _MAX_DEPTH):
                return None
            position = found.end()
            if found[0] == "{":
                depth += 1
            elif found[0] == "}" and depth:
                depth -= 1
            elif found[0] == "}":
                return position + 1 if self._text.startswith("}", position) else None
            else:
                position = self._find_string_end(found[0], found.start())
        return None

    def find_tag_end(self, start: int) -> int | None:
        """The end of the tag that begins at ``start``, or None if it is not closed."""
        position: int | None = start + 2
        while position is not None and position not in self._endless_tags:
            self._endless_tags.add(position)
            found = TAG_MARK.search(self._text, position)
            if found is None or found[0] == "{%":
                return None
            if found[0] == "%}":
                return found.end()
            position = self._find_string_end(found[0], found.start())
        return None

    def _find_string_end(self, quote: str, start: int) -> int | None:
        """The end of a string: its next quote that no backslash escapes."""
        quotes = self._quotes[quote]
        following = bisect_right(quotes, start)
        return quotes[following] + 1 if following < len(quotes) else None
