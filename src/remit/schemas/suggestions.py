"""What was perhaps meant by a name that is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

MOST: Final = 8
"""Names that are listed before the rest is only counted."""


def near(name: str, known: Iterable[str], otherwise: str = "", *, rest: str = "") -> str:
    """How to mend a name: the nearest known one, else what is said ``otherwise``, else the first of those there are.

    ``rest``: where a person reads the others, like ``remit tools shop``.
    """
    there = sorted(known)
    close = difflib.get_close_matches(name, there, n=1)
    if close:
        return f"did you mean {close[0]}?"
    if otherwise:
        return otherwise
    more = len(there) - MOST
    listed = ", ".join(there[:MOST]) or "none"
    return f"there are: {listed}" + (f", … and {more:,} more{rest and f': {rest}'}" if more > 0 else "")
