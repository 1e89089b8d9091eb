"""What a worker's model is told first, and how that enters the journal."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.messages import BinaryContent, UserContent

from remit.contracts.callee import Frame
from remit.contracts.chat import decode_message, encode_message, message_text
from remit.contracts.items import Message, Mismatch
from remit.workers.attachments import Attachment


def record_first_messages(frame: Frame, instructions: str, message: str) -> tuple[str, str]:
    """The system and the user message, journaled; on resume as they were recorded, and a difference is journaled."""
    recorded_messages = [item for item in frame.ledger.items_for(frame.id) if isinstance(item, Message)]
    contents: list[str] = []
    for index, (role, content) in enumerate((("system", instructions), ("user", message))):
        text = encode_message({"role": role, "content": content})
        if index < len(recorded_messages) and not frame.ledger.is_replaying:
            contents.append(message_text(decode_message(_keep_recorded(recorded_messages[index], text, role, frame))))
        else:
            frame.ledger.add(Message(call=frame.id, agent=frame.id, text=text))
            contents.append(content)
    return contents[0], contents[1]


def build_user_prompt(message: str, attachments: Sequence[Attachment]) -> str | list[UserContent]:
    """The user message as PydanticAI takes it, with the attachments beside it."""
    if not attachments:
        return message
    return [message, *(BinaryContent(each.content, media_type=each.media_type) for each in attachments)]


def _keep_recorded(recorded_message: Message, current: str, role: str, frame: Frame) -> str:
    if recorded_message.text != current and not any(
        isinstance(item, Mismatch) and item.today == current for item in frame.ledger.items_for(frame.id)
    ):
        frame.ledger.add(Mismatch(call=frame.id, what=f"{role} message", recorded=recorded_message.text, today=current))
    return recorded_message.text
