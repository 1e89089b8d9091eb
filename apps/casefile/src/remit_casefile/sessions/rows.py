"""Rows of sessions: created, found with access checks, counted and closed. Shared by tool and chat sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, func, or_, select

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import LastCall
from remit_casefile.casefiles.access import Level, resolve_level
from remit_casefile.sessions.payloads import CreateSessionPayload, ListSessionsPayload, SessionPayload
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import SessionKind
from remit_casefile.storage.tables import Casefile, CasefileSession, ChatMessage, Event, Grant, Session
from remit_casefile.storage.transactions import Edit, View, open_view, session_not_found


class ActivityCounts(NamedTuple):
    """Counts of what happened in a session."""

    requests: int
    events: int


async def add_session(edit: Edit, kind: SessionKind, payload: CreateSessionPayload, conversation: str = "") -> Session:
    """Create a session of the caller, in the given casefile if any.

    Raises:
        NotFoundError: there is no such casefile.
    """
    casefile = None if payload.casefile_id is None else (await edit.get_casefile(payload.casefile_id)).id
    session_id = await edit.draw_unused_id(Session, lambda: edit.ids.session(kind, edit.person, casefile))
    session = Session(
        id=session_id,
        tenant=edit.tenant,
        kind=kind,
        user=edit.person,
        casefile=casefile,
        title=payload.title,
        state="active",
        created_at=edit.now,
        updated_at=edit.now,
        conversation=conversation or session_id,
    )
    edit.session.add(session)
    await edit.session.flush()
    edit.add_change("session", session_id)
    if casefile is not None:
        edit.session.add(CasefileSession(casefile=casefile, session=session_id))
        edit.add_change("casefile", casefile, "session_ids")
    return session


async def get_or_add_tool_session(edit: Edit, chat: Session) -> Session:
    """The open tool session of a chat's agent; created if necessary."""
    existing = None if chat.tool_session is None else await edit.session.get(Session, chat.tool_session)
    if existing is not None and existing.closed_at is None:
        return existing
    made = await add_session(edit, "tool", CreateSessionPayload(casefile_id=chat.casefile, title=chat.title))
    chat.tool_session = made.id
    edit.add_change("session", chat.id, "tool_session_id")
    return made


async def get_own_session(view: View, session_id: str, kind: SessionKind) -> Session:
    """The caller's session with this id.

    Raises:
        NotFoundError: it does not exist, is of the other kind, or belongs to another user; all look the same.
    """
    session = await view.get_session(session_id)
    if (session.user, session.kind) != (view.person, kind):
        raise session_not_found(session_id)
    return session


async def get_visible_session(view: View, session_id: str, kind: SessionKind) -> Session:
    """The session with this id, if it is the caller's or the caller is an admin of its casefile.

    Raises:
        NotFoundError: as `get_own_session`.
    """
    session = await view.get_session(session_id)
    if session.kind != kind or not await may_see(view, session):
        raise session_not_found(session_id)
    return session


async def may_see(view: View, session: Session) -> bool:
    """Whether the caller may see a session of the tenant."""
    if session.user == view.person:
        return True
    casefile = None if session.casefile is None else await view.session.get(Casefile, session.casefile)
    return casefile is not None and await resolve_level(view, casefile, view.person) >= Level.ADMIN


async def list_visible_sessions(
    view: View, kind: SessionKind, filters: ListSessionsPayload
) -> tuple[list[Session], int]:
    """The matching sessions that the caller may see, newest first, and their total number."""
    conditions = [Session.tenant == view.tenant, Session.kind == kind, _visibility_condition(view)]
    if filters.user_id is not None:
        conditions.append(Session.user == filters.user_id)
    if filters.casefile_id is not None:
        conditions.append(Session.casefile == filters.casefile_id)
    if filters.active_only:
        conditions.append(Session.state != "closed")
    total = await view.session.scalar(select(func.count()).select_from(Session).where(*conditions)) or 0
    newest = select(Session).where(*conditions).order_by(Session.created_at.desc(), Session.id)
    rows = await view.session.scalars(newest.limit(filters.limit).offset(filters.offset))
    return list(rows.all()), total


async def session_payload(view: View, session: Session) -> SessionPayload:
    """A session, for its user."""
    requests, events = await count_activity(view, session)
    return SessionPayload(
        session_id=session.id,
        user_id=session.user,
        casefile_id=session.casefile,
        created_at=session.created_at,
        updated_at=session.updated_at,
        active=session.state != "closed",
        title=session.title,
        request_count=requests,
        event_count=events,
    )


async def count_activity(view: View, session: Session) -> ActivityCounts:
    """Count what happened in a session; the events of a chat are those of its tool session.

    The requests of a tool session are the tools requested in it, those of a chat the messages of its user.
    """
    both = [each for each in (session.id, session.tool_session) if each is not None]
    asked = (
        select(func.count())
        .select_from(Event)
        .where(Event.tenant == view.tenant, Event.session == session.id, Event.event_type == "tool_request_received")
    )
    said = (
        select(func.count())
        .select_from(ChatMessage)
        .where(ChatMessage.session == session.id, ChatMessage.role == "user")
    )
    events = select(func.count()).select_from(Event).where(Event.tenant == view.tenant, Event.session.in_(both))
    requests = (await view.session.scalar(asked) or 0) + (await view.session.scalar(said) or 0)
    return ActivityCounts(requests, await view.session.scalar(events) or 0)


async def end_run_of_session(database: Database, ctx: LeafContext, session_id: str) -> None:
    """Make the call that has closed a session the last one of its open run, if that is in the session."""
    if ctx.caller.conversation:
        async with open_view(database, ctx) as view:
            if (await view.get_session(session_id)).conversation == ctx.caller.conversation:
                ctx.emit(LastCall())


async def close_session(edit: Edit, session: Session) -> ActivityCounts:
    """Close a session, and return the counts.

    Raises:
        ConflictError: it is closed already.
    """
    if session.closed_at is not None:
        raise ConflictError(f"The session '{session.id}' is closed since {_format_minute(session.closed_at)}.")
    for each in await _sessions_to_close(edit, session):
        each.state, each.closed_at, each.updated_at = "closed", edit.now, edit.now
        edit.add_change("session", each.id, "active")
    return await count_activity(edit, session)


async def _sessions_to_close(edit: Edit, session: Session) -> list[Session]:
    inner = None if session.tool_session is None else await edit.session.get(Session, session.tool_session)
    return [session] if inner is None or inner.closed_at is not None else [session, inner]


def _visibility_condition(view: View) -> ColumnElement[bool]:
    admin_levels = [level.label for level in Level if level >= Level.ADMIN]
    granted: Select[Any] = select(Grant.casefile).where(
        Grant.user == view.person,
        Grant.level.in_(admin_levels),
        or_(Grant.expires_at.is_(None), Grant.expires_at > view.now),
    )
    administered = select(Casefile.id).where(
        or_(Casefile.owner == view.person, Casefile.public_access.in_(admin_levels), Casefile.id.in_(granted))
    )
    return or_(Session.user == view.person, Session.casefile.in_(administered))


def _format_minute(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")
