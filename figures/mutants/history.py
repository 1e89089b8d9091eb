"""Mutants of the figures about histories: their bytes, and that they are valid after every cut."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_CODEC: Final = "remit.journal.codec"

BIJECTION: Final = mutants_of(
    "bijection.byte_mismatches",
    {
        "a message is written in another spelling": edited(
            f"{_CODEC}:items_from_messages", "text=str(text)", "text=encode_message(message)"
        ),
        "the reply of a tool is written in another spelling": edited(
            f"{_CODEC}:items_from_messages", "wire=wire, text=text,", "wire=wire, text=encode_message(message),"
        ),
        "a message that occurs twice is given back once": edited(
            f"{_CODEC}:messages_from_items",
            "return [message_text(item) if isinstance(item, Message) else item.text for item in items]",
            "return list(dict.fromkeys(item.text for item in items))",
        ),
        "spaces in a stored text are collapsed": edited(
            f"{_CODEC}:_decode_body", "json.loads(body)", 'json.loads(" ".join(body.split()))'
        ),
    },
)

HISTORY: Final = mutants_of(
    "history.invalid",
    {
        "a call that was cut off gets no reply": edited(
            f"{_CODEC}:build_chat_history",
            'texts.append(remaining_outputs.pop(0) if remaining_outputs else missing_reply(call["id"]))',
            "texts += remaining_outputs or ()",
        ),
        "a call that has ended runs again": edited(
            "remit.layers.record:_Record.__call__",
            "if isinstance(item, ToolOutput) and not is_reexecuted:",
            "if False:",
        ),
        "calls of two turns have the same id": edited(
            "remit.agent.recorded_answer:to_legal_answer",
            "rename_tool_calls(answer.message, new_ids(used, len(used)))",
            "answer.message",
        ),
        "replies follow the order in which calls ended": edited(
            f"{_CODEC}:build_chat_history", 'outputs.get(call["id"])', 'outputs.pop(next(iter(outputs), ""), None)'
        ),
    },
)
