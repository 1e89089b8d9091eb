"""Runs are ordered by numbers within their conversation, and found by the time at which they can continue.

Revision ID: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NUMBER_RUNS = """
UPDATE remit_runs SET number = numbered.number FROM (
    SELECT run, row_number() OVER (PARTITION BY tenant, application, conversation ORDER BY opened, run) AS number
    FROM remit_runs WHERE conversation <> '' AND callee <> ''
) AS numbered WHERE remit_runs.run = numbered.run
"""


def upgrade() -> None:
    """Number the runs of each conversation in their order, and have every run that has not ended looked at."""
    op.add_column("remit_runs", sa.Column("number", sa.Integer, nullable=False, server_default="0"))
    op.add_column("remit_runs", sa.Column("wake", sa.Float, nullable=False, server_default="0"))
    op.execute(_NUMBER_RUNS)
    op.drop_index("remit_runs_conversation", "remit_runs")
    op.create_index("remit_runs_conversation", "remit_runs", ["conversation", "number"])
    op.create_index("remit_runs_tenant", "remit_runs", ["tenant", "opened"])
    op.create_index("remit_runs_principal", "remit_runs", ["tenant", "principal", "opened"])
    not_ended = sa.text("ended = 0")
    op.create_index(
        "remit_runs_due", "remit_runs", ["application", "wake"], sqlite_where=not_ended, postgresql_where=not_ended
    )


def downgrade() -> None:
    """Return to the order by time."""
    for name in ("due", "principal", "tenant", "conversation"):
        op.drop_index(f"remit_runs_{name}", "remit_runs")
    op.create_index("remit_runs_conversation", "remit_runs", ["conversation", "opened"])
    op.drop_column("remit_runs", "wake")
    op.drop_column("remit_runs", "number")
