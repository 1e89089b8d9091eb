"""Suggestions ("Did you mean …?") for unknown names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MAX_LISTED: Final = 8
"""How many names are listed; the rest is counted."""


def suggest(name: str, candidates: Iterable[str], fallback: str = "", *, list_command: str = "") -> str:
    """Suggest a fix for an unknown name: the closest candidate, else ``fallback``, else the first candidates.

    ``list_command``: a command that lists all of them, like ``remit tools shop``.
    """
    import difflib  # noqa: PLC0415 - needed for a mistake only

    names = sorted(candidates)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"did you mean {close[0]}?"
    if fallback:
        return fallback
    more = len(names) - MAX_LISTED
    listed = ", ".join(names[:MAX_LISTED]) or "none"
    return f"available: {listed}" + (f", … and {more:,} more{list_command and f': {list_command}'}" if more > 0 else "")
