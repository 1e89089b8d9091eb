"""Suggestions ("Did you mean …?") for unknown names."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Final

MAX_LISTED: Final = 8
"""How many names are listed; the rest is counted."""
_MAX_NAME: Final = 200
"""The longest name that is compared with others; of a longer one, its beginning is."""
_MAX_COMPARED: Final = 50
"""How many names are compared as a whole: comparing takes the square of their length."""


def suggest(name: str, candidates: Iterable[str], fallback: str = "", *, list_command: str = "") -> str:
    """Suggest a fix for an unknown name: the closest candidate, or else ``fallback``, or else the first candidates.

    ``list_command``: a command that lists all of them, like ``remit tools shop``.
    """
    names = sorted(candidates)
    if close := find_similar(name, names, count=1):
        return f"did you mean {close[0]}?"
    if fallback:
        return fallback
    more = len(names) - MAX_LISTED
    listed = ", ".join(names[:MAX_LISTED]) or "none"
    return f"available: {listed}" + (f", … and {more:,} more{list_command and f': {list_command}'}" if more > 0 else "")


def find_similar(name: str, candidates: Iterable[str], *, count: int, cutoff: float = 0.6) -> list[str]:
    """The candidates most similar to a name, best first, in a time that is linear in their number."""
    from difflib import get_close_matches  # noqa: PLC0415 - needed for a mistake only

    text = name[:_MAX_NAME]
    pairs = [text[at : at + 2] for at in range(max(len(text) - 1, 1))]

    def likeness(other: str) -> float:
        return sum(map(other.__contains__, pairs)) / (len(text) + len(other))

    likely = heapq.nlargest(_MAX_COMPARED, (each for each in candidates if len(each) <= _MAX_NAME), key=likeness)
    return get_close_matches(text, likely, n=count, cutoff=cutoff)
