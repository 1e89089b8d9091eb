"""Live pages, redirects, the trash and change sets. Pages that were deleted before are put into the trash."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_TABLES = ("change_set_revisions", "change_sets", "trash", "redirects", "publications")


def upgrade() -> None:
    """Create the tables, and fill the trash."""
    op.add_column("pages", sa.Column("live", sa.Integer))
    op.add_column("pages", sa.Column("live_path", sa.String(500)))
    op.create_index("pages_live_path", "pages", ["site", "environment", "locale", "live_path"], unique=True)
    _create_publishing_tables()
    _create_change_set_tables()
    _fill_trash()


def downgrade() -> None:
    """Drop the tables."""
    for table in _TABLES:
        op.drop_table(table)
    op.drop_index("pages_live_path", "pages")
    op.drop_column("pages", "live_path")
    op.drop_column("pages", "live")


def _environment_columns(*, key: bool = False) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("site", sa.String(64), primary_key=key, nullable=False),
        sa.Column("environment", sa.String(64), primary_key=key, nullable=False),
        sa.ForeignKeyConstraint(
            ["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"
        ),
    ]


def _create_publishing_tables() -> None:
    op.create_table(
        "publications",
        *_environment_columns(),
        sa.Column("page", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("before", sa.Integer),
        sa.Column("after", sa.Integer),
        sa.Column("change_set", sa.String(64)),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("publications_change_set", "publications", ["change_set"])
    op.create_table(
        "redirects",
        *_environment_columns(key=True),
        sa.Column("locale", sa.String(16), primary_key=True),
        sa.Column("path", sa.String(500), primary_key=True),
        sa.Column("page", sa.String(64), nullable=False),
    )
    op.create_index("redirects_page", "redirects", ["page"])
    op.create_table(
        "trash",
        *_environment_columns(),
        sa.Column("page", sa.String(64), primary_key=True),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("slug", sa.String(64), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=False),
    )


def _create_change_set_tables() -> None:
    op.create_table(
        "change_sets",
        *_environment_columns(),
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("conversation", sa.Text),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    is_open = sa.text("state = 'open'")
    op.create_index(
        "change_sets_open",
        "change_sets",
        ["site", "environment", "conversation"],
        unique=True,
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    op.create_table(
        "change_set_revisions",
        sa.Column("page", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column(
            "change_set",
            sa.String(64),
            sa.ForeignKey("change_sets.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
    )


def _fill_trash() -> None:
    names = ("site", "environment", "page", "number", "author", "snapshot", "created_at", "action")
    types = {"snapshot": sa.JSON, "created_at": sa.DateTime(timezone=True)}
    revisions = sa.table("revisions", *(sa.column(name, types.get(name)) for name in names))
    trash_names = ("site", "environment", "page", "title", "slug", "revision", "author", "deleted_at")
    trash_types = {"deleted_at": sa.DateTime(timezone=True)}
    trash = sa.table("trash", *(sa.column(name, trash_types.get(name)) for name in trash_names))
    deleted = sa.select(revisions).where(revisions.c.action == "delete_page")
    for row in op.get_bind().execute(deleted).mappings().all():
        op.get_bind().execute(
            trash.insert().values(
                site=row["site"],
                environment=row["environment"],
                page=row["page"],
                title=row["snapshot"]["title"],
                slug=row["snapshot"]["slug"],
                revision=row["number"],
                author=row["author"],
                deleted_at=row["created_at"],
            )
        )
