"""Opens, reads and closes tool sessions. A model reads the methods' docstrings."""

from __future__ import annotations

from remit import LeafContext
from remit_casefile.sessions import rows
from remit_casefile.sessions.payloads import (
    CloseSessionRequest,
    CloseSessionResponse,
    CreateSessionRequest,
    CreateSessionResponse,
    GetSessionRequest,
    GetSessionResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    SessionClosedPayload,
    SessionCreatedPayload,
    SessionsPayload,
)
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Session
from remit_casefile.storage.transactions import Edit, edit_once, open_view


class ToolSessions:
    """The tool sessions of a tenant. A session belongs to its user; admins of its casefile may read it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_session(self, ctx: LeafContext, request: CreateSessionRequest) -> CreateSessionResponse:
        """Create a tool session, which records the tools requested in it, in a casefile if one is named."""

        async def work(edit: Edit) -> SessionCreatedPayload:
            return session_created_payload(await rows.add_session(edit, "tool", request.payload))

        made = await edit_once(self._database, ctx, request, SessionCreatedPayload, work)
        return CreateSessionResponse.completed(request, made)

    async def get_session(self, ctx: LeafContext, request: GetSessionRequest) -> GetSessionResponse:
        """Read a tool session: its state and the number of its requests and events."""
        async with open_view(self._database, ctx) as view:
            session = await rows.get_visible_session(view, request.payload.session_id, "tool")
            return GetSessionResponse.completed(request, await rows.session_payload(view, session))

    async def list_sessions(self, ctx: LeafContext, request: ListSessionsRequest) -> ListSessionsResponse:
        """List tool sessions, the newest first: your own, and those of casefiles that you are an admin of."""
        payload = request.payload
        async with open_view(self._database, ctx) as view:
            found, total = await rows.list_visible_sessions(view, "tool", payload)
            session_payloads = [await rows.session_payload(view, session) for session in found]
        page = SessionsPayload(sessions=session_payloads, total_count=total, offset=payload.offset, limit=payload.limit)
        return ListSessionsResponse.completed(request, page)

    async def close_session(self, ctx: LeafContext, request: CloseSessionRequest) -> CloseSessionResponse:
        """Close one of your tool sessions: it accepts no more requests, and those in progress are cancelled."""

        async def work(edit: Edit) -> SessionClosedPayload:
            session = await rows.get_own_session(edit, request.payload.session_id, "tool")
            total = await rows.close_session(edit, session)
            return SessionClosedPayload(
                session_id=session.id,
                closed_at=edit.now,
                total_requests=total.requests,
                total_events=total.events,
                duration_seconds=round((edit.now - session.created_at).total_seconds()),
            )

        closed = await edit_once(self._database, ctx, request, SessionClosedPayload, work)
        return CloseSessionResponse.completed(request, closed)


def session_created_payload(session: Session) -> SessionCreatedPayload:
    """The payload about a new session."""
    return SessionCreatedPayload(
        session_id=session.id,
        casefile_id=session.casefile,
        title=session.title,
        created_at=session.created_at,
        created_by=session.user,
    )
