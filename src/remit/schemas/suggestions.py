"""What was perhaps meant by a name that is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

MAX_LISTED: Final = 8
"""Names that are listed before the rest is only counted."""


def suggest(name: str, candidates: Iterable[str], fallback: str = "", *, list_command: str = "") -> str:
    """How to mend a name: the nearest known one, else what is said ``fallback``, else the first of those there are.

    ``list_command``: where a person reads the others, like ``remit tools shop``.
    """
    names = sorted(candidates)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"did you mean {close[0]}?"
    if fallback:
        return fallback
    more = len(names) - MAX_LISTED
    listed = ", ".join(names[:MAX_LISTED]) or "none"
    return f"there are: {listed}" + (f", … and {more:,} more{list_command and f': {list_command}'}" if more > 0 else "")
