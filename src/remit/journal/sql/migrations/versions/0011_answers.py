"""Pieces of the answers that models are writing, and the runs that readers watch for them.

Revision ID: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, which are empty."""
    op.create_table(
        "remit_answers",
        sa.Column("run", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Integer, primary_key=True, autoincrement=False) for name in ("epoch", "number", "start")),
        sa.Column("call", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "remit_watches",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("remit_watches")
    op.drop_table("remit_answers")
