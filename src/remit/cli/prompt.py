"""Reads a line at a prompt without missing Ctrl-C."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
from collections.abc import Generator
from typing import Final

with contextlib.suppress(ImportError):
    importlib.import_module("readline")  # adds line editing to `input` if the platform supports it

if sys.platform != "win32":
    import termios

_WAKE_INTERVAL: Final = 0.1
"""Seconds between wake-ups, so that a missed Ctrl-C is handled."""


def read_line(prompt: str) -> str:
    """Return the line typed after ``prompt``, like `input`.

    `input` can miss Ctrl-C in two ways. A signal that arrives while it sets up or draws is noticed only at the next
    signal or key; a periodic wake-up solves that. A signal between the arrival of a key and its read makes the terminal
    discard the key, for which line editing then waits; the terminal is told to keep typed keys.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        EOFError: Ctrl-D, or the end of input.
    """
    with _keep_typed_keys(), _wake_for_signals():
        return input(prompt)


@contextlib.contextmanager
def _keep_typed_keys() -> Generator[None]:
    """Keep keys typed before Ctrl-C from being discarded."""
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
    """Wake the main thread periodically, so that it handles pending signals."""
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
