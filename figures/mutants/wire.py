"""Mutants of the figure about fields of models' messages."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.mutants.mutant import edited, mutants_of
from figures.wire import measure_shape

_OF_FIELDS: Final = mutants_of(
    "wire.fields_lost",
    {
        "fields that Remit does not know are dropped when an answer is read": edited(
            "remit.models.chat_completion:parse_completion",
            'raw_members(raw_items(raw_members(raw)["choices"])[number])["message"]',
            'join_members({k: v for k, v in raw_members(raw_members(raw_items(raw_members(raw)["choices"])[number])'
            '["message"]).items() if k in ("role", "content", "tool_calls")})',
        ),
        "an answer that PydanticAI read is not kept as received": edited(
            "remit.models.raw_chat:_KeepingChat.request",
            "if not text or (not ids and text == compact_json(super()._map_model_response(response))):",
            "if True:",
        ),
        "messages are written again by PydanticAI's client": edited(
            "remit.models.raw_chat:_KeepingHttp.send", "if exchange.sent:", "if False:"
        ),
        "a later run takes the messages of PydanticAI's driver for what all models know": edited(
            "remit.chat.wire:response_to_text", "if received:", "if False:"
        ),
        "a model is taken for another after a resume": edited(
            "remit.agent.model:origin_of", "return origin\n", 'return f"{origin} {id(model)}"\n'
        ),
    },
    partial(measure_shape, "llama.cpp"),
)

_OF_CALLS: Final = mutants_of(
    "wire.fields_lost",
    {
        "fields that PydanticAI adds to a message are sent": edited(
            "remit.models.raw_chat:_is_same", 'if value != "" or key in parsed', ""
        ),
    },
    partial(measure_shape, "qwen"),
)

MUTANTS: Final = (*_OF_FIELDS, *_OF_CALLS)
