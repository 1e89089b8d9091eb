"""Tool events: what happened to the requests of a session, and to casefiles, in order."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, JsonValue, model_validator
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from remit import LeafContext
from remit.tools import entity
from remit_casefile.policies.env import CallEvent
from remit_casefile.sessions import rows
from remit_casefile.sessions.chain import count_events
from remit_casefile.sessions.payloads import CasefileId, Payload, SessionId
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import request_id
from remit_casefile.storage.tables import ChatMessage, Event, Session
from remit_casefile.storage.transactions import View, open_view, session_not_found


@entity("event", id="event_id", name="event_type")
class ToolEvent(Payload):
    """One event."""

    event_id: str
    event_type: Annotated[str, Field(min_length=1, max_length=64)]
    tool_name: str
    timestamp: datetime
    parameters: dict[str, JsonValue]
    result_summary: str | None
    duration_ms: int | None
    status: str
    error_message: str | None
    initiator: str
    chain_position: int | None
    chain_id: str | None
    reasoning: str | None
    source_message_id: str | None
    related_events: list[str]


class ListEventsPayload(Payload):
    """The casefile or the session whose events to list."""

    casefile_id: CasefileId | None = None
    session_id: SessionId | None = None
    event_type: str | None = Field(default=None, min_length=1, max_length=64)
    limit: int = Field(default=50, ge=1, le=100)
    offset: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _require_one_target(self) -> Self:
        if (self.casefile_id is None) is (self.session_id is None):
            raise ValueError("give casefile_id or session_id, one of the two")
        return self


class EventsPayload(Payload):
    """Events, oldest first."""

    events: list[ToolEvent]
    total_count: int
    offset: int
    limit: int


class EventLog:
    """Stores the events of calls, for policy layers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, event: CallEvent, /) -> None:
        """Store an event of a call; an event with a known id is ignored.

        It belongs to the session of the call, and to the request that the call is made for, if any.
        """
        async with self._database.write() as writing:
            if await writing.get(Event, event.id) is not None:
                return
            here = (Session.tenant == event.tenant, Session.user == event.initiator)
            session_query = select(Session).where(*here, Session.conversation == event.session)
            found = (await writing.scalars(session_query)).one_or_none() if event.session else None
            row = _event_row(event, found)
            if found is not None:
                await _add_to_request(writing, row, found, request_id(event.run, event.request))
            writing.add(row)


class ToolEvents(EventLog):
    """The events of a tenant."""

    async def list_events(self, ctx: LeafContext, payload: ListEventsPayload) -> EventsPayload:
        """List the events of a casefile or a session, oldest first: the tools that ran, and their outcome."""
        async with open_view(self._database, ctx) as view:
            conditions = [Event.tenant == view.tenant]
            if payload.session_id is not None:
                conditions.append(Event.session.in_(await _event_session_ids(view, payload.session_id)))
            else:
                conditions.append(Event.casefile == payload.casefile_id)
            if payload.event_type is not None:
                conditions.append(Event.event_type == payload.event_type)
            total = await view.session.scalar(select(func.count()).select_from(Event).where(*conditions)) or 0
            oldest = select(Event).where(*conditions).order_by(Event.timestamp, Event.chain_position, Event.id)
            found = await view.session.scalars(oldest.limit(payload.limit).offset(payload.offset))
            tool_events = [_to_tool_event(event) for event in found]
        return EventsPayload(events=tool_events, total_count=total, offset=payload.offset, limit=payload.limit)


async def _add_to_request(writing: AsyncSession, row: Event, session: Session, request: str) -> None:
    """Make an event one of a request, if a tool or an answer was requested with it."""
    own = (ChatMessage.session == session.id, ChatMessage.request == request, ChatMessage.role == "user")
    message = await writing.scalar(select(ChatMessage.id).where(*own))
    position = await count_events(writing, request)
    if message is not None or position:
        row.chain_id, row.chain_position, row.source_message_id = request, position, message


async def _event_session_ids(view: View, session_id: str) -> list[str]:
    """The ids under which a session's events are stored, if the caller may see it."""
    session = await view.get_session(session_id)
    if not await rows.may_see(view, session):
        raise session_not_found(session_id)
    return [each for each in (session.id, session.tool_session) if each is not None]


def _event_row(event: CallEvent, session: Session | None) -> Event:
    return Event(
        id=event.id,
        tenant=event.tenant,
        casefile=event.casefile,
        session=None if session is None else session.tool_session or session.id,
        event_type=event.event_type,
        tool_name=event.tool_name,
        timestamp=event.timestamp,
        parameters=event.parameters,
        result_summary=event.result_summary,
        duration_ms=event.duration_ms,
        status=event.status,
        error_message=event.error_message,
        initiator=event.initiator,
        related_events=[],
    )


def _to_tool_event(event: Event) -> ToolEvent:
    return ToolEvent(
        event_id=event.id,
        event_type=event.event_type,
        tool_name=event.tool_name,
        timestamp=event.timestamp,
        parameters=event.parameters,
        result_summary=event.result_summary,
        duration_ms=event.duration_ms,
        status=event.status,
        error_message=event.error_message,
        initiator=event.initiator,
        chain_position=event.chain_position,
        chain_id=event.chain_id,
        reasoning=event.reasoning,
        source_message_id=event.source_message_id,
        related_events=event.related_events,
    )
