"""The environment that the layers of the application are built from, and the events that they file."""

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
    """What a layer files about a call: among the events of its casefile, and of its session where it has one.

    ``id`` is made of the call, so that a call which is driven again files the same event. ``call`` is the call's id
    and ``parent`` that of the call it was made in. ``session`` is the conversation of the call, where it has one.
    Nothing secret is in ``parameters`` and ``result_summary``.
    """

    id: str
    tenant: str
    run: str
    call: str
    parent: str
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
    """The capability: keeps events."""

    async def append(self, event: CallEvent, /) -> None:
        """Keep an event; one of the same id is kept already, and nothing happens."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Env:
    """What the layers need. What is None is refused to every call that needs it."""

    database: Database
    approver: Approver | None = field(default_factory=InboxApprover)
    sessions: Sessions | None = None
    events: EventLog | None = None
