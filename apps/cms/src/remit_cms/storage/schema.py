"""Which version of the tables this code wants, and whether a database has it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, inspect, text

HEAD: Final = "0001"
"""The newest migration. A test compares it with the migrations themselves."""


def is_current(connection: Connection) -> bool:
    """Whether the database is up to date."""
    if not inspect(connection).has_table("alembic_version"):
        return False
    return connection.scalar(text("SELECT version_num FROM alembic_version")) == HEAD
