"""A count of the changes of what visitors see, for the site to know what it may still show."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column."""
    op.add_column("environments", sa.Column("version", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("environments", "version")
