"""What a worker's model is told first, and how that enters the journal."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.messages import BinaryContent, UserContent

from remit.contracts.callee import Frame
from remit.contracts.chat import read, text_of, write
from remit.contracts.items import Message, Mismatch
from remit.workers.attachments import Attachment


def opened(frame: Frame, instructions: str, message: str) -> tuple[str, str]:
    """The system and the user message, journaled; on resume as they were recorded, and a difference is journaled."""
    known = [item for item in frame.ledger.known(frame.id) if isinstance(item, Message)]
    said: list[str] = []
    for index, (role, content) in enumerate((("system", instructions), ("user", message))):
        text = write({"role": role, "content": content})
        if index < len(known) and not frame.ledger.replaying:
            said.append(text_of(read(_kept(known[index], text, role, frame))))
        else:
            frame.ledger.add(Message(call=frame.id, agent=frame.id, text=text))
            said.append(content)
    return said[0], said[1]


def asked(message: str, attached: Sequence[Attachment]) -> str | list[UserContent]:
    """The user message as PydanticAI takes it, with the attachments beside it."""
    if not attached:
        return message
    return [message, *(BinaryContent(each.content, media_type=each.media_type) for each in attached)]


def _kept(known: Message, today: str, role: str, frame: Frame) -> str:
    if known.text != today and not any(
        isinstance(item, Mismatch) and item.today == today for item in frame.ledger.known(frame.id)
    ):
        frame.ledger.add(Mismatch(call=frame.id, what=f"{role} message", recorded=known.text, today=today))
    return known.text
