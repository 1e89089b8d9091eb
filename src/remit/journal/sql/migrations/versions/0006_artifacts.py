"""Large content is stored once, by its digest.

Revision ID: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_OWNER = ("digest", "tenant", "principal", "application", "conversation", "run")


def upgrade() -> None:
    """Create the tables."""
    op.create_table("remit_artifacts", *(sa.Column(name, sa.Text, primary_key=True) for name in _OWNER))
    op.create_index("remit_artifacts_run", "remit_artifacts", ["run"])
    op.create_table(
        "remit_artifact_contents",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("remit_artifact_contents")
    op.drop_table("remit_artifacts")
