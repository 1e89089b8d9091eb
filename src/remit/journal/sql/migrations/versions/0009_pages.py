"""Questions are found by their tenant, and runs by status and callee, without a scan.

Revision ID: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_FIND_TENANTS = """
UPDATE remit_questions SET tenant = COALESCE(
    (SELECT remit_runs.tenant FROM remit_runs WHERE remit_runs.run = remit_questions.run), '')
"""


def upgrade() -> None:
    """Add the tenant to questions, which is that of their run, and the indexes."""
    op.add_column("remit_questions", sa.Column("tenant", sa.Text, nullable=False, server_default=sa.text("''")))
    op.execute(_FIND_TENANTS)
    op.create_index("remit_questions_tenant", "remit_questions", ["tenant", "asked"])
    is_open = sa.text("status = 'open'")
    op.create_index(
        "remit_questions_open", "remit_questions", ["tenant", "asked"], sqlite_where=is_open, postgresql_where=is_open
    )
    op.create_index("remit_runs_status", "remit_runs", ["tenant", "status", "opened"])
    op.create_index("remit_runs_callee", "remit_runs", ["tenant", "callee", "opened"])


def downgrade() -> None:
    """Drop the indexes and the tenant of questions."""
    for table, name in (("runs", "callee"), ("runs", "status"), ("questions", "open"), ("questions", "tenant")):
        op.drop_index(f"remit_{table}_{name}", f"remit_{table}")
    op.drop_column("remit_questions", "tenant")
