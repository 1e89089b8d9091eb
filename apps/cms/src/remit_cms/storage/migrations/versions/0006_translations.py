"""Titles, slugs and search engine texts by locale, the live addresses of each locale, and full text by locale."""

from __future__ import annotations

from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_LOCALE_WIDTH = 16


def upgrade() -> None:
    """Create the tables, give live pages their address in every locale, and key the index by page and locale."""
    op.create_table(
        "page_translations",
        *_environment_columns(),
        sa.Column("page", sa.String(64), sa.ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("locale", sa.String(16), primary_key=True),
        sa.Column("title", sa.String(200)),
        sa.Column("slug", sa.String(64)),
        sa.Column("meta_title", sa.String(200)),
        sa.Column("meta_description", sa.String(500)),
    )
    op.create_index(
        "page_translations_slug", "page_translations", ["site", "environment", "locale", "slug"], unique=True
    )
    op.create_table(
        "live_paths",
        *_environment_columns(key=True),
        sa.Column("locale", sa.String(16), primary_key=True),
        sa.Column("path", sa.String(500), primary_key=True),
        sa.Column("page", sa.String(64), nullable=False),
    )
    op.create_index("live_paths_page", "live_paths", ["page"])
    op.execute(
        "INSERT INTO live_paths (site, environment, locale, path, page) "
        "SELECT pages.site, pages.environment, locales.code, pages.live_path, pages.id FROM pages "
        "JOIN locales ON locales.site = pages.site WHERE pages.live_path IS NOT NULL"
    )
    locales = {row.id: row.locale for row in op.get_bind().execute(sa.text("SELECT id, locale FROM pages"))}
    _rename_keys({page: f"{page}@{locale.ljust(_LOCALE_WIDTH)}" for page, locale in locales.items()})


def downgrade() -> None:
    """Drop the tables, and key the index by page."""
    for table in ("live_paths", "page_translations"):
        op.drop_table(table)
    locales = {row.id: row.locale for row in op.get_bind().execute(sa.text("SELECT id, locale FROM pages"))}
    _rename_keys({f"{page}@{locale.ljust(_LOCALE_WIDTH)}": page for page, locale in locales.items()})


def _environment_columns(*, key: bool = False) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("site", sa.String(64), primary_key=key, nullable=False),
        sa.Column("environment", sa.String(64), primary_key=key, nullable=False),
        sa.ForeignKeyConstraint(
            ["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"
        ),
    ]


def _rename_keys(names: dict[str, str]) -> None:
    """Give the entries of the full-text index other keys; entries without a new one are dropped."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    columns = ("title", "body") if is_sqlite else ("words",)
    rows = connection.execute(sa.text(f"SELECT page, {', '.join(columns)} FROM page_search")).mappings().all()  # noqa: S608
    connection.execute(sa.text("DELETE FROM page_search"))
    for row in rows:
        if row["page"] not in names:
            continue
        values = {**row, "page": names[row["page"]]}
        if is_sqlite:  # FTS5 addresses rows by number: 63 bits of a digest of the key
            values["rowid"] = int.from_bytes(sha256(values["page"].encode()).digest()[:8]) >> 1
        vector = "CAST(:words AS tsvector)"
        marks = ", ".join(vector if name == "words" else f":{name}" for name in values)
        connection.execute(sa.text(f"INSERT INTO page_search ({', '.join(values)}) VALUES ({marks})"), values)  # noqa: S608
