"""The messages that Remit itself writes for an agent's model: journaled, and kept on resume."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from remit.call.call import given_id
from remit.call.callee import Frame
from remit.chat.chat import decode_message, encode_message
from remit.journal.codec import build_chat_history
from remit.record.items import Author, Message, Mismatch, RunOpened
from remit.record.secret import redact_secrets


def record_first_message(frame: Frame, index: int, role: str, content: str) -> str:
    """The wire text of a call's first message number ``index``: the recorded one on resume, or else a new one.

    If the recorded text differs from the new one, resume keeps it and journals the difference once; replay fails.
    """
    current = encode_message({"role": role, "content": redact_secrets(content)})
    by = _author_of(frame, role)
    recorded = [item for item in frame.ledger.items_for(frame.id) if isinstance(item, Message)]
    if index >= len(recorded) or frame.ledger.execution.is_replaying:
        frame.ledger.add(Message(call=frame.id, agent=frame.id, text=current, by=by))
        return current
    kept = recorded[index].text
    if kept != current and not any(
        isinstance(item, Mismatch) and item.today == current for item in frame.ledger.items_for(frame.id)
    ):
        what = f"{decode_message(current)['role']} message"
        frame.ledger.add(Mismatch(call=frame.id, what=what, recorded=kept, today=current))
    return kept


def _author_of(frame: Frame, role: str) -> Author:
    """Who wrote a first message: in a run that a decision without a message opened, Remit itself."""
    if role == "system":
        return "instructions"
    if not frame.caller.is_outside:
        return "caller"
    header = next(iter(frame.ledger.items_for(frame.ledger.run)), None)
    return "loop" if isinstance(header, RunOpened) and header.about else "person"


def given_messages(frame: Frame) -> list[str]:
    """The history that the run was started from, as it was journaled when the run was opened."""
    items = frame.ledger.items_for(given_id(frame.id))
    return build_chat_history(items, frame.id) if items else []


async def record_message(
    frame: Frame, call: str, by: Author, make_text: Callable[[], Awaitable[str]], *, is_decided: bool
) -> list[str]:
    """The user message by ``by`` stored under ``call``: the recorded one, or else a new one.

    An empty text adds no message. If ``is_decided``, the journal has later messages of the frame: this message is then
    either recorded or absent, and no text is made.
    """
    recorded = next((item.text for item in frame.ledger.items_for(call) if isinstance(item, Message)), None)
    if recorded is None:
        text = "" if is_decided else await make_text()
        if not text:
            return []
        recorded = encode_message({"role": "user", "content": redact_secrets(text)})
    elif not frame.ledger.execution.is_replaying:
        return [recorded]
    frame.ledger.add(Message(call=call, agent=frame.id, text=recorded, by=by))
    return [recorded]
