"""Casefiles, their access lists, sessions, events, copies of Google's data, and the effects of keyed writes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """To this version."""
    _casefiles()
    _sessions()
    _events()
    _copies()
    op.create_table(
        "remit_effects",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )


def downgrade() -> None:
    """Back to nothing."""
    for table in (
        "remit_effects",
        "syncs",
        "sheet_ranges",
        "drive_files",
        "gmail_labels",
        "gmail_threads",
        "gmail_messages",
        "events",
        "casefile_sessions",
        "chat_messages",
        "session_requests",
        "sessions",
        "grants",
        "casefiles",
    ):
        op.drop_table(table)


def _text(name: str, length: int, *, key: bool = False, null: bool = False, index: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), primary_key=key, nullable=null, index=index)


def _moment(name: str, *, null: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=null)


def _of(table: str, name: str, *, key: bool = False, index: bool = False) -> sa.Column[str]:
    """A column that refers to a row of ``table`` and goes with it."""
    foreign = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(name, sa.String(64), foreign, primary_key=key, nullable=False, index=index)


def _casefiles() -> None:
    op.create_table(
        "casefiles",
        _text("id", 64, key=True),
        _text("tenant", 200, index=True),
        _text("title", 200),
        _text("description", 2000),
        _text("notes", 5000),
        sa.Column("tags", sa.JSON, nullable=False),
        _text("owner", 200),
        _text("state", 16),
        _text("public_access", 16, null=True),
        _moment("created_at"),
        _moment("updated_at"),
    )
    op.create_table(
        "grants",
        _of("casefiles", "casefile", key=True),
        _text("user", 200, key=True),
        _text("level", 16),
        _text("granted_by", 200),
        _moment("granted_at"),
        _moment("expires_at", null=True),
        _text("notes", 1000),
    )


def _sessions() -> None:
    op.create_table(
        "sessions",
        _text("id", 64, key=True),
        _text("tenant", 200),
        _text("kind", 16),
        _text("user", 200),
        sa.Column("casefile", sa.String(64), sa.ForeignKey("casefiles.id", ondelete="SET NULL"), index=True),
        _text("title", 200),
        _text("state", 16),
        _moment("created_at"),
        _moment("updated_at"),
        _moment("closed_at", null=True),
        _text("conversation", 200),
        sa.Column("tool_session", sa.String(64), sa.ForeignKey("sessions.id", ondelete="SET NULL")),
        sa.UniqueConstraint("tenant", "conversation"),
    )
    op.create_index("sessions_user", "sessions", ["tenant", "user"])
    op.create_table(
        "session_requests",
        _text("id", 64, key=True),
        _of("sessions", "session", index=True),
        _text("tool", 64),
        sa.Column("parameters", sa.JSON, nullable=False),
        _text("status", 32),
        _text("run", 64),
        _text("call", 64, index=True),
        _moment("created_at"),
        _moment("ended_at", null=True),
    )
    op.create_table(
        "chat_messages",
        _text("id", 64, key=True),
        _of("sessions", "session"),
        sa.Column("position", sa.Integer, nullable=False),
        _text("role", 16),
        sa.Column("text", sa.Text, nullable=False),
        _moment("created_at"),
        sa.UniqueConstraint("session", "position"),
    )
    op.create_table("casefile_sessions", _of("casefiles", "casefile", key=True), _of("sessions", "session", key=True))


def _events() -> None:
    op.create_table(
        "events",
        _text("id", 64, key=True),
        _text("tenant", 200),
        _text("casefile", 64, null=True),
        _text("session", 64, null=True, index=True),
        _text("request", 64, null=True, index=True),
        _text("event_type", 64),
        _text("tool_name", 64),
        _moment("timestamp"),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("result_summary", sa.Text),
        sa.Column("duration_ms", sa.Integer),
        _text("status", 32),
        sa.Column("error_message", sa.Text),
        _text("initiator", 200),
        sa.Column("chain_position", sa.Integer),
        _text("chain_id", 64, null=True),
        sa.Column("reasoning", sa.Text),
        _text("source_message_id", 64, null=True),
        sa.Column("related_events", sa.JSON, nullable=False),
    )
    op.create_index("events_casefile", "events", ["tenant", "casefile"])


def _copies() -> None:
    for table in ("gmail_messages", "gmail_threads", "gmail_labels", "drive_files", "sheet_ranges"):
        op.create_table(
            table,
            _of("casefiles", "casefile", key=True),
            _text("id", 600, key=True),
            sa.Column("data", sa.JSON, nullable=False),
            sa.Column("kept", sa.Boolean, nullable=False),
            _moment("synced_at"),
        )
    op.create_table(
        "syncs",
        _of("casefiles", "casefile", key=True),
        _text("source", 16, key=True),
        _text("status", 16),
        _text("scope", 200),
        sa.Column("token", sa.Text),
        _moment("synced_at", null=True),
        sa.Column("error", sa.Text),
    )
