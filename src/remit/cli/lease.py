"""Drives a run on whose last driver may be gone: its lease is waited for where nobody can renew it any more."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final

from remit.cli.desk import Desk
from remit.cli.terminal import Terminal
from remit.core.frozen import frozen
from remit.errors import LeaseError
from remit.journal.ports import RunRow
from remit.runtime import LEASE, RunResult, Runtime

_DRIVER: Final = re.compile(r"(\d+)-[0-9a-z]{12}")
"""How a runtime names itself as a driver: by its process, and a word of its own."""

_POLL: Final = 0.5
_GRACE: Final = 2.0


@frozen
class DrivingOn:
    """Drives runs on at one terminal.

    Args:
        now: seconds, for the wait. pause: lets some pass.
    """

    desk: Desk
    runtime: Runtime
    terminal: Terminal
    now: Callable[[], float] = time.monotonic
    pause: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep

    def __call__(self, run: str, which: Callable[[], RunRow | None]) -> RunResult[Any]:
        """Drive ``run`` on, as soon as nobody else does. ``which`` is its line, for Ctrl-C.

        Raises:
            LeaseError: somebody who is alive drives it, or may be; says when the lease ends.
        """
        until = self.now() + LEASE + _GRACE
        told = False
        while True:
            try:
                return self.desk.drive(self.runtime, self.runtime.resume(run), which)
            except LeaseError as error:
                process = _process(error)
                if process is None or _lives(process) or self.now() > until:
                    raise LeaseError(_refusal(error, process)) from error
                if not told:
                    self.terminal.say((_waiting(process), "dim"))
                    self.terminal.label(f"waiting for the lease of process {process} to end")
                    told = True
            self.desk.wait(self.pause(_POLL))


def _process(error: LeaseError) -> int | None:
    """The process that holds the lease, if the driver's name says which."""
    found = _DRIVER.fullmatch(error.driver)
    return int(found[1]) if found else None


def _lives(process: int) -> bool:
    """Whether this machine has such a process. One that is somebody else's is a process too."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _waiting(process: int) -> str:
    return f"Process {process}, which drove it, is gone. It goes on when its lease ends, in at most {LEASE:.0f} s."


def _refusal(error: LeaseError, process: int | None) -> str:
    """What is said where somebody may still be driving."""
    said = error.message.partition(";")[0]
    who = f"process {process} is alive on this machine" if process is not None else "wait for it, or stop it"
    return f"{said}: {who}; a lease ends {LEASE:.0f} s after its driver is gone"
