"""A server as a child process: one message a line, over its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shlex
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from remit.call.redact import redact_text
from remit.errors import ExternalError
from remit.mcp.upstream.lines import LongLine, read_lines
from remit.mcp.upstream.transport import Lose, Outgoing, Take
from remit.mcp.wire import INTERNAL_ERROR, MOST_BYTES
from remit.secrets import Secret

_LOG: Final = logging.getLogger("remit.mcp")
_GRACE_SECONDS: Final = 2.0
_MOST_LOGGED_LINES: Final = 200
_MOST_LOGGED_CHARS: Final = 500
_INHERITED: Final = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
"""The variables that a server inherits. Others may be secrets of this process."""

_TOO_LONG: Final = b'{"jsonrpc":"2.0","id":%d,"error":{"code":%d,"message":"its answer is longer than %d bytes"}}'


class ChildTransport:
    """Starts a command in a process group of its own, and ends the group with the connection.

    Args:
        name: the name of the server, for the log.
        command: the program and its arguments.
        env: further variables of its environment.
        folder: its working folder; that of this process by default.
        most_bytes: the largest message that it may send.
    """

    cancels_by_closing = False

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        env: Mapping[str, str | Secret] | None = None,
        folder: Path | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._name, self._command, self._folder = name, tuple(command), folder
        self._env, self._most_bytes = dict(env or {}), most_bytes
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._last_lines = deque[str](maxlen=5)

    @property
    def address(self) -> str:
        """The command."""
        return shlex.join(self._command)

    async def open(self, take: Take, lose: Lose) -> None:
        """Start the process.

        Raises:
            OSError: it cannot be started.
        """
        inherited = {each: os.environ[each] for each in _INHERITED if each in os.environ}
        given = {key: each.reveal() if isinstance(each, Secret) else each for key, each in self._env.items()}
        process = self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=inherited | given,
            cwd=self._folder,
            start_new_session=True,
        )
        logging_task = asyncio.create_task(self._log_errors(process))
        self._tasks = [logging_task, asyncio.create_task(self._receive(process, logging_task, take, lose))]

    def begin_session(self, revision: str) -> None:
        """Change nothing: a stream has no headers."""

    async def send(self, message: Outgoing) -> None:
        """Write a message.

        Raises:
            ExternalError: the process has ended.
        """
        process = self._process
        assert process is not None  # noqa: S101 - open() has started it
        assert process.stdin is not None  # noqa: S101 - a pipe
        if process.returncode is not None or process.stdin.is_closing():
            raise ExternalError(f"the MCP server {self._name} has ended")
        process.stdin.write(message.content + b"\n")
        with contextlib.suppress(ConnectionError):  # the reader notices the end, and says what is lost
            await process.stdin.drain()

    async def close(self) -> None:
        """Close its input, and end its process group if it does not end by itself."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None  # noqa: S101 - a pipe
        process.stdin.close()
        try:
            for number in (None, signal.SIGTERM, signal.SIGKILL):
                if number is not None:
                    _signal_group(process.pid, number)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), _GRACE_SECONDS)
                    break
        finally:
            _signal_group(process.pid, signal.SIGKILL)  # what the process itself has started and left behind
            for each in self._tasks:
                each.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _receive(
        self, process: asyncio.subprocess.Process, logging_task: asyncio.Task[None], take: Take, lose: Lose
    ) -> None:
        assert process.stdout is not None  # noqa: S101 - a pipe
        try:
            async for line in read_lines(process.stdout, self._most_bytes):
                if not self._take_line(line, take):
                    break
        finally:
            _signal_group(process.pid, signal.SIGTERM)
            status = await process.wait()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(logging_task), _GRACE_SECONDS)
            said = "; ".join(self._last_lines)
            lose(f"it ended with status {status}" + (f", and wrote: {said}" if said else ""))

    def _take_line(self, line: bytes | LongLine, take: Take) -> bool:
        """Take a line. Returns False if it is too long, so that it cannot be told which request it answers."""
        if isinstance(line, LongLine):
            ident = line.find_id()
            if ident is None:
                return False
            line = _TOO_LONG % (ident, INTERNAL_ERROR, self._most_bytes)
        if line.strip():
            take(line)
        return True

    async def _log_errors(self, process: asyncio.subprocess.Process) -> None:
        """Write what the server writes to its standard error to the log, up to a number of lines."""
        assert process.stderr is not None  # noqa: S101 - a pipe
        number = 0
        async for line in read_lines(process.stderr, _MOST_LOGGED_CHARS * 4):
            text = "a line that is too long" if isinstance(line, LongLine) else line.decode(errors="replace").strip()
            shown = redact_text(text, ())[:_MOST_LOGGED_CHARS]
            if not shown:
                continue
            self._last_lines.append(shown)
            number += 1
            if number <= _MOST_LOGGED_LINES:
                _LOG.info("%s: %s", self._name, shown)
            elif number == _MOST_LOGGED_LINES + 1:
                _LOG.info("%s: its further lines are left out", self._name)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
