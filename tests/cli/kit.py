"""The command line as its users run it: in this process, as a process of its own, and in a terminal."""

from __future__ import annotations

import asyncio
import codecs
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from remit.journal.ports import RunRow, Store
from remit.journal.sql.store import SqlStore
from remit.runtime import Runtime
from tests.cli.running import Done, done
from tests.cli.shop import app

T = TypeVar("T")

APP = "tests.cli.shop:app"
ROOT = Path(__file__).parents[2]
PATIENCE = 180.0
"""Seconds after which a test gives up waiting, on a busy machine; nothing here takes a tenth of that on another."""


class Cli:
    """The command line at one home folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.book_file = folder / "book"
        self.script_file = folder / "script.json"

    def __call__(self, *arguments: str, stdin: str | None = None) -> Done:
        """Run a command in this process."""
        return done(*arguments, stdin=stdin)

    def process(self, *arguments: str) -> Done:
        """Run a command in a process of its own."""
        ended = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=PATIENCE, check=False)
        return Done(ended.returncode, ended.stdout, ended.stderr)

    def script(self, *lines: str | dict[str, Any]) -> None:
        """What the scripted model answers, turn by turn of the whole conversation."""
        self.script_file.write_text(json.dumps({"script": lines}), encoding="utf-8")

    @property
    def book(self) -> list[str]:
        """What the shop has done to the world."""
        return self.book_file.read_text(encoding="utf-8").splitlines() if self.book_file.exists() else []

    def questions(self) -> list[dict[str, Any]]:
        """The open questions."""
        return cast("list[dict[str, Any]]", self("approvals", "list", "--json").json["questions"])

    def runs(self) -> list[RunRow]:
        """All runs, newest first."""
        return self.journal(lambda store: store.list_runs())

    def history(self, run: str) -> list[str]:
        """The chat history up to the end of a run, as a later request would carry it."""
        return self.journal(lambda store: Runtime(app, store=store).history(run))

    def journal(self, work: Callable[[Store], Awaitable[T]]) -> T:
        """Do something with the journal itself."""

        async def with_store() -> T:
            store = SqlStore.at(self.home / "journal.db")
            try:
                return await work(store)
            finally:
                await store.close()

        return asyncio.run(with_store())


_HEAR_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""Whoever runs the tests in the background has told them, and so all that they start, to ignore Ctrl-C."""

_START = f"{_HEAR_CTRL_C}from remit.cli.main import main; main()"
TAKE_TERMINAL = f"{_HEAR_CTRL_C}import os; os.open(os.ttyname(0), os.O_RDWR); "
"""The leader of a new session is given the first terminal that it opens: Ctrl-C reaches it then."""


def command(*arguments: str) -> list[str]:
    """The program, run by this Python."""
    return [sys.executable, "-c", _START, *arguments]


class Talk:
    """The command line in a pseudo-terminal: type, and wait for what it shows."""

    def __init__(self, *arguments: str, program: Sequence[str] = ()) -> None:
        self.shown = ""
        self._text = codecs.getincrementaldecoder("utf-8")("replace")
        self._terminal, theirs = pty.openpty()
        line = program or [sys.executable, "-c", TAKE_TERMINAL + _START, *arguments]
        self._process = subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    def until(self, text: str) -> str:
        """Wait until ``text`` is shown; what was shown since the last wait."""
        return self.until_like(re.escape(text))

    def until_like(self, pattern: str) -> str:
        """Wait until something is shown that matches ``pattern``; what was shown since the last wait."""
        until = time.monotonic() + PATIENCE
        while (found := re.search(pattern, self.shown)) is None:
            self.shown += self._more(pattern, until - time.monotonic())
        before, self.shown = self.shown[: found.end()], self.shown[found.end() :]
        return before

    def type(self, text: str) -> None:
        """Type ``text``."""
        os.write(self._terminal, text.encode())

    def status(self) -> int:
        """Wait for the end; the exit status."""
        until = time.monotonic() + PATIENCE
        while (more := self._read(until - time.monotonic())) is not None:
            self.shown += more
        return self._process.wait(PATIENCE)

    def _more(self, pattern: str, seconds: float) -> str:
        more = self._read(seconds)
        assert more is not None, f"it ended without showing {pattern!r}; it showed: {self.shown}"
        return more

    def _read(self, seconds: float) -> str | None:
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, seconds))
        assert ready, f"nothing more within {PATIENCE} s; it showed: {self.shown}"
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:
            data = b""  # how Linux says that nobody has the terminal open any more
        return self._text.decode(data) if data else None
