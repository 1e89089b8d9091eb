"""A finding: what is not as it should be between code, inventory and lock, where, and how to mend it."""

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
from typing import ClassVar

from remit.errors import SetupError


class VersionBump(enum.Enum):
    """How far the version of an application goes for a change."""

    NONE = ""
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be.

    Args:
        code: a stable word for its kind. where: ``file:line``. what: one line. fix: what to do about it.
        bump: for a change since the lock, the step of the version that it needs.
    """

    code: str
    where: str
    what: str
    fix: str
    bump: VersionBump = VersionBump.NONE

    def __str__(self) -> str:
        needs = f" [{self.bump.value}]" if self.bump is not VersionBump.NONE else ""
        return f"{self.where}: {self.what}{needs}; {self.fix}"


class InventoryError(SetupError):
    """An inventory cannot be read, or does not fit the code. ``findings`` has everything that was found."""

    code: ClassVar[str] = "INVENTORY_ERROR"

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        more = f" (and {len(self.findings) - 1:,} more: remit check names all)" if len(self.findings) > 1 else ""
        super().__init__(f"{next(iter(self.findings))}{more}")


def locate_function(function: FunctionType | MethodType) -> str:
    """Where a function is written, as ``file:line``."""
    code = function.__code__
    return f"{display_path(code.co_filename)}:{code.co_firstlineno}"


def locate_field(model: type[object], field: str) -> str:
    """Where a field of a class is written, or else the class, as ``file:line``; its name where there is no file."""
    try:
        lines, first = inspect.getsourcelines(model)
        file = inspect.getfile(model)
    except (OSError, TypeError):
        return model.__qualname__
    start = re.compile(rf"\s+{re.escape(field)}\s*:")
    offset = next((number for number, line in enumerate(lines) if start.match(line)), 0)
    return f"{display_path(file)}:{first + offset}"


def display_path(path: Path | str) -> str:
    """A path as a person at this prompt would write it."""
    return _display_path(str(path), os.getcwd())  # noqa: PTH109 - a path of it is made only for a file that is new


@lru_cache(maxsize=1024)
def _display_path(file: str, cwd: str) -> str:
    path, here = Path(file), Path(cwd)
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
