"""The environment of the application's layers, and the events that they log."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from pydantic import JsonValue

from remit.inventory import Sessions
from remit.policies import Approver, InboxApprover
from remit_casefile.storage.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvent:
    """An event about a call, logged for its casefile and its session.

    ``id`` derives from the call, so that executing it again logs the same event. ``call`` is the call's id and
    ``parent`` that of the enclosing call. ``request`` is the call from outside for which it is made. ``session`` is the
    conversation of the call, if any. ``parameters`` and ``result_summary`` contain no secrets.
    """

    id: str
    tenant: str
    run: str
    call: str
    parent: str
    request: str
    casefile: str
    session: str | None
    event_type: str
    tool_name: str
    timestamp: datetime
    parameters: dict[str, JsonValue]
    result_summary: str | None
    duration_ms: int
    status: Literal["completed", "failed"]
    error_message: str | None
    initiator: str


class EventLog(Protocol):
    """The capability that stores events."""

    async def append(self, event: CallEvent, /) -> None:
        """Store an event; an event with a known id is ignored."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Env:
    """The capabilities of the layers. Calls that need a capability that is None are refused."""

    database: Database
    approver: Approver | None = field(default_factory=InboxApprover)
    sessions: Sessions | None = None
    events: EventLog | None = None
