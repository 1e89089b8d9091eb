"""The record of a tool request: two writes around the tool, each a call in the journal of the run.

The request itself changes nothing except through calls. When the run is executed again, its journal answers these
calls, and nothing is recorded twice.
"""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from remit import Effect, LeafContext, tool
from remit.errors import DeniedError
from remit.inventory import SECRET_FIELDS, Visibility
from remit.layers import redact_fields
from remit.tools import with_recommended_layers
from remit_casefile.sessions import rows
from remit_casefile.sessions.chain import EventChain
from remit_casefile.sessions.conversation_sessions import find_session
from remit_casefile.sessions.payloads import Payload
from remit_casefile.storage.database import Database
from remit_casefile.storage.ids import request_id
from remit_casefile.storage.tables import Event, Session
from remit_casefile.storage.transactions import Edit, write_once


class RequestStart(Payload):
    """A tool is about to be called."""

    tool_name: str
    parameters: dict[str, JsonValue]
    prompt: str | None
    casefile_id: str | None


class RecordedRequest(Payload):
    """The record of the request."""

    session_request_id: str
    events: list[str]


class RequestEnd(Payload):
    """The outcome of the tool."""

    begun: RecordedRequest
    outcome: Literal["completed", "failed"]
    result_summary: str | None = None
    error_message: str | None = None


class RecordedEnd(Payload):
    """All events of the request."""

    events: list[str]
    duration_ms: int


class RequestRecorder:
    """The two writes, as tools that only the function around them calls."""

    def __init__(self, database: Database) -> None:
        self._database = database
        begin = tool(
            name="begin_session_request",
            effect=Effect.KEYED,
            visibility=Visibility.INTERNAL,
            says="Record that {tool_name} was requested",
        )(self._begin)
        end = tool(
            name="end_session_request",
            effect=Effect.KEYED,
            visibility=Visibility.INTERNAL,
            says="Record the outcome of a tool: {outcome}",
        )(self._end)
        self.begin = with_recommended_layers(begin)
        self.end = with_recommended_layers(end)

    async def _begin(self, ctx: LeafContext, payload: RequestStart) -> RecordedRequest:
        """Record that a tool was requested and is called."""

        async def work(edit: Edit) -> RecordedRequest:
            session = await require_open_session(edit, ctx.caller.conversation)
            chain = EventChain(
                edit=edit,
                session=session.id,
                request=request_id(edit.run, ctx.caller.call),
                tool=payload.tool_name,
                casefile=payload.casefile_id or session.casefile,
                reasoning=payload.prompt,
            )
            parameters = redact_fields(SECRET_FIELDS, payload.parameters)
            await chain.add("tool_request_received", "received", parameters=parameters)
            await chain.add("tool_execution_started", "running")
            edit.add_change("session", session.id, "requests", "events")
            return RecordedRequest(session_request_id=chain.request, events=chain.event_ids)

        return await write_once(self._database, ctx, RecordedRequest, work)

    async def _end(self, ctx: LeafContext, payload: RequestEnd) -> RecordedEnd:
        """Record the outcome of a tool."""
        recorded, completed = payload.begun, payload.outcome == "completed"

        async def work(edit: Edit) -> RecordedEnd:
            started = await edit.session.get_one(Event, recorded.events[-1])
            duration_ms = round((edit.now - started.timestamp).total_seconds() * 1000)
            chain = EventChain(
                edit=edit,
                session=started.session or "",
                request=recorded.session_request_id,
                tool=started.tool_name,
                casefile=started.casefile,
                event_ids=list(recorded.events),
            )
            await chain.add(
                "tool_execution_completed" if completed else "tool_execution_failed",
                payload.outcome,
                result_summary=payload.result_summary,
                error_message=payload.error_message,
                duration_ms=duration_ms,
            )
            await chain.add("tool_response_sent", payload.outcome)
            edit.add_change("session", chain.session, "requests", "events")
            return RecordedEnd(events=chain.event_ids, duration_ms=duration_ms)

        return await write_once(self._database, ctx, RecordedEnd, work)


async def require_open_session(edit: Edit, conversation: str) -> Session:
    """The tool session of a conversation, if it is open; for a chat, the one its agent works in.

    Raises:
        NotFoundError, DeniedError: the caller has none, or it is closed.
    """
    session = await find_session(edit, conversation) if conversation else None
    if session is None:
        raise DeniedError("A tool is asked for in a session: create one with create_tool_session, and call in it.")
    if session.state == "closed":
        raise DeniedError(f"The session '{session.id}' is closed; begin a new one.")
    session.state, session.updated_at = "active", edit.now
    return session if session.kind == "tool" else await rows.get_or_add_tool_session(edit, session)
