"""The index of names, and what full text on SQLite is scored by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from remit_cms.storage.names import trigrams_of

revision = "0010"
down_revision = "0009"

_NAMED = ("pages", "page_translations")
_FULL_TEXTS = ("page_search", "image_search")


def upgrade() -> None:
    """Create the tables, and index the names of all pages."""
    op.create_table(
        "name_trigrams",
        sa.Column("site", sa.String(64), primary_key=True),
        sa.Column("environment", sa.String(64), primary_key=True),
        sa.Column("trigram", sa.String(3), primary_key=True),
        sa.Column("page", sa.String(64), sa.ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index("name_trigrams_page", "name_trigrams", ["page"])
    for table in _NAMED:
        op.create_index(f"{table}_any_slug", table, ["site", "environment", "slug"])
        op.create_index(f"{table}_title", table, ["site", "environment", sa.text("lower(title)")])
    _index_names()
    if op.get_bind().dialect.name == "sqlite":
        for table in _FULL_TEXTS:
            op.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {table}_vocabulary USING fts5vocab('{table}', 'instance')")


def downgrade() -> None:
    """Drop the table and the indexes."""
    op.drop_table("name_trigrams")
    for table in _NAMED:
        op.drop_index(f"{table}_any_slug", table)
        op.drop_index(f"{table}_title", table)


def _index_names() -> None:
    pages = sa.table("pages", *map(sa.column, ("id", "site", "environment", "title", "slug")))
    translations = sa.table("page_translations", *map(sa.column, ("page", "title", "slug")))
    trigrams = sa.table("name_trigrams", *map(sa.column, ("site", "environment", "page", "trigram")))
    names: dict[tuple[str, str, str], list[str | None]] = {}
    translated = sa.select(pages.c.site, pages.c.environment, pages.c.id, translations.c.title, translations.c.slug)
    translated = translated.join(translations, translations.c.page == pages.c.id)
    original = sa.select(pages.c.site, pages.c.environment, pages.c.id, pages.c.title, pages.c.slug)
    for query in (original, translated):
        for site, environment, page, *each in op.get_bind().execute(query):
            names.setdefault((site, environment, page), []).extend(each)
    for (site, environment, page), each in names.items():
        row = {"site": site, "environment": environment, "page": page}
        rows = [{**row, "trigram": trigram} for trigram in sorted(trigrams_of(*each))]
        if rows:
            op.get_bind().execute(trigrams.insert(), rows)
