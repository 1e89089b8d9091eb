"""Append-only files of JSON lines, with one writer at a time and atomic lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from remit.core.files import create_folder, ensure_private_file, sync_folder
from remit.errors import AuditError, SetupError

if sys.platform != "win32":
    import fcntl


def read_lines(path: Path) -> list[str]:
    """Read the complete lines of a file; none if it does not exist. A line cut off by a crash is ignored.

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
    """Append the lines that ``compose`` makes from the last line (empty if there is none), and sync the file.

    ``compose`` runs under an operating-system lock, which is released if the process dies, so no other process appends
    meanwhile. The file is private to its owner and never rewritten, so the file system may restrict it to appending.

    Raises:
        AuditError: the file cannot be written.
        SetupError: this system has no such lock.
    """
    if sys.platform == "win32":
        raise SetupError("an audit log needs the file locks of Unix; keep it on a Unix system")
    try:
        _append_locked(path, compose)
    except OSError as error:
        raise _unusable_file_error(path, error) from error


def _append_locked(path: Path, compose: Callable[[str], Sequence[str]]) -> None:
    create_folder(path.parent)
    ensure_private_file(path)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
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
        sync_folder(path.parent)


def _complete_lines(data: bytes) -> list[str]:
    """The complete lines, which end with a brace. A line cut off by a crash does not."""
    return [line for line in data.decode(errors="replace").split("\n") if line.endswith("}")]


def _unusable_file_error(path: Path, error: OSError) -> AuditError:
    return AuditError(f"{path} cannot be used: {error.strerror}")
