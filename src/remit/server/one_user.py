"""Authenticates the user who started a server on their own machine."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from starlette.requests import Request

from remit.record.principal import Principal
from remit.server.identity import Identity


@dataclass(frozen=True, slots=True)
class OneUser:
    """One person with a token that only the terminal has shown."""

    principal: Principal
    token: str

    async def __call__(self, request: Request, /) -> Identity | None:
        """The person, if the request has the token."""
        given = request.headers.get("authorization", "").encode()
        return Identity(self.principal) if hmac.compare_digest(given, f"Bearer {self.token}".encode()) else None
