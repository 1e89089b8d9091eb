"""Crashes at chosen moments: before and after each transaction in which an SQL store makes data durable.

To test a power cut, kill a program at each of these moments and resume it.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager

from remit.journal.crashpoint import ignore_crash_point, set_crash_hook


def kill_process() -> None:
    """End this process at once with SIGKILL: nothing is flushed and no handler runs."""
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def crash_at(number: int, crash: Callable[[], None] = kill_process, *, name: str = "") -> Generator[None]:
    """Crash when the block passes its crash point ``number``, counted from 1 among those of this name, if one is given.

    The moments of calls that run side by side have no fixed number; they have a name. 0 is no crash point.

    Call it in a child process: ``crash`` kills the process that it runs in, on the thread that writes.
    """
    passed = itertools.count(1)

    def crash_when_reached(passing: str) -> None:
        if name in ("", passing) and next(passed) == number:
            crash()

    with _hook(crash_when_reached):
        yield


@contextmanager
def record_crash_points() -> Generator[list[str]]:
    """The names of the crash points that the block passes, in order: ``before commit`` and ``after commit``."""
    names: list[str] = []
    with _hook(names.append):
        yield names


@contextmanager
def _hook(hook: Callable[[str], None]) -> Generator[None]:
    set_crash_hook(hook)
    try:
        yield
    finally:
        set_crash_hook(ignore_crash_point)
