"""The content of artifacts as files beside a journal, named by digest: ``journal.db.artifacts/ab/cdef…``."""

from __future__ import annotations

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from remit.contracts.artifact import DIGEST_PREFIX
from remit.core.files import sync_folder
from remit.journal.crashpoint import crashpoint

_STALE_SECONDS: Final = 24 * 3600.0


class ArtifactFiles:
    """The files of one journal. A file appears whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, content: bytes) -> Path:
        """Write content durably to a temporary file, which `keep` gives its name."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        for left in self._folder.glob("new-*"):  # by a process that died
            with suppress(FileNotFoundError):
                if left.stat().st_mtime < time.time() - _STALE_SECONDS:
                    left.unlink()
        temporary = self._folder / f"new-{secrets.token_hex(8)}"
        crashpoint("before artifact")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return temporary

    def keep(self, temporary: Path, digest: str) -> None:
        """Give a temporary file its name. A file of that name has the same content, and is replaced."""
        path = self._path(digest)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if temporary.exists() or not path.exists():  # a transaction that runs again has done so before
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
