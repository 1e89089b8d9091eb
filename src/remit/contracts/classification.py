"""What kind of thing an operation is, on six axes, and how long it will be there.

Domains and subdomains are an application's own; the other four axes are closed.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Final

from remit.errors import ContractError

_WORD: Final = re.compile(r"[a-z][a-z0-9_]*")


class Capability(enum.Enum):
    """What an operation does to what it is about."""

    CREATE = "create"
    READ = "read"
    UPDATE = "update"
    DELETE = "delete"
    PROCESS = "process"
    SEARCH = "search"


class Complexity(enum.Enum):
    """Of how many others it is made."""

    ATOMIC = "atomic"
    COMPOSITE = "composite"
    PIPELINE = "pipeline"


class Maturity(enum.Enum):
    """How far it may be relied on."""

    STABLE = "stable"
    BETA = "beta"
    ALPHA = "alpha"


class Tier(enum.Enum):
    """Whose services it needs: ours, somebody else's, or both."""

    INTERNAL = "internal"
    EXTERNAL = "external"
    HYBRID = "hybrid"


class Visibility(enum.Enum):
    """Who may call it: anybody who is permitted, only other operations, or those who try out what is new."""

    PUBLIC = "public"
    INTERNAL = "internal"
    EXPERIMENTAL = "experimental"


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """Where an operation belongs. ``domain`` and ``subdomain`` are words of the application."""

    domain: str
    subdomain: str
    capability: Capability
    complexity: Complexity = Complexity.ATOMIC
    maturity: Maturity = Maturity.STABLE
    tier: Tier = Tier.INTERNAL

    def __post_init__(self) -> None:
        for word in (self.domain, self.subdomain):
            if not _WORD.fullmatch(word):
                raise ContractError(f"{word!r} is no domain: use small letters, digits and '_', like google_drive")

    def axis_values(self) -> tuple[str, str, str, str, str, str]:
        """The six words, as an inventory says them."""
        axes = (self.capability, self.complexity, self.maturity, self.tier)
        capability, complexity, maturity, tier = (axis.value for axis in axes)
        return (self.domain, self.subdomain, capability, complexity, maturity, tier)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """It goes: since which version that is said, from which on it is gone, and what to call in its place."""

    since: str
    removal: str = ""
    replacement: str = ""

    def __post_init__(self) -> None:
        for version in (self.since, self.removal):
            if version:
                parse_version(version)

    def is_removed_in(self, version: str) -> bool:
        """Whether it is no more to be called in ``version``."""
        return bool(self.removal) and parse_version(version) >= parse_version(self.removal)


def parse_version(text: str) -> tuple[int, ...]:
    """The numbers of a version like ``1.4.2``, to compare.

    Raises:
        ContractError: it is none.
    """
    if not re.fullmatch(r"\d+(\.\d+){0,3}", text):
        raise ContractError(f"{text!r} is no version: give numbers with points between them, like 1.4")
    numbers = [int(part) for part in text.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))
