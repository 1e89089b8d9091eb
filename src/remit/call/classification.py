"""The classification of an operation on six axes, and its deprecation.

The application defines domains and subdomains; the values of the other four axes are fixed.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Final

from remit.core.call_checks import check_arguments
from remit.errors import ContractError

_WORD: Final = re.compile(r"[a-z][a-z0-9_]*")


class Capability(enum.Enum):
    """The action of an operation on its subject."""

    CREATE = "create"
    READ = "read"
    UPDATE = "update"
    DELETE = "delete"
    PROCESS = "process"
    SEARCH = "search"


class Complexity(enum.Enum):
    """Whether an operation is composed of others."""

    ATOMIC = "atomic"
    COMPOSITE = "composite"
    PIPELINE = "pipeline"


class Maturity(enum.Enum):
    """How stable an operation is."""

    STABLE = "stable"
    BETA = "beta"
    ALPHA = "alpha"


class Tier(enum.Enum):
    """Whether an operation uses internal services, external ones, or both."""

    INTERNAL = "internal"
    EXTERNAL = "external"
    HYBRID = "hybrid"


class Visibility(enum.Enum):
    """The allowed callers: all with permission, only other operations, or only those that opt in to experiments."""

    PUBLIC = "public"
    INTERNAL = "internal"
    EXPERIMENTAL = "experimental"


EXPERIMENT_PERMISSION: Final = "tools:experiment"
"""The permission to call experimental operations."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """The position of an operation on the six axes. ``domain`` and ``subdomain`` are the application's words."""

    domain: str
    subdomain: str
    capability: Capability
    complexity: Complexity = Complexity.ATOMIC
    maturity: Maturity = Maturity.STABLE
    tier: Tier = Tier.INTERNAL

    def __post_init__(self) -> None:
        for word in (self.domain, self.subdomain):
            if not _WORD.fullmatch(word):
                raise ContractError(
                    f"{word!r} is not a valid domain; use lower-case letters, digits and '_', like google_drive"
                )

    def axis_values(self) -> tuple[str, str, str, str, str, str]:
        """The six values as strings, as an inventory writes them."""
        axes = (self.capability, self.complexity, self.maturity, self.tier)
        capability, complexity, maturity, tier = (axis.value for axis in axes)
        return (self.domain, self.subdomain, capability, complexity, maturity, tier)


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """The version that deprecates an operation, the one that removes it, and the operation that replaces it."""

    since: str
    removal: str = ""
    replacement: str = ""

    def __post_init__(self) -> None:
        for version in (self.since, self.removal):
            if version:
                parse_version(version)

    def is_removed_in(self, version: str) -> bool:
        """Whether the operation is removed in ``version``."""
        return bool(self.removal) and parse_version(version) >= parse_version(self.removal)


def parse_version(text: str) -> tuple[int, ...]:
    """Parse a version like ``1.4.2`` into comparable numbers.

    Raises:
        ContractError: the text is not a version.
    """
    if not re.fullmatch(r"\d+(\.\d+){0,3}", text):
        raise ContractError(f"{text!r} is not a version; write numbers separated by points, like 1.4")
    numbers = [int(part) for part in text.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))
