"""Legal replacements for model messages that endpoints refuse to accept in a history.

Models invent tool names, write arguments that are not JSON, cut an emoji in half or end without text; endpoints omit
the type of a call or send its arguments as an object. A strict endpoint refuses every later request whose history
contains such a message. Requests therefore carry a legal replacement; the journal, the layers and the call itself have
the original.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, cast

from msgspec import Meta, MsgspecError, Struct
from msgspec.json import Decoder

from remit.chat.wire import (
    NAME_PATTERN,
    RESPONSE_KEY,
    UNNAMED,
    ModelText,
    ToolCallRequest,
    read_tool_calls,
    text_of_message,
)
from remit.errors import SetupError
from remit.record.arguments import given_arguments
from remit.schemas.jsontext import ascii_json, compact_json, read_json, reject_constant
from remit.schemas.raw_json import join_items, join_members, raw_items, raw_members

INVALID_JSON: Final = "INVALID_JSON"
"""The key under which requests hold arguments that are not a JSON object, named as in PydanticAI."""
MADE_BY_MODEL: Final = '"assistant"'
"""Text that every message of a model contains, and few other texts do."""

NO_TEXT: Final = "(no answer)"
"""Replaces an empty answer."""

MESSAGE_NAME: Final = re.compile(r"[^\s<|\\/>]{1,64}")
"""An author name that all providers accept."""

_ILLEGAL: Final = re.compile("[^A-Za-z0-9_-]")
_MAX_NAME: Final = 64
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""A JSON escape: a surrogate pair, a lone surrogate, or another escape."""


class _Function(Struct, frozen=True, gc=False):
    name: Annotated[str, Meta(pattern=rf"^(?:{NAME_PATTERN.pattern})\Z")]
    arguments: str


class _Call(Struct, frozen=True, gc=False):
    type: Literal["function"]
    function: _Function


class _Answer(Struct, frozen=True, gc=False):
    """A one-pass pattern that matches nearly every legal message of a model."""

    role: str
    content: str | None = None
    tool_calls: list[_Call] | None = None
    name: None = None
    refusal: str | None = None
    function_call: None = None
    audio: None = None


_READ_ANSWER: Final = Decoder(_Answer).decode
_READ_OBJECT: Final = Decoder(dict[str, Any]).decode


def stand_in(text: str) -> str | None:
    """The legal message to send instead of a wire text; None if the text is legal or not a model's message."""
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
    except SetupError:  # not a list of objects, which is reported when the history is read
        return None
    legal = _without_halves(_with_members(text, values, calls))
    if legal == text:
        return None
    return ModelText(legal, text.origin) if isinstance(text, ModelText) else legal


def _is_plainly_legal(text: str) -> bool:
    """Quickly check whether a model's message is legal, so that few messages need the full check."""
    if "\\ud" in text or "\\uD" in text:  # perhaps a lone surrogate
        return False
    try:
        answer = _READ_ANSWER(str(text))  # of a subclass of str too
        if not answer.tool_calls:
            return answer.role == "assistant" and bool(answer.content and answer.content.strip())
        for call in answer.tool_calls:
            arguments = call.function.arguments
            if arguments[:1] != "{" or arguments[-1:] != "}":
                return False
            _READ_OBJECT(arguments)
    except (MsgspecError, UnicodeEncodeError, RecursionError):
        return False
    return answer.role == "assistant"


def _with_members(text: str, values: dict[str, Any], calls: tuple[ToolCallRequest, ...]) -> str:
    """Replace the illegal members of a message and keep the rest."""
    members = raw_members(text)
    known = dict(members)
    for name, is_legal in _FORMS.items():
        if values.get(name) is not None and not is_legal(values[name]):
            del members[name]
    if isinstance(values.get("content"), list):
        members["content"] = _legal_parts(members["content"], values["content"])
    if calls:
        _set_calls(members, cast("list[dict[str, Any]]", values["tool_calls"]), calls)
    elif not _says_something({key: each for key, each in values.items() if key in members}):
        said = text_of_message(values)
        members["content"] = ascii_json(said if said.strip() else NO_TEXT)
    return text if members == known else join_members(members)


def _legal_parts(text: str, parts: list[Any]) -> str:
    """The parts of content as objects with a type, without empty parts."""
    legal: list[str] = []
    for raw, part in zip(raw_items(text), parts, strict=True):
        values = cast("dict[str, Any]", part) if isinstance(part, dict) else {"text": part}
        kind, said = values.get("type"), values.get("text")
        if isinstance(kind, str) and (kind != "text" or isinstance(said, str)):
            legal.append(raw)
        elif isinstance(said, str):
            legal.append(ascii_json({"type": "text", "text": said}))
    return text if legal == raw_items(text) else join_items(legal) if legal else "null"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and NAME_PATTERN.fullmatch(value) is not None


def _is_speech(value: object) -> bool:
    return isinstance(value, dict) and isinstance(cast("dict[str, Any]", value).get("id"), str)


_FORMS: Final[dict[str, Callable[[object], bool]]] = {
    "name": lambda value: isinstance(value, str) and MESSAGE_NAME.fullmatch(value) is not None,
    "refusal": lambda value: isinstance(value, str),
    "tool_calls": lambda value: isinstance(value, list),
    "function_call": lambda value: isinstance(value, dict),
    "audio": _is_speech,
}
"""The required types of a message's members; members of other types are omitted."""


def _says_something(message: dict[str, Any]) -> bool:
    return bool(text_of_message(message).strip() or message.get("audio") or message.get("function_call"))


def _set_calls(members: dict[str, str], written: list[dict[str, Any]], calls: tuple[ToolCallRequest, ...]) -> None:
    """Replace illegal calls. A custom tool's input becomes the argument ``input`` of a function."""
    legal = [_legal_call(call, each) for call, each in zip(calls, written, strict=True)]
    if all(map(_is_written_so, written, legal)):
        return
    raws = raw_items(members["tool_calls"])
    members["tool_calls"] = join_items(
        raw if _is_written_so(each, call) else _call_text(raw, call)
        for raw, each, call in zip(raws, written, legal, strict=True)
    )
    if RESPONSE_KEY in members:
        members[RESPONSE_KEY] = _with_parts(members[RESPONSE_KEY], legal)


def _legal_call(call: ToolCallRequest, written: dict[str, Any]) -> ToolCallRequest:
    name = call.name if _is_name(call.name) else _ILLEGAL.sub("_", call.name)[:_MAX_NAME] or UNNAMED
    if written.get("function") or not written.get("custom"):
        return ToolCallRequest(call.id, name, _legal_arguments(call.arguments))
    given = call.arguments if is_object(call.arguments) else compact_json({"input": call.arguments})
    return ToolCallRequest(call.id, name, _without_halves(given))


def _legal_arguments(text: str) -> str:
    text = given_arguments(text)
    return _without_halves(text if is_object(text) else compact_json({INVALID_JSON: text}))


def _without_halves(text: str) -> str:
    """Replace each escaped lone surrogate in a JSON text by the replacement character."""
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text) if "\\u" in text else text


def is_object(text: str) -> bool:
    """Whether a text is a JSON object for strict endpoints, that is, without NaN and infinities."""
    try:
        if "N" in text or "I" in text:
            return isinstance(json.loads(text, parse_constant=reject_constant), dict)
        return read_json(text).__class__ is dict
    except (ValueError, RecursionError):
        return False


def _is_written_so(written: dict[str, Any], call: ToolCallRequest) -> bool:
    """Whether a message's call is a function call with exactly that name and those arguments."""
    function = written.get("function")
    if written.get("type") != "function" or not isinstance(function, dict):
        return False
    found = cast("dict[str, Any]", function)
    return (found.get("name"), found.get("arguments")) == (call.name, call.arguments)


def _call_text(raw: str, call: ToolCallRequest) -> str:
    """The text of a function call, with its other fields."""
    parts = {key: value for key, value in raw_members(raw).items() if key != "custom"}
    function = raw_members(parts["function"]) if parts.get("function", "").startswith("{") else {}
    function |= {"name": ascii_json(call.name), "arguments": ascii_json(call.arguments)}
    return join_members({**parts, "type": '"function"', "function": join_members(function)})


def _with_parts(response: str, legal: list[ToolCallRequest]) -> str:
    """PydanticAI's response with the same calls."""
    values: dict[str, Any] = json.loads(response)
    asked = iter(legal)
    for part in values.get("parts") or ():
        if part.get("part_kind") == "tool-call":
            call = next(asked)
            part["tool_name"], part["args"] = call.name, call.arguments
    return ascii_json(values)
