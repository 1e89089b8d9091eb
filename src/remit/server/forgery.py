"""Whether a request with a cookie comes from a page of this server, and not from another site's."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive

from remit.server.cookies import CSRF_FIELD, CSRF_HEADER, Cookies, is_csrf_token

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
FORM_TYPE: Final = "application/x-www-form-urlencoded"

_SIMPLE_TYPES: Final = frozenset({FORM_TYPE, "multipart/form-data", "text/plain"})
"""The media types that a form of another site can send."""

_MAX_FORM_BYTES: Final = 64 * 1024
_MAX_FIELDS: Final = 100


class FormTooLargeError(Exception):
    """A body has more than ``limit`` bytes, such as a form that is larger than any form of this server."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class Checked(Struct, frozen=True):
    """The result of a check: ``reason`` is why a request is refused, empty if it is not; ``receive`` reads its body."""

    reason: str
    receive: Receive


async def check_forgery(request: Request, receive: Receive, cookies: Cookies) -> Checked:
    """Check an unsafe request. One with an ``Authorization`` header is no browser's own doing and needs no token.

    Nothing reads a cookie of such a request: see `Cookies.read`.

    Raises:
        FormTooLargeError: it is a form that is too large. ClientDisconnect: its sender left before its end.
    """
    if request.method in SAFE_METHODS or "authorization" in request.headers:
        return Checked("", receive)
    if reason := _why_foreign(request):
        return Checked(reason, receive)
    secret, kind = cookies.read(request), media_type(request)
    if not secret and kind not in _SIMPLE_TYPES:
        return Checked("", receive)  # the sender is not signed in, and no form can send it
    token = request.headers.get(CSRF_HEADER, "")
    if not token and kind == FORM_TYPE:
        body = await read_body(receive, _MAX_FORM_BYTES)
        token, receive = parse_form(body).get(CSRF_FIELD, ""), replay_body(body, receive)
    if is_csrf_token(token, secret):
        return Checked("", receive)
    return Checked("the page is too old, or the request does not come from it; load the page again", receive)


def media_type(request: Request) -> str:
    """The media type of a request's body, without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def parse_form(body: bytes) -> dict[str, str]:
    """The fields of a form; the first of each name. A form that cannot be read has none."""
    fields = dict[str, str]()
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        return {}
    for name, value in pairs:
        fields.setdefault(name, value)
    return fields


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form of this server, read within the limit of forms, whatever checked the request before.

    Raises:
        FormTooLargeError: it is larger. ClientDisconnect: the sender left before its end.
    """
    return parse_form(await read_body(request.receive, _MAX_FORM_BYTES))


async def read_body(receive: Receive, limit: int) -> bytes:
    """The body of a request.

    Raises:
        FormTooLargeError: it has more than ``limit`` bytes. ClientDisconnect: the sender left before its end.
    """
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect  # a part of a form could mean something else than the whole
        body += message.get("body", b"")
        if len(body) > limit:
            raise FormTooLargeError(limit)
        if not message.get("more_body", False):
            return bytes(body)


def replay_body(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives a body which was read once more."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _why_foreign(request: Request) -> str:
    """Why a request comes from another site, as its browser says; empty if it does not say so."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", "")
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    if site not in ("same-origin", "none") or (origin and origin.lower() != own.lower()):
        return (
            "the request comes from a page of another site; if a proxy stands before the server, name it, and let it "
            "send X-Forwarded-Proto"
        )
    return ""
