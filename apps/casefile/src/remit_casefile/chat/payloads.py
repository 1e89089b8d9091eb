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
    """The chat session to read, with or without its messages."""

    include_messages: bool = Field(default=False, description="Tell all messages, too.")


class ChatSessionPayload(SessionPayload):
    """A chat session. ``messages`` is null unless requested."""

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
    """A closed chat session with its totals."""

    total_messages: int


class ChatRequestPayload(Payload):
    """The user's message, and which model answers it. The application says which models may be chosen."""

    message: Annotated[str, PRINTABLE] = Field(min_length=1, max_length=50_000)
    model: Annotated[str, PRINTABLE] | None = Field(
        default=None, min_length=1, max_length=200, description="Such as openai:gpt-5; null for the usual model"
    )
    temperature: float | None = Field(default=None, ge=0, le=2, description="null for the model's own")


class ChatResponsePayload(Payload):
    """The agent's answer, and where it is stored."""

    reply: str
    session_id: str
    tool_session_id: str
    session_request_id: str
    message_count: int


class CreateSessionRequest(Request[CreateSessionPayload], operation="create_session"):
    """A request to create a chat session."""


class CreateSessionResponse(Response[SessionCreatedPayload]):
    """The response with the chat session."""


class GetSessionRequest(Request[GetSessionPayload], operation="get_session"):
    """A request to read a chat session."""


class GetSessionResponse(Response[ChatSessionPayload]):
    """The response with the chat session."""


class ListSessionsRequest(Request[ListSessionsPayload], operation="list_sessions"):
    """A request to list chat sessions."""


class ListSessionsResponse(Response[ChatSessionsPayload]):
    """The response with the chat sessions."""


class CloseSessionRequest(Request[CloseSessionPayload], operation="close_session"):
    """A request to close a chat session."""


class CloseSessionResponse(Response[ChatSessionClosedPayload]):
    """The response with the closed chat session."""


class ChatRequest(Request[ChatRequestPayload], operation="chat"):
    """A request with a message to the agent."""


class ChatResponse(Response[ChatResponsePayload]):
    """The response with the agent's answer."""
