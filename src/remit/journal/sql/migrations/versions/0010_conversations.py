"""Conversations have an owner and a title, and can be shared.

Revision ID: 0010
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

from remit.contracts.question import content_digest
from remit.journal.conversations import first_message

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TEXTS = ("tenant", "application", "conversation", "owner", "target", "given_title", "first_message", "shared")
_RUNS = """
SELECT tenant, application, conversation, principal, target, opened, run,
    (SELECT body FROM remit_items WHERE remit_items.run = remit_runs.run AND seq = 0) AS header
FROM remit_runs WHERE conversation <> '' AND callee <> '' AND after <> '-'
ORDER BY tenant, application, conversation, number
"""


def upgrade() -> None:
    """Create the table. A conversation belongs to who began it, and those who took part may continue it."""
    op.add_column("remit_runs", sa.Column("erased", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.execute(
        "UPDATE remit_runs SET erased = 1 WHERE run IN (SELECT run FROM remit_items WHERE seq = 0 AND body = '')"
    )
    table = op.create_table(
        "remit_conversations",
        sa.Column("id", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in (*_TEXTS, "deletion")),
        *(sa.Column(name, sa.Float, nullable=False) for name in ("opened", "active")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("first", "latest")),
        sa.Column("signature", sa.LargeBinary),
    )
    op.create_index("remit_conversations_tenant", "remit_conversations", ["tenant", "active"])
    rows = op.get_bind().execute(sa.text(_RUNS))
    talks = groupby(rows, key=lambda row: (row.tenant, row.application, row.conversation))
    made = [_make_row(list(runs)) for _, runs in talks]
    if made:
        op.bulk_insert(table, made)


def _make_row(runs: list[sa.Row[Any]]) -> dict[str, Any]:
    first, latest = runs[0], runs[-1]
    shared = {run.principal: "write" for run in runs if run.principal != first.principal}
    return {
        "id": content_digest("conversation", first.tenant, first.application, first.conversation),
        "tenant": first.tenant,
        "application": first.application,
        "conversation": first.conversation,
        "owner": first.principal,
        "target": first.target,
        "given_title": "",
        "first_message": first_message(json.loads(first.header).get("arguments", "")) if first.header else "",
        "shared": json.dumps(dict(sorted(shared.items())), separators=(",", ":"), ensure_ascii=False),
        "deletion": "",
        "opened": first.opened,
        "active": latest.opened,
        "first": first.run,
        "latest": latest.run,
    }


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("remit_conversations")
    op.drop_column("remit_runs", "erased")
