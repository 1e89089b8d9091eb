"""Vectors for search by meaning. They are computed after the migration, by the first process that searches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Create the tables, and count edits and vectors of environments."""
    for name in ("edits", "vectors"):
        op.add_column("environments", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "vectors",
        *_object_columns(),
        sa.Column("locale", sa.String(16), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        _environment_foreign_key(),
    )
    op.create_index("vectors_version", "vectors", ["site", "environment", "version"])
    op.create_table(
        "embedded",
        *_object_columns(),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        _environment_foreign_key(),
    )
    op.create_index("embedded_target", "embedded", ["site", "environment"])


def downgrade() -> None:
    """Drop the tables and the counts."""
    op.drop_table("embedded")
    op.drop_table("vectors")
    for name in ("edits", "vectors"):
        op.drop_column("environments", name)


def _object_columns() -> tuple[sa.Column[str], ...]:
    return (
        sa.Column("site", sa.String(64), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("object", sa.String(64), primary_key=True),
    )


def _environment_foreign_key() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"
    )
