"""Authentication: the principal of a request, by its session or its API token."""

from __future__ import annotations

from starlette.requests import Request

from remit.server.cookies import Cookies, csrf_token
from remit.server.identity import Identity, is_open_stream
from remit.server.people.sign_in import SignIn

_MAX_TOKEN_CHARS = 200


class Authentication:
    """Authenticates requests. A request with an ``Authorization`` header is judged by that alone.

    Args:
        sign_in: finds the principals of secrets.
        cookies: the cookies of sessions.
    """

    def __init__(self, sign_in: SignIn, cookies: Cookies) -> None:
        self._sign_in, self._cookies = sign_in, cookies

    async def __call__(self, request: Request, /) -> Identity | None:
        """The identity of a request, with today's permissions; None if the sender is not signed in."""
        given, is_use = request.headers.getlist("authorization"), not is_open_stream(request)
        if given:
            token = _bearer(given)
            principal = await self._sign_in.find_token(token, is_use=is_use) if token else None
            return None if principal is None else Identity(principal)
        secret = self._cookies.read(request)
        principal = await self._sign_in.find_session(secret, is_use=is_use) if secret else None
        return None if principal is None else Identity(principal, csrf_token(secret), account=True)


def _bearer(headers: list[str]) -> str:
    """The token of the only ``Authorization`` header; empty if it is anything else."""
    scheme, _, token = headers[0].partition(" ")
    is_one = len(headers) == 1 and scheme.lower() == "bearer" and len(token) <= _MAX_TOKEN_CHARS
    return token.strip() if is_one else ""
