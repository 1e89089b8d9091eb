"""Points before and after each durable write at which tests can kill this process. Otherwise they do nothing."""

from __future__ import annotations

from collections.abc import Callable

CrashHook = Callable[[str], None]


def ignore_crash_point(_name: str) -> None:
    """The default hook, which never crashes the process."""


_crash_hook: CrashHook = ignore_crash_point


def set_crash_hook(hook: CrashHook) -> None:
    """Call ``hook`` with the name of every crash point that this process passes from now on."""
    global _crash_hook  # noqa: PLW0603 - one hook per process, which only tests set
    _crash_hook = hook


def crashpoint(name: str) -> None:
    """Mark a point at which a test can crash the process."""
    _crash_hook(name)
