"""The guard: what every request passes before any route, and what every response gets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from pydantic import NonNegativeInt, PositiveInt
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.server.binding import Proxies
from remit.server.cookies import Cookies
from remit.server.documents.document import Problem
from remit.server.forgery import FormTooLargeError, check_forgery
from remit.server.pages.plain import paragraph, plain_page
from remit.server.rates import RequestRates
from remit.server.responses import write_document
from remit.server.security_headers import add_security_headers, new_nonce, remember_nonce

_LOG: Final = logging.getLogger("remit.server")
_LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_PROBES: Final = frozenset({"/health", "/ready"})
"""The paths that load balancers ask for by address. They say nothing that a page of another site may not know."""

_MEGABYTE: Final = 1024 * 1024
_PREFLIGHT_SECONDS: Final = "600"
_ALLOWED_HEADERS: Final = (
    "authorization, content-type, idempotency-key, last-event-id, "
    "mcp-method, mcp-name, mcp-protocol-version, mcp-session-id"
)


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class GuardSettings:
    """Which requests a server accepts.

    Args:
        hosts: the names under which browsers reach it, without the port; by default those of this machine. Another
            name is refused, because a page of another site could be sent to this machine under a name of its own.
        tls: browsers reach it over TLS, here or at the proxy: cookies are sent over TLS alone.
        proxies: the addresses or networks of the proxies whose forwarded headers count.
        origins: the origins whose scripts may call it with an API token, like ``https://app.example``. Cookies are
            never accepted from them.
        frames: the origins that its pages may show in a frame.
        body_bytes: the largest body of any request. A route may accept less.
        requests_per_minute: of one address, in this process; 0 for no limit.

    Raises:
        SetupError: a value is not valid.
    """

    hosts: frozenset[str] = _LOCAL_HOSTS
    tls: bool = False
    proxies: tuple[str, ...] = ()
    origins: frozenset[str] = frozenset()
    frames: tuple[str, ...] = ()
    body_bytes: PositiveInt = 64 * _MEGABYTE
    requests_per_minute: NonNegativeInt = 6000

    def __post_init__(self) -> None:
        Proxies(self.proxies)
        for origin in (*self.origins, *self.frames):
            scheme, _, host = origin.partition("://")
            if scheme not in ("http", "https") or not host or not set(" /;,*'\"").isdisjoint(host):
                raise SetupError(f"GuardSettings: {origin!r} is not an origin; write it like https://app.example")

    @property
    def cookies(self) -> Cookies:
        """The cookies of the server."""
        return Cookies(self.tls)


class Guard:
    """The middleware around a server. It is outermost, so that its headers are on every response.

    Args:
        app: the server.
        settings: what it accepts.
        clock: seconds that only increase, for the limit on requests.
    """

    def __init__(
        self, app: ASGIApp, settings: GuardSettings | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._app = app
        self._settings = settings or GuardSettings()
        self._proxies = Proxies(self._settings.proxies)
        self._hosts = frozenset(each.lower() for each in self._settings.hosts)
        self._rates = RequestRates(self._settings.requests_per_minute, clock=clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = self._proxies.read_forwarded(scope)
        nonce = new_nonce()
        remember_nonce(scope.setdefault("state", {}), nonce)
        exchange = _Exchange(scope, receive, send, self._settings, nonce)
        try:
            await self._answer(exchange)
        except ClientDisconnect:
            return  # and no one reads a response
        except FormTooLargeError as error:
            await exchange.refuse(413, "TOO_LARGE", f"the request may have at most {error.limit:,} bytes")
        except Exception:  # noqa: BLE001 - whatever it is, the sender learns nothing of it
            _LOG.exception("a request failed")
            await exchange.refuse(500, "INTERNAL_ERROR", "the server met an error; its log says which")

    async def _answer(self, exchange: _Exchange) -> None:
        request, settings = Request(exchange.scope), self._settings
        is_named = _host_name(request.headers.get("host", "")) in self._hosts
        if not is_named and _own_path(exchange.scope) not in _PROBES:
            problem = "this server is not known by this name; add the name to its hosts: remit serve --host-name NAME"
            return await exchange.refuse(421, "UNKNOWN_HOST", problem)
        wait = self._rates.take(request.client.host if request.client else "")
        if wait:
            return await exchange.refuse(429, "REQUEST_LIMITED", "too many requests; wait and try again", _retry(wait))
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > settings.body_bytes:
            raise FormTooLargeError(settings.body_bytes)
        if request.method == "OPTIONS" and "access-control-request-method" in request.headers:
            return await exchange.answer_preflight()
        checked = await check_forgery(request, exchange.receive_limited, settings.cookies)
        if checked.reason:
            return await exchange.refuse(403, "FORGED", checked.reason)
        return await self._app(exchange.scope, checked.receive, exchange.send_with_headers)


@dataclass(slots=True)
class _Exchange:
    """One request and its response."""

    scope: Scope
    receive: Receive
    send: Send
    settings: GuardSettings
    nonce: str
    received: int = 0
    has_started: bool = False
    allowed: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        origin = Headers(scope=self.scope).get("origin", "")
        is_listed = origin in self.settings.origins
        self.allowed = {"access-control-allow-origin": origin, "vary": "Origin"} if is_listed else {}

    async def receive_limited(self) -> Message:
        """Receive a part of the body.

        Raises:
            FormTooLargeError: the body is larger than any may be.
        """
        message = await self.receive()
        self.received += len(message.get("body", b""))
        if self.received > self.settings.body_bytes:
            raise FormTooLargeError(self.settings.body_bytes)
        return message

    async def send_with_headers(self, message: Message) -> None:
        """Send a part of the response, with the headers of every response."""
        if message["type"] == "http.response.start":
            self.has_started = True
            headers = MutableHeaders(scope=message)
            add_security_headers(headers, self.nonce, self.settings.frames, is_tls=self.settings.tls)
            if self.allowed:
                headers.update(self.allowed)
                headers["access-control-expose-headers"] = "Retry-After, Mcp-Session-Id"
                headers["cross-origin-resource-policy"] = "cross-origin"
        await self.send(message)

    async def answer_preflight(self) -> None:
        """Say which requests scripts of a listed origin may send; nothing to any other."""
        if not self.allowed:
            return await self.refuse(403, "FOREIGN_ORIGIN", "scripts of this origin may not call the server")
        headers = {
            "access-control-allow-methods": "GET, POST, PATCH, DELETE",
            "access-control-allow-headers": _ALLOWED_HEADERS,
            "access-control-max-age": _PREFLIGHT_SECONDS,
        }
        return await self._respond(Response(status_code=204, headers=headers))

    async def refuse(self, status: int, code: str, problem: str, headers: Mapping[str, str] | None = None) -> None:
        """Refuse the request, as a page to a browser that asks for one, else as JSON."""
        if self.has_started:
            return  # the response breaks off, which the reader notices
        request = Request(self.scope)
        if "text/html" in request.headers.get("accept", ""):
            response: Response = plain_page(request, "This did not work", paragraph(problem, "wrong"), status)
        else:
            response = write_document(Problem(error=problem, code=code), status)
        response.headers.update(headers or {})
        await self._respond(response)

    async def _respond(self, response: Response) -> None:
        await response(self.scope, self.receive, self.send_with_headers)


def _own_path(scope: Scope) -> str:
    """The path of a request, without the prefix where the server is mounted."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


def _host_name(host: str) -> str:
    """The name in a Host header, without the port."""
    name = host.lower().rstrip(".")
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0]


def _retry(seconds: float) -> Mapping[str, str]:
    return {"retry-after": str(int(seconds) + 1)}
