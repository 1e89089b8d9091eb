"""The cookie of a browser, and the token that shows that a request comes from a page of this server."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

CSRF_HEADER: Final = "x-csrf-token"
"""The header with the token, for requests of scripts."""

CSRF_FIELD: Final = "csrf"
"""The field of a form with the token."""

_MAX_SECRET_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Cookies:
    """Reads and sets the cookie, whose secret is that of a session or, before the sign-in, of a visitor.

    With ``secure``, the name's prefix makes browsers accept it only over TLS, and only from this very host.
    """

    secure: bool
    plain_name: str = "remit"

    @property
    def name(self) -> str:
        """The name of the cookie."""
        return f"__Host-{self.plain_name}" if self.secure else self.plain_name

    def read(self, connection: HTTPConnection) -> str:
        """The secret in a request's cookie; empty for none."""
        secret = connection.cookies.get(self.name, "")
        return secret if len(secret) <= _MAX_SECRET_CHARS else ""

    def set(self, response: Response, secret: str, max_age: float | None = None) -> None:
        """Give the browser a secret, which scripts cannot read and other sites cannot send with a form."""
        age = None if max_age is None else int(max_age)
        response.set_cookie(self.name, secret, max_age=age, secure=self.secure, httponly=True, samesite="lax")

    def clear(self, response: Response) -> None:
        """Take the secret from the browser."""
        response.delete_cookie(self.name, secure=self.secure, httponly=True, samesite="lax")


def csrf_token(secret: str) -> str:
    """The token that belongs to a cookie's secret. Another site can neither read it nor derive it."""
    if not secret:
        return ""
    return urlsafe_b64encode(hmac.digest(secret.encode("utf-8", "replace"), b"csrf", sha256)).decode().rstrip("=")


def is_csrf_token(token: str, secret: str) -> bool:
    """Whether a token belongs to a cookie's secret, compared in constant time."""
    return bool(secret) and hmac.compare_digest(token.encode("utf-8", "replace"), csrf_token(secret).encode())
