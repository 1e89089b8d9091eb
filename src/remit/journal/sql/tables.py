"""The tables of the journal, and the connection to its database."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    literal_column,
    text,
)

from remit.database.urls import enable_wal, missing_driver, postgres_timeouts
from remit.errors import JournalError
from remit.journal.sql.file_watch import FileWatch
from remit.journal.sql.statements import commit_by_driver, run_by_driver
from remit.record.artifact import ArtifactScope
from remit.record.usage import TokenCounts

METADATA: Final = MetaData()
"""The tables. Conditions of indexes on Postgres are in the migrations alone: `postgresql_where` loads its drivers."""

NOT_ENDED: Final = text("ended = 0")
"""Condition of the index of runs that have not ended. A query repeats it literally; otherwise the index is not used."""

QUESTION_IS_OPEN: Final = text("status = 'open'")
"""Condition of the index of open questions, repeated literally like `NOT_ENDED`."""

RUNS: Final = Table(
    "remit_runs",
    METADATA,
    Column("run", Text, primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("driver", Text, nullable=False),
    Column("until", Float, nullable=False),
    Column("next_seq", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("principal", Text, nullable=False),
    Column("application", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("callee", Text, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("opened", Float, nullable=False),
    Column("ended", Float, nullable=False),
    Column("cancelled", Text, nullable=False),
    Column("number", Integer, nullable=False, server_default="0"),
    Column("wake", Float, nullable=False, server_default="0"),
    Column("signature", LargeBinary),
    Column("cancel_signature", LargeBinary),
    Column("target", Text, nullable=False, server_default=text("''")),
    Column("erased", Integer, nullable=False, server_default=text("0")),
    Column("changed", BigInteger, nullable=False),
    Column("title", Text, nullable=False, server_default=text("''")),
    Column("calls", Integer, nullable=False, server_default=text("0")),
    Column("failed", Integer, nullable=False, server_default=text("-1")),
    *(Column(name, Float, nullable=False, server_default=text("0")) for name in ("worked", "waited", "active", "due")),
    Index("remit_runs_changed", "tenant", "changed"),
    Index("remit_runs_conversation", "conversation", "number"),
    Index("remit_runs_tenant", "tenant", "opened"),
    Index("remit_runs_principal", "tenant", "principal", "opened"),
    Index("remit_runs_status", "tenant", "status", "opened"),
    Index("remit_runs_principal_status", "tenant", "principal", "status", "opened"),
    Index("remit_runs_callee", "tenant", "callee", "opened"),
    Index("remit_runs_due", "application", "wake", sqlite_where=NOT_ENDED),
)

_COUNTS: Final = TokenCounts._fields

RUN_USAGE: Final = Table(
    "remit_run_usage",
    METADATA,
    *(Column(name, Text, primary_key=True) for name in ("run", "requested", "model")),
    *(Column(name, BigInteger, nullable=False) for name in _COUNTS),
)
"""The usage of each model by each run."""

USAGE: Final = Table(
    "remit_usage",
    METADATA,
    Column("tenant", Text, primary_key=True),
    Column("application", Text, primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    *(Column(name, Text, primary_key=True) for name in ("principal", "target", "requested", "model")),
    *(Column(name, BigInteger, nullable=False) for name in _COUNTS),
)
"""The usage of each model by ended runs, per opening day (since the epoch, UTC)."""

ITEMS: Final = Table(
    "remit_items",
    METADATA,
    Column("run", Text, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("kind", Text, nullable=False),
    Column("call", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("chain", LargeBinary, nullable=False),
)

QUESTIONS: Final = Table(
    "remit_questions",
    METADATA,
    Column("question", Text, primary_key=True),
    Column("run", Text, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("match", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("asked", Float, nullable=False),
    Column("body", Text, nullable=False),
    Column("decision", Text, nullable=False),
    Column("taken_run", Text, nullable=False),
    Column("taken_call", Text, nullable=False),
    Column("signature", LargeBinary),
    Column("approval", Text, nullable=False, server_default=text("''")),
    Column("tenant", Text, nullable=False, server_default=text("''")),
    Column("request_key", Text, nullable=False, server_default=text("''")),
    Column("expires", Float, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Index("remit_questions_changed", "tenant", "changed"),
    Index("remit_questions_expires", "tenant", "expires", sqlite_where=QUESTION_IS_OPEN),
    Index("remit_questions_match", "conversation", "match"),
    Index("remit_questions_run", "run"),
    Index("remit_questions_approval", "approval", "asked", "question"),
    Index("remit_questions_tenant", "tenant", "asked"),
    Index("remit_questions_key", "request_key"),
    Index("remit_questions_open", "tenant", "asked", sqlite_where=QUESTION_IS_OPEN),
)

GRANTS: Final = Table(
    "remit_grants",
    METADATA,
    Column("grant", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("given", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("count", Integer, nullable=False),
    Column("used", Integer, nullable=False),
    Column("revoked", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("signature", LargeBinary),
    Index("remit_grants_tool", "tenant", "tool"),
)

CONVERSATIONS: Final = Table(
    "remit_conversations",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("application", Text, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("given_title", Text, nullable=False),
    Column("first_message", Text, nullable=False),
    Column("shared", Text, nullable=False),
    Column("deletion", Text, nullable=False),
    Column("opened", Float, nullable=False),
    Column("active", Float, nullable=False),
    Column("first", Text, nullable=False),
    Column("latest", Text, nullable=False),
    Column("signature", LargeBinary),
    Column("changed", BigInteger, nullable=False),
    Index("remit_conversations_changed", "tenant", "changed"),
    Index("remit_conversations_tenant", "tenant", "active"),
    Index("remit_conversations_owner", "tenant", "owner", "active"),
)
"""The conversations. ``id`` is the digest of tenant, application and name."""

TURNS: Final = Table(
    "remit_turns",
    METADATA,
    Column("rate", Text, primary_key=True),
    Column("lane", Integer, primary_key=True, autoincrement=False),
    Column("start", Float, nullable=False),
    Index("remit_turns_start", "rate", "start"),
)

USES: Final = Table(
    "remit_uses",
    METADATA,
    *(Column(name, Text, primary_key=True) for name in ("subject", "run", "call")),
    Column("at", Float, nullable=False),
    Column("amount", Float, nullable=False),
    Index("remit_uses_at", "subject", "at"),
)

KEY: Final = Table("remit_key", METADATA, Column("signature", LargeBinary, primary_key=True))
"""One row, which shows whether a key belongs to the journal."""

ARTIFACTS: Final = Table(
    "remit_artifacts",
    METADATA,
    *(Column(name, Text, primary_key=True) for name in ("digest", *ArtifactScope._fields)),
    Index("remit_artifacts_run", "run"),
)

ARTIFACT_CONTENTS: Final = Table(
    "remit_artifact_contents",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

ANSWERS: Final = Table(
    "remit_answers",
    METADATA,
    Column("run", Text, primary_key=True),
    Column("epoch", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("call", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("follows", Integer, nullable=False),
)
"""Pieces of answers in progress."""

ATTACHED: Final = Table(
    "remit_attached", METADATA, Column("call", Text, primary_key=True), Column("run", Text, nullable=False)
)
"""The runs of calls whose results were not read yet."""

CHANGES: Final = Table("remit_changes", METADATA, Column("number", BigInteger, primary_key=True, autoincrement=False))
"""One row: the number of the last transaction that changed runs, questions or conversations. Postgres has its own."""

WATCHES: Final = Table(
    "remit_watches", METADATA, Column("run", Text, primary_key=True), Column("until", Float, nullable=False)
)

_BEGIN: Final = "remit_begin"

VERSION_TABLE: Final = "remit_version"

HEAD_REVISION: Final = "0001_first"
"""The newest migration. A database at this revision is opened without loading Alembic."""


def one_of(column: Column[str], values: Iterable[str]) -> ColumnElement[bool]:
    """Whether a column has one of Remit's own values, as a constant of the statement."""
    return column.in_([literal_column(f"'{value}'") for value in values])


def sqlite_file(url: URL) -> Path | None:
    """The file of an SQLite journal that is given by its path."""
    is_file = url.get_backend_name() == "sqlite" and "uri" not in url.query
    return Path(url.database or "") if is_file else None


def open_engine(url: URL) -> Engine:
    """Open an engine with durable transactions: every commit is synced, and writers queue instead of failing.

    Raises:
        SetupError: the Postgres driver is not installed.
    """
    return _open_sqlite(url) if url.get_backend_name() == "sqlite" else _open_postgres(url)


def _open_sqlite(url: URL) -> Engine:
    engine = create_engine(url, pool_use_lifo=True)  # a commit invalidates the page cache of other connections
    event.listen(engine, "connect", _configure_sqlite)
    path = sqlite_file(url)
    begin = _begin_sqlite if path is None else partial(_begin_watched, FileWatch(path, VERSION_TABLE))
    event.listen(engine, "begin", begin)
    engine.update_execution_options(**{_BEGIN: begin})
    return engine


def _open_postgres(url: URL) -> Engine:
    """Open Postgres with READ COMMITTED; writers of the same rows wait for advisory locks (`journal.sql.locks`)."""
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            isolation_level="READ COMMITTED",
            paramstyle="format",
            pool_size=4,
            max_overflow=2,
            pool_pre_ping=True,
            connect_args=postgres_timeouts(url),
        )
    except ModuleNotFoundError as error:
        raise missing_driver(error) from error
    event.listen(engine, "connect", _set_lock_timeout)
    return engine


def _set_lock_timeout(connection: Any, _record: object) -> None:
    connection.execute("SET lock_timeout = '30s'")
    connection.commit()


def _configure_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=30000")
    enable_wal(cursor, partial(time.sleep, 0.01))
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA cache_size=-1000")  # 1,000 kB; runs resume in any order, so more would seldom be reused
    cursor.close()


def connect_writer(engine: Engine) -> Connection:
    """A connection for `begin_transaction` and `commit_transaction`."""
    connection = engine.connect()
    return connection.execution_options(isolation_level="AUTOCOMMIT") if _is_postgres(connection) else connection


def begin_transaction(connection: Connection, first: Sequence[str] = ()) -> None:
    """Begin a transaction with its first statements, by the driver alone, which takes a fraction of the time.

    On Postgres they are sent in one message.
    """
    if _is_postgres(connection):
        run_by_driver(connection, "; ".join(("BEGIN ISOLATION LEVEL READ COMMITTED", *first)))
        return
    connection.get_execution_options()[_BEGIN](connection)
    for statement in first:
        run_by_driver(connection, statement)


def commit_transaction(connection: Connection) -> None:
    """Commit a transaction, whether SQLAlchemy has taken part in it or the driver alone.

    Raises:
        DBAPIError: the database refused, or ended the transaction before. SQLite does so when the disk is full.
        JournalError: a statement of the transaction has failed on Postgres.
    """
    if _is_postgres(connection):
        driver: Any = connection.connection.dbapi_connection
        if driver.info.transaction_status.name == "INERROR":  # Postgres would answer the commit with a rollback
            raise JournalError("the journal could not be written: one of its statements failed, so nothing was stored")
        commit_by_driver(connection)
    else:
        run_by_driver(connection, "COMMIT")  # unlike the driver's own commit, it fails without a transaction
    connection.commit()


def _is_postgres(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"


def _begin_watched(watch: FileWatch, connection: Connection) -> None:
    watch.check(connection)
    _begin_sqlite(connection)
    watch.remember(connection)


def _begin_sqlite(connection: Connection) -> None:
    raw: Any = connection.connection.dbapi_connection
    if not raw.in_transaction:  # otherwise SQLAlchemy joins a transaction that the driver began
        mode = "DEFERRED" if connection.get_execution_options().get("remit_reads") else "IMMEDIATE"
        run_by_driver(connection, f"BEGIN {mode}")
