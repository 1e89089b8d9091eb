"""The messages that Remit itself writes for an agent's model: journaled, and kept on resume."""

from __future__ import annotations

from remit.contracts.callee import Frame
from remit.contracts.chat import decode_message, encode_message
from remit.contracts.items import Message, Mismatch


def record_first_message(frame: Frame, index: int, role: str, content: str) -> str:
    """The wire text of a call's first message number ``index``: the recorded one on resume, else a new one.

    If the recorded text differs from the new one, resume keeps it and journals the difference once; replay fails.
    """
    current = encode_message({"role": role, "content": content})
    recorded = [item for item in frame.ledger.items_for(frame.id) if isinstance(item, Message)]
    if index >= len(recorded) or frame.ledger.is_replaying:
        frame.ledger.add(Message(call=frame.id, agent=frame.id, text=current))
        return current
    kept = recorded[index].text
    if kept != current and not any(
        isinstance(item, Mismatch) and item.today == current for item in frame.ledger.items_for(frame.id)
    ):
        what = f"{decode_message(current)['role']} message"
        frame.ledger.add(Mismatch(call=frame.id, what=what, recorded=kept, today=current))
    return kept
