"""Rows of sessions: made, found by whoever may see them, counted and closed. Tool and chat sessions share it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Select, func, or_, select, update

from remit.errors import ConflictError
from remit_casefile.casefiles.access import Level, level_of
from remit_casefile.sessions.payloads import CreateSessionPayload, ListSessionsPayload, SessionPayload
from remit_casefile.storage.ids import SessionKind
from remit_casefile.storage.tables import Casefile, CasefileSession, Event, Grant, Session, SessionRequest
from remit_casefile.storage.work import Edit, View, no_session

UNENDED: Final = ("running", "waiting")
"""How a request stands that has not ended."""


class Counts(NamedTuple):
    """How much happened in a session."""

    requests: int
    events: int


async def make(edit: Edit, kind: SessionKind, asked: CreateSessionPayload, conversation: str = "") -> Session:
    """A new session of the caller, in the casefile that is asked for.

    Raises:
        NotFoundError: there is no such casefile.
    """
    casefile = None if asked.casefile_id is None else (await edit.casefile(asked.casefile_id)).id
    made = await edit.unused(Session, lambda: edit.ids.session(kind, edit.person, casefile))
    session = Session(
        id=made,
        tenant=edit.tenant,
        kind=kind,
        user=edit.person,
        casefile=casefile,
        title=asked.title,
        state="active",
        created_at=edit.now,
        updated_at=edit.now,
        conversation=conversation or made,
    )
    edit.session.add(session)
    await edit.session.flush()
    if casefile is not None:
        edit.session.add(CasefileSession(casefile=casefile, session=made))
    return session


async def tool_session_of(edit: Edit, chat: Session) -> Session:
    """The tool session in which the agent of a chat works; one is made when there is none that is open."""
    known = None if chat.tool_session is None else await edit.session.get(Session, chat.tool_session)
    if known is not None and known.closed_at is None:
        return known
    made = await make(edit, "tool", CreateSessionPayload(casefile_id=chat.casefile, title=chat.title))
    chat.tool_session = made.id
    return made


async def own(view: View, session_id: str, kind: SessionKind) -> Session:
    """The caller's session of that id.

    Raises:
        NotFoundError: it is not there, of the other kind, or somebody else's: these look the same.
    """
    session = await view.session_of(session_id)
    if (session.user, session.kind) != (view.person, kind):
        raise no_session(session_id)
    return session


async def seen(view: View, session_id: str, kind: SessionKind) -> Session:
    """The session of that id, if it is the caller's, or of a casefile of which the caller is an admin.

    Raises:
        NotFoundError: as `own`.
    """
    session = await view.session_of(session_id)
    if session.kind != kind or not await may_see(view, session):
        raise no_session(session_id)
    return session


async def may_see(view: View, session: Session) -> bool:
    """Whether the caller may see a session of their tenant."""
    if session.user == view.person:
        return True
    casefile = None if session.casefile is None else await view.session.get(Casefile, session.casefile)
    return casefile is not None and await level_of(view, casefile, view.person) >= Level.ADMIN


async def listed(view: View, kind: SessionKind, asked: ListSessionsPayload) -> tuple[list[Session], int]:
    """The sessions that are asked for and that the caller may see, the newest first, and how many there are in all."""
    here = [Session.tenant == view.tenant, Session.kind == kind, _visible_to(view)]
    if asked.user_id is not None:
        here.append(Session.user == asked.user_id)
    if asked.casefile_id is not None:
        here.append(Session.casefile == asked.casefile_id)
    if asked.active_only:
        here.append(Session.state != "closed")
    total = await view.session.scalar(select(func.count()).select_from(Session).where(*here)) or 0
    newest = select(Session).where(*here).order_by(Session.created_at.desc(), Session.id)
    rows = await view.session.scalars(newest.limit(asked.limit).offset(asked.offset))
    return list(rows.all()), total


async def told(view: View, session: Session) -> SessionPayload:
    """A session, as its user reads of it."""
    requests, events = await counts(view, session)
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


async def counts(view: View, session: Session) -> Counts:
    """How much happened in a session; a chat session's events are those of the tool session it works in."""
    both = [each for each in (session.id, session.tool_session) if each is not None]
    requests = select(func.count()).select_from(SessionRequest).where(SessionRequest.session == session.id)
    events = select(func.count()).select_from(Event).where(Event.tenant == view.tenant, Event.session.in_(both))
    return Counts(await view.session.scalar(requests) or 0, await view.session.scalar(events) or 0)


async def close(edit: Edit, session: Session) -> Counts:
    """Close a session, and stop what goes on in it: what it came to.

    Raises:
        ConflictError: it is closed already.
    """
    if session.closed_at is not None:
        raise ConflictError(f"The session '{session.id}' is closed since {_minute(session.closed_at)}.")
    for each in await _with_tool_session(edit, session):
        each.state, each.closed_at, each.updated_at = "closed", edit.now, edit.now
        open_still = (SessionRequest.session == each.id, SessionRequest.status.in_(UNENDED))
        await edit.session.execute(
            update(SessionRequest).where(*open_still).values(status="stopped", ended_at=edit.now)
        )
    return await counts(edit, session)


async def _with_tool_session(edit: Edit, session: Session) -> list[Session]:
    inner = None if session.tool_session is None else await edit.session.get(Session, session.tool_session)
    return [session] if inner is None or inner.closed_at is not None else [session, inner]


def _visible_to(view: View) -> ColumnElement[bool]:
    high = [level.word for level in Level if level >= Level.ADMIN]
    granted: Select[Any] = select(Grant.casefile).where(
        Grant.user == view.person,
        Grant.level.in_(high),
        or_(Grant.expires_at.is_(None), Grant.expires_at > view.now),
    )
    administered = select(Casefile.id).where(
        or_(Casefile.owner == view.person, Casefile.public_access.in_(high), Casefile.id.in_(granted))
    )
    return or_(Session.user == view.person, Session.casefile.in_(administered))


def _minute(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")
