"""The events of one request of a session, chained in order.

Events that policy layers log about the tool meanwhile are part of the chain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from remit_casefile.storage.tables import Event
from remit_casefile.storage.transactions import Edit

EventType = Literal[
    "tool_request_received",
    "tool_execution_started",
    "tool_execution_completed",
    "tool_execution_failed",
    "tool_response_sent",
]
"""The types of events of a request. The inventory names the other events, which are logged in casefiles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventChain:
    """The events of one request for a tool, each linked to the one before."""

    edit: Edit
    session: str
    request: str
    tool: str
    casefile: str | None
    reasoning: str | None = None
    event_ids: list[str] = field(default_factory=list[str])

    async def add(
        self,
        event_type: EventType,
        status: str,
        *,
        parameters: dict[str, JsonValue] | None = None,
        result_summary: str | None = None,
        error_message: str | None = None,
        duration_ms: int | None = None,
    ) -> str:
        """Write the next event and return its id."""
        edit = self.edit
        event = Event(
            id=await edit.draw_unused_id(Event, edit.ids.event),
            tenant=edit.tenant,
            casefile=self.casefile,
            session=self.session,
            event_type=event_type,
            tool_name=self.tool,
            timestamp=edit.now,
            parameters=parameters or {},
            result_summary=result_summary,
            duration_ms=duration_ms,
            status=status,
            error_message=error_message,
            initiator=edit.person,
            chain_position=await count_events(edit.session, self.request),
            chain_id=self.request,
            reasoning=self.reasoning,
            source_message_id=None,
            related_events=self.event_ids[-1:],
        )
        edit.session.add(event)
        await edit.session.flush()
        self.event_ids.append(event.id)
        return event.id


async def count_events(session: AsyncSession, request: str) -> int:
    """The number of events of a request."""
    return await session.scalar(select(func.count()).select_from(Event).where(Event.chain_id == request)) or 0
