"""How a model's answer ended, by the endpoint's finish reason. Only answers with a normal end count as complete.

Some endpoints use other words than chat completions do, or pass on the words of the provider behind them.
"""

from __future__ import annotations

import enum
import re
from typing import Final

GOOD_FINISHES: Final = frozenset(
    {
        *("stop", "tool_calls", "tool_call", "function_call"),
        *("tool_use", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed"),
    }
)
"""The finish reasons of an answer that the model ended itself."""

NO_FINISH: Final = "unfinished"
"""The finish reason of a stream that ended without one, perhaps because the endpoint lost its upstream."""

_CUT: Final = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "max_new_tokens", "model_length", "incomplete"),
        "model_context_window_exceeded",
    }
)
_FILTERED: Final = frozenset(
    {
        *("content_filter", "content_filtered", "safety", "image_safety", "refusal", "sensitive", "recitation"),
        *("blocklist", "prohibited_content", "spii", "guardrail_intervened", "error_toxic"),
    }
)
_NO_LETTER: Final = re.compile(r"[\W_]+")


class Ending(enum.Enum):
    """How an answer ended: complete, truncated by a token limit, blocked by a filter, or otherwise."""

    WHOLE = enum.auto()
    CUT = enum.auto()
    FILTERED = enum.auto()
    OTHER = enum.auto()


def read_finish(finish: str) -> Ending:
    """Classify a finish reason."""
    return _ENDINGS.get(_normalise(finish), Ending.OTHER)


def _normalise(finish: str) -> str:
    """A finish reason as its letters and digits, because endpoints separate its words in different ways."""
    return _NO_LETTER.sub("", finish).lower()


_ENDINGS: Final = {
    _normalise(word): ending
    for ending, words in ((Ending.WHOLE, GOOD_FINISHES), (Ending.CUT, _CUT), (Ending.FILTERED, _FILTERED))
    for word in words
}
