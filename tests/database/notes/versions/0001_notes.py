"""Notebooks, and notes in them."""

import sqlalchemy as sa
from alembic import op

from remit.database import UtcDateTime
from tests.database.tables import NOTE_TEXTS

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table("notebooks", sa.Column("name", sa.Text, primary_key=True))
    op.create_table(
        "notes",
        sa.Column("title", sa.String(20), primary_key=True),
        sa.Column("notebook", sa.Text, sa.ForeignKey("notebooks.name"), nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
    )
    NOTE_TEXTS.create(op.get_bind())


def downgrade() -> None:
    NOTE_TEXTS.drop(op.get_bind())
    for table in ("notes", "notebooks"):
        op.drop_table(table)
