"""The journal: runs, items, questions.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _text_columns(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def upgrade() -> None:
    """Create the tables of runs, items and questions."""
    op.create_table(
        "remit_runs",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("driver", sa.Text, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
        sa.Column("next_seq", sa.Integer, nullable=False),
        *_text_columns("status", "tenant", "principal", "application", "agent", "callee", "conversation", "after"),
        sa.Column("opened", sa.Float, nullable=False),
        sa.Column("ended", sa.Float, nullable=False),
        *_text_columns("cancelled"),
    )
    op.create_index("remit_runs_conversation", "remit_runs", ["conversation", "opened"])
    op.create_table(
        "remit_items",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        *_text_columns("kind", "call", "body"),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("chain", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "remit_questions",
        sa.Column("question", sa.Text, primary_key=True),
        *_text_columns("run", "conversation", "match", "status"),
        sa.Column("asked", sa.Float, nullable=False),
        *_text_columns("body", "decision", "taken_run", "taken_call"),
    )
    op.create_index("remit_questions_match", "remit_questions", ["conversation", "match"])
    op.create_index("remit_questions_run", "remit_questions", ["run"])


def downgrade() -> None:
    """Drop them."""
    for table in ("remit_questions", "remit_items", "remit_runs"):
        op.drop_table(table)
