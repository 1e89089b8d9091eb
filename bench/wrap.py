"""What `remit wrap` adds to a call of an MCP server over standard streams: without effect, and with one."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from bench.durable import commit_cost
from figures.figure import Figure, at_most

CALLS: Final = 300
_WARM_UPS: Final = 30
_SERVER: Final = (sys.executable, "-m", "bench.echo_server")
_WRAP: Final = (sys.executable, "-m", "remit.cli", "wrap", "--name", "echo", "--pure", "look", "--", *_SERVER)
_BEGIN: Final = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


async def wrap() -> AsyncIterator[Figure]:
    """The median time of a wrapped call over that of the server itself, of a call without effect and of one with."""
    with tempfile.TemporaryDirectory(prefix="remit-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        commit = min(commit_cost(folder / f"raw-{i}.db") for i in range(3))
        raw = stack.enter_context(_Process(_SERVER, folder))
        wrapped = stack.enter_context(_Process(_WRAP, folder / "home"))
        variants = ((raw, "look"), (wrapped, "look"), (wrapped, "send"))
        times: list[list[float]] = [[] for _ in variants]
        for number in range(_WARM_UPS + CALLS):
            for (process, tool), found in zip(variants, times, strict=True):
                begun = time.perf_counter()
                process.ask("tools/call", {"name": tool, "arguments": {"text": f"text {number}"}})
                if number >= _WARM_UPS:
                    found.append(time.perf_counter() - begun)
    alone, pure, unsafe = map(statistics.median, times)
    how = f"median of {CALLS} calls over stdio, in turn with the server itself ({alone * 1e3:.2f} ms)"
    yield at_most("wrap.pure_added_ms", (pure - alone) * 1e3, "ms", 0.5, CALLS, f"{how}: a call without effect")
    most = 2 * commit * 1e3 + 1.5
    how = f"{how}: an unsafe call, at most two commits of {commit * 1e3:.2f} ms and 1.5 ms"
    yield at_most("wrap.unsafe_added_ms", (unsafe - alone) * 1e3, "ms", most, CALLS, how)


class _Process:
    """A server of MCP over standard streams, which begins a session."""

    def __init__(self, command: Sequence[str], home: Path) -> None:
        environ = {**os.environ, "REMIT_HOME": str(home)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environ)
        self._next = 0
        self.ask("initialize", _BEGIN)
        self._write({"method": "notifications/initialized"})
        self.ask("tools/list", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self._next += 1
        self._write({"id": self._next, "method": method, "params": params})
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        message: dict[str, Any] = {}
        while message.get("id") != self._next:
            message = json.loads(self._process.stdout.readline())
        result: dict[str, Any] = message["result"]
        if result.get("isError"):
            raise RuntimeError(f"{method} failed: {result}")
        return result

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()
