"""How an answer ended, and the note for a person if it is truncated, blocked or empty."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from remit.chat.chat import Completion
from remit.chat.finish import NO_FINISH, Ending, read_finish
from remit.chat.wire import DETAILS_KEY, refusal_of_text

_CUT: Final = "the answer was cut at {limit}; ask for less at a time, or allow more tokens"
_CUT_IN_THOUGHT: Final = "there is no answer: the model was cut at {limit} before it wrote one; allow more tokens"
_FILTERED: Final = "a filter held back the rest of the answer{reason}"
_FILTERED_WHOLE: Final = "a filter held back the answer{reason}; ask in other words"
_REFUSED: Final = "the model refused the rest: {reason}"
_REFUSED_WHOLE: Final = "the model refused: {reason}"
_EMPTY: Final = "the model returned no answer"
_UNSURE: Final = "the answer may not be whole"
_NO_FINISH: Final = "its endpoint ended it without a finish reason"
_MAX_REASON: Final = 300


def told_text(completion: Completion, max_tokens: int | None) -> str:
    """The text of an answer without calls, as an agent's result. It ends with a note if the answer is incomplete."""
    text = completion.content or ""
    note = _explain_end(completion, max_tokens)
    if not note:
        return text
    return f"{text.rstrip()}\n\n({note})" if text.strip() else f"({note})"


def _explain_end(completion: Completion, max_tokens: int | None) -> str:
    text, refusal = completion.content or "", refusal_of_text(completion.message).strip()
    has_text = bool(text.strip())
    if refusal and refusal not in text:
        return (_REFUSED if has_text else _REFUSED_WHOLE).format(reason=refusal[:_MAX_REASON])
    match read_finish(completion.finish_reason):
        case Ending.CUT:
            limit = "the limit of its endpoint" if max_tokens is None else f"max_tokens={max_tokens}"
            return (_CUT if has_text else _CUT_IN_THOUGHT).format(limit=limit)
        case Ending.FILTERED:
            reasons = ", ".join(dict.fromkeys(_list_reasons(completion.response)))[:_MAX_REASON]
            return (_FILTERED if has_text else _FILTERED_WHOLE).format(reason=reasons and f" ({reasons})")
        case Ending.OTHER:
            finish = completion.finish_reason
            why = _NO_FINISH if finish == NO_FINISH else f"its endpoint ended it with {finish[:_MAX_REASON]!r}"
            return f"{_UNSURE if has_text else _EMPTY}: {why}"
        case Ending.WHOLE:
            return "" if has_text else _EMPTY


def _list_reasons(response: str) -> Iterator[str]:
    """The provider's reasons for withholding an answer, from its response."""
    try:
        yield from _walk(json.loads(response))
    except (ValueError, RecursionError):
        return


def _walk(value: object, name: str = "") -> Iterator[str]:
    if isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _walk(each, name)
    elif isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        if fields.get("filtered") is True or fields.get("blocked") is True:
            yield name
        for key, each in fields.items():
            if key == DETAILS_KEY:
                continue  # the message as it was received
            if key in _REASONS and isinstance(each, str) and each:
                yield each
            else:
                yield from _walk(each, key)


_REASONS: Final = frozenset(
    {"explanation", "refusal", "refusal_category", "finish_message", "block_reason_message", "message"}
)
"""The fields in which providers explain a refusal."""
