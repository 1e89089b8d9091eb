"""Approved questions are found by whose calls of which tool they allowed, and by which rule they were asked.

Revision ID: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from remit.contracts.question import Decision, Question
from remit.errors import RemitError
from remit.journal.index import approval_key_of
from remit.journal.ports import QuestionRow

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_QUESTIONS = sa.table(
    "remit_questions", *(sa.column(name, sa.Text) for name in ("question", "status", "body", "decision", "approval"))
)


def upgrade() -> None:
    """Add the key of approved questions. A row that cannot be read is refused when it is used."""
    op.add_column("remit_questions", sa.Column("approval", sa.Text, nullable=False, server_default=sa.text("''")))
    op.create_index("remit_questions_approval", "remit_questions", ["approval", "asked", "question"])
    connection = op.get_bind()
    for row in connection.execute(sa.select(_QUESTIONS).where(_QUESTIONS.c.decision != "")).all():
        try:
            decided = QuestionRow(Question.from_json(row.body), row.status, Decision.from_json(row.decision), None)
        except (ValueError, RemitError):
            continue
        change = sa.update(_QUESTIONS).where(_QUESTIONS.c.question == row.question)
        connection.execute(change.values(approval=approval_key_of(decided)))


def downgrade() -> None:
    """Drop it."""
    op.drop_index("remit_questions_approval", "remit_questions")
    op.drop_column("remit_questions", "approval")
