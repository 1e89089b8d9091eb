"""The differences between SQLite and Postgres: connecting, beginning a transaction, and translating errors."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol
from zlib import crc32

from sqlalchemy import URL, Connection, event
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from remit.database.schema import Schema
from remit.database.urls import describe_location, enable_wal, missing_driver, postgres_timeouts
from remit.errors import (
    CallError,
    ConflictError,
    ExternalError,
    InternalError,
    InvalidArgumentsError,
    RateLimitedError,
    RemitError,
    SetupError,
)

_LOG: Final = logging.getLogger(__name__)

WRITES: Final = "remit_writes"
"""The execution option that marks an engine whose transactions write."""

_LOCK_NAMESPACE: Final = 0x52656D44
"""Separates applications' advisory locks from others, since the whole database shares them."""

_IDLE_TIMEOUT: Final = "60s"
"""The time after which Postgres ends an idle transaction, so that a lost machine does not hold the write lock."""

_POOL: Final = {"pool_size": 4, "max_overflow": 4, "pool_pre_ping": True}


class Backend(Protocol):
    """A kind of database."""

    @property
    def file(self) -> Path | None:
        """The file, or None if the database is on a server."""
        ...

    @property
    def name(self) -> str:
        """The name for operators, without a password. It is not part of errors that models read."""
        ...

    def open_engine(self) -> AsyncEngine:
        """Open an engine whose transactions read one snapshot or, with the option `WRITES`, write exclusively."""
        ...

    def to_remit_error(self, error: DBAPIError) -> RemitError | None:
        """Translate a database error to Remit's, or return None for a bug in the application."""
        ...


@dataclass(frozen=True, slots=True)
class Sqlite:
    """A SQLite file with WAL, foreign keys, and durable commits."""

    file: Path
    schema: Schema
    busy_timeout: float

    @property
    def name(self) -> str:
        """The path."""
        return str(self.file)

    def open_engine(self) -> AsyncEngine:
        """Open an engine for the file. Its folder must exist."""
        url = URL.create("sqlite+aiosqlite", database=str(self.file))
        engine = create_async_engine(url, connect_args={"timeout": self.busy_timeout})
        event.listen(engine.sync_engine, "connect", self._on_connect)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
        return engine

    def _on_connect(self, connection: Any, _: object) -> None:
        """Disable the driver's implicit transactions and enable SQLite's durability and foreign keys."""
        connection.isolation_level = None
        for name, function in self.schema.functions.items():
            connection.create_function(name, function.parameters, function.call_python)
        cursor = connection.cursor()
        enable_wal(cursor, partial(time.sleep, 0.01))
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    def to_remit_error(self, error: DBAPIError) -> RemitError | None:
        """Decide by the message, because SQLite's codes are no more specific."""
        text = str(error.orig)
        if isinstance(error, IntegrityError):
            return _constraint_error(self.name, text)
        for signs, kind, message in _SQLITE_ERRORS:
            if any(sign in text for sign in signs):
                return _make_error(kind, message, self.name, text)
        return None


_READ_ONLY: Final = "a reading session of {name} cannot write; use `database.write()`"
_BUSY: Final = "{name} is being written by another process; try again"
_SQLITE_ERRORS: Final[Sequence[tuple[tuple[str, ...], type[RemitError], str]]] = (
    (("database is locked",), RateLimitedError, _BUSY),
    (("readonly database",), SetupError, _READ_ONLY),
    (
        ("file is not a database", "malformed"),
        InternalError,
        (
            "the file of {name} is not readable, or it is damaged; put a good copy of it there, "
            "or move it away to begin with an empty one"
        ),
    ),
    (("unable to open", "disk I/O error", "is full"), ExternalError, "{name} cannot be used{text}"),
)


def _begin_sqlite(connection: Connection) -> None:
    writes = bool(connection.get_execution_options().get(WRITES))
    connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN DEFERRED")


@dataclass(frozen=True, slots=True)
class Postgres:
    """A schema of a Postgres database. Its writers take turns by an advisory lock; its readers never wait."""

    url: URL
    schema: Schema
    busy_timeout: float

    @property
    def file(self) -> None:
        """None: Postgres has no file."""

    @property
    def name(self) -> str:
        """The URL and schema, without the password."""
        return f"{describe_location(self.url)} (schema {self.schema.name})"

    def open_engine(self) -> AsyncEngine:
        """Open an engine for the database.

        Raises:
            SetupError: the driver is not installed.
        """
        try:
            engine = create_async_engine(
                self.url.set(drivername="postgresql+psycopg"),
                connect_args=postgres_timeouts(self.url),
                **_POOL,
            )
        except ModuleNotFoundError as error:
            raise missing_driver(error) from error
        event.listen(engine.sync_engine, "connect", self._on_connect)
        event.listen(engine.sync_engine, "begin", self._on_begin)
        return engine

    def _on_connect(self, connection: Any, _: object) -> None:
        """Restrict the search path to this schema."""
        cursor = connection.cursor()
        cursor.execute(
            f'SET search_path = "{self.schema.name}", pg_catalog; SET idle_in_transaction_session_timeout = '
            f"'{_IDLE_TIMEOUT}'; SET lock_timeout = {max(1, round(self.busy_timeout * 1000))}"
        )
        cursor.close()
        connection.commit()

    def _on_begin(self, connection: Connection) -> None:
        """Lock out other writers before the first statement, so that it sees their commits."""
        if connection.get_execution_options().get(WRITES):
            key = crc32(self.schema.name.encode()) & 0x7FFFFFFF
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NAMESPACE}, {key})")
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def to_remit_error(self, error: DBAPIError) -> RemitError | None:
        """Decide by the SQLSTATE. An error without one comes from a lost or failed connection."""
        state: str = getattr(error.orig, "sqlstate", None) or ""
        text = " ".join(str(error.orig).split("\n")[0].split())
        if isinstance(error, IntegrityError):
            return _constraint_error(self.name, text)
        for states, kind, message in _POSTGRES_ERRORS:
            if state.startswith(states):
                return _make_error(kind, message, self.name, text)
        if error.connection_invalidated or (
            not state and type(error).__name__ in {"OperationalError", "InterfaceError"}
        ):
            return _make_error(ExternalError, _LOST, self.name, text)
        return _make_error(InvalidArgumentsError, _NO_VALUE, self.name, text) if _is_data_error(error) else None


_LOST: Final = "the connection to {name} failed{text}"
_CONSTRAINT: Final = (
    "the database refuses the write: an object of the same name exists, one that the write refers to does not, or a "
    "value is missing"
)
_NO_VALUE: Final = "{name} cannot store a value: it is too long, too large, or not of the type of its column"
_POSTGRES_ERRORS: Final[Sequence[tuple[tuple[str, ...], type[RemitError], str]]] = (
    (("55P03", "40001", "40P01"), RateLimitedError, _BUSY),
    (("25006",), SetupError, _READ_ONLY),
    # Connection errors, exhausted resources, an administrator's intervention, or an idle transaction.
    (("08", "53", "57P", "58", "25P03"), ExternalError, _LOST),
    (("42501", "3D000", "28"), SetupError, "{name} cannot be used{text}"),
)


def _is_data_error(error: DBAPIError) -> bool:
    return type(error).__name__ == "DataError"


def _make_error(kind: type[RemitError], message: str, name: str, text: str) -> RemitError:
    """Make the error. Only if operators alone read it does it name the database and the database's message.

    Models read the errors of calls, and must not learn a database's address or table names, so those go to the log.
    """
    if not issubclass(kind, CallError):
        return kind(message.format(name=name, text=f": {text}"))
    if kind is not RateLimitedError:
        _LOG.warning("%s: %s", name, text)
    return kind(message.format(name="the database", text=""))


def _constraint_error(name: str, text: str) -> RemitError:
    return _make_error(ConflictError, _CONSTRAINT, name, text)
