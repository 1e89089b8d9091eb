"""Requests to servers that a model or a page names: to public addresses only, with limits on all that may come back.

A name is looked up once, every address is checked, and the connection goes to an address that was checked. So neither a
redirect nor a name that changes its address between two lookups leads to this machine or into its network.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import zlib
from collections.abc import AsyncGenerator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from ipaddress import IPv4Network, ip_network
from typing import Annotated, Any, Final, Self, cast

import httpcore2
from httpcore2 import AsyncConnectionPool, AsyncNetworkBackend, AsyncNetworkStream, ConnectError, Response
from httpx2 import URL, InvalidURL
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt
from ssrfguard import (
    DEFAULT_DENIED,
    AddressTable,
    Block,
    BlockedAddressError,
    BlockedURLError,
    Policy,
    Reach,
    Resolver,
    Target,
    resolve,
)

from remit.core.argument_types import UNCHECKED
from remit.core.call_checks import check_arguments, check_call
from remit.core.checks import check_instances, check_text
from remit.errors import DeniedError, ExternalError, InvalidArgumentsError, LostAnswerError
from remit.http.decoding import decode_body, is_binary

_AZURE: Final = Block(
    IPv4Network("168.63.129.16/32"), "Azure platform", "", Reach.DENIED, "answers every machine there"
)
"""A public address by its number, behind which a machine of Azure finds its secrets."""
PUBLIC_ONLY: Final = Policy(
    denied_networks=AddressTable((*DEFAULT_DENIED.blocks, _AZURE), snapshot=DEFAULT_DENIED.snapshot)
)
"""Public addresses at the usual ports of the web."""

_PORTS: Final = {"http": 80, "https": 443}
_USER_AGENT: Final = "remit/1"
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that change nothing by their definition."""
_UNSENT: Final = (ConnectError, httpcore2.ConnectTimeout, httpcore2.PoolTimeout, httpcore2.LocalProtocolError)
"""Errors before anything of a request has left."""
_KEPT_HEADERS: Final = frozenset({"accept", "accept-language", "user-agent"})
"""Headers that another server gets after a redirect; all others may be meant for the first one alone."""
_RESERVED_HEADERS: Final = frozenset(
    {"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization"}
    | {"te", "trailer", "transfer-encoding", "upgrade"}
)
_TOKEN: Final = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")
_LOOKUPS: Final = 8
"""Lookups of names at once. A lookup cannot be cancelled, so a name server that never answers holds one."""
_CHUNK: Final = 65_536


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """What one request may cost: bytes of the body, seconds with all redirects, and redirects."""

    max_bytes: PositiveInt = 2_000_000
    seconds: PositiveFloat = 20.0
    redirects: NonNegativeInt = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """What a server replied: the URL after redirects, the status, headers by lower-case name, and the body.

    ``is_cut``: whether the server sent more than the limit, so that the end of the body is missing.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool = False

    @property
    def media_type(self) -> str:
        """The media type without parameters, such as ``text/html``."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text, as browsers read it.

        Raises:
            ExternalError: it is no text.
        """
        text = decode_body(self.body, self.headers.get("content-type", ""), is_cut=self.is_cut)
        if is_binary(text):
            raise ExternalError(f"{self.url} answered with a file that is not text")
        return text


@check_arguments()
class GuardedHttp:
    """Sends requests to public addresses.

    Args:
        limits: what one request may cost.
        policy: which addresses, hosts, ports and schemes are allowed.
        resolver: looks up a name as `socket.getaddrinfo` does. What it returns is checked.
        network: opens the connections.
    """

    def __init__(
        self,
        limits: HttpLimits | None = None,
        *,
        policy: Policy = PUBLIC_ONLY,
        resolver: Annotated[Resolver | None, UNCHECKED] = None,
        network: Annotated[AsyncNetworkBackend | None, UNCHECKED] = None,
    ) -> None:
        self._limits = limits or HttpLimits()
        self._policy = policy
        self._backend = _GuardedBackend(
            policy, resolver or socket.getaddrinfo, network or cast("AsyncNetworkBackend", httpcore2.AnyIOBackend())
        )

    @classmethod
    @check_call
    def for_server(cls, url: str, limits: HttpLimits | None = None) -> Self:
        """A client for the server of one URL, which the operator chose, so that it may be on a private network.

        Raises:
            InvalidArgumentsError: it is no address of a server.
        """
        check_text("GuardedHttp.for_server: url", url, InvalidArgumentsError)
        try:
            server = URL(url)
            policy = Policy(
                allowed_hosts=frozenset({server.host}),
                allowed_networks=(ip_network("0.0.0.0/0"), ip_network("::/0")),
                allowed_ports=frozenset({server.port or _PORTS.get(server.scheme, 0)}),
            )
        except (InvalidURL, ValueError) as error:
            shown = url[:200].encode(errors="replace").decode()
            raise InvalidArgumentsError(f"{shown!r} is no address of a server, like https://api.example") from error
        return cls(limits, policy=policy)

    @check_call
    def check(self, url: str, headers: Mapping[str, str] | None = None) -> str:
        """Check what can be checked of a request without a connection. Returns the URL as it is requested.

        Raises:
            InvalidArgumentsError: it is no address of a web page, or a header cannot be sent. DeniedError: it is not a
                public address.
        """
        _check_headers(headers)
        target, parsed = self._parse(url)
        host = f"[{target.host}]" if ":" in target.host else target.host
        port = "" if target.port == _PORTS.get(target.scheme) else f":{target.port}"
        return f"{target.scheme}://{host}{port}{parsed.raw_path.decode('ascii')}"

    @check_call
    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpReply:
        """Get a URL, and follow its redirects.

        Raises:
            InvalidArgumentsError: the URL or a header cannot be sent. DeniedError: the URL, or one that it leads to, is
                not public. ExternalError: the server cannot be reached, or does not answer in time or sense.
        """
        return await self._send("GET", url, _check_headers(headers), None)

    @check_call
    async def post(self, url: str, body: bytes, headers: Mapping[str, str] | None = None) -> HttpReply:
        """Post a body to a URL. A redirect is returned and not followed, because the approval is for this URL.

        Raises:
            InvalidArgumentsError: the URL or a header cannot be sent. DeniedError: the URL is not public.
            ExternalError: the server cannot be reached, or does not answer in time or sense.
        """
        return await self.request("POST", url, body, headers)

    @check_call
    async def request(
        self, method: str, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> HttpReply:
        """Send a request. Only redirects of ``GET`` are followed. ``body``: None for a request without one.

        Raises:
            InvalidArgumentsError: the URL or a header cannot be sent. DeniedError: the URL is not public.
            ExternalError: the server cannot be reached. LostAnswerError: it does not answer in time or sense, and may
                have done what a method other than ``GET`` asks for.
        """
        return await self._send(method, url, _check_headers(headers), body)

    async def _send(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> HttpReply:
        try:
            async with asyncio.timeout(self._limits.seconds):
                reply = await self._send_once(method, url, headers, body)
                for _ in range(self._limits.redirects):
                    location = reply.headers.get("location", "")
                    if method != "GET" or reply.status not in _REDIRECTS or not location:
                        return reply
                    reply, headers = await self._follow(reply.url, location, headers)
        except TimeoutError as error:
            failed = ExternalError if method in _READING else LostAnswerError
            raise failed(f"{url} did not answer within {self._limits.seconds:g} s") from error
        if method == "GET" and reply.status in _REDIRECTS:
            raise ExternalError(f"{url} leads to more than {self._limits.redirects} other addresses in turn")
        return reply

    async def _follow(self, url: str, location: str, headers: dict[str, str]) -> tuple[HttpReply, dict[str, str]]:
        """The reply to a redirect, and the headers that were sent."""
        try:
            following = str(URL(url).join(location))
            if not _have_same_origin(url, following):
                headers = {name: value for name, value in headers.items() if name in _KEPT_HEADERS}
            return await self._send_once("GET", following, headers, None), headers
        except (InvalidURL, InvalidArgumentsError, UnicodeError) as error:
            raise ExternalError(f"{url} leads to an address that cannot be requested") from error

    async def _send_once(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> HttpReply:
        target, parsed = self._parse(url)
        sent = {"user-agent": _USER_AGENT, "accept": "*/*", **headers, "accept-encoding": "gzip"}
        address = httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=parsed.raw_path)
        seconds = self._limits.seconds
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
        request: dict[str, Any] = {"headers": list(sent.items()), "extensions": {"timeout": timeouts}}
        if body is not None:
            request["content"] = body
        try:
            async with self._open(method, address, request) as response:
                received = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
                content, is_cut = await _read_body(response, received, self._limits.max_bytes)
        except BlockedAddressError as error:
            raise DeniedError(f"{url} does not lead to a public address, so it is not requested") from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as error:
            is_unsent = method in _READING or isinstance(error, _UNSENT)
            failed = ExternalError if is_unsent else LostAnswerError
            raise failed(f"cannot get an answer of {target.host}: {_describe(error)}") from error
        return HttpReply(url=str(parsed), status=response.status, headers=received, body=content, is_cut=is_cut)

    @asynccontextmanager
    async def _open(self, method: str, address: httpcore2.URL, request: dict[str, Any]) -> AsyncGenerator[Response]:
        # Each request has a connection of its own: one that is kept open outlives the check of its address.
        async with (
            AsyncConnectionPool(_tls(), network_backend=self._backend, max_keepalive_connections=0) as pool,
            pool.stream(method, address, **request) as response,
        ):
            yield response

    def _parse(self, url: str) -> tuple[Target, URL]:
        check_text("url", url, InvalidArgumentsError)
        try:
            return self._policy.check_url(url), URL(url).copy_with(fragment=None)
        except BlockedAddressError as error:
            raise DeniedError(f"{url} is not a public address, so it is not requested") from error
        except (BlockedURLError, InvalidURL, UnicodeError) as error:
            reason = getattr(error, "reason", str(error))
            shown = url[:200].encode(errors="replace").decode()
            raise InvalidArgumentsError(
                f"{shown} cannot be requested: {reason}; give the whole address of a public page"
            ) from error


class _GuardedBackend(AsyncNetworkBackend):
    """Looks a name up once, checks all its addresses and connects to one of them."""

    def __init__(self, policy: Policy, resolver: Resolver, network: AsyncNetworkBackend) -> None:
        # The scheme was checked with the URL. A connection has none, and the policy reads addresses as URLs.
        self._policy = replace(policy, allowed_schemes=frozenset({"http"}))
        self._resolver, self._network = resolver, network
        self._threads = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="lookup")

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - of the port
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> AsyncNetworkStream:
        """Connect to a host by a checked address."""
        failure: Exception = ConnectError("it has no address")
        for address in (await self._find_addresses(host, port))[: self._policy.max_connection_attempts]:
            try:
                return await self._network.connect_tcp(
                    address, port, timeout, local_address=local_address, socket_options=socket_options
                )
            except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
                failure = error
        raise failure

    async def _find_addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host, all of them checked."""
        written = f"[{host}]" if ":" in host else host
        target = self._policy.check_url(f"http://{written}:{port}/")
        look_up = partial(resolve, target, policy=self._policy, resolver=self._resolver)
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._threads, look_up)
        except (socket.gaierror, UnicodeError) as error:
            raise ConnectError("there is no server of that name") from error
        return [str(each.ip) for each in found]

    async def connect_unix_socket(self, *_: Any, **__: Any) -> AsyncNetworkStream:
        """Refuse: a socket of this machine is no public address."""
        raise ConnectError("sockets of this machine are not requested")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


@cache
def _tls() -> ssl.SSLContext:
    """The certificates that are trusted, which take a while to read."""
    return httpcore2.default_ssl_context()


async def _read_body(response: Response, headers: Mapping[str, str], limit: int) -> tuple[bytes, bool]:
    """The decoded body up to ``limit`` bytes, and whether there is more. Never holds much more than that."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise httpcore2.ProtocolError(f"it sends the encoding {encoding[:40]!r}, which was not asked for")
    decoder = None if encoding in ("identity", "") else zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    body = bytearray()
    async for received in response.aiter_stream():
        chunk = received
        while chunk:
            try:
                body += decoder.decompress(chunk, _CHUNK) if decoder else chunk
            except zlib.error as error:
                raise httpcore2.ProtocolError("its compressed body is broken") from error
            chunk = decoder.unconsumed_tail if decoder else b""
            if len(body) > limit:
                return bytes(body[:limit]), True
    return bytes(body), False


def _check_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    checked: dict[str, str] = {}
    check_instances("a request", headers=(headers, Mapping | None))
    for name, value in (headers or {}).items():
        lowered = name.lower()
        if not lowered or not _TOKEN.issuperset(lowered):
            raise InvalidArgumentsError(f"{name!r} is not the name of a header; use letters, digits and '-'")
        if lowered in _RESERVED_HEADERS:
            raise InvalidArgumentsError(f"the header {name} is set by the client; leave it out")
        if not value.isascii() or not value.isprintable() or value != value.strip():
            raise InvalidArgumentsError(f"the value of the header {name} holds characters that cannot be sent")
        if lowered in checked:
            raise InvalidArgumentsError(f"the header {name} is given twice; give it once")
        checked[lowered] = value
    return checked


def _have_same_origin(one: str, other: str) -> bool:
    first, second = URL(one), URL(other)
    return (first.scheme, first.host, first.port) == (second.scheme, second.host, second.port)


def _describe(error: Exception) -> str:
    return str(error) or type(error).__name__
