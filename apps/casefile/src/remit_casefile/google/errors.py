"""Google's failures as errors with codes of their own, each retryable or not.

What this application refuses has a code of Remit, such as ``PERMISSION_DENIED``; what Google refuses has a code that
begins with ``GOOGLE_``.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, cast

from remit.errors import (
    CallError,
    ConflictError,
    DeadlineError,
    ExternalError,
    InvalidArgumentsError,
    NotFoundError,
    RateLimitedError,
)

_QUOTA_REASONS: Final = frozenset(
    {"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "sharingRateLimitExceeded", "RATE_LIMIT_EXCEEDED"}
)
_MAX_MESSAGE_LENGTH: Final = 300


class GoogleRefusedError(CallError, code="GOOGLE_REFUSED"):
    """Google does not accept the credentials, or they do not permit the request: 401, 403."""


class GoogleNotFoundError(NotFoundError, code="GOOGLE_NOT_FOUND"):
    """Google has no such object, or hides it from these credentials: 404, 410."""


class GoogleConflictError(ConflictError, code="GOOGLE_CONFLICT"):
    """The object at Google is not in the expected state: 409, 412."""


class GoogleInvalidError(InvalidArgumentsError, code="GOOGLE_INVALID"):
    """Google does not accept the arguments: any other 4xx."""


class GoogleUnavailableError(ExternalError, code="GOOGLE_UNAVAILABLE"):
    """Google failed, or the connection was cut: the request may have had its effect. Retryable."""


class GoogleTimeoutError(DeadlineError, code="GOOGLE_TIMEOUT"):
    """Google did not answer in time: the request may have had its effect. Retryable."""


class BusyError(RateLimitedError, code="GOOGLE_BUSY"):
    """Google throttles: 429, or 403 with a rate limit reason."""

    retry_after: float | None = None
    """Seconds after which Google wants to be asked again, where it said so."""


class UnreachableError(ExternalError, code="GOOGLE_UNREACHABLE"):
    """No connection was made, so nothing was sent. Retryable."""


class UnexpectedResponseError(ExternalError, code="GOOGLE_UNEXPECTED"):
    """Google's response does not match its documentation."""

    retryable = False


class UncertainError(ExternalError, code="OUTCOME_UNKNOWN"):
    """The response to a write was lost, and its effect was not found yet."""

    retryable = False


_ERRORS_BY_STATUS: Final[tuple[tuple[Container[int], type[CallError], str], ...]] = (
    ((401,), GoogleRefusedError, ". The credentials are not accepted and could not be renewed: sign in again"),
    ((403,), GoogleRefusedError, ". Give the account access, or the credentials the scope that this needs"),
    ((404, 410), GoogleNotFoundError, ". It does not exist, or these credentials may not see it"),
    ((409, 412), GoogleConflictError, ""),
    ((408, *range(500, 600)), GoogleUnavailableError, "; worth another try"),
    (range(400, 500), GoogleInvalidError, ""),
)


def may_have_happened(error: CallError) -> bool:
    """Whether a write that failed like this may have had its effect."""
    return isinstance(error, (ExternalError, DeadlineError)) and not isinstance(error, UnreachableError)


def error_from_response(
    request_label: str, status: int, headers: Mapping[str, str], body: bytes, now: datetime
) -> CallError:
    """The error for a response of Google. ``request_label`` names the request: ``GET /drive/v3/files``."""
    message, reasons = _parse_error_body(body)
    summary = f"{request_label}: Google answers {status}{f', {message}' if message else ''}"
    if status == 429 or (status == 403 and reasons & _QUOTA_REASONS):
        return _busy_error(summary, headers, now)
    if status == 403 and "fileNotExportable" in reasons:
        return GoogleInvalidError(f"{summary}. Download it instead: only Google's own documents can be exported")
    if status == 403 and "fileNotDownloadable" in reasons:
        return GoogleInvalidError(f"{summary}. Export it instead: a Google document has no bytes of its own")
    for statuses, kind, advice in _ERRORS_BY_STATUS:
        if status in statuses:
            return kind(f"{summary}{advice}")
    return UnexpectedResponseError(f"{summary}, which does not answer the request")


def _busy_error(summary: str, headers: Mapping[str, str], now: datetime) -> BusyError:
    seconds = _retry_after(headers.get("retry-after", ""), now)
    error = BusyError(f"{summary}. Wait {'a while' if seconds is None else f'{seconds:g} s'} and try again")
    error.retry_after = seconds
    return error


def _retry_after(value: str, now: datetime) -> float | None:
    """Seconds from a Retry-After header: a number, or a date."""
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _parse_error_body(body: bytes) -> tuple[str, set[str]]:
    """Message and reasons of Google's error format; empty for any other body."""
    try:
        error = cast("dict[str, Any]", json.loads(body))["error"]
        details = [*error.get("errors", []), *error.get("details", [])]
        reasons = {str(detail.get("reason", "")) for detail in details}
        return " ".join(str(error.get("message", "")).split())[:_MAX_MESSAGE_LENGTH].rstrip("."), reasons
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "", set()
