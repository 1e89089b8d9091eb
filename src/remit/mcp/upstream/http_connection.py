"""HTTP/1.1 over streams of asyncio: one exchange at a time, connections that are used again, bodies within a limit.

A governed read through a general HTTP client takes twice as long as through these.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, Mapping
from functools import cache
from typing import Final
from urllib.parse import SplitResult, urlsplit

from remit.errors import SetupError
from remit.shown import show_value

_CHUNK: Final = 1 << 16
_MOST_HEAD_BYTES: Final = 64 << 10
_CONNECT_SECONDS: Final = 10.0
_MOST_KEPT: Final = 32


class HttpError(Exception):
    """The other side does not keep to HTTP, or ends in the middle. ``is_sent``: whether it may have the request."""

    def __init__(self, message: str, *, is_sent: bool) -> None:
        super().__init__(message)
        self.is_sent = is_sent


class Response:
    """A response whose body is read once."""

    def __init__(self, status: int, headers: Mapping[str, str], reader: asyncio.StreamReader) -> None:
        self.status, self.headers = status, headers
        self._reader = reader
        self.is_read = False

    @property
    def media_type(self) -> str:
        """The type of its body, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The parts of its body, as they arrive.

        Raises:
            HttpError: it ends in the middle.
        """
        if self.status in (204, 304):
            self.is_read = True
            return
        try:
            if self.headers.get("transfer-encoding", "").lower() == "chunked":
                async for chunk in self._read_chunked():
                    yield chunk
            elif "content-length" in self.headers:
                async for chunk in self._read_exactly(int(self.headers["content-length"])):
                    yield chunk
            else:
                while chunk := await self._reader.read(_CHUNK):
                    yield chunk
                return  # the end of the connection is the end of the body
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, OSError) as error:
            raise HttpError(f"its response ends in the middle ({type(error).__name__})", is_sent=True) from error
        self.is_read = True

    async def read(self, most_bytes: int) -> bytes | None:
        """The whole body; None if it is longer than ``most_bytes``.

        Raises:
            HttpError: it ends in the middle.
        """
        parts, size = list[bytes](), 0
        async with contextlib.aclosing(self.chunks()) as chunks:
            async for chunk in chunks:
                size += len(chunk)
                if size > most_bytes:
                    return None
                parts.append(chunk)
        return b"".join(parts)

    async def _read_exactly(self, length: int) -> AsyncGenerator[bytes]:
        if length < 0:
            raise ValueError(length)
        while length:
            chunk = await self._reader.read(min(length, _CHUNK))
            if not chunk:
                raise asyncio.IncompleteReadError(b"", length)
            length -= len(chunk)
            yield chunk

    async def _read_chunked(self) -> AsyncGenerator[bytes]:
        while True:
            size = int((await self._reader.readuntil(b"\n")).split(b";")[0].strip(), 16)
            async for chunk in self._read_exactly(size):
                yield chunk
            if size == 0:
                while (await self._reader.readuntil(b"\n")).strip():
                    pass  # trailers
                return
            if (await self._reader.readuntil(b"\n")).strip():
                raise ValueError("a chunk is longer than it says")


class HttpPool:
    """Connections to one host that are used again.

    Raises:
        SetupError: the address is not one of HTTP.
    """

    def __init__(self, url: str) -> None:
        parts = _split(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise SetupError(f"{show_value(url)} is not the address of an MCP server; write https://host/path")
        self._host, self._is_secure = parts.hostname, parts.scheme == "https"
        self._port = parts.port or (443 if self._is_secure else 80)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        default = 443 if self._is_secure else 80
        shown = f"[{self._host}]" if ":" in self._host else self._host
        self._authority = shown if self._port == default else f"{shown}:{self._port}"
        self._free = list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]()

    @property
    def address(self) -> str:
        """The address without its query, which may be secret."""
        path = self._path.partition("?")[0]
        return f"{'https' if self._is_secure else 'http'}://{self._authority}{path}"

    @contextlib.asynccontextmanager
    async def exchange(self, method: str, headers: Mapping[str, str], content: bytes = b"") -> AsyncGenerator[Response]:
        """Send a request, and give its response for the length of the block.

        Raises:
            HttpError: it cannot be sent, or has no response.
        """
        reader, writer = await self._connect()
        is_kept = False
        try:
            response = await self._send(reader, writer, self._write_head(method, headers, content) + content)
            yield response
            closes = response.headers.get("connection", "").lower() == "close"
            is_kept = response.is_read and not closes and len(self._free) < _MOST_KEPT
        finally:
            if is_kept:
                self._free.append((reader, writer))
            else:
                writer.transport.abort()

    def close(self) -> None:
        """Close all connections."""
        while self._free:
            self._free.pop()[1].transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._free:
            reader, writer = self._free.pop()
            if not (reader.at_eof() or writer.is_closing()):
                return reader, writer
            writer.transport.abort()
        context = _trusted_certificates() if self._is_secure else None
        try:
            connecting = asyncio.open_connection(self._host, self._port, ssl=context, limit=_MOST_HEAD_BYTES)
            return await asyncio.wait_for(connecting, _CONNECT_SECONDS)
        except TimeoutError as error:
            raise HttpError("it does not accept a connection in time", is_sent=False) from error
        except OSError as error:
            reason = error.strerror or str(error) or type(error).__name__
            raise HttpError(f"it cannot be reached: {reason}", is_sent=False) from error

    async def _send(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, content: bytes) -> Response:
        try:
            writer.write(content)
            await writer.drain()
            while True:
                status, headers = _read_head(await reader.readuntil(b"\r\n\r\n"))
                if status >= 200:
                    return Response(status, headers, reader)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, OSError) as error:
            raise HttpError(f"it gave no response ({type(error).__name__})", is_sent=True) from error

    def _write_head(self, method: str, headers: Mapping[str, str], content: bytes) -> bytes:
        lines = [f"{method} {self._path} HTTP/1.1", f"host: {self._authority}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if method == "POST":
            lines.append(f"content-length: {len(content)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise SetupError(f"{show_value(url)} is not the address of an MCP server: {error}") from error
    if not url.isascii() or any(each <= " " for each in url):
        raise SetupError(f"{show_value(url)} has characters that an address cannot have")
    return parts


def _read_head(head: bytes) -> tuple[int, dict[str, str]]:
    """The status and headers of a response. Of a header that occurs twice, both values are joined."""
    first, *lines = head.decode("latin-1").split("\r\n")
    version, status, *_ = first.split(" ", 2)
    if not version.startswith("HTTP/1."):
        raise ValueError("the response is not one of HTTP/1.1")
    headers = dict[str, str]()
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            name, value = name.strip().lower(), value.strip()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return int(status), headers


@cache
def _trusted_certificates() -> ssl.SSLContext:
    """The trusted certificates, read once, because reading them takes longer than a request."""
    return ssl.create_default_context()
