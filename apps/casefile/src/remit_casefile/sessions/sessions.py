"""Opens, reads and closes tool sessions. A model reads the methods' docstrings."""

from __future__ import annotations

from remit import LeafContext
from remit_casefile.sessions import rows
from remit_casefile.sessions.payloads import (
    CloseSessionPayload,
    CreateSessionPayload,
    GetSessionPayload,
    ListSessionsPayload,
    SessionClosedPayload,
    SessionCreatedPayload,
    SessionPayload,
    SessionsPayload,
)
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Session
from remit_casefile.storage.transactions import Edit, edit_once, open_view


class ToolSessions:
    """The tool sessions of a tenant. A session belongs to its user; admins of its casefile may read it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_session(self, ctx: LeafContext, payload: CreateSessionPayload) -> SessionCreatedPayload:
        """Create a tool session, which records the tools requested in it, in a casefile if one is named."""

        async def work(edit: Edit) -> SessionCreatedPayload:
            return session_created_payload(await rows.add_session(edit, "tool", payload))

        return await edit_once(self._database, ctx, payload, SessionCreatedPayload, work)

    async def get_session(self, ctx: LeafContext, payload: GetSessionPayload) -> SessionPayload:
        """Read a tool session: its state and the number of its requests and events."""
        async with open_view(self._database, ctx) as view:
            session = await rows.get_visible_session(view, payload.session_id, "tool")
            return await rows.session_payload(view, session)

    async def list_sessions(self, ctx: LeafContext, payload: ListSessionsPayload) -> SessionsPayload:
        """List tool sessions, the newest first: your own, and those of casefiles that you are an admin of."""
        async with open_view(self._database, ctx) as view:
            found, total = await rows.list_visible_sessions(view, "tool", payload)
            session_payloads = [await rows.session_payload(view, session) for session in found]
        return SessionsPayload(sessions=session_payloads, total_count=total, offset=payload.offset, limit=payload.limit)

    async def close_session(self, ctx: LeafContext, payload: CloseSessionPayload) -> SessionClosedPayload:
        """Close one of your tool sessions: it accepts no more requests, and those that wait are refused."""

        async def work(edit: Edit) -> SessionClosedPayload:
            session = await rows.get_own_session(edit, payload.session_id, "tool")
            total = await rows.close_session(edit, session)
            return SessionClosedPayload(
                session_id=session.id,
                closed_at=edit.now,
                total_requests=total.requests,
                total_events=total.events,
                duration_seconds=round((edit.now - session.created_at).total_seconds()),
            )

        closed = await edit_once(self._database, ctx, payload, SessionClosedPayload, work)
        await rows.end_run_of_session(self._database, ctx, closed.session_id)
        return closed


def session_created_payload(session: Session) -> SessionCreatedPayload:
    """The payload about a new session."""
    return SessionCreatedPayload(
        session_id=session.id,
        casefile_id=session.casefile,
        title=session.title,
        created_at=session.created_at,
        created_by=session.user,
    )
