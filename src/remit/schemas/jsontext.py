"""JSON writers and readers, built once per use.

There is no second, faster encoder, because encoders format floats differently. The strict reader keeps every key and
number, and reports any loss or change as an error.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from json import encoder
from json.encoder import encode_basestring, encode_basestring_ascii
from json.scanner import make_scanner
from typing import Any, Final, NoReturn, TypeVar, cast

import msgspec

JsonWriter = Callable[[object], str]

T = TypeVar("T")

_C_MAKE_ENCODER: Final = cast("Callable[..., Callable[[object, int], Any]] | None", encoder.c_make_encoder)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def make_writer(*, ascii_only: bool = False, sort_keys: bool = False, finite: bool = False) -> JsonWriter:
    """Make a writer of compact JSON; with ``finite``, NaN and infinities raise ValueError.

    `json.JSONEncoder.encode` builds its C encoder again for every call; this builds it once. The text is the same.
    """
    plain = json.JSONEncoder(
        ensure_ascii=ascii_only, allow_nan=not finite, sort_keys=sort_keys, separators=(",", ":"), check_circular=False
    )
    if _C_MAKE_ENCODER is None:  # an interpreter without the C encoder
        return plain.encode
    quote = encode_basestring_ascii if ascii_only else encode_basestring
    skip_keys, allow_nan = False, not finite
    parts = _C_MAKE_ENCODER(None, _raise_not_serializable, quote, None, ":", ",", sort_keys, skip_keys, allow_nan)
    join = "".join

    def write(value: object) -> str:
        return join(parts(value, 0))

    return write


_DECODER: Any = json.JSONDecoder()
_SCAN_ONCE: Final = cast("Callable[[str, int], tuple[Any, int]]", make_scanner(_DECODER))


def read_json(text: str) -> Any:
    """Read a JSON text like `json.loads`, but skip its search for white space if possible.

    Raises:
        ValueError: the text is not JSON.
    """
    try:
        value, end = _SCAN_ONCE(text, 0)
    except StopIteration:
        return json.loads(text)
    return value if end == len(text) else json.loads(text)


def _raise_not_serializable(value: object) -> NoReturn:
    raise TypeError(f"{type(value).__name__} is not JSON serializable")


compact_json = make_writer()
"""For wire texts and replies: characters are not escaped."""

ascii_json = make_writer(ascii_only=True)
"""For journal bodies: non-ASCII characters are escaped, so that every database stores the same bytes."""

canonical_text = make_writer(sort_keys=True, finite=True)
"""For hashes: keys are sorted and floats must be finite."""


LARGEST_EXACT: Final = 2**53
"""The limit beyond which a float represents several whole numbers."""
LARGEST_INTEGER: Final = 2**63 - 1
"""The largest integer of 64-bit ids. Databases and other readers refuse or round larger numbers."""


def is_written_as(value: float, number: str | int | Decimal) -> bool:
    """Whether a float's text equals the given number, perhaps with fewer digits or an exponent."""
    try:
        return Decimal(repr(float(value))) == Decimal(number)
    # the exponent has very many digits, or the number is too large for a float
    except (InvalidOperation, OverflowError):
        return False


class StrictError(ValueError):
    """A defect that other JSON parsers accept: a duplicate key, or a number that is invalid or would change."""


def read_strictly(text: str) -> Any:
    """Read a JSON text strictly.

    Raises:
        StrictError: a part of the text would be lost or changed. ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        value, end = _SCAN_STRICTLY(text, 0)
    except StopIteration:
        return _STRICT_DECODER.decode(text)
    return value if end == len(text) else _STRICT_DECODER.decode(text)


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

    Refuses numbers that a float would change: those with too many digits before the point, too large, or too close to
    0.
    """
    value = float(text)
    if (not value or abs(value) >= LARGEST_EXACT) and not is_written_as(value, text):
        raise StrictError(
            f"the number {text[:40]} would be changed, because a float cannot represent it; "
            "write a whole number with digits only, and any other number as text where text is accepted"
        )
    return value


_STRICT_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_reject_duplicate_keys, parse_constant=reject_constant, parse_float=_read_float
)
_SCAN_STRICTLY: Final = cast(
    "Callable[[str, int], tuple[object, int]]", make_scanner(cast("make_scanner", _STRICT_DECODER))
)


def decode_strictly(content: bytes, kind: type[T]) -> T:
    """Read JSON as a value of a type, and refuse what `read_strictly` refuses.

    Raises:
        msgspec.DecodeError: it is not JSON, or no such value. ValueError: it is not UTF-8, or a part of it would be
            lost or changed. RecursionError: it is nested too deeply.
    """
    value = msgspec.json.decode(content, type=kind)
    read_strictly(content.decode())
    return value
