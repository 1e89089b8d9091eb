"""Findings: problems in code, inventory or lock file, with their location and how to fix them."""

from __future__ import annotations

import enum
import inspect
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FunctionType, MethodType

from remit.core.checks import check_texts
from remit.core.names import show_hidden
from remit.errors import SetupError


class VersionBump(enum.Enum):
    """The version bump that a change requires."""

    NONE = ""
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"


class GovernanceChange(enum.Enum):
    """Whether a change loosens governance, which must be accepted by name, or tightens it."""

    NONE = ""
    LOOSER = "looser"
    TIGHTER = "tighter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem.

    Args:
        code: a stable identifier of its kind.
        where: ``file:line``, or a folder.
        what: the problem, in one line.
        fix: how to fix it.
        bump: for a change since the lock file was written, the version bump it requires.
        governance: whether that change loosens or tightens governance.

    Characters that do not print, which may come from a file, are shown as escapes.
    """

    code: str
    where: str
    what: str
    fix: str
    bump: VersionBump = VersionBump.NONE
    governance: GovernanceChange = GovernanceChange.NONE

    def __post_init__(self) -> None:
        check_texts("Finding", code=self.code, where=self.where, what=self.what, fix=self.fix)
        for name in ("where", "what", "fix"):
            object.__setattr__(self, name, show_hidden(getattr(self, name), ""))

    def __str__(self) -> str:
        needs = ", ".join(each.value for each in (self.bump, self.governance) if each.value)
        return f"{self.where}: {self.what}{needs and f' [{needs}]'}; {self.fix}"


class InventoryError(SetupError, code="INVENTORY_ERROR"):
    """An inventory is unreadable or does not fit the code. ``findings`` lists every problem."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        more = f" (and {len(self.findings) - 1:,} more; remit check lists all)" if len(self.findings) > 1 else ""
        super().__init__(f"{next(iter(self.findings))}{more}")


def locate_function(function: FunctionType | MethodType) -> str:
    """The place where a function is defined, as ``file:line``."""
    code = function.__code__
    return f"{display_path(code.co_filename)}:{code.co_firstlineno}"


def locate_field(model: type[object], field: str) -> str:
    """The place of a field, or else of its class, as ``file:line``; the class name if the source is unavailable."""
    try:
        lines, first = inspect.getsourcelines(model)
        file = inspect.getfile(model)
    except (OSError, TypeError):
        return model.__qualname__
    start = re.compile(rf"\s+{re.escape(field)}\s*:")
    offset = next((number for number, line in enumerate(lines) if start.match(line)), 0)
    return f"{display_path(file)}:{first + offset}"


def display_path(path: Path | str) -> str:
    """The path as shown to a user: relative to the working directory if it lies below."""
    return _display_path(str(path), os.getcwd())  # noqa: PTH109 - the cache key; a Path would cost more


@lru_cache(maxsize=1024)
def _display_path(file: str, cwd: str) -> str:
    path, here = Path(file), Path(cwd)
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
