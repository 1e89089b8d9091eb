"""Standing grants.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of grants."""
    op.create_table(
        "remit_grants",
        sa.Column("grant", sa.Text, primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("given", sa.Float, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
        sa.Column("revoked", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("remit_grants_tool", "remit_grants", ["tenant", "tool"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("remit_grants")
