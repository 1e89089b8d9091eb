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
_MAX_PORT_DIGITS: Final = 5


@dataclass(frozen=True, slots=True)
class Cookies:
    """Reads and sets the cookie, whose secret is that of a session or, before the sign-in, of a visitor.

    With ``secure``, the name's prefix makes browsers accept it only over TLS, and only from this very host. Without it,
    the name has the port to which the browser speaks: browsers send the cookies of one server to all ports of its host.
    """

    secure: bool
    plain_name: str = "remit"

    def name(self, connection: HTTPConnection) -> str:
        """The name of the cookie, as the sender of a request knows it."""
        if self.secure:
            return f"__Host-{self.plain_name}"
        port = _sent_port(connection)
        return f"{self.plain_name}-{port}" if port else self.plain_name

    def read(self, connection: HTTPConnection) -> str:
        """The secret in a request's cookie; empty for none.

        A request with an ``Authorization`` header is judged by that alone, and has no cookie.
        """
        if "authorization" in connection.headers:
            return ""
        secret = connection.cookies.get(self.name(connection), "")
        return secret if len(secret) <= _MAX_SECRET_CHARS else ""

    def set(self, connection: HTTPConnection, response: Response, secret: str, max_age: float | None = None) -> None:
        """Give the browser a secret, which scripts cannot read and other sites cannot send with a form."""
        name, age = self.name(connection), None if max_age is None else int(max_age)
        response.set_cookie(name, secret, max_age=age, secure=self.secure, httponly=True, samesite="lax")

    def clear(self, connection: HTTPConnection, response: Response) -> None:
        """Take the secret from the browser."""
        response.delete_cookie(self.name(connection), secure=self.secure, httponly=True, samesite="lax")


def _sent_port(connection: HTTPConnection) -> str:
    """The port in the address that the browser shows, which a proxy may have mapped; empty for that of the scheme."""
    port = connection.headers.get("host", "").rpartition(":")[2]
    return port if port.isascii() and port.isdigit() and len(port) <= _MAX_PORT_DIGITS else ""


def csrf_token(secret: str) -> str:
    """The token that belongs to a cookie's secret. Another site can neither read it nor derive it."""
    if not secret:
        return ""
    return urlsafe_b64encode(hmac.digest(secret.encode("utf-8", "replace"), b"csrf", sha256)).decode().rstrip("=")


def is_csrf_token(token: str, secret: str) -> bool:
    """Whether a token belongs to a cookie's secret, compared in constant time."""
    return bool(secret) and hmac.compare_digest(token.encode("utf-8", "replace"), csrf_token(secret).encode())
