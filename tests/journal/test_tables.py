"""How a database is opened: SQLite is told what to keep, every other is left as it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import URL, Connection
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from remit.journal.tables import open_engine


class Other(SQLiteDialect_pysqlite):
    """A database that is not SQLite, as far as anybody can tell."""

    name = "other"


registry.register("other", __name__, "Other")


def told(connection: Connection) -> dict[str, object]:
    names = ("journal_mode", "synchronous", "busy_timeout")
    return {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names}


@pytest.mark.parametrize(
    ("dialect", "keeps"),
    [
        ("sqlite", {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 30_000}),
        ("other", {"journal_mode": "delete", "synchronous": 2, "busy_timeout": 5000}),
    ],
)
def test_only_sqlite_is_told_how_to_keep_a_journal(tmp_path: Path, dialect: str, keeps: dict[str, object]) -> None:
    engine = open_engine(URL.create(dialect, database=str(tmp_path / "some.db")))
    with engine.connect() as connection:
        assert told(connection) == keeps
    engine.dispose()


def test_a_transaction_that_writes_locks_from_its_start_and_one_that_reads_does_not(tmp_path: Path) -> None:
    """Two writers queue up; neither finds out in the middle that the other was quicker."""
    file = tmp_path / "some.db"
    engine = open_engine(URL.create("sqlite", database=str(file)))
    with engine.begin(), pytest.raises(sqlite3.OperationalError, match="locked"):
        write_at_once(file)
    with engine.connect().execution_options(remit_reads=True) as reading:
        assert told(reading)["journal_mode"] == "wal"
        write_at_once(file)
    engine.dispose()


def write_at_once(file: Path) -> None:
    """Write as another process would that does not wait."""
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE said (word TEXT)")
        connection.execute("COMMIT")
