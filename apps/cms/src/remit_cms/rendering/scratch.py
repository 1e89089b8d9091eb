"""Hidden files and folders in which something is written before it is put in place.

Who writes one holds a lock on it, which ends with the process. So what a killed process left can be told from what
another one is writing, and is removed by the next one that writes the same thing.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

try:
    import fcntl
except ImportError:  # Windows: nothing is locked there, and nothing is removed
    fcntl = None


@dataclass(frozen=True, slots=True)
class ScratchFolder:
    """A hidden folder, and the handle that holds its lock, if there are locks."""

    path: Path
    handle: int | None

    @classmethod
    def beside(cls, path: Path) -> Self:
        """A new one beside a path, in place of those that killed processes left there."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.parent):
            _remove_abandoned(path)
            folder = Path(tempfile.mkdtemp(prefix=f".{path.stem}-", dir=path.parent))
            return cls(folder, _open_locked(folder))

    def remove(self) -> None:
        """Remove it with what is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.handle is not None:
            os.close(self.handle)


def write_atomically(path: Path, content: bytes, *, clean: bool = False) -> None:
    """Write a file whole or not at all; ``clean`` removes what killed processes left of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.parent):
        if clean:
            _remove_abandoned(path)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
        _lock(handle, wait=False)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            Path(name).chmod(0o644)
            Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _remove_abandoned(path: Path) -> None:
    """Remove hidden files and folders for a path that are not locked. The caller has locked the folder."""
    own = re.compile(rf"\.{re.escape(path.stem)}-[a-z0-9_]{{8}}({re.escape(path.suffix)})?")
    for each in [*path.parent.iterdir()] if fcntl else []:
        if not own.fullmatch(each.name) or each.is_symlink():
            continue
        handle = _open_locked(each)
        if handle is not None:
            if each.is_dir():
                shutil.rmtree(each, ignore_errors=True)
            else:
                each.unlink(missing_ok=True)
            os.close(handle)


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    """Hold the lock of a folder, so that no process looks at what has been made and is not locked yet."""
    handle = _open_locked(folder, wait=True)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _open_locked(path: Path, *, wait: bool = False) -> int | None:
    """A handle that holds the lock of a path; None if another one does, or if there are no locks."""
    if fcntl is None:
        return None
    handle = os.open(path, os.O_RDONLY)
    if _lock(handle, wait=wait):
        return handle
    os.close(handle)
    return None


def _lock(handle: int, *, wait: bool) -> bool:
    if fcntl is not None:
        with suppress(OSError):  # held by another one, or a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False
