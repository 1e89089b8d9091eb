"""Messages of a run as AG-UI has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, cast

from remit.chat.chat import decode_message
from remit.journal.codec import message_text
from remit.record.items import Message, RunOpened
from remit.server.agui.answers import tool_call_id
from remit.server.agui.events import (
    Event,
    FunctionCall,
    MessageToolCall,
    ReasoningEnd,
    ReasoningMessageContent,
    ReasoningMessageEnd,
    ReasoningMessageStart,
    ReasoningStart,
    SnapshotMessage,
)
from remit.views.parts import MessageView

METADATA: Final = "agui"
"""The key under which a run's metadata has the ids that its client has given."""

_REASONING_FIELDS: Final = ("reasoning_content", "reasoning")
"""The fields in which servers of chat completions send the reasoning of a model."""


def message_id_of(run: str, header: RunOpened | None) -> str:
    """The id of the person's message: the client's own, if it sent one."""
    metadata = cast("dict[str, Any]", json.loads(header.metadata)) if header is not None and header.metadata else {}
    given = metadata.get(METADATA)
    return str(cast("dict[str, Any]", given).get("messageId", "")) if isinstance(given, dict) else f"{run}/prompt"


def assistant_message(request: str, message: MessageView) -> SnapshotMessage:
    """A recorded answer as a message of a snapshot."""
    calls = (
        MessageToolCall(id=tool_call_id(request, index), function=FunctionCall(call.tool, call.arguments))
        for index, call in enumerate(message.calls)
    )
    return SnapshotMessage(id=request, role="assistant", content=message.text, tool_calls=tuple(calls))


def reasoning_events(item: Message) -> Iterator[Event]:
    """The reasoning that a recorded answer has."""
    if '"reasoning' not in item.text:
        return
    message = cast("dict[str, Any]", decode_message(message_text(item)))
    texts = (message.get(name) for name in _REASONING_FIELDS)
    text = next((each for each in texts if isinstance(each, str) and each), "")
    if text:
        ident = f"{item.call}/reasoning"
        yield ReasoningStart(message_id=ident)
        yield ReasoningMessageStart(message_id=ident, role="reasoning")
        yield ReasoningMessageContent(message_id=ident, delta=text)
        yield ReasoningMessageEnd(message_id=ident)
        yield ReasoningEnd(message_id=ident)
