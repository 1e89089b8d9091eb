"""The databases of a sweep of the CMS: what they contain, how they are restored before each case, and their writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol

import psycopg
from sqlalchemy import event
from sqlalchemy.engine import Engine

from tests.postgres import Postgres, serving

Content = dict[str, list[str]]


class SweptDatabase(Protocol):
    """A database that can be read and restored from outside of the CMS. ``location`` is what the CMS is given."""

    location: Path | str

    def keep(self) -> None:
        """Remember what it contains."""

    def restore(self) -> None:
        """Make it what was remembered."""

    def read(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """The rows of a table."""
        ...

    def tables(self) -> dict[str, list[str]]:
        """The columns of each table."""
        ...

    def version(self) -> object:
        """A value that is another one after each change of what it contains."""

    def close(self) -> None:
        """Forget what was remembered."""


def content_of(database: SweptDatabase) -> Content:
    """The rows of all tables, without indexes of texts, times and the keys of calls. The keys of objects are sorted."""
    found: Content = {}
    for table, columns in database.tables().items():
        if "search" not in table and table not in ("remit_effects", "alembic_version"):
            kept = [each for each in columns if not each.endswith("_at") and each != "run"]
            found[table] = sorted(repr(tuple(map(_canonical, row))) for row in database.read(table, *kept))
    return found


def _canonical(value: object) -> object:
    """A value in which the order of the keys of objects does not matter: a resumed call reads them sorted."""
    if isinstance(value, str) and value.startswith(("{", "[{")):
        return _sort_keys(value)
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


@lru_cache(maxsize=20_000)
def _sort_keys(text: str) -> str:
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text


class SqliteFile:
    """A file of SQLite."""

    def __init__(self, path: Path) -> None:
        self.location: Path | str = path
        self._path = path
        self._prepared = sqlite3.connect(":memory:")
        self._watching = sqlite3.connect(path)
        self._columns: dict[str, list[str]] = {}

    def keep(self) -> None:
        """Remember what it contains."""
        with closing(sqlite3.connect(self._path)) as database:
            database.backup(self._prepared)

    def restore(self) -> None:
        """Make it what was remembered."""
        with closing(sqlite3.connect(self._path)) as database:
            self._prepared.backup(database)

    def read(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """The rows of a table."""
        names = ", ".join(f'"{each}"' for each in columns)
        return self._watching.execute(f"SELECT {names} FROM {table}").fetchall()  # noqa: S608 - names of its tables

    def tables(self) -> dict[str, list[str]]:
        """The columns of each table."""
        if not self._columns:
            run = self._watching.execute
            for (name,) in run("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self._columns[name] = [each[1] for each in run(f"PRAGMA table_info({name})").fetchall()]
        return self._columns

    def version(self) -> object:
        """A number that SQLite changes whenever another connection commits."""
        return self._watching.execute("PRAGMA data_version").fetchone()[0]

    def close(self) -> None:
        """Forget what was remembered."""
        self._watching.close()
        self._prepared.close()


_COLUMNS: Final = (
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'cms' ORDER BY 1, 2"
)


class PostgresSchema:
    """The schema of the CMS in a database of Postgres. A schema beside it remembers its rows."""

    def __init__(self, server: Postgres) -> None:
        url = server.url(server.make())
        self.location: Path | str = url
        self._connection = psycopg.connect(url, autocommit=True)
        self._columns: dict[str, list[str]] = {}

    def keep(self) -> None:
        """Remember what it contains."""
        self._do("CREATE SCHEMA kept", *(f"CREATE TABLE kept.{t} AS TABLE cms.{t}" for t in self.tables()))

    def restore(self) -> None:
        """Make it what was remembered."""
        tables = self.tables()
        rows = [f"DELETE FROM cms.{t}; INSERT INTO cms.{t} SELECT * FROM kept.{t}" for t in tables]  # noqa: S608 - as above
        # Foreign keys are triggers, which replicas do not run.
        setting = "session_replication_role"
        self._do(f"BEGIN; SET {setting} = replica; {'; '.join(rows)}; RESET {setting}; COMMIT")

    def read(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """The rows of a table."""
        names = ", ".join(f'"{each}"' for each in columns)
        return self._connection.execute(f"SELECT {names} FROM cms.{table}".encode()).fetchall()  # noqa: S608 - as above

    def tables(self) -> dict[str, list[str]]:
        """The columns of each table."""
        if not self._columns:
            for table, column in self._connection.execute(_COLUMNS).fetchall():
                self._columns.setdefault(table, []).append(column)
        return self._columns

    def version(self) -> object:
        """The place in the log of writes."""
        return self._connection.execute("SELECT pg_current_wal_insert_lsn()").fetchone()

    def close(self) -> None:
        """Forget what was remembered."""
        self._connection.close()

    def _do(self, *statements: str) -> None:
        for statement in statements:
            self._connection.execute(statement.encode())


@contextmanager
def new_database(kind: str) -> Generator[SweptDatabase]:
    """A new, empty database: ``sqlite`` or ``postgres``."""
    if kind == "sqlite":
        with TemporaryDirectory() as folder, closing(SqliteFile(Path(folder) / "cms.db")) as database:
            yield database
    else:
        with serving() as server, closing(PostgresSchema(server)) as database:
            yield database


@contextmanager
def before_writes(do: Callable[[], None]) -> Generator[None]:
    """Call ``do`` before each statement that writes."""

    def look(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip()[:6].upper() in {"INSERT", "UPDATE", "DELETE"}:
            do()

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", look)
