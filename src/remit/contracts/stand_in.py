"""Legal messages in place of those that a model wrote and that endpoints refuse to take back.

Models invent names of tools, write arguments that are not JSON, and end without a text. An endpoint that is strict
refuses each later request whose history has such a message. So requests carry a legal one in its place; the journal,
the layers and the call itself have the original.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder

from remit.contracts.arguments import given_arguments
from remit.contracts.contract import NAME_PATTERN
from remit.contracts.wire import RESPONSE_KEY, UNNAMED, ModelText, ToolCallRequest, read_tool_calls, text_of_message
from remit.errors import SetupError
from remit.schemas.jsontext import ascii_json, compact_json, read_json, reject_constant
from remit.schemas.raw_json import join_items, join_members, raw_items, raw_members

INVALID_JSON: Final = "INVALID_JSON"
"""The key under which a request has the text of arguments that are not a JSON object; the name is PydanticAI's."""
MADE_BY_MODEL: Final = '"assistant"'
"""What each message of a model contains, and few others do."""

NO_TEXT: Final = "(no answer)"
"""Stands for an empty answer."""

_ILLEGAL: Final = re.compile("[^A-Za-z0-9_-]")
_MAX_NAME: Final = 64


class _Function(Struct, frozen=True, gc=False):
    name: str
    arguments: str


class _Call(Struct, frozen=True, gc=False):
    function: _Function


class _Answer(Struct, frozen=True, gc=False):
    """What makes nearly every message of a model legal, read in one pass."""

    role: str
    content: str | None = None
    tool_calls: list[_Call] | None = None


_READ_ANSWER: Final = Decoder(_Answer).decode
_READ_OBJECT: Final = Decoder(dict[str, Any]).decode


def stand_in(text: str) -> str | None:
    """The legal message to send in place of a wire text; None if that is legal itself, or no message of a model."""
    if MADE_BY_MODEL not in text or _is_plainly_legal(text):
        return None
    try:
        message = read_json(text)
    except (ValueError, RecursionError):
        return None
    if message.__class__ is not dict or message.get("role") != "assistant":
        return None
    values: dict[str, Any] = message
    try:
        calls = read_tool_calls(values)
    except SetupError:  # no list of objects, which is told where the history is read
        return None
    if not calls:
        return None if _says_something(values) else _with_origin(text, _with_text(text))
    legal = [
        _legal_call(call, has_arguments=bool(written.get("function")))  # the input of a custom tool is any text
        for call, written in zip(calls, values["tool_calls"], strict=True)
    ]
    return None if legal == [*calls] else _with_origin(text, _with_calls(text, calls, legal))


def _is_plainly_legal(text: str) -> bool:
    """Whether a message of a model is legal at first sight: asked of each, so that few are read with more care."""
    try:
        answer = _READ_ANSWER(str(text))  # of a subclass of str too
        if not answer.tool_calls:
            return answer.role == "assistant" and bool(answer.content and answer.content.strip())
        for call in answer.tool_calls:
            name, arguments = call.function.name, call.function.arguments
            if not NAME_PATTERN.fullmatch(name) or arguments[:1] != "{" or arguments[-1:] != "}":
                return False
            _READ_OBJECT(arguments)
    except (MsgspecError, UnicodeEncodeError, RecursionError):
        return False
    return answer.role == "assistant"


def _with_origin(text: str, legal: str) -> str:
    return ModelText(legal, text.origin) if isinstance(text, ModelText) else legal


def _says_something(message: dict[str, Any]) -> bool:
    return bool(text_of_message(message).strip() or message.get("audio") or message.get("function_call"))


def _with_text(text: str) -> str:
    members = raw_members(text)
    return join_members({**members, "content": ascii_json(NO_TEXT)})


def _legal_call(call: ToolCallRequest, *, has_arguments: bool) -> ToolCallRequest:
    name = call.name if NAME_PATTERN.fullmatch(call.name) else _ILLEGAL.sub("_", call.name)[:_MAX_NAME] or UNNAMED
    arguments = _legal_arguments(call.arguments) if has_arguments else call.arguments
    return call if (name, arguments) == (call.name, call.arguments) else ToolCallRequest(call.id, name, arguments)


def _legal_arguments(text: str) -> str:
    if not text:
        return text  # as the endpoint wrote it, which takes it back
    text = given_arguments(text)
    return text if is_object(text) else compact_json({INVALID_JSON: text})


def is_object(text: str) -> bool:
    """Whether a text is a JSON object, as strict endpoints read it: without NaN and infinities."""
    try:
        if "N" in text or "I" in text:
            return isinstance(json.loads(text, parse_constant=reject_constant), dict)
        return read_json(text).__class__ is dict
    except (ValueError, RecursionError):
        return False


def _with_calls(text: str, calls: tuple[ToolCallRequest, ...], legal: list[ToolCallRequest]) -> str:
    members = raw_members(text)
    written: list[str] = []
    for raw, call, other in zip(raw_items(members["tool_calls"]), calls, legal, strict=True):
        parts = raw_members(raw)
        written_as = [key for key in ("function", "custom") if parts.get(key, "").startswith("{")]
        key = written_as[0] if written_as else "function"
        function = raw_members(parts[key]) if written_as else {}
        if call.name != other.name:
            function["name"] = ascii_json(other.name)
        if call.arguments != other.arguments:
            function["arguments"] = ascii_json(other.arguments)
        parts[key] = join_members(function)
        written.append(join_members(parts))
    members["tool_calls"] = join_items(written)
    if RESPONSE_KEY in members:
        members[RESPONSE_KEY] = _with_parts(members[RESPONSE_KEY], legal)
    return join_members(members)


def _with_parts(response: str, legal: list[ToolCallRequest]) -> str:
    """PydanticAI's response with the same calls."""
    values: dict[str, Any] = json.loads(response)
    asked = iter(legal)
    for part in values.get("parts") or ():
        if part.get("part_kind") == "tool-call":
            call = next(asked)
            part["tool_name"], part["args"] = call.name, call.arguments
    return ascii_json(values)
