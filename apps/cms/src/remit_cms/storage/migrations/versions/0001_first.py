"""Sites, pages, sections, revisions, the full-text index, and the effects of keyed writes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from remit.database import FullText

_PAGE_SEARCH = FullText("page_search", key="page", columns={"title": 4.0, "body": 1.0})

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    _create_site_tables()
    _create_page_table()
    _create_section_tables()
    _create_revision_table()
    op.create_table(
        "remit_effects",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    _PAGE_SEARCH.create(op.get_bind())


def downgrade() -> None:
    """Drop the tables."""
    _PAGE_SEARCH.drop(op.get_bind())
    for table in (
        "remit_effects",
        "revisions",
        "page_section_contents",
        "page_sections",
        "pages",
        "section_definitions",
        "locales",
        "environments",
        "sites",
    ):
        op.drop_table(table)
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION refuse_change()")


def _create_site_tables() -> None:
    op.create_table(
        "sites",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("tenant", sa.String(200), nullable=False, index=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    for table, key, rest in (
        ("environments", sa.Column("name", sa.String(64), primary_key=True), ()),
        (
            "locales",
            sa.Column("code", sa.String(16), primary_key=True),
            (sa.Column("name", sa.String(64), nullable=False),),
        ),
    ):
        op.create_table(
            table,
            sa.Column("site", sa.String(64), sa.ForeignKey("sites.key", ondelete="CASCADE"), primary_key=True),
            key,
            *rest,
            sa.Column("is_default", sa.Boolean, nullable=False),
        )


def _environment_columns() -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("site", sa.String(64), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(
            ["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"
        ),
    ]


def _create_page_table() -> None:
    op.create_table(
        "pages",
        sa.Column("id", sa.String(64), primary_key=True),
        *_environment_columns(),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("parent", sa.String(64), sa.ForeignKey("pages.id", ondelete="RESTRICT")),
        sa.Column("slug", sa.String(64), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("indexing", sa.Boolean, nullable=False),
        sa.Column("meta_title", sa.String(200)),
        sa.Column("meta_description", sa.String(500)),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["site", "locale"], ["locales.site", "locales.code"]),
    )
    op.create_index("pages_slug", "pages", ["site", "environment", "locale", "parent", "slug"], unique=True)
    at_root = sa.text("parent IS NULL")
    op.create_index(
        "pages_root_slug",
        "pages",
        ["site", "environment", "locale", "slug"],
        unique=True,
        sqlite_where=at_root,
        postgresql_where=at_root,
    )


def _create_section_tables() -> None:
    op.create_table(
        "section_definitions",
        sa.Column("id", sa.String(64), primary_key=True),
        *_environment_columns(),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("description", sa.String(1000), nullable=False),
        sa.Column("structure", sa.JSON, nullable=False),
        sa.UniqueConstraint("site", "environment", "key"),
    )
    op.create_table(
        "page_sections",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("page", sa.String(64), sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column(
            "definition",
            sa.String(64),
            sa.ForeignKey("section_definitions.id", ondelete="RESTRICT"),
            nullable=False,
        ),
        sa.Column("sort_order", sa.Integer, nullable=False),
    )
    op.create_table(
        "page_section_contents",
        sa.Column("section", sa.String(64), sa.ForeignKey("page_sections.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("locale", sa.String(16), primary_key=True),
        sa.Column("content", sa.JSON, nullable=False),
    )


def _create_revision_table() -> None:
    op.create_table(
        "revisions",
        *_environment_columns(),
        sa.Column("page", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("snapshot", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("revisions_run", "revisions", ["run"])
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
