"""A real HTTP endpoint on this machine, for what cannot be had here: a provider's cloud."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Self

Answer = Callable[[bytes], tuple[int, str]]
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def answering(status: int, body: str) -> Answer:
    """Always the same answer."""
    return lambda _request: (status, body)


@contextlib.asynccontextmanager
async def serve(handle: Handler) -> AsyncGenerator[int]:
    """Serve connections to a port of this machine with ``handle``; at the end none of them is open or in use."""
    connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def run_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                await handle(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Not a coroutine function: asyncio would make a task of its own, and log that it was cancelled.
        if server.is_serving():
            connections[asyncio.create_task(run_connection(reader, writer))] = writer
        else:
            writer.close()

    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for connection, writer in connections.items():
            connection.cancel()
            writer.transport.abort()
        ends = await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()
    for end in ends:
        if isinstance(end, Exception):
            raise end


class Endpoint:
    """Takes POST requests one after another; ``received`` holds their bodies to the byte, ``heads`` their headers."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.received: list[bytes] = []
        self.heads: list[str] = []
        self._serving = contextlib.AsyncExitStack()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        self._port = await self._serving.enter_async_context(serve(self._answer_requests))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._serving.aclose()

    async def _answer_requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
