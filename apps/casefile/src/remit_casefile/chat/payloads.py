"""Payloads and envelopes of the methods on chat sessions, beyond those shared with tool sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from remit_casefile.casefiles.texts import PRINTABLE
from remit_casefile.sessions.payloads import GetSessionPayload as OneSessionPayload
from remit_casefile.sessions.payloads import (
    Payload,
    SessionClosedPayload,
    SessionPayload,
)

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
        default=None, min_length=1, max_length=200, description="{provider}:{model}; null for the usual model"
    )
    temperature: float | None = Field(default=None, ge=0, le=2, description="null for the model's own")


class ChatResponsePayload(Payload):
    """The agent's answer, and where it is stored."""

    reply: str
    session_id: str
    tool_session_id: str
    session_request_id: str
    message_count: int
