"""Formats any value for an error message, so that the message is one line and formatting it cannot fail."""

from __future__ import annotations

import json
import re
from typing import Final

_MAX_CHARS: Final = 200
_MAX_ID_CHARS: Final = 80
HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
"""A lone surrogate, which UTF-8 cannot encode."""
_ADDRESS: Final = re.compile(r"(?<=[\w>]) at 0x[0-9a-fA-F]{6,}(?=>)")


def show_text(value: object) -> str:
    """Convert a value to text: an exception without a text to its type, None to "no reason was given".

    The addresses of objects in memory are left out, because they differ from one process to the next.
    """
    if isinstance(value, str):
        return _ADDRESS.sub("", value)
    try:
        return "no reason was given" if value is None else _ADDRESS.sub("", str(value)) or type(value).__name__
    except Exception:  # noqa: BLE001 - code of the value's own, or an integer of too many digits
        return type(value).__name__


def show_value(value: object) -> str:
    """Show any value by its ``repr``, in one line and cut; by its type if its ``repr`` fails."""
    if isinstance(value, str) and len(value) > _MAX_CHARS:
        return f"{str(value[:_MAX_CHARS])!r}…"
    try:
        shown = _ADDRESS.sub("", repr(value))
    except Exception:  # noqa: BLE001 - code of the value's own, or an integer of too many digits
        return f"an object of {type(value).__name__}"
    if len(shown.splitlines()) > 1:
        shown = " ".join(shown.split())
    return shown if len(shown) <= _MAX_CHARS + 2 else f"{shown[:_MAX_CHARS]}…"


def show_id(text: str) -> str:
    """Show the id of an object that may not exist: itself, or its ``repr`` if it is of several lines; cut."""
    shown = text if text.isprintable() else repr(text)
    return shown if len(shown) <= _MAX_ID_CHARS else f"{shown[:_MAX_ID_CHARS]}…"


def show_details(details: object) -> object:
    """The details of an error as JSON: values that JSON cannot hold are shown as text, or all are left out."""
    try:
        return json.loads(json.dumps(details, default=show_text, skipkeys=True), parse_constant=str)
    except Exception as error:  # noqa: BLE001 - such as a cycle, or what its own code raises
        return {"left_out": f"they cannot be written as JSON: {error!r:.200}"}
