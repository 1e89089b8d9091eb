"""Which change of a policy's field asks more of callers than before: a rule for each field that can.

A rule takes the values of before and now, as JSON has them. None stands for a field, or its section, that was not said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from remit.contracts.classification import parse_version

BreakingRule = Callable[[Any, Any], bool]
"""Whether the second value refuses what the first let pass."""


def breaks_if_enabled(old: object, new: object) -> bool:
    """It is switched on."""
    return new is True and old is not True


def breaks_if_disabled(old: object, new: object) -> bool:
    """It is switched off."""
    return new is False and old is not False


def breaks_if_lower(old: float | None, new: float | None) -> bool:
    """It is a smaller number; None is no limit."""
    return new is not None and (old is None or new < old)


def breaks_if_removed(old: list[Any] | None, new: list[Any] | None) -> bool:
    """One that was among them is not any more; None is all there are."""
    return new is not None and (old is None or any(each not in new for each in old))


def breaks_if_earlier(old: str | None, new: str | None) -> bool:
    """It is an earlier version; an empty one is never."""
    return new is not None and new != "" and (not old or parse_version(new) < parse_version(old))


def breaks_if_rank_rises(*words: str) -> BreakingRule:
    """It is a word that stands later among ``words``; None stands before all."""
    rank: dict[str | None, int] = {None: -1, **{word: number for number, word in enumerate(words)}}

    def later(old: str | None, new: str | None) -> bool:
        return rank.get(new, -1) > rank.get(old, -1)

    return later
