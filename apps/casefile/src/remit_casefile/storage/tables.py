"""The tables. Every visible row belongs to a tenant, directly or through a casefile or session."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import JSON, ForeignKey, Index, MetaData, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from remit.database import UtcDateTime
from remit.effects import effects_table


class Base(DeclarativeBase):
    """Base class of the tables."""


EFFECTS = effects_table(MetaData())
"""The table of `Database`, where a request finds what it did before."""


class Casefile(Base):
    """A casefile. ``state`` is active or archived; ``public_access`` the level of all users of the tenant."""

    __tablename__ = "casefiles"
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(200), index=True)
    title: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(String(2000))
    notes: Mapped[str] = mapped_column(String(5000))
    tags: Mapped[list[str]] = mapped_column(JSON)
    owner: Mapped[str] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(16))
    public_access: Mapped[str | None] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Grant(Base):
    """One entry of an access list: the user, the level, who granted it, and its expiry."""

    __tablename__ = "grants"
    casefile: Mapped[str] = mapped_column(ForeignKey("casefiles.id", ondelete="CASCADE"), primary_key=True)
    user: Mapped[str] = mapped_column(String(200), primary_key=True)
    level: Mapped[str] = mapped_column(String(16))
    granted_by: Mapped[str] = mapped_column(String(200))
    granted_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    notes: Mapped[str] = mapped_column(String(1000))


class Session(Base):
    """A session of a user. ``kind`` is tool or chat, ``state`` active, idle or closed. It outlives its casefile.

    ``conversation`` is the conversation whose calls belong to it: its own id, unless opened for another. A chat session
    refers to the tool session in which its agent works.
    """

    __tablename__ = "sessions"
    __table_args__ = (Index("sessions_user", "tenant", "user"), UniqueConstraint("tenant", "conversation"))
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(16))
    user: Mapped[str] = mapped_column(String(200))
    casefile: Mapped[str | None] = mapped_column(ForeignKey("casefiles.id", ondelete="SET NULL"), index=True)
    title: Mapped[str] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    closed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    conversation: Mapped[str] = mapped_column(String(200))
    tool_session: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="SET NULL"))


class Event(Base):
    """What happened in a casefile or session. It has no foreign keys, so that it outlives its subject.

    ``chain_id`` is the id of the request to which it belongs, if any.
    """

    __tablename__ = "events"
    __table_args__ = (Index("events_casefile", "tenant", "casefile"),)
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(200))
    casefile: Mapped[str | None] = mapped_column(String(64))
    session: Mapped[str | None] = mapped_column(String(64), index=True)
    event_type: Mapped[str] = mapped_column(String(64))
    tool_name: Mapped[str] = mapped_column(String(64))
    timestamp: Mapped[datetime] = mapped_column(UtcDateTime)
    parameters: Mapped[dict[str, JsonValue]] = mapped_column(JSON)
    result_summary: Mapped[str | None] = mapped_column(Text)
    duration_ms: Mapped[int | None]
    status: Mapped[str] = mapped_column(String(32))
    error_message: Mapped[str | None] = mapped_column(Text)
    initiator: Mapped[str] = mapped_column(String(200))
    chain_position: Mapped[int | None]
    chain_id: Mapped[str | None] = mapped_column(String(64), index=True)
    reasoning: Mapped[str | None] = mapped_column(Text)
    source_message_id: Mapped[str | None] = mapped_column(String(64))
    related_events: Mapped[list[str]] = mapped_column(JSON)


class ChatMessage(Base):
    """A message of a chat session, in the order of ``position``.

    ``request`` is the id of the request that it begins or ends, and ``run`` the run of that. ``status`` says how the
    request stands that a user's message begins: running, waiting, stopped, completed or failed.
    """

    __tablename__ = "chat_messages"
    __table_args__ = (UniqueConstraint("session", "position"),)
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    session: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"))
    position: Mapped[int]
    role: Mapped[str] = mapped_column(String(16))
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    request: Mapped[str] = mapped_column(String(64), index=True)
    run: Mapped[str] = mapped_column(String(64))
    status: Mapped[str | None] = mapped_column(String(32))


class CasefileSession(Base):
    """A session added to a casefile."""

    __tablename__ = "casefile_sessions"
    casefile: Mapped[str] = mapped_column(ForeignKey("casefiles.id", ondelete="CASCADE"), primary_key=True)
    session: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True)


class SyncedCopy:
    """A copy of a Google object in one casefile: its id at Google, and its state at the last sync.

    A copy with ``kept`` was stored by a user, and stays when a sync finds the original deleted.
    """

    casefile: Mapped[str] = mapped_column(ForeignKey("casefiles.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(String(600), primary_key=True)
    data: Mapped[dict[str, JsonValue]] = mapped_column(JSON)
    kept: Mapped[bool]
    synced_at: Mapped[datetime] = mapped_column(UtcDateTime)


class GmailMessage(SyncedCopy, Base):
    """A message of Gmail."""

    __tablename__ = "gmail_messages"


class GmailThread(SyncedCopy, Base):
    """A thread of Gmail, without its messages."""

    __tablename__ = "gmail_threads"


class GmailLabel(SyncedCopy, Base):
    """A label of Gmail: its id and its name."""

    __tablename__ = "gmail_labels"


class DriveFile(SyncedCopy, Base):
    """A file of Drive, without its content."""

    __tablename__ = "drive_files"


class SheetRange(SyncedCopy, Base):
    """A range of a sheet; its id is the spreadsheet's and the range."""

    __tablename__ = "sheet_ranges"


class Sync(Base):
    """The sync state of a casefile. ``source`` is gmail, drive or sheets, ``status`` idle, syncing or error.

    ``scope`` is the label or folder of the token, empty for everything. ``account`` names the user with whose account
    it was synced; empty for the account that all users share.
    """

    __tablename__ = "syncs"
    casefile: Mapped[str] = mapped_column(ForeignKey("casefiles.id", ondelete="CASCADE"), primary_key=True)
    source: Mapped[str] = mapped_column(String(16), primary_key=True)
    status: Mapped[str] = mapped_column(String(16))
    scope: Mapped[str] = mapped_column(String(200))
    account: Mapped[str] = mapped_column(String(200))
    token: Mapped[str | None] = mapped_column(Text)
    synced_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    error: Mapped[str | None] = mapped_column(Text)
