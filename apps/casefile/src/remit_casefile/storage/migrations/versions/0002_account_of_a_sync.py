"""The account of which a sync is: before, all users shared one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column."""
    op.add_column("syncs", sa.Column("account", sa.String(200), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("syncs", "account")
