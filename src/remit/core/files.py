"""Durable files, and files and folders for private data, which other users can neither read nor plant."""

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
"""Held while a file is created: closing a file releases SQLite's locks on it, so no other thread may open it then."""


DATA_FOLDER: Final[ContextVar[tuple[Path, list[str]] | None]] = ContextVar("remit_data_folder", default=None)
"""The folder to which an eval task confines the databases of applications, and the refusals; None for no limit."""


@contextmanager
def keep_data_in(folder: Path) -> Generator[list[str]]:
    """Allow applications to open databases only in this folder, within the block and the tasks that it starts.

    Yields the growing list of refusals, because the application may swallow an error.
    """
    refused: list[str] = []
    token = DATA_FOLDER.set((folder.resolve(), refused))
    try:
        yield refused
    finally:
        DATA_FOLDER.reset(token)


def check_data_file(file: Path | None, owner: str) -> None:
    """Refuse a database outside the folder of `keep_data_in`. ``file`` is None for a database on a server.

    Raises:
        SetupError: the database is outside the folder; ``owner`` names it.
    """
    kept = DATA_FOLDER.get()
    if kept is None or (file is not None and kept[0] in file.resolve().parents):
        return
    kept[1].append(
        f"{owner} is not in the home of the task, so tasks would share it; let the database find its place anew: "
        "Database(lambda: data_location(os.environ, APP), SCHEMA)"
    )
    raise SetupError(kept[1][-1])


def sync_folder(folder: Path) -> None:
    """Sync a folder. A new file survives a crash only if its folder is synced too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def create_folder(folder: Path) -> None:
    """Create a folder that only its owner can access, unless it exists.

    Raises:
        SetupError: it cannot be created.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"the folder {folder} cannot be created: {error.strerror}; name another folder") from error


def ensure_private_folder(folder: Path) -> None:
    """Create a folder that only its owner can access, or check an existing one.

    Raises:
        SetupError: it cannot be created, or another user owns it or can write to it.
    """
    create_folder(folder)
    check_trusted(folder)


def ensure_private_file(path: Path) -> None:
    """Create an empty file that only its owner can access, or check an existing file and make it unreadable for others.

    Raises:
        SetupError: it is a link or not a file, or another user owns it or can write to it. OSError: it cannot be
            created.
    """
    with _CREATING:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600))
        except FileExistsError:
            _check_existing(path)


def write_private_file(path: Path, content: bytes) -> None:
    """Write a new file durably, accessible only to its owner.

    Raises:
        FileExistsError: the name is taken. OSError: it cannot be written.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def check_trusted(path: Path) -> None:
    """Refuse a file or folder that another user owns or can write to. Links are followed.

    Raises:
        SetupError: says how to fix it. OSError: it does not exist.
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
