"""How a database is opened, and by which addresses."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import URL, Connection

from remit.database.urls import describe_location, enable_wal, parse_url
from remit.errors import SetupError
from remit.journal.sql.tables import open_engine


def read_pragmas(connection: Connection) -> dict[str, object]:
    names = ("journal_mode", "synchronous", "busy_timeout")
    return {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names}


def test_sqlite_is_told_how_to_keep_a_journal(tmp_path: Path) -> None:
    engine = open_engine(URL.create("sqlite", database=str(tmp_path / "some.db")))
    with engine.connect() as connection:
        assert read_pragmas(connection) == {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 30_000}
    engine.dispose()


def test_a_new_file_that_another_process_is_writing_to_is_waited_for(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "new.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with closing(sqlite3.connect(tmp_path / "new.db", isolation_level=None)) as mine:
            enable_wal(mine.cursor(), lambda: other.execute("COMMIT"))
            assert mine.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_new_file_that_stays_locked_is_given_up(tmp_path: Path) -> None:
    seconds = iter((0.0, 10.0, 20.0, 30.0))
    with closing(sqlite3.connect(tmp_path / "new.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with (
            closing(sqlite3.connect(tmp_path / "new.db", isolation_level=None)) as mine,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            enable_wal(mine.cursor(), lambda: None, lambda: next(seconds))


def test_a_disk_that_cannot_be_written_is_given_up_at_once() -> None:
    class ReadOnly:
        def execute(self, statement: str) -> None:
            raise sqlite3.OperationalError("attempt to write a readonly database")

    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        enable_wal(ReadOnly(), lambda: pytest.fail("waits for the disk"))


def test_postgres_is_told_how_long_to_wait_and_shows_what_others_committed(url: str) -> None:
    engine = open_engine(parse_url(url))
    with engine.connect() as connection:
        shown = [
            connection.exec_driver_sql(f"SHOW {name}").scalar() for name in ("lock_timeout", "transaction_isolation")
        ]
    assert shown == ["30s", "read committed"]
    engine.dispose()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_however_a_provider_spells_it_postgres_is_spoken_to_by_one_driver(scheme: str) -> None:
    engine = open_engine(parse_url(f"{scheme}://ada:rosebud@db.example/remit"))
    assert engine.dialect.driver == "psycopg"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("rosebud", "is not valid; write sqlite:///FILE or postgresql://"),
        ("postgresql://ada:rosebud@db.example:port/remit", "is not valid"),
        ("mysql://ada:rosebud@db.example/remit", "cannot be kept in mysql"),
        ("postgresql+asyncpg://ada:rosebud@db.example/remit", "cannot be kept in postgresql.asyncpg"),
        ("postgresql://ada@db.example/remit?password=rosebud", "put it before '@'"),
    ],
)
def test_a_url_of_which_no_journal_can_be_made_is_refused_and_not_repeated(url: str, why: str) -> None:
    with pytest.raises(SetupError, match=why) as refused:
        parse_url(url)
    assert "rosebud" not in str(refused.value)
    assert "rosebud" not in repr(refused.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////tmp/journal.db", "/tmp/journal.db"),  # noqa: S108 - only a name
        ("sqlite://", "in memory"),
        (
            "postgresql+psycopg://ada:rosebud@db.example:5433/remit?sslmode=require",
            "postgresql://ada@db.example:5433/remit",
        ),
    ],
)
def test_an_error_names_the_journal_without_its_password(url: str, shown: str) -> None:
    assert describe_location(parse_url(url)) == shown


def test_without_the_driver_of_postgres_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SetupError, match=r"Postgres needs psycopg; in a checkout .* pip install '\.\[postgres\]'"):
        open_engine(parse_url("postgresql://ada@db.example/remit"))


def test_a_transaction_that_writes_locks_from_its_start_and_one_that_reads_does_not(tmp_path: Path) -> None:
    """Two writers queue up; neither finds out in the middle that the other was quicker."""
    file = tmp_path / "some.db"
    engine = open_engine(URL.create("sqlite", database=str(file)))
    with engine.begin(), pytest.raises(sqlite3.OperationalError, match="locked"):
        write_at_once(file)
    with engine.connect().execution_options(remit_reads=True) as reading:
        assert read_pragmas(reading)["journal_mode"] == "wal"
        write_at_once(file)
    engine.dispose()


def write_at_once(file: Path) -> None:
    """Write as another process would that does not wait."""
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE said (word TEXT)")
        connection.execute("COMMIT")
