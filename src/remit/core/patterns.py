"""Regular expressions that are compiled when they are first used: to compile one takes longer than most calls."""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression for few programs, or for few calls of a program: of an error, a format, an attached file."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    """Caches the attributes of the compiled pattern, so that each is read once."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._given_flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self._given_flags), name)
        setattr(self, name, found)
        return found
