"""What a body says to whoever watches, as it is written: a line never fails the call that says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from remit.contracts.schema import content_of
from remit.contracts.secret import redacted
from remit.errors import OutputError

_LONGEST: Final = 1000
_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")
"""Where an object was in memory is another at each resume, where the same line is not written again."""


def noted(data: object) -> str:
    """The content of what is said; what JSON cannot hold stands there as its repr."""
    try:
        return content_of(data)
    except OutputError:
        return content_of(_fields(cast("Mapping[Any, Any]", data)) if isinstance(data, Mapping) else shown(data))


def shown(value: object) -> str:
    """The repr of any value, without secrets, in UTF-8, and not too long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a repr is anybody's code
        text = f"<{type(value).__name__}>"
    return _utf8(redacted(_ADDRESS.sub("", text))[:_LONGEST])


def _fields(data: Mapping[Any, Any]) -> dict[str, object]:
    """The same fields, each as JSON can hold it."""
    return {_utf8(name) if isinstance(name, str) else shown(name): _held(value) for name, value in data.items()}


def _utf8(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _held(value: object) -> object:
    try:
        content_of({"": value})
    except OutputError:
        return shown(value)
    return value
