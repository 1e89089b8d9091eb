"""Notebooks, and notes in them."""

import sqlalchemy as sa
from alembic import op

from remit.database import UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table("notebooks", sa.Column("name", sa.Text, primary_key=True))
    op.create_table(
        "notes",
        sa.Column("title", sa.Text, primary_key=True),
        sa.Column("notebook", sa.Text, sa.ForeignKey("notebooks.name"), nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
    )
