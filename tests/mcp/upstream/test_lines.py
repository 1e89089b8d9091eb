"""Lines of a stream within a limit."""

from __future__ import annotations

import asyncio

import pytest

from remit.mcp.upstream.lines import LongLine, read_lines


async def _read(*chunks: bytes, most: int = 10) -> list[bytes | str]:
    stream = asyncio.StreamReader()
    for each in chunks:
        stream.feed_data(each)
    stream.feed_eof()
    found = [each async for each in read_lines(stream, most)]
    return [each if isinstance(each, bytes) else f"long {each.find_id()}" for each in found]


async def test_lines_are_found_wherever_chunks_end() -> None:
    assert await _read(b"ab\ncd", b"e\n\nf") == [b"ab", b"cde", b"", b"f"]


@pytest.mark.parametrize("fill", [20, 200_000])
async def test_a_long_line_is_dropped_with_its_id_and_the_next_is_read(fill: int) -> None:
    first = b'{"id": 7, "x": "' + b"y" * fill + b'"}\n'
    last = b'{"x": "' + b"y" * fill + b'", "id": "8"}\n'
    assert await _read(first, last, b"short\n") == ["long 7", "long 8", b"short"]


async def test_a_long_line_without_id_has_none() -> None:
    assert LongLine(b"x" * 20).find_id() is None
