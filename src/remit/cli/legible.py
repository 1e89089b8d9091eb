"""Text as a terminal may show it: nothing that was written elsewhere moves the cursor or hides what it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

_LAYOUT: Final = frozenset("\n\t")
_WRITING: Final = frozenset("\u00a0\u200c\u200d\u202f")
"""What ordinary writing needs though it does not print: spaces that hold words together, joiners of emoji."""


def legible(text: str) -> str:
    """``text`` for reading: every control and direction mark is spelled out as an escape."""
    return _spelled(text, _LAYOUT | _WRITING)


def exact(text: str) -> str:
    """``text`` for deciding on: whatever does not print as itself is spelled out. What was JSON stays the same JSON."""
    return _spelled(text, frozenset("\n"))


def json_text(value: object, *, indent: int | None = None) -> str:
    """A value as JSON, legible in every language, with nothing hidden in it."""
    return exact(json.dumps(value, ensure_ascii=False, indent=indent, default=str))


def one_line(text: str, *, most: int = 100) -> str:
    """``text`` on one line of at most ``most`` characters."""
    line = legible(" ".join(text[: most * 8].split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def brief(arguments: str, *, most: int = 100) -> str:
    """A call's arguments in short: ``title="About", sections=[…]``."""
    try:
        values: object = json.loads(arguments)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        return one_line(arguments, most=most)
    known = cast("Mapping[str, Any]", values)
    return one_line(", ".join(f"{name}={_short(value)}" for name, value in known.items()), most=most)


def lasting(seconds: float) -> str:
    """A duration for people: ``0.4 ms``, ``12 ms``, ``3.4 s``, ``5 min``, ``3 h``, ``2 days``."""
    if seconds < 1:
        milliseconds = max(seconds, 0) * 1000
        return f"{milliseconds:.{0 if milliseconds >= 10 else 1}f} ms"
    for unit, size, most in (("s", 1.0, 120), ("min", 60.0, 120), ("h", 3600.0, 48)):
        if seconds < size * most:
            return f"{seconds:.1f} s" if unit == "s" else f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


def _short(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), most=48)


def _spelled(text: str, kept: frozenset[str]) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else json.dumps(c)[1:-1] for c in text)
