"""What decides whether a call may run is signed. `journal.sql.signing` signs the rows of earlier versions.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("remit_runs", "signature"),
    ("remit_runs", "cancel_signature"),
    ("remit_questions", "signature"),
    ("remit_grants", "signature"),
)


def upgrade() -> None:
    """Add the columns of signatures, and the table that identifies the key."""
    for table, column in _COLUMNS:
        op.add_column(table, sa.Column(column, sa.LargeBinary))
    op.create_table("remit_key", sa.Column("signature", sa.LargeBinary, primary_key=True))


def downgrade() -> None:
    """Drop them."""
    op.drop_table("remit_key")
    for table, column in reversed(_COLUMNS):
        op.drop_column(table, column)
