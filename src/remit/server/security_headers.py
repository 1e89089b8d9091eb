"""The headers with which browsers protect a page, and the policy of its content with a nonce for each response."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection

_NONCE: Final = "remit_nonce"

_FIXED: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # A stricter one would make browsers send "Origin: null" with the forms of our own pages.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-store",
}
_HSTS: Final = "max-age=31536000"


def new_nonce() -> str:
    """A nonce for one response."""
    return secrets.token_urlsafe(16)


def remember_nonce(state: dict[str, object], nonce: str) -> None:
    """Keep the nonce of a response in the state of its request."""
    state[_NONCE] = nonce


def nonce_of(request: HTTPConnection) -> str:
    """The nonce that scripts and styles of the response must have; empty without a `Guard`."""
    return str(getattr(request.state, _NONCE, ""))


def content_policy(nonce: str, frames: Iterable[str] = ()) -> str:
    """The policy: only content of this server, and scripts and styles only from files or with the nonce.

    ``frames`` are the further origins that a page may show in a frame, such as the preview of a site.
    """
    framed = " ".join(["'self'", *frames])
    return (
        "default-src 'none'; "
        f"script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; "
        "connect-src 'self'; font-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
        f"manifest-src 'self'; worker-src 'self'; frame-src {framed}; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    )


def add_security_headers(headers: MutableHeaders, nonce: str, frames: Iterable[str], *, is_tls: bool) -> None:
    """Add the headers that a response does not have. A route may set its own, such as for a file that may be cached."""
    for name, value in _FIXED.items():
        headers.setdefault(name, value)
    headers.setdefault("content-security-policy", content_policy(nonce, frames))
    if is_tls:
        headers.setdefault("strict-transport-security", _HSTS)
