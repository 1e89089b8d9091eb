"""The table of scheduled actions: what is to be published or unpublished at a time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from remit.database import UtcDateTime

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "scheduled_actions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("site", sa.String(64), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("object_id", sa.String(64), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("pins", sa.JSON, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(1000)),
        sa.Column("call", sa.String(64), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.ForeignKeyConstraint(
            ["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"
        ),
    )
    op.create_index("scheduled_actions_object", "scheduled_actions", ["site", "environment", "object_id"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("scheduled_actions")
