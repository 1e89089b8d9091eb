"""The tables of the journal, and how a store opens its database."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    URL,
    Column,
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
)

METADATA: Final = MetaData()

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
    Index("remit_runs_conversation", "conversation", "opened"),
)

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
    Index("remit_questions_match", "conversation", "match"),
    Index("remit_questions_run", "run"),
)

VERSION_TABLE: Final = "remit_version"

HEAD: Final = "0001"
"""The newest migration; a database at this revision is opened without loading Alembic."""


def open_engine(url: URL) -> Engine:
    """An engine whose transactions hold on SQLite too: WAL, every commit synced, writers queue instead of failing."""
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=30000")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _begin(connection: Any) -> None:
    mode = "DEFERRED" if connection.get_execution_options().get("remit_reads") else "IMMEDIATE"
    connection.exec_driver_sql(f"BEGIN {mode}")
