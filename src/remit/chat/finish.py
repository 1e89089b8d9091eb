"""How an answer of a model ended, by the endpoint's finish reason. Only answers with a normal end count as complete.

Endpoints have other words than chat completions, and some pass on the words of the provider behind them.
"""

from __future__ import annotations

import enum
from typing import Final

GOOD_FINISHES: Final = frozenset(
    {
        *("stop", "tool_calls", "tool_call", "function_call"),
        *("tool_use", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed"),
    }
)
"""The words for an answer that the model ended itself."""

NO_FINISH: Final = "unfinished"
"""The word for a stream that ended without one: perhaps its endpoint lost the stream that it passes on."""

_CUT: Final = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "max_new_tokens", "model_length", "incomplete"),
        "model_context_window_exceeded",
    }
)
_FILTERED: Final = frozenset(
    {
        *("content_filter", "content_filtered", "safety", "image_safety", "refusal", "sensitive", "recitation"),
        *("blocklist", "prohibited_content", "spii", "guardrail_intervened"),
    }
)


class Ending(enum.Enum):
    """How an answer ended: complete, truncated by a token limit, blocked by a filter, or otherwise."""

    WHOLE = enum.auto()
    CUT = enum.auto()
    FILTERED = enum.auto()
    OTHER = enum.auto()


def read_finish(finish: str) -> Ending:
    """How an answer with that finish reason ended."""
    word = finish.strip().lower().replace("-", "_")
    if word in GOOD_FINISHES:
        return Ending.WHOLE
    if word in _CUT:
        return Ending.CUT
    return Ending.FILTERED if word in _FILTERED else Ending.OTHER
