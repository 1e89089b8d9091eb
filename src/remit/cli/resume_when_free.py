"""Resumes a run that another process may execute: waits for that process, or for the lease of a dead one to end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from remit.cli.client import LocalClient
from remit.cli.elsewhere import Elsewhere, find_process, is_alive
from remit.cli.live_answer import execute_shown
from remit.cli.options import WAIT_SECONDS
from remit.cli.terminal import Terminal
from remit.errors import LeaseError
from remit.journal.ports import RunRow
from remit.runtime import LEASE_SECONDS, RunResult, Runtime

_POLL_SECONDS: Final = 0.5
_GRACE_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeWhenFree:
    """Resumes runs from one terminal.

    Args:
        patience: how long to wait, in seconds, for a run that a live process executes.
        monotonic: a clock in seconds, to measure the wait.
        sleep: waits for some seconds.
    """

    client: LocalClient
    runtime: Runtime
    terminal: Terminal
    patience: float = WAIT_SECONDS
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep

    def __call__(self, run: str, find_row: Callable[[], RunRow | None]) -> RunResult[Any]:
        """Resume ``run`` once its lease is free. ``find_row`` returns its row, for Ctrl-C.

        Progress by another process is shown. If that process ends the run, its result is returned.

        Raises:
            LeaseError: a live process holds the run, or may hold it; says when the lease ends.
        """
        deadline = self.monotonic() + LEASE_SECONDS + _GRACE_SECONDS
        elsewhere: Elsewhere | None = None
        announced = False
        while True:
            try:
                execution = execute_shown(self.client.store, run, self.terminal, self.runtime.resume(run))
                return self.client.execute(self.runtime, execution, find_row)
            except LeaseError as error:
                process = find_process(error.executor)
                if process is None or is_alive(process):
                    elsewhere = elsewhere or self._follow(run, error.executor)
                    if elsewhere.wait_until_free():
                        continue
                    raise LeaseError(_refusal_message(error, process), executor=error.executor) from error
                if self.monotonic() > deadline:
                    raise LeaseError(_refusal_message(error, process), executor=error.executor) from error
                if not announced:
                    self.terminal.print_line((_waiting_message(process), "dim"))
                    self.terminal.set_label(f"waiting for the lease of process {process} to end")
                    announced = True
            self.client.wait(self.sleep(_POLL_SECONDS))

    def _follow(self, run: str, executor: str) -> Elsewhere:
        return Elsewhere(
            client=self.client,
            terminal=self.terminal,
            run=run,
            executor=executor,
            patience=self.patience,
            monotonic=self.monotonic,
            sleep=self.sleep,
        )


def _waiting_message(process: int) -> str:
    seconds = f"{LEASE_SECONDS:.0f} s"
    return f"Process {process}, which executed it, is dead. Resuming in at most {seconds}, when its lease ends."


def _refusal_message(error: LeaseError, process: int | None) -> str:
    """The message when another process may still execute the run."""
    message = error.message.partition(";")[0]
    who = f"process {process} is alive on this machine" if process is not None else "wait for it, or stop it"
    return f"{message}: {who}; a lease ends {LEASE_SECONDS:.0f} s after its executor died"
