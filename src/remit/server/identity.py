"""Who sends a request: the port through which an application authenticates it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request

from remit.core.call_checks import check_arguments
from remit.errors import RemitError
from remit.record.principal import Principal


class SignInError(RemitError, code="SIGN_IN"):
    """The request names nobody who may use the server: no session or token, or one that is no longer valid."""


@check_arguments()
@dataclass(frozen=True, slots=True)
class Identity:
    """The principal of a request. ``csrf`` is what its unsafe requests must carry if a cookie identifies it.

    ``account``: a person who has signed in, and whose password, sessions and tokens this server keeps.
    """

    principal: Principal
    csrf: str = ""
    account: bool = False


class Authenticate(Protocol):
    """Finds the principal of a request, such as by a session cookie or a token."""

    async def __call__(self, request: Request, /) -> Identity | None:
        """The identity of a request, with today's permissions; None without a sign-in."""
        ...


def remember_open_stream(request: Request) -> None:
    """Remember that a request is being answered by a stream: that it is authenticated again is no use of a session."""
    request.state.is_open_stream = True


def is_open_stream(request: Request) -> bool:
    """Whether a request is being answered by a stream, which asks again and again who its reader is."""
    return getattr(request.state, "is_open_stream", False)
