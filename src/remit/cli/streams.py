"""The standard streams of a process that speaks MCP over them."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def own_output() -> Generator[BinaryIO]:
    """The standard output, for messages alone: whatever else is printed, also by other programs, goes to stderr."""
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(own, "wb", closefd=False) as output:
            yield output
    finally:
        sys.stdout.flush()
        os.dup2(own, 1)
        os.close(own)


class Output:
    """Writes messages, one after the other, without holding up the event loop."""

    def __init__(self, output: BinaryIO) -> None:
        self._output, self._lock = output, asyncio.Lock()

    async def write(self, content: bytes) -> None:
        """Write one message."""
        async with self._lock:
            await asyncio.to_thread(self._write, content)

    def _write(self, content: bytes) -> None:
        self._output.write(content + b"\n")
        self._output.flush()


async def read_lines() -> AsyncGenerator[bytes]:
    """The lines of the standard input, read by a thread that does not keep the process alive. Long ones are cut."""
    from remit.mcp.wire import MOST_BYTES

    lines, loop = asyncio.Queue[bytes](maxsize=1), asyncio.get_running_loop()

    def read() -> None:
        while True:
            line = sys.stdin.buffer.readline(MOST_BYTES)
            asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
            if not line:
                return

    threading.Thread(target=read, daemon=True).start()
    while line := await lines.get():
        yield line
