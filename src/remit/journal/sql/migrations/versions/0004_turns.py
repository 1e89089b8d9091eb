"""Turns under the rate limits that all processes of a journal share.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of turns, which is empty: calls that started before are not counted."""
    op.create_table(
        "remit_turns",
        sa.Column("rate", sa.Text, primary_key=True),
        sa.Column("lane", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("start", sa.Float, nullable=False),
    )
    op.create_index("remit_turns_start", "remit_turns", ["rate", "start"])


def downgrade() -> None:
    """Remove the table."""
    op.drop_table("remit_turns")
