"""Writes JSON text: one encoder for each use, built once. There is no second, faster one: encoders differ on floats."""

from __future__ import annotations

import json
from collections.abc import Callable
from json import encoder
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, Final, NoReturn, cast

JsonWriter = Callable[[object], str]

_C_MAKE_ENCODER: Final = cast("Callable[..., Callable[[object, int], Any]] | None", encoder.c_make_encoder)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def make_writer(*, ascii_only: bool = False, sort_keys: bool = False, finite: bool = False) -> JsonWriter:
    """A writer of compact JSON; ``finite`` refuses NaN and infinities with a ValueError.

    `json.JSONEncoder.encode` builds its C encoder anew for every call; this builds it once, for the same text.
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


def _raise_not_serializable(value: object) -> NoReturn:
    raise TypeError(f"JSON cannot hold a {type(value).__name__}")


compact_json = make_writer()
"""Characters as they are: for wire texts and replies."""

ascii_json = make_writer(ascii_only=True)
"""Everything beyond ASCII escaped: for journal bodies, which any database stores alike."""

canonical_text = make_writer(sort_keys=True, finite=True)
"""Keys sorted, floats finite: for what is hashed."""
