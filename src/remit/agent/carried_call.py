"""The call that a run carries: the runtime makes it before the model is asked, and the model reads its reply."""

from __future__ import annotations

import json
from typing import Any, cast

from remit.approvals.carried import carried_wire_id
from remit.call.callee import Frame
from remit.call.reference import is_referent
from remit.call.reply import Reply
from remit.chat.chat import encode_message
from remit.errors import DivergedError
from remit.journal.codec import tool_message_text
from remit.record.items import Message, ToolOutput
from remit.record.ledger import find_carried_call
from remit.record.secret import redact_secrets


async def make_carried_call(frame: Frame) -> tuple[list[str], Reply | None]:
    """Make the call that the run carries; return the messages about it, and its reply. Most runs carry none.

    The first message is an answer that calls the tool, as a model would have written it, so that any model can
    continue.

    Raises:
        Suspended: the call waits for a person: the state has changed, or another policy also asks.
    """
    call, question = find_carried_call(frame.ledger)
    if question is None or frame.caller.call:
        return [], None
    wire = carried_wire_id(call)
    prepared = frame.prepare(question.tool, question.arguments, wire)
    if prepared.id != call:
        raise DivergedError(
            f"the run carries a call of {question.tool} that differs from the one that the current code makes"
        )
    function = {"name": question.tool, "arguments": redact_secrets(question.arguments)}
    tool_calls = [{"id": wire, "type": "function", "function": function}]
    text = encode_message({"role": "assistant", "content": None, "tool_calls": tool_calls})
    message = Message(call=f"{frame.id}:carried", agent=frame.id, text=text, by="loop")
    if frame.ledger.execution.is_replaying or message not in frame.ledger.items_for(message.call):
        frame.ledger.add(message)
    reply = await prepared.make()
    return [text, tool_message_text(wire, reply.content)], reply


def repeats_carried_call(frame: Frame, tool: str, arguments: str, flag: str) -> bool:
    """Whether the model announces once more what the run carried and has done, by the name or the id of its objects.

    The object may be gone, and a model that is told so may take another one for it.
    """
    call, question = find_carried_call(frame.ledger)
    if question is None or frame.caller.call or question.tool != tool:
        return False
    if not any(isinstance(item, ToolOutput) and item.outcome == "ok" for item in frame.ledger.items_for(call)):
        return False
    made: dict[str, Any] = json.loads(question.arguments)
    given: Any = json.loads(arguments)
    if not isinstance(given, dict):
        return False
    given = cast("dict[str, Any]", given)
    given.pop(flag, None)
    left_out = made.keys() - given.keys()
    return left_out <= {flag, *question.at_default} and all(_is_meant(made.get(name), given[name]) for name in given)


def _is_meant(made: object, given: object) -> bool:
    """Whether a model may mean with ``given`` the value or the object with which the call was made."""
    if is_referent(made):
        return isinstance(given, str) and given.casefold() in (made["id"].casefold(), made["name"].casefold())
    return made == given
