"""Places where a test may kill this process, before and after each durable write. In a program they do nothing."""

from __future__ import annotations

from collections.abc import Callable

Killer = Callable[[str], None]


def _nothing(_name: str) -> None:
    """Nobody kills anybody."""


_killer: Killer = _nothing


def arm(killer: Killer) -> None:
    """From now on call ``killer`` at every crash point of this process."""
    global _killer  # noqa: PLW0603 - one process, one killer; only a test that means to die sets it
    _killer = killer


def crashpoint(name: str) -> None:
    """A place to die at."""
    _killer(name)
