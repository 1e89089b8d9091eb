"""Payloads and envelopes of the methods on chat sessions, beyond those shared with tool sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from remit.inventory import Request, Response
from remit_casefile.casefiles.texts import PRINTABLE
from remit_casefile.sessions.payloads import (
    CloseSessionPayload,
    CreateSessionPayload,
    ListSessionsPayload,
    Payload,
    SessionClosedPayload,
    SessionCreatedPayload,
    SessionPayload,
)
from remit_casefile.sessions.payloads import GetSessionPayload as OneSessionPayload

Role = Literal["user", "assistant"]
"""Who said a message."""


class ChatMessagePayload(Payload):
    """A message of a chat."""

    message_id: str
    role: Role
    text: str
    created_at: datetime


class GetSessionPayload(OneSessionPayload):
    """Which chat session, and whether with what was said."""

    include_messages: bool = Field(default=False, description="Tell all messages, too.")


class ChatSessionPayload(SessionPayload):
    """A chat session; ``messages`` is null where they were not asked for."""

    message_count: int
    tool_session_id: str | None
    messages: list[ChatMessagePayload] | None = None


class ChatSessionsPayload(Payload):
    """Chat sessions, the newest first."""

    sessions: list[ChatSessionPayload]
    total_count: int
    offset: int
    limit: int


class ChatSessionClosedPayload(SessionClosedPayload):
    """A chat session that was closed, and what it came to."""

    total_messages: int


class ChatRequestPayload(Payload):
    """What a person says. Which model answers, and how, is the application's to say."""

    message: Annotated[str, PRINTABLE] = Field(min_length=1, max_length=50_000)


class ChatResponsePayload(Payload):
    """What the agent answered, and where that is kept."""

    reply: str
    session_id: str
    tool_session_id: str
    session_request_id: str
    message_count: int


class CreateSessionRequest(Request[CreateSessionPayload], operation="create_session"):
    """Asks for a chat session."""


class CreateSessionResponse(Response[SessionCreatedPayload]):
    """Has it."""


class GetSessionRequest(Request[GetSessionPayload], operation="get_session"):
    """Asks about a chat session."""


class GetSessionResponse(Response[ChatSessionPayload]):
    """Tells of it."""


class ListSessionsRequest(Request[ListSessionsPayload], operation="list_sessions"):
    """Asks for chat sessions."""


class ListSessionsResponse(Response[ChatSessionsPayload]):
    """Has them."""


class CloseSessionRequest(Request[CloseSessionPayload], operation="close_session"):
    """Asks to close a chat session."""


class CloseSessionResponse(Response[ChatSessionClosedPayload]):
    """Says what it came to."""


class ChatRequest(Request[ChatRequestPayload], operation="chat"):
    """Says something to the agent."""


class ChatResponse(Response[ChatResponsePayload]):
    """Has the answer."""
