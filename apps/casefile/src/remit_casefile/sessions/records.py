"""What is recorded of a tool request: two writes around the tool, each a call of its own in the journal of the run.

So the request itself touches nothing but by calls. A run that is driven again is told by its journal what it has
recorded, and records nothing twice.
"""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from remit import Effect, LeafContext, recommended, tool
from remit.errors import ConflictError, DeniedError, NotFoundError
from remit.inventory import SECRETS, without
from remit_casefile.sessions import rows
from remit_casefile.sessions.chain import Chain
from remit_casefile.sessions.payloads import Payload
from remit_casefile.sessions.standing import session_in
from remit_casefile.sessions.writing import keyed
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Event, Session, SessionRequest
from remit_casefile.storage.work import Edit


class Begin(Payload):
    """A tool is about to be called."""

    tool_name: str
    parameters: dict[str, JsonValue]
    prompt: str | None
    casefile_id: str | None
    session_request_id: str | None


class Begun(Payload):
    """Where that is recorded."""

    session_request_id: str
    casefile_id: str | None
    events: list[str]


class End(Payload):
    """How the tool came out."""

    begun: Begun
    outcome: Literal["completed", "failed"]
    result_summary: str | None = None
    error_message: str | None = None


class Ended(Payload):
    """All events of the request."""

    events: list[str]
    duration_ms: int


class Records:
    """The two writes, as tools that no model is given."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.begin = recommended(tool(name="begin_session_request", effect=Effect.KEYED)(self._begin))
        self.end = recommended(tool(name="end_session_request", effect=Effect.KEYED)(self._end))

    async def _begin(self, ctx: LeafContext, payload: Begin) -> Begun:
        """Record that a tool was asked for, and is called."""

        async def work(edit: Edit) -> Begun:
            session = await open_session(edit, ctx.caller.conversation)
            request = await _request(edit, session, payload, call=ctx.caller.call)
            casefile = payload.casefile_id or session.casefile
            chain = Chain(edit=edit, session=session, request=request, casefile=casefile, reasoning=payload.prompt)
            await chain.add("tool_request_received", "received", parameters=request.parameters)
            await chain.add("tool_execution_started", "running")
            return Begun(session_request_id=request.id, casefile_id=casefile, events=chain.before)

        return await keyed(self._database, ctx, Begun, work)

    async def _end(self, ctx: LeafContext, payload: End) -> Ended:
        """Record how a tool came out, and that this was answered."""
        begun, completed = payload.begun, payload.outcome == "completed"

        async def work(edit: Edit) -> Ended:
            request = await edit.session.get_one(SessionRequest, begun.session_request_id)
            session = await edit.session.get_one(Session, request.session)
            started = await edit.session.get_one(Event, begun.events[-1])
            lasted = round((edit.now - started.timestamp).total_seconds() * 1000)
            before = list(begun.events)
            chain = Chain(edit=edit, session=session, request=request, casefile=begun.casefile_id, before=before)
            await chain.add(
                "tool_execution_completed" if completed else "tool_execution_failed",
                payload.outcome,
                result_summary=payload.result_summary,
                error_message=payload.error_message,
                duration_ms=lasted,
            )
            await chain.add("tool_response_sent", payload.outcome)
            request.status, request.ended_at = payload.outcome, edit.now
            return Ended(events=chain.before, duration_ms=lasted)

        return await keyed(self._database, ctx, Ended, work)


async def open_session(edit: Edit, conversation: str) -> Session:
    """The tool session of a conversation, which takes requests: of a chat it is the one that its agent works in.

    Raises:
        NotFoundError, DeniedError: there is none of the caller, or it is closed.
    """
    session = await session_in(edit, conversation) if conversation else None
    if session is None:
        raise DeniedError("A tool is asked for in a session: create one with create_tool_session, and call in it.")
    if session.state == "closed":
        raise DeniedError(f"The session '{session.id}' is closed; begin a new one.")
    session.state, session.updated_at = "active", edit.now
    return session if session.kind == "tool" else await rows.tool_session_of(edit, session)


async def _request(edit: Edit, session: Session, asked: Begin, *, call: str) -> SessionRequest:
    """The request that is asked for again, or a new one.

    Raises:
        NotFoundError: the session has no such request. ConflictError: it asks for something else.
    """
    parameters = without(SECRETS, asked.parameters)
    if asked.session_request_id is not None:
        known = await edit.session.get(SessionRequest, asked.session_request_id)
        if known is None or known.session != session.id:
            raise NotFoundError(f"No request '{asked.session_request_id}' in the session '{session.id}'.")
        if (known.tool, known.parameters) != (asked.tool_name, parameters):
            raise ConflictError(
                f"The request '{known.id}' asks for {known.tool}, with parameters of its own; to ask for something "
                "else leave session_request_id out."
            )
        known.status, known.ended_at, known.run, known.call = "running", None, edit.run, call
        return known
    request = SessionRequest(
        id=await edit.unused(SessionRequest, edit.ids.request),
        session=session.id,
        tool=asked.tool_name,
        parameters=parameters,
        status="running",
        run=edit.run,
        call=call,
        created_at=edit.now,
        ended_at=None,
    )
    edit.session.add(request)
    await edit.session.flush()
    return request
