"""A pretended internet: names with addresses that may change, and one server on this machine behind all public ones."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Self

import httpcore2
from httpcore2 import AsyncNetworkBackend, AsyncNetworkStream

from remit.http import GuardedHttp, HttpLimits

PUBLIC = "93.184.215.14"
"""The address of every name that is not given another one."""
_INWARD_ANYWAY = {"168.63.129.16"}
"""Global by the registries, and yet the platform of the machine, at Azure."""
_TLS = b"\x16"


@dataclass(frozen=True, slots=True)
class Page:
    """What the server replies for one path."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    wait: float = 0.0


@dataclass(slots=True)
class Internet(AsyncNetworkBackend):
    """Looks names up and connects. ``connects`` holds where connections went, ``requests`` the heads received.

    ``names`` maps a name to the addresses of one lookup after another; the last ones stay.
    """

    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    names: dict[str, list[list[str]]] = field(default_factory=dict[str, list[list[str]]])
    connects: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])
    bodies: list[bytes] = field(default_factory=list[bytes])
    _port: int = 0
    _server: Any = None
    _serving: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for each in self._serving:
            each.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await self._server.wait_closed()

    def http(self, limits: HttpLimits | None = None) -> GuardedHttp:
        """A client in this internet."""
        return GuardedHttp(limits, resolver=self.look_up, network=self)

    def look_up(self, host: str, port: int, *_: Any) -> list[tuple[int, int, int, str, tuple[Any, ...]]]:
        """The addresses of a name, as `socket.getaddrinfo` gives them."""
        with contextlib.suppress(ValueError):
            return _answers([str(ip_address(host))], port)
        lookups = self.names.get(host)
        if lookups is None:
            if host.endswith(".missing"):
                raise socket.gaierror(socket.EAI_NONAME, "unknown")
            return _answers([PUBLIC], port)
        return _answers(lookups.pop(0) if len(lookups) > 1 else lookups[0], port)

    @property
    def inward(self) -> list[str]:
        """Connections to anything but a public address. A name counts: it would be looked up again."""
        return [each for each in self.connects if not _is_public(each)]

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - of the port
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> AsyncNetworkStream:
        """Connect to the server of this machine, whatever address is meant."""
        del port, local_address, socket_options
        self.connects.append(host)
        backend: Any = httpcore2.AnyIOBackend()
        return await backend.connect_tcp("127.0.0.1", self._port, timeout)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering = asyncio.create_task(self._answer(reader, writer))
        self._serving.add(answering)
        with contextlib.suppress(asyncio.CancelledError):
            await answering
        self._serving.discard(answering)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            first = await reader.readexactly(1)
            if first == _TLS:
                raise ConnectionError  # there is no certificate here
            head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.requests.append(head)
            length = next((line for line in head.split("\r\n") if line.lower().startswith("content-length:")), ":0")
            self.bodies.append(await reader.readexactly(int(length.partition(":")[2])))
            page = self.pages.get(head.split(" ")[1].partition("?")[0], Page(b"not here", 404))
            await asyncio.sleep(page.wait)
            lines = [f"HTTP/1.1 {page.status} X", *(f"{name}: {value}" for name, value in page.headers.items())]
            lines += [f"content-length: {len(page.body)}", "connection: close", "", ""]
            writer.write("\r\n".join(lines).encode("latin-1") + page.body)
            await writer.drain()


def _answers(addresses: list[str], port: int) -> list[tuple[int, int, int, str, tuple[Any, ...]]]:
    return [
        (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (each, port, 0, 0))
        if ":" in each
        else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
        for each in addresses
    ]


def _is_public(host: str) -> bool:
    try:
        return ip_address(host).is_global and host not in _INWARD_ANYWAY
    except ValueError:
        return False
