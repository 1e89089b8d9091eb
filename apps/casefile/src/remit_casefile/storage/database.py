"""The database: opened on first use, and migrated."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from remit import database
from remit.database import CASEFOLD, Schema, SqlFunction
from remit_casefile.storage.ids import IdGenerator, random_hex, utc_now


def _has_item(items: str, wanted: str) -> bool:
    """Whether a list in a JSON column has an item, which is given as JSON too."""
    return json.loads(wanted) in json.loads(items)


SCHEMA: Final = Schema(
    name="casefile",
    migrations=Path(__file__).parent / "migrations",
    head="0001_first",
    functions={
        "casefold": CASEFOLD,
        "has_item": SqlFunction(
            python=_has_item,
            postgres="EXISTS (SELECT FROM json_array_elements($1::json) AS item WHERE item::text = $2)",
            parameters=2,
            returns="boolean",
        ),
    },
)
"""The tables that the code wants. A test compares their head with the migrations themselves."""


class Database(database.Database):
    """The data of the application.

    Args:
        location: a file of SQLite, or the URL of a database in Postgres.
        busy_timeout: seconds to wait for another writer.
        clock: returns the time for rows.
        new_id: returns a random id suffix of that many hexadecimal digits.
    """

    def __init__(
        self,
        location: Path | str,
        *,
        busy_timeout: float = 10.0,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[int], str] = random_hex,
    ) -> None:
        super().__init__(location, SCHEMA, busy_timeout=busy_timeout)
        self.clock = clock
        self.ids = IdGenerator(clock=clock, random_digits=new_id)
