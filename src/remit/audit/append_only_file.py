"""Append-only files of lines that hold JSON objects: one writer at a time, and each line whole or not there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from remit.errors import AuditError, SetupError

if sys.platform != "win32":
    import fcntl


def read_lines(path: Path) -> list[str]:
    """The whole lines of a file, none where there is no file. What a crash has torn off is left out.

    Raises:
        AuditError: the file cannot be read.
    """
    try:
        return _complete_lines(path.read_bytes())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unusable_file_error(path, error) from error


def append_lines(path: Path, compose: Callable[[str], Sequence[str]]) -> None:
    """Append what ``compose`` makes of the last line (empty: there is none), and return when the disk has it.

    Nobody else appends meanwhile: ``compose`` is called under a lock that the operating system holds, and lets go with
    the process. The file is its owner's alone, and nothing in it is ever written again, so that it may be one which
    the file system itself lets nobody but append to.

    Raises:
        AuditError: the file cannot be written. SetupError: this system has no such lock.
    """
    if sys.platform == "win32":
        raise SetupError("an audit log needs the file locks of Unix; keep it on a system that has them")
    try:
        _append_locked(path, compose)
    except OSError as error:
        raise _unusable_file_error(path, error) from error


def _append_locked(path: Path, compose: Callable[[str], Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        data = file.read()
        new_lines = compose((_complete_lines(data) or [""])[-1])
        if not new_lines:
            return
        separator = b"" if not data or data.endswith(b"\n") else b"\n"
        file.write(separator + "".join(f"{line}\n" for line in new_lines).encode())
        file.flush()
        os.fsync(file.fileno())
    if not data:
        _sync_folder(path.parent)


def _complete_lines(data: bytes) -> list[str]:
    """A line that a crash has torn off lacks the brace at its end."""
    return [line for line in data.decode(errors="replace").split("\n") if line.endswith("}")]


def _unusable_file_error(path: Path, error: OSError) -> AuditError:
    return AuditError(f"{path} cannot be used: {error.strerror}")


def _sync_folder(folder: Path) -> None:
    """A new file is there after a crash only if its folder was written too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
