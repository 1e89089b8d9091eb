"""Errors that an endpoint reports in the body of a successful response, or in the middle of a stream."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

from remit.schemas.raw_json import load_json

_STATUSES_BY_WORD: Final = {
    "rate_limit": 429,
    "overloaded": 429,
    "server_error": 500,
    "internal": 500,
    "timeout": 500,
    "unavailable": 500,
}
_REFUSED: Final = 400
_BROKEN_OFF: Final = 503
"""The status of an error in the middle of an answer that does not say what it is: it may pass."""


class ReportedError(NamedTuple):
    """An error with the HTTP status that it should have had."""

    status: int
    message: str
    code: str


def find_streamed_error(answer: bytes) -> ReportedError | None:
    """The error in an answer that was streamed; None if there is none."""
    return _find_error(answer, unknown=_BROKEN_OFF)


def find_reported_error(answer: bytes) -> ReportedError | None:
    """The error in a response body: its own or that of its first choice; None if there is none."""
    return _find_error(answer, unknown=_REFUSED)


def _find_error(answer: bytes, *, unknown: int) -> ReportedError | None:
    """The error, with the status ``unknown`` if it does not say what it is."""
    if b'"error"' not in answer:
        return None
    try:
        body: Any = load_json(answer.decode())
        error: Any = body.get("error")
        if not error:
            error = body["choices"][0].get("error")
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # not a completion either
    if not error:
        return None
    fields: dict[str, Any] = cast("dict[str, Any]", error) if isinstance(error, dict) else {"message": error}
    code = fields.get("code") or fields.get("status")
    message = str(fields.get("message") or code or fields.get("type") or "no reason")
    if isinstance(code, (int, str)) and str(code).isdecimal() and 400 <= int(code) < 600:
        return ReportedError(int(code), message, "")
    words = f"{code} {fields.get('type')}"
    otherwise = _REFUSED if code or fields.get("type") else unknown
    status = next((each for word, each in _STATUSES_BY_WORD.items() if word in words), otherwise)
    return ReportedError(status, message, words)
