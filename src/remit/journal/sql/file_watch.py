"""Notices before each transaction that the files of an SQLite journal were removed, replaced or cut short.

SQLite keeps writing to deleted files, and over lost pages that it still has in memory, without an error. The journal
would then miss all later effects.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from remit.errors import JournalError

_SUFFIXES: Final = ("-wal", "-shm")


class FileWatch:
    """Watches the file of a journal, and the two files that SQLite keeps next to it.

    The file is that of the first transaction. Those beside it stay the same while a connection is open.
    """

    def __init__(self, path: Path, version_table: str) -> None:
        self._path = path
        self._version_table = version_table
        self._identity: tuple[int, int] | None = None
        self._sizes: dict[str, int] = {}

    def check(self, connection: Connection) -> None:
        """Compare the files with those that the connection has open.

        Raises:
            JournalError: a file was removed, replaced or truncated with a loss of data.
        """
        path = str(self._path)
        self._identity = self._check_file(path, self._identity)
        for suffix in _SUFFIXES:
            if known := connection.info.get(suffix):
                self._check_file(*known)

    def remember(self, connection: Connection) -> None:
        """Remember the files that the connection has open. Called when a transaction has started."""
        for suffix in _SUFFIXES:
            beside = "" if suffix in connection.info else os.path.realpath(self._path) + suffix
            if beside and os.path.exists(beside):  # noqa: PTH110
                connection.info[suffix] = beside, self._check_file(beside, None)

    def _check_file(self, path: str, expected: tuple[int, int] | None) -> tuple[int, int]:
        try:
            status = os.stat(path)  # noqa: PTH116 - before each transaction; a Path would cost more
        except OSError as error:
            raise JournalError(f"the journal {path} was removed: {error.strerror}; nothing was stored") from error
        identity = status.st_dev, status.st_ino
        if expected not in (None, identity):
            raise JournalError(f"the journal {path} was replaced by another file; nothing was stored")
        if status.st_size < self._sizes.get(path, 0):
            self._check_pages(path)
        self._sizes[path] = status.st_size
        return identity

    def _check_pages(self, cut: str) -> None:
        """Check a journal whose file shrank, as after VACUUM and checkpoints, without the pages in memory."""
        try:
            with closing(sqlite3.connect(self._path)) as database:
                found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
                database.execute(f"SELECT * FROM {self._version_table}")  # noqa: S608 - a constant
        except sqlite3.Error as error:
            found = str(error)
        if found != "ok":
            raise JournalError(f"the journal {cut} was cut short ({found}); nothing was stored: restore a backup")
