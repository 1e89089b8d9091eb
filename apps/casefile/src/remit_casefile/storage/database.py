"""The database file: opened on first use, and migrated."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from remit.database import Schema, SqliteFile
from remit_casefile.storage.ids import IdGenerator, random_hex, utc_now

SCHEMA: Final = Schema(migrations=Path(__file__).parent / "migrations", head="0002")
"""The tables that the code wants. A test compares their head with the migrations themselves."""


class Database(SqliteFile):
    """The SQLite file of the application.

    Its SQL has the function ``casefold``, since SQLite itself folds the case of ASCII only.

    Args:
        path: the file.
        busy_timeout: seconds to wait for another writing process.
        clock: returns the time for rows.
        new_id: returns a random id suffix of that many hexadecimal digits.
    """

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout: float = 10.0,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[int], str] = random_hex,
    ) -> None:
        super().__init__(path, SCHEMA, busy_timeout=busy_timeout, functions={"casefold": str.casefold})
        self.clock = clock
        self.ids = IdGenerator(clock=clock, random_digits=new_id)
