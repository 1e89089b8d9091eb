"""Places where a test may kill this process, before and after each durable write. In a program they do nothing."""

from __future__ import annotations

from collections.abc import Callable

CrashHook = Callable[[str], None]


def _do_nothing(_name: str) -> None:
    """Nobody kills anybody."""


_crash_hook: CrashHook = _do_nothing


def set_crash_hook(hook: CrashHook) -> None:
    """From now on call ``hook`` at every crash point of this process."""
    global _crash_hook  # noqa: PLW0603 - one process, one killer; only a test that means to die sets it
    _crash_hook = hook


def crashpoint(name: str) -> None:
    """A place to die at."""
    _crash_hook(name)
