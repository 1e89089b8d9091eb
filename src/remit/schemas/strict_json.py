"""Reads JSON in which every key and number is kept: what would be lost or changed is an error."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from json.scanner import make_scanner
from typing import Any, Final, cast

from remit.schemas.jsontext import LARGEST_EXACT, is_written_as


class StrictError(ValueError):
    """A defect that other readers of JSON do not mind: a key twice, a number that is none or would be another one."""


def read_strictly(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        StrictError: a part of the text would be lost or changed. ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        value, end = _SCAN_ONCE(text, 0)
    except StopIteration:
        return _DECODER.decode(text)
    return value if end == len(text) else _DECODER.decode(text)


def reject_constant(name: str) -> float:
    """Refuse NaN and infinities, which Python's reader would accept."""
    raise StrictError(f"{name} is not a JSON number")


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        duplicate = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise StrictError(f"the key {duplicate!r} occurs twice")
    return value


def _read_float(text: str) -> float:
    """Read a number that has a point or an exponent.

    Refuses one that would be another number: of more digits before the point than a float holds, too large, or too
    close to 0.
    """
    value = float(text)
    if (not value or abs(value) >= LARGEST_EXACT) and not is_written_as(value, text):
        raise StrictError(
            f"the number {text[:40]} would be changed, because a float does not hold it; "
            "write a whole number in digits alone, and another number as a text where one is taken"
        )
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_reject_duplicate_keys, parse_constant=reject_constant, parse_float=_read_float
)
_SCAN_ONCE: Final = cast("Callable[[str, int], tuple[object, int]]", make_scanner(cast("make_scanner", _DECODER)))
