"""Follows a run that another process executes, until it has ended or waits."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from remit.cli.client import LocalClient
from remit.cli.options import WAIT_SECONDS
from remit.cli.terminal import Terminal
from remit.errors import CallCancelledError
from remit.record.items import Position, RunFinished, RunResumed, RunStalled, RunSuspended

_POLL_SECONDS: Final = 0.5
_SILENT_SECONDS: Final = 2.0
"""The seconds until the command reports what it waits for."""

_EXECUTOR_NAME: Final = re.compile(r"(\d+)-[0-9a-z]{12}")
"""The name of a runtime as executor: its process id and a unique word."""

_RESTS: Final = (RunFinished, RunSuspended, RunStalled)


@dataclass(slots=True, kw_only=True)
class Elsewhere:
    """A run that another process executes. Its items are shown when they are stored.

    Args:
        executor: the name of the executor; empty if it is unknown yet.
        patience: the longest wait in seconds.
        after: the item after which the execution starts, or None to find that in the journal.
        monotonic: a clock in seconds, to measure the wait.
        sleep: waits for some seconds.
    """

    client: LocalClient
    terminal: Terminal
    run: str
    executor: str = ""
    patience: float = WAIT_SECONDS
    after: int | None = None
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep
    _started: float = field(init=False)
    _is_announced: bool = field(default=False, init=False)
    _rests: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._started = self.monotonic()

    def wait_until_free(self) -> bool:
        """Wait until the run rests or its executor is dead. Returns False after too long a wait.

        Ctrl-C ends the wait, but not the run.
        """
        if self.patience <= 0:
            return False
        try:
            return self.client.wait(self._poll())
        except CallCancelledError:
            return False

    async def _poll(self) -> bool:
        process = find_process(self.executor)
        while (left := self._started + self.patience - self.monotonic()) > 0:
            if self.patience - left >= _SILENT_SECONDS:
                self._announce(process, left)
            await self.sleep(min(_POLL_SECONDS, left))
            await self._show_new_items()
            if self._rests or (process is not None and not is_alive(process)):
                return True
        return False

    async def _show_new_items(self) -> None:
        items = await self.client.store.read(self.run, -1 if self.after is None else self.after)
        if not items:
            return
        for position in items if self.after is not None else _current_execution(items):
            self.terminal(position)
        self.after, self._rests = items[-1].seq, isinstance(items[-1].item, _RESTS)

    def _announce(self, process: int | None, seconds: float) -> None:
        if self._is_announced:
            return
        self._is_announced = True
        who = "an executor" if process is None else f"executor {process}"
        line = f"Waiting at most {seconds:.0f} s for {who}, which continues the run. Ctrl-C ends the wait, not the run."
        self.terminal.print_line((line, "dim"))


def find_process(executor: str) -> int | None:
    """The process id in the executor's name, or None if the name has none."""
    found = _EXECUTOR_NAME.fullmatch(executor)
    return int(found[1]) if found else None


def is_alive(process: int) -> bool:
    """Whether this machine has the process, under any user."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _current_execution(items: Sequence[Position]) -> Sequence[Position]:
    """The items of the current execution; none yet if the run rests."""
    marks = (index for index, each in enumerate(items) if isinstance(each.item, (RunResumed, *_RESTS)))
    return items[max(marks, default=-1) + 1 :]
