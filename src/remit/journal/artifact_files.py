"""Artifact contents as files beside a journal, named by digest: ``journal.db.artifacts/ab/cdef…``."""

from __future__ import annotations

import secrets
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from remit.core.files import ensure_private_folder, sync_folder, write_private_file
from remit.errors import JournalError, SetupError
from remit.journal.crashpoint import crashpoint
from remit.record.artifact import DIGEST_PREFIX

_STALE_SECONDS: Final = 24 * 3600.0


@contextmanager
def _translate_refusals() -> Generator[None]:
    try:
        yield
    except (OSError, SetupError) as error:
        raise JournalError(f"the artifact could not be stored: {error}") from error


class ArtifactFiles:
    """The files of one journal. A file is written atomically. Writing raises `JournalError` on failure."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @_translate_refusals()
    def write(self, content: bytes) -> Path:
        """Write content durably to a temporary file, which `keep` renames."""
        ensure_private_folder(self._folder)
        for left in self._folder.glob("new-*"):  # left by a process that died
            with suppress(FileNotFoundError):
                if left.stat().st_mtime < time.time() - _STALE_SECONDS:
                    left.unlink()
        temporary = self._folder / f"new-{secrets.token_hex(8)}"
        crashpoint("before artifact")
        write_private_file(temporary, content)
        return temporary

    @_translate_refusals()
    def keep(self, temporary: Path, digest: str) -> None:
        """Give a temporary file its final name. An existing file of that name has the same content and is replaced."""
        path = self._path(digest)
        ensure_private_folder(path.parent)
        if temporary.exists() or not path.exists():  # a repeated transaction has already renamed it
            temporary.replace(path)
        for folder in (path.parent, self._folder, self._folder.parent):
            sync_folder(folder)
        crashpoint("after artifact")

    def read(self, digest: str) -> bytes | None:
        """The content of a file; None if there is none."""
        with suppress(FileNotFoundError):
            return self._path(digest).read_bytes()
        return None

    def remove(self, digest: str) -> None:
        """Remove a file."""
        self._path(digest).unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        name = digest.removeprefix(DIGEST_PREFIX)
        return self._folder / name[:2] / name[2:]
