"""What a body says to whoever watches, as it is written: a line never fails the call that says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from remit.contracts.schema import serialize_content
from remit.contracts.secret import redact_secrets
from remit.errors import InvalidOutputError

_MAX_REPR_CHARS: Final = 1000
_MEMORY_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")
"""Where an object was in memory is another at each resume, where the same line is not written again."""


def encode_log_data(data: object) -> str:
    """The content of what is said; what JSON cannot hold stands there as its repr."""
    try:
        return serialize_content(data)
    except InvalidOutputError:
        return serialize_content(
            _encode_fields(cast("Mapping[Any, Any]", data)) if isinstance(data, Mapping) else safe_repr(data)
        )


def safe_repr(value: object) -> str:
    """The repr of any value, without secrets, in UTF-8, and not too long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a repr is anybody's code
        text = f"<{type(value).__name__}>"
    return _escape_surrogates(redact_secrets(_MEMORY_ADDRESS.sub("", text))[:_MAX_REPR_CHARS])


def _encode_fields(data: Mapping[Any, Any]) -> dict[str, object]:
    """The same fields, each as JSON can hold it."""
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
