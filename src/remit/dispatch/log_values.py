"""Encodes the data of log lines. It accepts any value, so that logging never fails a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from remit.call.schema import serialize_content
from remit.errors import InvalidOutputError
from remit.record.secret import redact_secrets

_MAX_REPR_CHARS: Final = 1000
_MEMORY_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")
"""Addresses are removed because they differ on each resume, and equal lines must not be written again."""


def encode_log_data(data: object) -> str:
    """Encode data as JSON. Values that JSON cannot hold are replaced by their repr."""
    try:
        return serialize_content(data)
    except InvalidOutputError:
        return serialize_content(
            _encode_fields(cast("Mapping[Any, Any]", data)) if isinstance(data, Mapping) else safe_repr(data)
        )


def safe_repr(value: object) -> str:
    """The repr of any value: without secrets, valid as UTF-8, and limited in length."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a repr may raise anything
        text = f"<{type(value).__name__}>"
    return _escape_surrogates(redact_secrets(_MEMORY_ADDRESS.sub("", text))[:_MAX_REPR_CHARS])


def _encode_fields(data: Mapping[Any, Any]) -> dict[str, object]:
    """Encode each field separately."""
    return {
        _escape_surrogates(name) if isinstance(name, str) else safe_repr(name): _encode_field(value)
        for name, value in data.items()
    }


def _escape_surrogates(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _encode_field(value: object) -> object:
    try:
        serialize_content({"": value})
    except InvalidOutputError:
        return safe_repr(value)
    return value
