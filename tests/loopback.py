"""A real HTTP endpoint on this machine, for what cannot be had here: a provider's cloud."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Self

Answer = Callable[[bytes], tuple[int, str]]


def answering(status: int, body: str) -> Answer:
    """Always the same answer."""
    return lambda _request: (status, body)


class Endpoint:
    """Takes POST requests one after another; ``received`` holds their bodies to the byte, ``heads`` their headers."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.received: list[bytes] = []
        self.heads: list[str] = []
        self._connections: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._connections:
            writer.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                self.heads.append(head)
                length = int(head.split("content-length:")[1].split("\r\n")[0])
                body = await reader.readexactly(length)
                self.received.append(body)
                status, answer = self._answer(body)
                data = answer.encode()
                writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: {len(data)}\r\n".encode())
                kind = b"text/event-stream" if answer.startswith("data:") else b"application/json"
                writer.write(b"content-type: %b\r\n\r\n%b" % (kind, data))
                await writer.drain()
