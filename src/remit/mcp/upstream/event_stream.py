"""The events of a response that is a stream (server-sent events), each of a limited size."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable

from msgspec import Struct


class TooLongError(Exception):
    """An event is longer than the limit."""


class Event(Struct, kw_only=True):
    """An event: its data, its id if it has one, and after how many milliseconds to connect again if it says so."""

    data: bytes = b""
    id: str = ""
    retry: int | None = None


async def read_events(chunks: AsyncIterable[bytes], most_bytes: int) -> AsyncGenerator[Event]:
    """The events of a stream. One that is not ended by an empty line is left out.

    Raises:
        TooLongError: one is longer than ``most_bytes``.
    """
    buffer, event, data, size = bytearray(), Event(), list[bytes](), 0
    async for chunk in chunks:
        buffer += chunk
        *lines, rest = bytes(buffer).replace(b"\r\n", b"\n").split(b"\n")
        buffer = bytearray(rest)
        for line in lines:
            if not line.rstrip(b"\r"):
                if data or event.id or event.retry is not None:
                    event.data = b"\n".join(data)
                    yield event
                event, data, size = Event(), [], 0
                continue
            size += len(line)
            if size > most_bytes:
                raise TooLongError
            _read_field(event, data, line)
        if size + len(buffer) > most_bytes:
            raise TooLongError


def _read_field(event: Event, data: list[bytes], line: bytes) -> None:
    name, _, value = line.rstrip(b"\r").partition(b":")
    value = value.removeprefix(b" ")
    if name == b"data":
        data.append(value)
    elif name == b"id":
        event.id = value.decode(errors="replace")
    elif name == b"retry" and value.isdigit() and len(value) < 10:
        event.retry = int(value)
