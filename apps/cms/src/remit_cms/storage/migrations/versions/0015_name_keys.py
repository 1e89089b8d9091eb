"""The keys under which pages and images are found by title, name and alternative text, in any script."""

from __future__ import annotations

import unicodedata
from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

_NAMED: Final = {"pages": "title", "page_translations": "title"}
_KEYS: Final = {"pages": ("id",), "page_translations": ("page", "locale"), "images": ("id",)}
_COLUMNS: Final = (("pages", "title"), ("page_translations", "title"), ("images", "name"), ("images", "alt"))


def upgrade() -> None:
    """Add the keys, and find titles by them in place of an index in lower case."""
    for table, column in _COLUMNS:
        can_be_null = table == "page_translations"
        default = None if can_be_null else ""
        op.add_column(table, sa.Column(f"{column}_key", sa.Text, nullable=can_be_null, server_default=default))
        _fill(table, column)
    for table in _NAMED:
        op.drop_index(f"{table}_title", table)
        op.create_index(f"{table}_title_key", table, ["site", "environment", "title_key"])


def downgrade() -> None:
    """Drop the keys, and index titles in lower case again."""
    for table in _NAMED:
        op.drop_index(f"{table}_title_key", table)
        op.create_index(f"{table}_title", table, ["site", "environment", sa.text("lower(title)")])
    for table, column in _COLUMNS:
        op.drop_column(table, f"{column}_key")


def _fill(table: str, column: str) -> None:
    names = sa.table(table, *map(sa.column, (*_KEYS[table], column, f"{column}_key")))
    for row in op.get_bind().execute(sa.select(names)).mappings().all():
        if row[column] is not None:
            chosen = sa.and_(*(names.c[each] == row[each] for each in _KEYS[table]))
            op.get_bind().execute(names.update().where(chosen).values({f"{column}_key": _key_of(row[column])}))


def _key_of(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())
