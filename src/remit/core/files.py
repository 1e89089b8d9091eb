"""Files that survive a crash, and files and folders of private data, which no other user can read or plant."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from remit.errors import SetupError

if TYPE_CHECKING:
    from pathlib import Path

_IS_POSIX: Final = os.name == "posix"
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_READABLE, _WRITABLE = 0o077, 0o022
_CREATING: Final = threading.Lock()
"""Closing a file ends the locks that SQLite has on it, so nothing else of this process opens a file being created."""


_DATA_FOLDER: Final[ContextVar[tuple[Path, list[str]] | None]] = ContextVar("remit_data_folder", default=None)


@contextmanager
def keep_data_in(folder: Path) -> Generator[list[str]]:
    """Let applications open databases in this folder only, for the duration of the block and what it starts.

    Yields the list of refusals, which grows: the application may have kept one to itself.
    """
    refused: list[str] = []
    token = _DATA_FOLDER.set((folder.resolve(), refused))
    try:
        yield refused
    finally:
        _DATA_FOLDER.reset(token)


def check_data_file(file: Path | None, owner: str) -> None:
    """Refuse a database outside of the folder of `keep_data_in`. ``file`` is None for one on a server.

    Raises:
        SetupError: it is; ``owner`` names it.
    """
    kept = _DATA_FOLDER.get()
    if kept is None or (file is not None and kept[0] in file.resolve().parents):
        return
    kept[1].append(
        f"{owner} is not in the home of the task, so tasks would share it; let the database find its place anew: "
        "Database(lambda: data_location(os.environ, APP), SCHEMA)"
    )
    raise SetupError(kept[1][-1])


def sync_folder(folder: Path) -> None:
    """Sync a folder: a new file survives a crash only if its folder is synced too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def create_folder(folder: Path) -> None:
    """Create a folder for its owner only, unless it exists.

    Raises:
        SetupError: it cannot be created.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"the folder {folder} cannot be created: {error.strerror}; name another folder") from error


def ensure_private_folder(folder: Path) -> None:
    """Create a folder for its owner only, or check one that exists.

    Raises:
        SetupError: it cannot be created, or another user owns it or can write to it.
    """
    create_folder(folder)
    check_trusted(folder)


def ensure_private_file(path: Path) -> None:
    """Create an empty file for its owner only, or check one that exists and keep others from reading it.

    Raises:
        SetupError: it is a link or no file, or another user owns it or can write to it. OSError: it cannot be created.
    """
    with _CREATING:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600))
        except FileExistsError:
            _check_existing(path)


def write_private_file(path: Path, content: bytes) -> None:
    """Write a new file durably, for its owner only.

    Raises:
        FileExistsError: there is something of this name. OSError: it cannot be written.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def check_trusted(path: Path) -> None:
    """Refuse a file or folder that another user owns or can write to. A link represents what it leads to.

    Raises:
        SetupError: says how to mend it. OSError: it does not exist.
    """
    _check_owner(path, path.stat())


def _check_existing(path: Path) -> None:
    found = path.lstat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not a file"
        raise SetupError(f"{path} is {kind}, but will hold private data; name the file itself")
    if found.st_nlink > 1:
        raise SetupError(f"{path} has another hard link, through which it can be changed; replace it with a copy")
    _check_owner(path, found)
    if _IS_POSIX and found.st_mode & _READABLE:
        path.chmod(0o600)


def _check_owner(path: Path, found: os.stat_result) -> None:
    if not _IS_POSIX:
        return
    if found.st_uid not in (0, os.geteuid()):
        raise SetupError(f"another user owns {path} and can change it; run: chown {os.geteuid()} {path}")
    if found.st_mode & _WRITABLE:
        raise SetupError(f"others can write to {path}; run: chmod go-w {path}")
