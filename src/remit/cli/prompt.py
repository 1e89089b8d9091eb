"""Reads a line at a prompt, so that Ctrl-C is heard at whichever moment it comes."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
from collections.abc import Generator
from typing import Final

with contextlib.suppress(ImportError):
    importlib.import_module("readline")  # gives `input` its line editing, where the platform has it

if sys.platform != "win32":
    import termios

_WAKE_INTERVAL: Final = 0.1
"""Seconds after which a Ctrl-C is heard that came while nobody listened."""


def read_line(prompt: str) -> str:
    """The line that is typed after ``prompt``, as `input` gives it.

    `input` itself may miss Ctrl-C in two ways. One that comes while it sets up or draws is only looked at when the next
    signal or key comes: a beat sees to that. One that comes between hearing of a key and reading it makes the terminal
    throw the key away, and the line editing then waits for it and hears nothing: the terminal is told to keep its keys.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        EOFError: Ctrl-D, or there is nothing more to read.
    """
    with _keep_typed_keys(), _wake_for_signals():
        return input(prompt)


@contextlib.contextmanager
def _keep_typed_keys() -> Generator[None]:
    """Ctrl-C throws away no key that was typed before it."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    changed = [*before]
    changed[3] = before[3] | termios.NOFLSH
    termios.tcsetattr(sys.stdin, termios.TCSANOW, changed)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


@contextlib.contextmanager
def _wake_for_signals() -> Generator[None]:
    """Wakes the main thread now and then, so that it looks at the signals that have come."""
    if sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda _signal, _frame: None)
    signal.setitimer(signal.ITIMER_REAL, _WAKE_INTERVAL, _WAKE_INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
