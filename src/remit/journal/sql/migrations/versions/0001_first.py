"""The tables of the journal."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001_first"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    _create_run_tables()
    _create_usage_tables()
    _create_question_tables()
    _create_conversation_table()
    _create_artifact_tables()
    _create_answer_tables()
    _create_people_tables()
    op.create_table("remit_attached", *_keys("call"), *_columns("run"))
    op.create_table("remit_changes", *_keys("number", kind=sa.BigInteger))
    op.execute("INSERT INTO remit_changes (number) VALUES (0)")
    op.create_table("remit_key", sa.Column("signature", sa.LargeBinary, primary_key=True))


def downgrade() -> None:
    """Drop them."""
    for table in (
        *("credentials", "roles", "people"),
        *("key", "changes", "attached", "watches", "answers", "artifact_contents", "artifacts", "conversations"),
        *("uses", "turns", "grants", "questions", "items", "usage", "run_usage", "runs"),
    ):
        op.drop_table(f"remit_{table}")


def _columns(
    *names: str, kind: type[sa.types.TypeEngine[Any]] = sa.Text, default: str | None = None
) -> list[sa.Column[Any]]:
    server_default = None if default is None else sa.text(default)
    return [sa.Column(name, kind, nullable=False, server_default=server_default) for name in names]


def _keys(*names: str, kind: type[sa.types.TypeEngine[Any]] = sa.Text) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, primary_key=True, autoincrement=False) for name in names]


def _create_index(table: str, name: str, *columns: str, where: str = "") -> None:
    condition = sa.text(where) if where else None
    op.create_index(
        f"remit_{table}_{name}", f"remit_{table}", columns, sqlite_where=condition, postgresql_where=condition
    )


def _create_run_tables() -> None:
    op.create_table(
        "remit_runs",
        *_keys("run"),
        *_columns("epoch", kind=sa.Integer),
        *_columns("driver"),
        *_columns("until", kind=sa.Float),
        *_columns("next_seq", kind=sa.Integer),
        *_columns("status", "tenant", "principal", "application", "agent", "callee", "conversation", "after"),
        *_columns("opened", "ended", kind=sa.Float),
        *_columns("cancelled"),
        *_columns("number", kind=sa.Integer, default="'0'"),
        *_columns("wake", kind=sa.Float, default="'0'"),
        *(sa.Column(name, sa.LargeBinary) for name in ("signature", "cancel_signature")),
        *_columns("target", default="''"),
        *_columns("erased", kind=sa.Integer, default="0"),
        *_columns("changed", kind=sa.BigInteger),
        *_columns("title", default="''"),
        *_columns("calls", kind=sa.Integer, default="0"),
        *_columns("failed", kind=sa.Integer, default="-1"),
        *_columns("worked", "waited", "active", "due", kind=sa.Float, default="0"),
    )
    _create_index("runs", "changed", "tenant", "changed")
    _create_index("runs", "conversation", "conversation", "number")
    _create_index("runs", "tenant", "tenant", "opened")
    for name in ("principal", "status", "callee"):
        _create_index("runs", name, "tenant", name, "opened")
    _create_index("runs", "principal_status", "tenant", "principal", "status", "opened")
    _create_index("runs", "due", "application", "wake", where="ended = 0")
    op.create_table(
        "remit_items",
        *_keys("run"),
        *_keys("seq", kind=sa.Integer),
        *_columns("epoch", kind=sa.Integer),
        *_columns("at", kind=sa.Float),
        *_columns("kind", "call", "body"),
        *_columns("digest", "chain", kind=sa.LargeBinary),
    )


def _create_usage_tables() -> None:
    counts = ("requests", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
    model = ("requested", "model")
    op.create_table("remit_run_usage", *_keys("run", *model), *_columns(*counts, kind=sa.BigInteger))
    op.create_table(
        "remit_usage",
        *_keys("tenant", "application"),
        *_keys("day", kind=sa.Integer),
        *_keys("principal", "target", *model),
        *_columns(*counts, kind=sa.BigInteger),
    )


def _create_question_tables() -> None:
    op.create_table(
        "remit_questions",
        *_keys("question"),
        *_columns("run", "conversation", "match", "status"),
        *_columns("asked", kind=sa.Float),
        *_columns("body", "decision", "taken_run", "taken_call"),
        sa.Column("signature", sa.LargeBinary),
        *_columns("approval", "tenant", "request_key", default="''"),
        *_columns("expires", kind=sa.Float),
        *_columns("changed", kind=sa.BigInteger),
    )
    _create_index("questions", "changed", "tenant", "changed")
    _create_index("questions", "expires", "tenant", "expires", where="status = 'open'")
    _create_index("questions", "match", "conversation", "match")
    _create_index("questions", "run", "run")
    _create_index("questions", "approval", "approval", "asked", "question")
    _create_index("questions", "tenant", "tenant", "asked")
    _create_index("questions", "key", "request_key")
    _create_index("questions", "open", "tenant", "asked", where="status = 'open'")
    op.create_table(
        "remit_grants",
        *_keys("grant"),
        *_columns("tenant", "tool"),
        *_columns("given", "expires", kind=sa.Float),
        *_columns("count", "used", kind=sa.Integer),
        *_columns("revoked", "body"),
        sa.Column("signature", sa.LargeBinary),
    )
    _create_index("grants", "tool", "tenant", "tool")
    op.create_table("remit_turns", *_keys("rate"), *_keys("lane", kind=sa.Integer), *_columns("start", kind=sa.Float))
    _create_index("turns", "start", "rate", "start")
    op.create_table("remit_uses", *_keys("subject", "run", "call"), *_columns("at", "amount", kind=sa.Float))
    _create_index("uses", "at", "subject", "at")


def _create_conversation_table() -> None:
    op.create_table(
        "remit_conversations",
        *_keys("id"),
        *_columns("tenant", "application", "conversation", "owner", "target", "given_title", "first_message", "shared"),
        *_columns("deletion"),
        *_columns("opened", "active", kind=sa.Float),
        *_columns("first", "latest"),
        sa.Column("signature", sa.LargeBinary),
        *_columns("changed", kind=sa.BigInteger),
    )
    _create_index("conversations", "changed", "tenant", "changed")
    _create_index("conversations", "tenant", "tenant", "active")
    _create_index("conversations", "owner", "tenant", "owner", "active")


def _create_artifact_tables() -> None:
    op.create_table("remit_artifacts", *_keys("digest", "tenant", "principal", "application", "conversation", "run"))
    _create_index("artifacts", "run", "run")
    op.create_table("remit_artifact_contents", *_keys("digest"), *_columns("content", kind=sa.LargeBinary))


def _create_answer_tables() -> None:
    op.create_table(
        "remit_answers",
        *_keys("run"),
        *_keys("epoch", "number", "start", kind=sa.Integer),
        *_columns("call", "body"),
        *_columns("follows", kind=sa.Integer),
    )
    op.create_table("remit_watches", *_keys("run"), *_columns("until", kind=sa.Float))


def _create_people_tables() -> None:
    signature = ("signature", sa.LargeBinary)
    op.create_table("remit_people", *_keys("name"), *_columns("tenant", "roles", "password"), sa.Column(*signature))
    _create_index("people", "tenant", "tenant", "name")
    op.create_table("remit_roles", *_keys("id"), *_columns("role", "tenant", "permissions"), sa.Column(*signature))
    _create_index("roles", "tenant", "tenant", "role")
    op.create_table(
        "remit_credentials",
        *_keys("id"),
        *_columns("digest", "kind", "person", "tenant", "label", "permissions"),
        *_columns("created", "expires", "seen", kind=sa.Float),
        sa.Column(*signature),
    )
    op.create_index("remit_credentials_digest", "remit_credentials", ["digest"], unique=True)
    _create_index("credentials", "person", "person", "kind", "created")
    _create_index("credentials", "expires", "expires")
