"""Payloads and envelopes shared by tool sessions and chat sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from remit.tools import entity
from remit_casefile.casefiles.texts import PRINTABLE
from remit_casefile.storage.ids import CASEFILE_ID, SESSION_ID

CasefileId = Annotated[str, Field(pattern=CASEFILE_ID, description="The id of a casefile, like cf_251010_3fa9c2.")]
SessionId = Annotated[str, Field(pattern=SESSION_ID, description="The id of a session, as it was created.")]


class Payload(BaseModel):
    """Base of payloads: declared fields only."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class CreateSessionPayload(Payload):
    """The purpose of a new session."""

    casefile_id: CasefileId | None = None
    title: Annotated[str, PRINTABLE] = Field(default="", max_length=200)


@entity("session", id="session_id", name="title")
class SessionCreatedPayload(Payload):
    """The created session."""

    session_id: str
    casefile_id: str | None
    title: str
    created_at: datetime
    created_by: str


class GetSessionPayload(Payload):
    """The id of the session."""

    session_id: SessionId


@entity("session", id="session_id", name="title")
class SessionPayload(Payload):
    """A session, with the number of its requests and events."""

    session_id: str
    user_id: str
    casefile_id: str | None
    created_at: datetime
    updated_at: datetime
    active: bool
    title: str
    request_count: int
    event_count: int


class ListSessionsPayload(Payload):
    """The sessions to list: those of a user, of a casefile, or all that you may see."""

    user_id: str | None = Field(default=None, min_length=1, max_length=200)
    casefile_id: CasefileId | None = None
    active_only: bool = Field(default=True, description="Leave out those that are closed.")
    limit: int = Field(default=50, ge=1, le=100)
    offset: int = Field(default=0, ge=0)


class SessionsPayload(Payload):
    """Sessions, the newest first."""

    sessions: list[SessionPayload]
    total_count: int
    offset: int
    limit: int


class CloseSessionPayload(Payload):
    """The id of the session."""

    session_id: SessionId


class SessionClosedPayload(Payload):
    """A closed session with its totals."""

    session_id: str
    closed_at: datetime
    total_requests: int
    total_events: int
    duration_seconds: int
