"""Parses response bodies of chat completions to completions whose message is kept as received."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from remit.chat.chat import Completion, completion_from_message, drop_empty_calls
from remit.chat.wire import with_tool_calls
from remit.errors import CompletionError
from remit.models.choices import find_answer
from remit.schemas.raw_json import as_object, join_items, join_members, limit_depth, load_json, raw_items, raw_members

CONTENT_FILTER: Final = "content_filter"
"""A provider's filter uses it as finish reason and as code of a refusal."""

UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""The errors of reading an answer that does not have the form of its API, or is nested too deeply."""

_EMPTY: Final = '{"role":"assistant","content":""}'
_MAX_CHARS: Final = 200
_DIGITS: Final = re.compile(r"[0-9]{1,18}")


def filtered_completion(reason: str) -> Completion:
    """The answer for a request that a provider's filter blocks, with the filter's explanation."""
    return completion_from_message(_EMPTY, finish_reason=CONTENT_FILTER, response=reason)


def parse_completion(answer: bytes) -> Completion:
    """Parse the completion in a raw response body. Its message is kept as received, fields of the vendor included.

    Values nested deeper than every JSON parser can read are null in the message and complete in the response.

    Raises:
        CompletionError: there is no completion; the message shows the beginning of the body.
    """
    try:
        received = answer.decode()
        raw = limit_depth(received)
        response = as_object(load_json(raw))
        number = find_answer(response["choices"])
        choice = response["choices"][number]
        message = as_object(choice["message"])
        _check_message(message)
        text = raw_members(raw_items(raw_members(raw)["choices"])[number])["message"]
        text = with_tool_calls(_without_null_calls(text, message))
    except UNREADABLE as error:
        excerpt = shorten_said(answer.decode(errors="replace"))
        raise CompletionError(f"the model's answer is not a chat completion; it begins: {excerpt}") from error
    if message.get("role") not in (None, "", "assistant"):
        raise CompletionError(f"the model answered with a message of role {message['role']!r}, not 'assistant'")
    if not message.get("role"):
        role = {"role": '"assistant"'}
        text = join_members(role | raw_members(text) | role)
    finish, model, usage = choice.get("finish_reason"), response.get("model"), _object_or_empty(response.get("usage"))
    details = _object_or_empty(usage.get("completion_tokens_details"))
    cached = _object_or_empty(usage.get("prompt_tokens_details")).get("cached_tokens")
    completion = completion_from_message(
        text,
        finish_reason=finish if isinstance(finish, str) and finish else "stop",
        model=model if isinstance(model, str) else "",
        prompt_tokens=as_count(usage.get("prompt_tokens")),
        completion_tokens=as_count(usage.get("completion_tokens")),
        response=received,
        cached_tokens=as_count(cached or usage.get("prompt_cache_hit_tokens")),  # the latter is DeepSeek's
        reasoning_tokens=as_count(details.get("reasoning_tokens")),
    )
    return drop_empty_calls(completion) if completion.tool_calls else completion


def as_count(value: Any) -> Any:
    """Read a number of tokens: a whole number, perhaps written as 7.0 or as a text, or null for none."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value or 0


def _check_message(message: Mapping[str, Any]) -> None:
    """Check the shapes that a history needs. Defects of a single call refuse only that call.

    Raises:
        TypeError: the message has another shape.
    """
    calls: object = message.get("tool_calls") or []
    if not isinstance(message.get("content"), (str, list, type(None))) or not isinstance(calls, list):
        raise TypeError("content or tool_calls")
    for call in cast("list[object]", calls):
        as_object({} if call is None else call)


def _without_null_calls(text: str, message: Mapping[str, Any]) -> str:
    """The wire text of a message without null among its tool calls."""
    if None not in (message.get("tool_calls") or ()):
        return text
    members = raw_members(text)
    calls = [each for each in raw_items(members["tool_calls"]) if each != "null"]
    return join_members({**members, "tool_calls": join_items(calls)})


def _object_or_empty(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one instead of other values."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def shorten_said(text: str) -> str:
    """Shorten a text of an endpoint to one line for an error."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARS else f"{line[:_MAX_CHARS]}…"
