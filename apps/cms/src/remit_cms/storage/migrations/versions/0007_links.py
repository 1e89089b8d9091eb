"""The table of links. Texts of earlier versions have no typed references, so that it begins empty."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "links",
        sa.Column("site", sa.String(64), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("source_kind", sa.String(16), primary_key=True),
        sa.Column("source", sa.String(64), primary_key=True),
        sa.Column("live", sa.Boolean, primary_key=True),
        sa.Column("target_kind", sa.String(16), primary_key=True),
        sa.Column("target", sa.String(64), primary_key=True),
        sa.Column("place", sa.String(200), primary_key=True),
        sa.ForeignKeyConstraint(
            ["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"
        ),
    )
    op.create_index("links_target", "links", ["site", "environment", "target"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("links")
