"""Which files of a folder are private, under the mask that most systems have."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def usual_umask() -> Generator[None]:
    """Create files that all can read, unless a program says otherwise."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def modes_below(folder: Path) -> dict[str, int]:
    """The permissions of all files and folders below one."""
    return {str(each.relative_to(folder)): each.stat().st_mode & 0o777 for each in folder.rglob("*")}
