"""What was perhaps meant by a name that is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """How to mend a name: the nearest known one, else what is said ``otherwise``, else all there are."""
    there = sorted(known)
    close = difflib.get_close_matches(name, there, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return otherwise or f"there are: {', '.join(there) or 'none'}"
