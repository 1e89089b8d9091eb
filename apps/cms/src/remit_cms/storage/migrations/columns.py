"""What tables are made of in migrations: columns in the house's types, references and indexes."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op


def text(name: str, length: int, *, key: bool = False, null: bool = False, **more: Any) -> sa.Column[str]:
    """A text of at most so many characters."""
    return sa.Column(name, sa.String(length), primary_key=key, nullable=null, **more)


def number(name: str, default: str | None = None, *, null: bool = False) -> sa.Column[int]:
    """A whole number."""
    return sa.Column(name, sa.Integer, nullable=null, server_default=default)


def number_key(name: str) -> sa.Column[int]:
    """A whole number that is part of the primary key."""
    return sa.Column(name, sa.Integer, primary_key=True)


def time(name: str) -> sa.Column[object]:
    """A time with its zone."""
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def reference(name: str, to: str, *, on_delete: str = "CASCADE", **more: Any) -> sa.Column[str]:
    """The id of a row of another table, such as ``pages.id``."""
    return sa.Column(name, sa.String(64), sa.ForeignKey(to, ondelete=on_delete), **more)


def target(*, key: bool = False) -> tuple[sa.schema.SchemaItem, ...]:
    """The site and environment that a row belongs to."""
    names = ("site", "environment")
    foreign = sa.ForeignKeyConstraint(names, ["environments.site", "environments.name"], ondelete="CASCADE")
    return (*(text(name, 64, key=key) for name in names), foreign)


def create_index(table: str, name: str, *columns: str, unique: bool = False, where: str = "") -> None:
    """An index of a table, for some of its rows if there is a condition."""
    condition = sa.text(where) if where else None
    op.create_index(
        f"{table}_{name}", table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition
    )
