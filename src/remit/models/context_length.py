"""Recognises a provider's error about a request that is longer than the model's context."""

from __future__ import annotations

import re
from typing import Final

_TOO_LONG: Final = re.compile(
    r"context_length_exceeded|model_max_prompt_tokens|exceed_context_size"  # codes of OpenAI, Azure and llama.cpp
    r"|(maximum|available|model's|exceeds? the|exceeds?) (context|prompt) (length|size|window|limit)"
    r"|context (window|limit|length) (is |was )?exceed|larger than the context|than the context length"
    r"|prompt is too long|input is too long|prompt too long|request_too_large"
    r"|prompt contains \d+ tokens|input (token count|length)\b.{0,80}\bexceeds?"
    r"|(reduce|shorten) (the|your) (length|prompt|messages)|exceeded model token limit"
    r"|too many tokens: |total number of tokens in the prompt|body too large for .{1,60} model"
    r"|`inputs`.{0,60}must (be|have)",
    re.IGNORECASE | re.DOTALL,
)
_RATE: Final = re.compile(r"per (min|hour|day)|\b[rt]p[md]\b", re.IGNORECASE)


def is_context_length_error(text: str) -> bool:
    """Whether the text of a refusal says that the request is too long. A rate of tokens is another limit."""
    return _TOO_LONG.search(text) is not None and _RATE.search(text) is None
