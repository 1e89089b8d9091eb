"""The lines of a stream, of which each has a limited size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from remit.mcp.upstream.incoming import find_id

_CHUNK: Final = 1 << 16
_KEPT: Final = 4096


class LongLine:
    """A line that was longer than the limit and was dropped, except for its beginning and its end."""

    def __init__(self, beginning: bytes) -> None:
        self._beginning, self._end = beginning[:_KEPT], beginning[-_KEPT:]

    def add(self, chunk: bytes) -> None:
        """Pass over a further part of the line."""
        self._end = (self._end + chunk[-_KEPT:])[-_KEPT:]

    def find_id(self) -> int | None:
        """The id of the message, if it stands at the beginning or at the end."""
        return find_id(self._beginning, self._end)


async def read_lines(stream: asyncio.StreamReader, most_bytes: int) -> AsyncGenerator[bytes | LongLine]:
    """The lines of a stream without their ends, and in the place of each longer one a `LongLine`."""
    buffer = bytearray()
    long: LongLine | None = None
    while chunk := await stream.read(_CHUNK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            if long is not None:
                long.add(part)
                yield long
            elif len(buffer) + len(part) > most_bytes:
                yield _shorten(bytes(buffer), part)
            else:
                yield bytes(buffer + part)
            buffer.clear()
            long = None
        if long is not None:
            long.add(rest)
        elif len(buffer) + len(rest) > most_bytes:
            long = _shorten(bytes(buffer), rest)
            buffer.clear()
        else:
            buffer += rest
    if buffer:
        yield bytes(buffer)


def _shorten(beginning: bytes, part: bytes) -> LongLine:
    line = LongLine(beginning or part)
    line.add(part)
    return line
