"""Servers in processes of their own: where they listen, and what they use."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.chat_client import Address, ask
from remit.server.cookies import CSRF_HEADER, csrf_token

SERVE: Final = (sys.executable, "-m", "remit.cli", "serve", "bench.chat_app:app", "--port", "0")
"""`remit serve`, with whose link the benchmark signs in."""

BARE: Final = (sys.executable, "-m", "bench.chat_app")
"""A server without Remit, which needs no sign-in."""

_ROOT: Final = Path(__file__).parent.parent
_TICK: Final = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    """A server and its process."""

    address: Address
    pid: int

    def cpu_seconds(self) -> float:
        """The CPU time so far."""
        fields = self._read("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * _TICK

    def start_peak(self) -> None:
        """Let the peak of memory begin now."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5", encoding="ascii")

    def resident_kb(self) -> int:
        """Kilobytes in memory now."""
        return self._size("VmRSS")

    def peak_kb(self) -> int:
        """The most kilobytes in memory since the peak began."""
        return self._size("VmHWM")

    def _size(self, name: str) -> int:
        return int(re.findall(rf"{name}:\s+(\d+)", self._read("status"))[0])

    def _read(self, name: str) -> str:
        return Path(f"/proc/{self.pid}/{name}").read_text(encoding="utf-8")


@contextlib.asynccontextmanager
async def start_server(
    command: Sequence[str], home: Path, further: Mapping[str, str] | None = None
) -> AsyncGenerator[Server]:
    """A server in a process of its own, with a home folder and ``further`` variables."""
    environment = {**os.environ, **(further or {}), "REMIT_HOME": str(home), "PYTHONPATH": str(_ROOT)}
    process = await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE, env=environment, cwd=_ROOT)
    assert process.stderr is not None  # noqa: S101 - for the type checker: it is a pipe
    try:
        port = int(await _read_match(process.stderr, r"http://127\.0\.0\.1:(\d+)"))
        address = Address(port)
        if command is SERVE:
            address = await _sign_in(port, await _read_match(process.stderr, r"http://\S+?(/login/link\S+)"))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(process.stderr.read())  # a full pipe would stop the server
            yield Server(address, process.pid)
            process.kill()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        await process.wait()


async def _read_match(lines: asyncio.StreamReader, pattern: str) -> str:
    """The part of the process's next line that a pattern names."""
    line = (await lines.readline()).decode()
    found = re.search(pattern, line)
    if found is None:
        raise RuntimeError(f"the server said {line!r}{(await lines.read()).decode()}")
    return found[1]


async def _sign_in(port: int, link: str) -> Address:
    """The address of a server with the headers of a session, which a one-time link begins."""
    head = await ask(Address(port), link)
    found = re.search(r"set-cookie: remit=([^;]+)", head)
    if found is None:
        raise RuntimeError(f"the link began no session: {head}")
    return Address(port, f"cookie: remit={found[1]}\r\n{CSRF_HEADER}: {csrf_token(found[1])}\r\n")
