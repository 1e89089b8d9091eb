"""The status and headers of a failed response from a model's endpoint, independent of the HTTP library."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Mapping
from typing import cast
from urllib.parse import urlsplit

from msgspec import Struct


class FailedResponse(Struct, frozen=True):
    """The status and headers of a failed response."""

    status: int
    headers: Mapping[str, str]


def describe_redirect(headers: Mapping[str, str]) -> str:
    """Describe a redirect's target, without values, and how to follow it."""
    with contextlib.suppress(ValueError):
        address = urlsplit(headers.get("location", ""))
        if address.hostname:
            port = "" if address.port is None else f":{address.port}"
            where = f"{address.scheme}://{address.hostname}{port}{address.path}"
            return f"a redirect to {where}, which is not followed: if that is the endpoint, give its base_url"
    return "a redirect, which is not followed: give the base_url of the endpoint itself"


def find_response(error: BaseException) -> FailedResponse | None:
    """Find the response in an HTTP library's error: its ``response`` or the error itself; None if there is none."""
    # Read by name: httpx, requests and vendors' clients set the first, aiohttp the second, and urllib the third.
    fields = vars(error)
    response: object = fields.get("response")
    known = (
        (getattr(response, "status_code", None), getattr(response, "headers", None)),
        (fields.get("status"), fields.get("headers")),
        (fields.get("code"), fields.get("hdrs")),
    )
    for status, headers in known:
        if isinstance(status, int) and 300 <= status < 600:
            pairs = cast("Mapping[str, str]", headers or {}).items()
            return FailedResponse(status, {str(key).lower(): str(value) for key, value in pairs})
    return None


def retry_after(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """The seconds to wait according to ``Retry-After``; None if the header is missing."""
    text = headers.get("retry-after", "")
    with contextlib.suppress(ValueError):
        return max(float(text), 0.0) if math.isfinite(float(text)) else None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - ten modules, for few errors

    with contextlib.suppress(ValueError):
        return max(parsedate_to_datetime(text).timestamp() - now(), 0.0)
    return None
