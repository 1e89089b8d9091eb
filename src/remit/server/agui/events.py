"""The events of AG-UI 1.0 that the server sends, and the values of its own events.

They are written with msgspec; the tests read them with the protocol's own models.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from remit.server.documents.document import Document
from remit.server.documents.sentence import SentenceDocument
from remit.views.parts import CallState


class Event(Struct, kw_only=True, rename="camel", tag_field="type", omit_defaults=True, gc=False):
    """An event. ``timestamp`` is when its item was recorded, in milliseconds since the epoch."""

    timestamp: int | None = None


class RunStarted(Event, tag="RUN_STARTED"):
    """The stream begins, or continues: each connection begins with it."""

    thread_id: str
    run_id: str


class InterruptDocument(Document):
    """A question that the run waits for. ``metadata`` has the document of the question."""

    id: str
    reason: str
    message: str
    response_schema: dict[str, Any]
    expires_at: str
    metadata: dict[str, Any]
    tool_call_id: str | None = None


class Outcome(Struct, kw_only=True, rename="camel", omit_defaults=True):
    """How the stream of a run ends."""

    type: Literal["success", "interrupt", "cancelled"]
    interrupts: tuple[InterruptDocument, ...] = ()


class RunFinished(Event, tag="RUN_FINISHED"):
    """The run has ended, or waits for a person."""

    thread_id: str
    run_id: str
    outcome: Outcome
    result: str | None = None


class RunError(Event, tag="RUN_ERROR"):
    """The run has failed."""

    message: str
    code: str


class TextMessageStart(Event, tag="TEXT_MESSAGE_START"):
    """A message begins. If a message with this id is known, it begins anew."""

    message_id: str
    role: Literal["assistant", "user"]


class TextMessageContent(Event, tag="TEXT_MESSAGE_CONTENT"):
    """The next piece of a message."""

    message_id: str
    delta: str


class TextMessageEnd(Event, tag="TEXT_MESSAGE_END"):
    """A message is complete."""

    message_id: str


class ToolCallStart(Event, tag="TOOL_CALL_START"):
    """The model begins to write a call."""

    tool_call_id: str
    tool_call_name: str
    parent_message_id: str


class ToolCallArgs(Event, tag="TOOL_CALL_ARGS"):
    """The next piece of the arguments of a call."""

    tool_call_id: str
    delta: str


class ToolCallEnd(Event, tag="TOOL_CALL_END"):
    """The arguments of a call are complete. Whether it is made is told by ``remit.call`` and its result."""

    tool_call_id: str


class ToolCallResult(Event, tag="TOOL_CALL_RESULT"):
    """The reply to a call, as the model reads it."""

    message_id: str
    tool_call_id: str
    content: str
    role: Literal["tool"] = "tool"


class ReasoningStart(Event, tag="REASONING_START"):
    """The reasoning that a model shows with an answer."""

    message_id: str


class ReasoningMessageStart(Event, tag="REASONING_MESSAGE_START"):
    """The text of the reasoning begins."""

    message_id: str
    role: Literal["reasoning"]


class ReasoningMessageContent(Event, tag="REASONING_MESSAGE_CONTENT"):
    """The text of the reasoning."""

    message_id: str
    delta: str


class ReasoningMessageEnd(Event, tag="REASONING_MESSAGE_END"):
    """The text of the reasoning is complete."""

    message_id: str


class ReasoningEnd(Event, tag="REASONING_END"):
    """The reasoning is complete."""

    message_id: str


class FunctionCall(Struct):
    """The function of a call in a message."""

    name: str
    arguments: str


class MessageToolCall(Struct, kw_only=True):
    """A call in a message."""

    id: str
    function: FunctionCall
    type: Literal["function"] = "function"


class SnapshotMessage(Struct, kw_only=True, rename="camel", omit_defaults=True):
    """A message of a snapshot."""

    id: str
    role: str
    content: str
    tool_calls: tuple[MessageToolCall, ...] = ()
    tool_call_id: str = ""


class MessagesSnapshot(Event, tag="MESSAGES_SNAPSHOT"):
    """All messages so far, instead of those that were told: an answer was discarded, or was recorded differently."""

    messages: tuple[SnapshotMessage, ...]


class Custom(Event, tag="CUSTOM"):
    """An event of Remit, which other clients ignore."""

    name: str
    value: object


class CallValue(Document):
    """``remit.call``: a call, also a nested one, whose state has changed. Times are seconds since the epoch."""

    tool_call_id: str
    call: str
    parent: str
    tool: str
    sentence: SentenceDocument
    state: CallState
    started_at: float
    ended_at: float
    attempt: int
    by: str


class LogValue(Document):
    """``remit.log``: a line that a tool wrote with ``ctx.log``."""

    call: str
    level: str
    text: str
    at: float


class NoteValue(Document):
    """``remit.note``: what a tool reported with ``ctx.emit``."""

    call: str
    name: str
    data: object


class ChangedValue(Document):
    """``remit.changed``: an object that a call has changed."""

    call: str
    kind: str
    id: str
    name: str
    fields: tuple[str, ...]
    revision: str


class RestValue(Document):
    """``remit.rest``: the run rests for a reason that will pass, until ``retryAt`` (0 if unknown)."""

    reason: str
    retry_at: float
