"""Rules that decide whether a change of a policy field breaks callers.

A rule compares the old and the new JSON value. None stands for an absent field or section.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from remit.call.classification import parse_version

BreakingRule = Callable[[Any, Any], bool]
"""Whether the second value refuses callers that the first accepted."""


def breaks_if_enabled(old: object, new: object) -> bool:
    """Breaks callers when the field becomes true."""
    return new is True and old is not True


def breaks_if_disabled(old: object, new: object) -> bool:
    """Breaks callers when the field becomes false."""
    return new is False and old is not False


def breaks_if_lower(old: float | None, new: float | None) -> bool:
    """Breaks callers when the number decreases; None means no limit."""
    return new is not None and (old is None or new < old)


def breaks_if_removed(old: list[Any] | None, new: list[Any] | None) -> bool:
    """Breaks callers when an element is removed; None means all elements."""
    return new is not None and (old is None or any(each not in new for each in old))


def breaks_if_earlier(old: str | None, new: str | None) -> bool:
    """Breaks callers when the version becomes earlier; an empty version means never."""
    return new is not None and new != "" and (not old or parse_version(new) < parse_version(old))


def breaks_if_rank_rises(*words: str) -> BreakingRule:
    """Breaks callers when the value moves to a later one of ``words``; None ranks before all."""
    rank: dict[str | None, int] = {None: -1, **{word: number for number, word in enumerate(words)}}

    def later(old: str | None, new: str | None) -> bool:
        return rank.get(new, -1) > rank.get(old, -1)

    return later
