"""Suggestions ("Did you mean …?") for unknown names."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Final

MAX_LISTED: Final = 8
"""The maximum number of listed names; the rest is counted."""
_MAX_NAME: Final = 200
"""The maximum length for comparisons; only the beginning of a longer name is compared."""
_MAX_COMPARED: Final = 50
"""The maximum number of full comparisons, whose time is quadratic in the length."""


def suggest(name: str, candidates: Iterable[str], fallback: str = "", *, list_command: str = "") -> str:
    """Suggest a fix for an unknown name: the closest candidate, or else ``fallback``, or else the first candidates.

    ``list_command`` is a command that lists all names, like ``remit tools shop``.
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
    """Find the candidates most similar to a name, best first, in time linear in their number."""
    from difflib import get_close_matches  # noqa: PLC0415 - needed for a mistake only

    text = name[:_MAX_NAME]
    pairs = [text[at : at + 2] for at in range(max(len(text) - 1, 1))]

    def likeness(other: str) -> float:
        return sum(map(other.__contains__, pairs)) / (len(text) + len(other))

    likely = heapq.nlargest(_MAX_COMPARED, (each for each in candidates if len(each) <= _MAX_NAME), key=likeness)
    return get_close_matches(text, likely, n=count, cutoff=cutoff)
