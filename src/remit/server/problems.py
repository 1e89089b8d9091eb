"""Refusals: which status an error has, and what is told of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, cast

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from remit.errors import (
    AlreadyExistsError,
    CallError,
    ConflictError,
    DeniedError,
    IdempotencyError,
    JournalError,
    LeaseError,
    NoModelError,
    NotFoundError,
    RateLimitedError,
    RemitError,
    RequestConflictError,
    RequestDeniedError,
    RequestError,
    RequestNotFoundError,
    SetupError,
)
from remit.server.documents.document import Problem
from remit.server.identity import SignInError
from remit.server.pages.plain import link, paragraph, plain_page
from remit.server.rates import RequestLimitedError
from remit.server.responses import write_document
from remit.server.serving import TooLargeError

_LOG: Final = logging.getLogger("remit.server")

_STATUS: Final[Mapping[type[RemitError], int]] = {
    SignInError: 401,
    TooLargeError: 413,
    RequestNotFoundError: 404,
    RequestDeniedError: 403,
    RequestConflictError: 409,
    RequestLimitedError: 429,
    RequestError: 400,
    IdempotencyError: 409,
    NotFoundError: 404,
    ConflictError: 409,
    AlreadyExistsError: 409,
    DeniedError: 403,
    RateLimitedError: 429,
    CallError: 400,
    LeaseError: 409,
    JournalError: 503,
    NoModelError: 503,
    SetupError: 500,
}
"""The status of each class of errors. A class without one has that of its nearest base."""

_HIDDEN: Final = 500
"""The least status at which the message stays in the log: it may name files, addresses and settings. That a model is
missing is told, because the person may choose another one."""

_WORDS: Final = {404: ("there is nothing here", "NO_ROUTE"), 405: ("this address takes another method", "METHOD")}


def status_of(error: RemitError) -> int:
    """The status with which an error is answered."""
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)


async def answer_error(_request: Request, error: Exception) -> Response:
    """The answer to a request that Remit refuses."""
    error = cast("RemitError", error)
    status = status_of(error)
    if status < _HIDDEN or isinstance(error, NoModelError):
        return write_document(Problem(error=error.message, code=error.code), status)
    _LOG.error("a request failed", exc_info=error)
    return write_document(Problem(error="the server cannot do this now; its log says why", code=error.code), status)


async def answer_http(request: Request, error: Exception) -> Response:
    """The answer to a request without a route: a page to a browser that asks for one, else JSON."""
    error = cast("HTTPException", error)
    words, code = _WORDS.get(error.status_code, (error.detail, "HTTP"))
    if "text/html" in request.headers.get("accept", ""):
        body = paragraph("The address is wrong, or what it named is gone.") + link(request, "/", "Go to the start")
        response: Response = plain_page(request, f"{words[:1].upper()}{words[1:]}", body, error.status_code)
    else:
        response = write_document(Problem(error=words, code=code), error.status_code)
    response.headers.update(error.headers or {})
    return response


async def answer_crash(_request: Request, _error: Exception) -> Response:
    """The answer to a request that met a defect. Starlette raises the error again, for the log."""
    return write_document(Problem(error="the server met an error; its log says which", code="INTERNAL_ERROR"), 500)


async def answer_disconnect(_request: Request, _error: Exception) -> Response:
    """The unread answer to a sender that left while it sent the body."""
    return write_document(Problem(error="the request was not sent whole", code="BAD_REQUEST"), 400)


HANDLERS: Final[Mapping[type[Exception], Callable[[Request, Exception], Awaitable[Response]]]] = {
    RemitError: answer_error,
    HTTPException: answer_http,
    ClientDisconnect: answer_disconnect,
    Exception: answer_crash,
}
