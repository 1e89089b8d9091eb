"""Points before and after each durable write where a test may kill this process. Otherwise they do nothing."""

from __future__ import annotations

from collections.abc import Callable

CrashHook = Callable[[str], None]


def _do_nothing(_name: str) -> None:
    """The default hook."""


_crash_hook: CrashHook = _do_nothing


def set_crash_hook(hook: CrashHook) -> None:
    """Call ``hook`` at every crash point of this process from now on."""
    global _crash_hook  # noqa: PLW0603 - one hook per process, set by tests only
    _crash_hook = hook


def crashpoint(name: str) -> None:
    """A point where a test may crash the process."""
    _crash_hook(name)
