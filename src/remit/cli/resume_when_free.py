"""Resumes a run whose executor may be dead, waiting for its lease if necessary."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from remit.cli.client import LocalClient
from remit.cli.live_answer import execute_shown
from remit.cli.terminal import Terminal
from remit.errors import LeaseError
from remit.journal.ports import RunRow
from remit.runtime import LEASE_SECONDS, RunResult, Runtime

_EXECUTOR_NAME: Final = re.compile(r"(\d+)-[0-9a-z]{12}")
"""The name of a runtime as executor: its process id and a unique word."""

_POLL_SECONDS: Final = 0.5
_GRACE_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeWhenFree:
    """Resumes runs from one terminal.

    Args:
        monotonic: a clock in seconds, to measure the wait.
        sleep: waits for some seconds.
    """

    client: LocalClient
    runtime: Runtime
    terminal: Terminal
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep

    def __call__(self, run: str, find_row: Callable[[], RunRow | None]) -> RunResult[Any]:
        """Resume ``run`` once its lease is free. ``find_row`` returns its row, for Ctrl-C.

        Raises:
            LeaseError: a live process holds the run, or may hold it; says when the lease ends.
        """
        deadline = self.monotonic() + LEASE_SECONDS + _GRACE_SECONDS
        announced = False
        while True:
            try:
                execution = execute_shown(self.client.store, run, self.terminal, self.runtime.resume(run))
                return self.client.execute(self.runtime, execution, find_row)
            except LeaseError as error:
                process = _find_process(error.executor)
                if process is None or _is_alive(process) or self.monotonic() > deadline:
                    raise LeaseError(_refusal_message(error, process), executor=error.executor) from error
                if not announced:
                    self.terminal.print_line((_waiting_message(process), "dim"))
                    self.terminal.set_label(f"waiting for the lease of process {process} to end")
                    announced = True
            self.client.wait(self.sleep(_POLL_SECONDS))


def find_live_process(executor: str) -> int | None:
    """The process id in an executor's name if that process is alive on this machine."""
    process = _find_process(executor)
    return process if process is not None and _is_alive(process) else None


def _find_process(executor: str) -> int | None:
    """The process id in the executor's name, or None if the name has none."""
    found = _EXECUTOR_NAME.fullmatch(executor)
    return int(found[1]) if found else None


def _is_alive(process: int) -> bool:
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


def _waiting_message(process: int) -> str:
    seconds = f"{LEASE_SECONDS:.0f} s"
    return f"Process {process}, which executed it, is dead. Resuming in at most {seconds}, when its lease ends."


def _refusal_message(error: LeaseError, process: int | None) -> str:
    """The message when another process may still execute the run."""
    message = error.message.partition(";")[0]
    who = f"process {process} is alive on this machine" if process is not None else "wait for it, or stop it"
    return f"{message}: {who}; a lease ends {LEASE_SECONDS:.0f} s after its executor died"
