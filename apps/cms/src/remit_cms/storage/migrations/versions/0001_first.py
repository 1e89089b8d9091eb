"""Sites, documents and images, with their revisions, publications and indexes, and the effects of keyed writes."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, REAL
from sqlalchemy.exc import DBAPIError

from remit.database import FullText
from remit_cms.storage.migrations.columns import create_index as _create_index
from remit_cms.storage.migrations.columns import number as _number
from remit_cms.storage.migrations.columns import number_key as _number_key
from remit_cms.storage.migrations.columns import reference as _reference
from remit_cms.storage.migrations.columns import target as _target
from remit_cms.storage.migrations.columns import text as _text
from remit_cms.storage.migrations.columns import time as _time

revision = "0001_first"
down_revision = None

_PAGE_SEARCH: Final = FullText("page_search", key="page", columns={"title": 4.0, "body": 1.0})
_IMAGE_SEARCH: Final = FullText("image_search", key="image", columns={"alt": 4.0, "caption": 2.0, "name": 1.0})
_FLOATS: Final = sa.LargeBinary().with_variant(ARRAY(REAL, dimensions=1), "postgresql")
_PGVECTOR: Final = (
    "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace "
    "WHERE extname = 'vector'"
)
_TABLES: Final = (
    *("counterparts", "webhook_deliveries", "webhooks"),
    *("embedded", "vectors", "scheduled_actions", "image_renditions", "images", "image_contents"),
    *("claims", "change_sets", "trash", "redirects", "publications", "revisions", "links"),
    *("name_trigrams", "live_paths", "page_translations", "page_section_contents", "page_sections", "pages"),
    *("section_definitions", "locales", "environments", "sites"),
)


def upgrade() -> None:
    """Create the tables."""
    _create_site_tables()
    _create_page_tables()
    _create_section_tables()
    _create_index_tables()
    _create_revision_table()
    _create_publishing_tables()
    _create_image_tables()
    _create_scheduling_table()
    _create_webhook_tables()
    _create_counterpart_table()
    _create_vector_tables()
    for full_text in (_PAGE_SEARCH, _IMAGE_SEARCH):
        full_text.create(op.get_bind())


def downgrade() -> None:
    """Drop the tables."""
    for full_text in (_PAGE_SEARCH, _IMAGE_SEARCH):
        full_text.drop(op.get_bind())
    for table in _TABLES:
        op.drop_table(table)
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION refuse_change()")


def _create_site_tables() -> None:
    op.create_table(
        "sites", _text("key", 64, key=True), _text("tenant", 200, index=True), _text("name", 200), _time("created_at")
    )
    op.create_table(
        "environments",
        _reference("site", "sites.key", primary_key=True),
        _text("name", 64, key=True),
        sa.Column("is_default", sa.Boolean, nullable=False),
        *(_number(name, "0") for name in ("version", "edits", "vectors")),
    )
    op.create_table(
        "locales",
        _reference("site", "sites.key", primary_key=True),
        _text("code", 16, key=True),
        _text("name", 64),
        sa.Column("is_default", sa.Boolean, nullable=False),
    )


def _create_page_tables() -> None:
    op.create_table(
        "pages",
        _text("id", 64, key=True),
        *_target(),
        _text("locale", 16),
        _text("kind", 16, server_default="page"),
        _reference("parent", "pages.id", on_delete="RESTRICT"),
        _text("slug", 64),
        _text("title", 200),
        sa.Column("title_key", sa.Text, nullable=False, server_default=""),
        _text("status", 16),
        sa.Column("indexing", sa.Boolean, nullable=False),
        _text("meta_title", 200, null=True),
        _text("meta_description", 500, null=True),
        _number("revision"),
        *(_number(name, "0") for name in ("last_section", "last_item")),
        _number("live", null=True),
        _text("live_path", 500, null=True),
        _time("created_at"),
        _time("updated_at"),
        sa.ForeignKeyConstraint(["site", "locale"], ["locales.site", "locales.code"]),
    )
    _create_index("pages", "slug", "site", "environment", "locale", "parent", "slug", unique=True)
    _create_index("pages", "root_slug", "site", "environment", "locale", "slug", unique=True, where="parent IS NULL")
    _create_index("pages", "live_path", "site", "environment", "locale", "live_path", unique=True)
    op.create_table(
        "page_translations",
        *_target(),
        _reference("page", "pages.id", primary_key=True),
        _text("locale", 16, key=True),
        _text("title", 200, null=True),
        sa.Column("title_key", sa.Text),
        _text("slug", 64, null=True),
        _text("meta_title", 200, null=True),
        _text("meta_description", 500, null=True),
    )
    _create_index("page_translations", "slug", "site", "environment", "locale", "slug", unique=True)
    for table in ("pages", "page_translations"):
        _create_index(table, "any_slug", "site", "environment", "slug")
        _create_index(table, "title_key", "site", "environment", "title_key")


def _create_section_tables() -> None:
    op.create_table(
        "section_definitions",
        _text("id", 64, key=True),
        *_target(),
        _text("key", 64),
        _text("name", 200),
        _text("description", 1000),
        sa.Column("structure", sa.JSON, nullable=False),
        _text("kind", 16, server_default="page"),
        sa.UniqueConstraint("site", "environment", "key"),
    )
    op.create_table(
        "page_sections",
        _text("id", 64, key=True),
        _reference("page", "pages.id", nullable=False, index=True),
        _reference("definition", "section_definitions.id", on_delete="RESTRICT", nullable=False),
        _number("sort_order"),
        _number("number", "0"),
        sa.Column("lists", sa.JSON, nullable=False, server_default="{}"),
    )
    op.create_table(
        "page_section_contents",
        _reference("section", "page_sections.id", primary_key=True),
        _text("locale", 16, key=True),
        sa.Column("content", sa.JSON, nullable=False),
    )


def _create_index_tables() -> None:
    """What is derived from pages: their addresses, links and names."""
    op.create_table(
        "live_paths", *_target(key=True), _text("locale", 16, key=True), _text("path", 500, key=True), _text("page", 64)
    )
    _create_index("live_paths", "page", "page")
    op.create_table(
        "name_trigrams",
        *(_text(name, length, key=True) for name, length in (("site", 64), ("environment", 64), ("trigram", 3))),
        _reference("page", "pages.id", primary_key=True),
    )
    _create_index("name_trigrams", "page", "page")
    op.create_table(
        "links",
        *_target(),
        _text("source_kind", 16, key=True),
        _text("source", 64, key=True),
        sa.Column("live", sa.Boolean, primary_key=True),
        _text("target_kind", 16, key=True),
        _text("target", 64, key=True),
        _text("place", 200, key=True),
    )
    _create_index("links", "target", "site", "environment", "target")


def _create_revision_table() -> None:
    op.create_table(
        "revisions",
        *_target(),
        _text("page", 64, key=True),
        _number_key("number"),
        _text("action", 64),
        _text("author", 200),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("snapshot", sa.JSON, nullable=False),
        _time("created_at"),
    )
    _create_index("revisions", "run", "run")
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE TRIGGER revisions_stay BEFORE UPDATE ON revisions "
            "BEGIN SELECT RAISE(ABORT, 'a revision is never changed'); END"
        )
        return
    op.execute(
        "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'a revision is never changed' USING ERRCODE = 'integrity_constraint_violation'; "
        "END $$"
    )
    op.execute("CREATE TRIGGER revisions_stay BEFORE UPDATE ON revisions FOR EACH ROW EXECUTE FUNCTION refuse_change()")


def _create_publishing_tables() -> None:
    op.create_table(
        "publications",
        *_target(),
        _text("page", 64, key=True),
        _number_key("number"),
        _number("before", null=True),
        _number("after", null=True),
        _text("change_set", 64, null=True),
        sa.Column("overruled", sa.JSON, nullable=False),
        _text("author", 200),
        sa.Column("run", sa.Text, nullable=False),
        _time("created_at"),
    )
    _create_index("publications", "change_set", "change_set")
    op.create_table(
        "redirects", *_target(key=True), _text("locale", 16, key=True), _text("path", 500, key=True), _text("page", 64)
    )
    _create_index("redirects", "page", "page")
    op.create_table(
        "trash",
        *_target(),
        _text("page", 64, key=True),
        *(_text(name, length) for name, length in (("kind", 16), ("title", 200), ("slug", 64))),
        _number("revision"),
        _text("author", 200),
        _time("deleted_at"),
    )
    op.create_table(
        "change_sets",
        *_target(),
        _text("id", 64, key=True),
        _text("name", 200),
        sa.Column("conversation", sa.Text),
        _text("state", 16),
        _text("author", 200),
        _time("created_at"),
    )
    _create_index("change_sets", "open", "site", "environment", "conversation", unique=True, where="state = 'open'")
    op.create_table(
        "claims",
        _reference("change_set", "change_sets.id", primary_key=True),
        _text("page", 64, key=True),
        _number_key("number"),
    )
    _create_index("claims", "page", "page", "number")


def _create_image_tables() -> None:
    op.create_table(
        "image_contents", _text("digest", 64, key=True), sa.Column("content", sa.LargeBinary, nullable=False)
    )
    op.create_table(
        "images",
        _text("id", 64, key=True),
        *_target(),
        _text("source", 64),
        _reference("digest", "image_contents.digest", on_delete="RESTRICT", nullable=False),
        _text("media_type", 64),
        *(_number(name) for name in ("size", "width", "height")),
        _text("name", 255),
        _text("alt", 500),
        *(sa.Column(name, sa.Text, nullable=False, server_default="") for name in ("name_key", "alt_key")),
        _text("caption", 500),
        *(_number(name) for name in ("focal_x", "focal_y")),
        *(_number(name, "50") for name in ("initial_focal_x", "initial_focal_y")),
        _number("revision"),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("is_deleted", sa.Boolean, nullable=False, server_default=sa.false()),
        _text("author", 200),
        _time("created_at"),
    )
    _create_index("images", "source", "site", "environment", "source", unique=True)
    _create_index("images", "conversation", "site", "environment", "conversation")
    _create_index("images", "digest", "digest")
    op.create_table(
        "image_renditions",
        _reference("digest", "image_contents.digest", primary_key=True),
        _number_key("width"),
        _text("format", 8, key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def _create_scheduling_table() -> None:
    op.create_table(
        "scheduled_actions",
        _text("id", 64, key=True),
        *_target(),
        _text("action", 16),
        _text("kind", 16),
        _text("object_id", 64),
        _text("title", 200),
        _reference("change_set", "change_sets.id", nullable=False),
        sa.Column("approved", sa.JSON, nullable=False),
        _time("at"),
        _text("state", 16),
        _text("reason", 1000, null=True),
        _text("call", 64),
        _text("author", 200),
        sa.Column("approvers", sa.JSON, nullable=False),
        _time("created_at"),
    )
    _create_index("scheduled_actions", "set", "change_set")


def _create_counterpart_table() -> None:
    op.create_table("counterparts", *_target(), _text("id", 64, key=True), _text("origin", 64))
    _create_index("counterparts", "origin", "site", "environment", "origin", unique=True)


def _create_webhook_tables() -> None:
    op.create_table(
        "webhooks",
        _text("id", 64, key=True),
        *_target(),
        _text("url", 2000),
        _text("author", 200),
        _time("created_at"),
    )
    _create_index("webhooks", "url", "site", "environment", "url", unique=True)
    op.create_table(
        "webhook_deliveries",
        _text("id", 64, key=True),
        _reference("webhook", "webhooks.id", nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        _text("state", 16),
        _number("attempt"),
        _time("due_at"),
        _text("result", 500, null=True),
        _time("created_at"),
    )
    _create_index("webhook_deliveries", "webhook", "webhook", "state")


def _create_vector_tables() -> None:
    """A row for each vector, which Postgres compares itself where it has pgvector."""
    objects = (("kind", 16), ("object", 64))
    op.create_table(
        "vectors",
        *_target(),
        *(_text(name, length, key=True) for name, length in (*objects, ("locale", 16))),
        sa.Column("part", sa.Integer, primary_key=True, autoincrement=False),
        _text("digest", 64),
        _text("model", 200),
        _number("version"),
        sa.Column("vector", _FLOATS),
    )
    _create_index("vectors", "version", "site", "environment", "version")
    op.create_table(
        "embedded",
        *_target(),
        *(_text(name, length, key=True) for name, length in objects),
        _number("revision"),
        _text("model", 200),
    )
    _create_index("embedded", "target", "site", "environment")
    if op.get_bind().dialect.name == "postgresql":
        with suppress(DBAPIError):  # without pgvector or the right to install it, vectors are compared in memory
            _use_pgvector()


def _use_pgvector() -> None:
    connection = op.get_bind()
    with connection.begin_nested():
        op.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        schema = connection.scalar(sa.text(_PGVECTOR))
        # Out of line, a search would look up each vector in another table.
        op.execute(f"ALTER TABLE vectors ALTER vector TYPE {schema}.vector, ALTER vector SET STORAGE main")
