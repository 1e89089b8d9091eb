"""Runs have a target.

Revision ID: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the target, which earlier runs do not have."""
    op.add_column("remit_runs", sa.Column("target", sa.Text, nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    """Remove the target."""
    op.drop_column("remit_runs", "target")
