"""A minimal AG-UI client on a raw socket, so that the client adds little to the measurement."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Final, NamedTuple

SUCCESS: Final = b'"outcome":{"type":"success"}'
"""What the last event of a run that has succeeded contains."""

_EVENT: Final = b"data: "
_MOST_BYTES: Final = 1 << 20


class Address(NamedTuple):
    """Where a server listens, and the headers with which it knows the sender."""

    port: int
    headers: str = ""


class Answered(NamedTuple):
    """The response to a message: whether it is whole and right, and the seconds until its first event."""

    is_right: bool
    first_seconds: float


async def send_message(address: Address, thread: str) -> Answered:
    """Send a message to a conversation of its own, and read its stream to the end."""
    message = {"id": thread, "role": "user", "content": "What do you bake today?"}
    body = json.dumps({"threadId": thread, "runId": thread, "messages": [message]})
    head = (
        f"POST /agui HTTP/1.1\r\nhost: 127.0.0.1\r\n{address.headers}connection: close\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    started, first = time.perf_counter(), 0.0
    reader, writer = await asyncio.open_connection("127.0.0.1", address.port, limit=_MOST_BYTES)
    received = bytearray()
    try:
        writer.write((head + body).encode())
        while part := await reader.read(_MOST_BYTES):
            received += part
            if not first and _EVENT in received:
                first = time.perf_counter() - started
    finally:
        writer.close()
    is_right = received.startswith(b"HTTP/1.1 200 ") and SUCCESS in received and received.endswith(b"\r\n0\r\n\r\n")
    return Answered(is_right, first)


async def ask(address: Address, path: str) -> str:
    """The response to a GET, with its head."""
    reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
    writer.write(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{address.headers}connection: close\r\n\r\n".encode())
    response = await reader.read(-1)
    writer.close()
    return response.decode()
