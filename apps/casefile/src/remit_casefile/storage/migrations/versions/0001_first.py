"""Casefiles, their access lists, sessions, events, and copies of Google's data."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001_first"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    _create_casefile_tables()
    _create_session_tables()
    _create_event_table()
    _create_copy_tables()


def downgrade() -> None:
    """Drop the tables."""
    for table in (
        "syncs",
        "sheet_ranges",
        "drive_files",
        "gmail_labels",
        "gmail_threads",
        "gmail_messages",
        "events",
        "casefile_sessions",
        "chat_messages",
        "sessions",
        "grants",
        "casefiles",
    ):
        op.drop_table(table)


def _string_column(
    name: str, length: int, *, key: bool = False, null: bool = False, index: bool = False
) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), primary_key=key, nullable=null, index=index)


def _timestamp_column(name: str, *, null: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=null)


def _reference_column(table: str, name: str, *, key: bool = False) -> sa.Column[str]:
    """A column that refers to a row of ``table`` and is deleted with it."""
    foreign = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(name, sa.String(64), foreign, primary_key=key, nullable=False)


def _create_casefile_tables() -> None:
    op.create_table(
        "casefiles",
        _string_column("id", 64, key=True),
        _string_column("tenant", 200, index=True),
        _string_column("title", 200),
        _string_column("description", 2000),
        _string_column("notes", 5000),
        sa.Column("tags", sa.JSON, nullable=False),
        _string_column("owner", 200),
        _string_column("state", 16),
        _string_column("public_access", 16, null=True),
        _timestamp_column("created_at"),
        _timestamp_column("updated_at"),
    )
    op.create_table(
        "grants",
        _reference_column("casefiles", "casefile", key=True),
        _string_column("user", 200, key=True),
        _string_column("level", 16),
        _string_column("granted_by", 200),
        _timestamp_column("granted_at"),
        _timestamp_column("expires_at", null=True),
        _string_column("notes", 1000),
    )


def _create_session_tables() -> None:
    op.create_table(
        "sessions",
        _string_column("id", 64, key=True),
        _string_column("tenant", 200),
        _string_column("kind", 16),
        _string_column("user", 200),
        sa.Column("casefile", sa.String(64), sa.ForeignKey("casefiles.id", ondelete="SET NULL"), index=True),
        _string_column("title", 200),
        _string_column("state", 16),
        _timestamp_column("created_at"),
        _timestamp_column("updated_at"),
        _timestamp_column("closed_at", null=True),
        _string_column("conversation", 200),
        sa.Column("tool_session", sa.String(64), sa.ForeignKey("sessions.id", ondelete="SET NULL")),
        sa.UniqueConstraint("tenant", "conversation"),
    )
    op.create_index("sessions_user", "sessions", ["tenant", "user"])
    op.create_table(
        "chat_messages",
        _string_column("id", 64, key=True),
        _reference_column("sessions", "session"),
        sa.Column("position", sa.Integer, nullable=False),
        _string_column("role", 16),
        sa.Column("text", sa.Text, nullable=False),
        _timestamp_column("created_at"),
        _string_column("request", 64, index=True),
        _string_column("run", 64),
        _string_column("status", 32, null=True),
        sa.UniqueConstraint("session", "position"),
    )
    op.create_table(
        "casefile_sessions",
        _reference_column("casefiles", "casefile", key=True),
        _reference_column("sessions", "session", key=True),
    )


def _create_event_table() -> None:
    op.create_table(
        "events",
        _string_column("id", 64, key=True),
        _string_column("tenant", 200),
        _string_column("casefile", 64, null=True),
        _string_column("session", 64, null=True, index=True),
        _string_column("event_type", 64),
        _string_column("tool_name", 64),
        _timestamp_column("timestamp"),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("result_summary", sa.Text),
        sa.Column("duration_ms", sa.Integer),
        _string_column("status", 32),
        sa.Column("error_message", sa.Text),
        _string_column("initiator", 200),
        sa.Column("chain_position", sa.Integer),
        _string_column("chain_id", 64, null=True, index=True),
        sa.Column("reasoning", sa.Text),
        _string_column("source_message_id", 64, null=True),
        sa.Column("related_events", sa.JSON, nullable=False),
    )
    op.create_index("events_casefile", "events", ["tenant", "casefile"])


def _create_copy_tables() -> None:
    for table in ("gmail_messages", "gmail_threads", "gmail_labels", "drive_files", "sheet_ranges"):
        op.create_table(
            table,
            _reference_column("casefiles", "casefile", key=True),
            _string_column("id", 600, key=True),
            sa.Column("data", sa.JSON, nullable=False),
            sa.Column("kept", sa.Boolean, nullable=False),
            _timestamp_column("synced_at"),
        )
    op.create_table(
        "syncs",
        _reference_column("casefiles", "casefile", key=True),
        _string_column("source", 16, key=True),
        _string_column("status", 16),
        _string_column("scope", 200),
        sa.Column("account", sa.String(200), nullable=False, server_default=""),
        sa.Column("token", sa.Text),
        _timestamp_column("synced_at", null=True),
        sa.Column("error", sa.Text),
    )
