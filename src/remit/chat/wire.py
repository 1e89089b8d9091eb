"""Model output as received: the texts of messages, tool calls, and vendor fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self, cast

from remit.chat.call_ids import is_portable_id
from remit.core.checks import as_tuple_of
from remit.record.arguments import is_blank, refused_arguments
from remit.schemas.jsontext import ascii_json, compact_json
from remit.schemas.raw_json import join_items, join_members, raw_items, raw_members
from remit.shown import HALF_CHARACTER

NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The tool names that every provider accepts."""
UNNAMED: Final = "unnamed"
"""The tool name of a call without a name."""
_OTHER_PLACES: Final = ("arguments", "args", "parameters", "params", "input")
"""The members in which endpoints that mix up formats put a call's arguments."""

_SCHEMA_FIELDS: Final = frozenset({"type", "properties", "required", "additionalProperties", "description", "title"})


class ModelText(str):
    """The wire text of a message with vendor fields or ids. ``origin`` names the model that wrote it and its endpoint.

    Such fields and ids are sent back only to that model, because others may refuse them.
    """

    __slots__ = ("origin",)
    origin: str

    def __new__(cls, text: str, origin: str) -> Self:
        """Mark ``text``."""
        marked = super().__new__(cls, text)
        marked.origin = origin
        return marked


def mark_origin(text: str, origin: str) -> str:
    """Mark the wire text of an answer with its model if it has vendor fields or ids."""
    message: object = json.loads(text) if origin else None
    if not isinstance(message, dict):
        return text
    values = cast("dict[str, Any]", message)
    is_known = plain_message(values) == values and not (
        _MAY_BE_SURROGATE.search(text) and has_surrogates(compact_json(values))
    )
    is_known = is_known and all(is_portable_id(each.id) for each in read_tool_calls(values))
    return text if is_known else ModelText(text, origin)


def origin_of_text(text: str) -> str:
    """The model that wrote a wire text, if it is marked."""
    return text.origin if isinstance(text, ModelText) else ""


MAY_REFUSE: Final = re.compile(r'"refusal"\s*:\s*(?!null|""|false)\S|\\u')
"""Part of the wire text of each answer in which the model refuses a part of the request. The key may be escaped."""
_MAY_BE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")


def has_surrogates(text: str) -> bool:
    """Whether a text has lone surrogates, which UTF-8 cannot encode."""
    return HALF_CHARACTER.search(text) is not None


def replace_surrogates(text: str) -> str:
    """Replace each lone surrogate in a text by the replacement character."""
    return HALF_CHARACTER.sub("\ufffd", text)


def without_surrogates(value: Any) -> Any:
    """Replace the lone surrogates in a value, which UTF-8 cannot encode."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [without_surrogates(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {
            without_surrogates(key): without_surrogates(each) for key, each in cast("dict[str, Any]", value).items()
        }
    return value


def escape_surrogates(arguments: str) -> str:
    """Escape each lone surrogate in arguments, so that the parser of arguments refuses them."""
    return HALF_CHARACTER.sub(lambda found: f"\\u{ord(found.group()):04x}", arguments)


class ToolCallRequest(NamedTuple):
    """A tool call that a completion requests; ``arguments`` is the model's raw text."""

    id: str
    name: str
    arguments: str


def read_tool_calls(message: Mapping[str, Any]) -> tuple[ToolCallRequest, ...]:
    """The tool calls of a message. Missing members are empty text; arguments of another type are given as JSON.

    A custom tool's input serves as its arguments. If other members of a call may be meant as arguments, the arguments
    become a text that no tool accepts.

    Raises:
        SetupError: the calls are not a list of objects.
    """
    calls = message.get("tool_calls") or ()
    if calls.__class__ is not list or any(each.__class__ is not dict for each in calls):
        calls = as_tuple_of(dict, "a message", "tool_calls", calls, "give an object")
    return tuple(map(_read_tool_call, calls))


def _read_tool_call(call: Mapping[str, Any]) -> ToolCallRequest:
    function: Any = call.get("function")
    if function.__class__ is not dict:
        function = _called_function(call)
    ident: Any = call.get("id")
    name, arguments = function.get("name"), function.get("arguments", function.get("input"))
    if arguments.__class__ is not str:
        arguments = "" if arguments is None else compact_json(arguments)
    if arguments[:2] != '{"' and is_blank(arguments):
        arguments = _describe_misplaced(call, function, is_written="{" in arguments) or arguments
    return ToolCallRequest(ident if ident.__class__ is str else "", name if name.__class__ is str else "", arguments)


def _called_function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    found = call.get("function") or call.get("custom")
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _describe_misplaced(*places: Mapping[str, Any], is_written: bool) -> str:
    """The reason for refusing a call that seems to have its arguments in another member; empty if it does not.

    Next to an explicit empty object of arguments, a schema of the tool's parameters does not count.
    """
    others = ((key, place.get(key)) for place in places for key in _OTHER_PLACES)
    found = [key for key, value in others if not (_is_nothing(value) or (is_written and _is_schema(value)))]
    if not found:
        return ""
    return refused_arguments(
        f"the arguments stand in another place of the call: {found[0]!r}; write function.arguments"
    )


def _is_nothing(value: object) -> bool:
    return is_blank(value) if isinstance(value, str) else value in (None, {})


def _is_schema(value: object) -> bool:
    """Whether a value is a JSON schema of an object."""
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else dict[str, Any]()
    return fields.get("type") == "object" and fields.keys() <= _SCHEMA_FIELDS


def rename_tool_calls(text: str, ids: Iterator[str]) -> str:
    """Give every tool call a new id, unnamed calls a name, and names readable characters; keep everything else."""
    members = raw_members(text)
    if "tool_calls" not in members:
        return text
    calls: list[str] = []
    for raw in raw_items(members["tool_calls"]):
        call = raw_members(raw)
        call["id"] = ascii_json(next(ids))
        read = _read_tool_call(json.loads(raw))
        if not read.name or has_surrogates(read.name):
            key = "custom" if "custom" in call and "function" not in call else "function"
            function = raw_members(call[key]) if call.get(key, "").startswith("{") else {"arguments": '""'}
            call[key] = join_members({**function, "name": ascii_json(replace_surrogates(read.name) or UNNAMED)})
        calls.append(join_members(call))
    return join_members({**members, "tool_calls": join_items(calls)})


def keep_tool_calls(text: str, most: int) -> str:
    """Keep only the first ``most`` tool calls of a wire text; keep everything else."""
    members = raw_members(text)
    calls = members.pop("tool_calls")
    kept = {"tool_calls": join_items(raw_items(calls)[:most])} if most else {}
    if RESPONSE_KEY in members:
        response: dict[str, Any] = json.loads(members[RESPONSE_KEY])
        parts: list[Any] = response.get("parts") or []
        calls = [part for part in parts if part.get("part_kind") == "tool-call"]
        dropped = {id(part) for part in calls[most:]}
        kept[RESPONSE_KEY] = ascii_json({**response, "parts": [part for part in parts if id(part) not in dropped]})
    return join_members({**members, **kept})


def with_tool_calls(text: str) -> str:
    """Convert a legacy ``function_call`` to one of ``tool_calls``; unchanged if there is none, or both."""
    if '"function_call"' not in text:
        return text
    members = raw_members(text)
    function = members.pop("function_call", "")
    if not function.startswith("{") or members.get("tool_calls", "null") not in ("null", "[]"):
        return text
    call = join_members({"type": '"function"', "function": function})
    return join_members({**members, "tool_calls": join_items([call])})


def change_arguments(text: str, change: Callable[[ToolCallRequest], str]) -> str:
    """Apply ``change`` to the arguments of the tool calls; keep everything else."""
    message: dict[str, Any] = json.loads(text)
    if all(change(each) == each.arguments for each in read_tool_calls(message)):
        return text
    members = raw_members(text)
    calls: list[str] = []
    for raw, values in zip(raw_items(members["tool_calls"]), message["tool_calls"], strict=True):
        call, key = raw_members(raw), "function" if values.get("function") else "custom"
        function = raw_members(call[key])
        written = "arguments" if "arguments" in function else "input"
        call[key] = join_members({**function, written: ascii_json(change(_read_tool_call(values)))})
        calls.append(join_members(call))
    return join_members({**members, "tool_calls": join_items(calls)})


def text_of_message(message: Mapping[str, Any]) -> str:
    """The text of a message, or else the text of its refusal or the transcript of its speech."""
    audio = message.get("audio")
    transcript = cast("Mapping[str, Any]", audio).get("transcript") if isinstance(audio, Mapping) else ""
    content = _content_text(message.get("content"))
    return content if content.strip() else refusal_of_message(message) or _text(transcript) or content


def refusal_of_message(message: Mapping[str, Any]) -> str:
    """The model's refusal, next to its text or instead of it."""
    return _text(message.get("refusal")) or "".join(map(_part_refusal, _content_parts(message)))


def refusal_of_text(text: str) -> str:
    """The model's refusal in a wire text. It may also be true, or an object with words."""
    if not MAY_REFUSE.search(text):
        return ""
    message: Mapping[str, Any] = json.loads(text)
    told = refusal_of_message(message)
    return (
        told if told.strip() else ", ".join(filter(None, map(_describe_refusal, [message, *_content_parts(message)])))
    )


def _content_parts(message: Mapping[str, Any]) -> list[object]:
    parts = message.get("content")
    return cast("list[object]", parts) if isinstance(parts, list) else []


def _describe_refusal(part: object) -> str:
    refusal: Any = cast("Mapping[str, Any]", part).get("refusal") if isinstance(part, Mapping) else None
    return "" if isinstance(refusal, list) else ", ".join(_list_words(refusal))


def _list_words(value: object) -> Iterator[str]:
    if isinstance(value, dict | list):
        values = cast("dict[str, Any]", value).values() if isinstance(value, dict) else cast("list[object]", value)
        for each in values:
            yield from _list_words(each)
    elif value is True:
        yield "it gives no reason"
    elif isinstance(value, str) and value.strip():
        yield value.strip()


def _content_text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = cast("Sequence[object]", content) if isinstance(content, list) else ()
    return "".join(map(_part_text, parts))


def _part_text(part: object) -> str:
    values = cast("Mapping[str, Any]", part) if isinstance(part, Mapping) else {"text": part}
    return _text(values.get("text"))


def _part_refusal(part: object) -> str:
    return _text(cast("Mapping[str, Any]", part).get("refusal")) if isinstance(part, Mapping) else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def plain_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A model's message without vendor fields: role, name, text, refusal and calls remain."""
    kept: dict[str, Any] = {key: message[key] for key in ("role", "name") if isinstance(message.get(key), str)}
    content, calls = message.get("content"), read_tool_calls(message)
    if isinstance(content, list):
        parts = cast("list[object]", content)
        kept["content"] = content if all(map(_is_text_part, parts)) else _content_text(parts) or None
    elif "content" in message:
        kept["content"] = content
    if message.get("refusal"):
        kept["refusal"] = message["refusal"]
    elif kept.get("content") and refusal_of_message(message):
        kept["refusal"] = refusal_of_message(message)
    elif not kept.get("content") and text_of_message(message):
        kept["content"] = text_of_message(message)
    if calls:
        kept["tool_calls"] = [
            {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
            for each in calls
        ]
    return kept


def _is_text_part(part: object) -> bool:
    return isinstance(part, Mapping) and part == {"type": "text", "text": cast("Any", part).get("text")}


def to_request_text(text: str) -> str:
    """Convert a wire text for a request. Of speech, providers accept only the id."""
    if '"audio"' not in text:
        return text
    members = raw_members(text)
    audio = members.get("audio", "")
    if not audio.startswith("{") or "id" not in (parts := raw_members(audio)):
        return text
    return join_members({**members, "audio": join_members({"id": parts["id"]})})


RESPONSE_KEY: Final = "pydantic_ai"
"""The wire text's field for the parts of PydanticAI's response that a chat message cannot hold."""

DETAILS_KEY: Final = "remit"
"""The key in a response's ``provider_details`` for its message as received and the model that wrote it."""

_RESPONSE_FIELDS: Final = ("parts", "model_name", "provider_name", "provider_url", "provider_response_id")
_PART_FIELDS: Final = ("id", "provider_name", "provider_details")


def received_message(details: Mapping[str, Any] | None) -> tuple[str, str]:
    """Read the received message of a response, if kept, and its model from the details."""
    kept: Mapping[str, str] = (details or {}).get(DETAILS_KEY) or {}
    return kept.get("message", ""), kept.get("origin", "")


def kept_details(message: str, origin: str) -> dict[str, Any]:
    """Make the details that `received_message` reads."""
    return {DETAILS_KEY: {"message": message, "origin": origin}}


def response_to_text(response: Mapping[str, Any], message: dict[str, Any]) -> str:
    """The wire text of PydanticAI's response (JSON): as received, or else ``message`` with the parts it cannot hold.

    ``message`` is the equivalent chat message.
    """
    details: dict[str, Any] = response.get("provider_details") or {}
    received, origin = received_message(details)
    if received:
        return ModelText(received, origin) if origin else received
    parts: list[dict[str, Any]] = response["parts"]
    if not origin or all(map(_is_plain_part, parts)):
        return encode_values(message)
    kept = {field: response[field] for field in _RESPONSE_FIELDS if response.get(field)}
    if others := {key: value for key, value in details.items() if key != DETAILS_KEY}:
        kept["provider_details"] = others
    return ModelText(encode_values({**message, RESPONSE_KEY: kept}), origin)


def _is_plain_part(part: Mapping[str, Any]) -> bool:
    return part["part_kind"] in ("text", "tool-call") and not any(part.get(field) for field in _PART_FIELDS)


def encode_values(message: Mapping[str, Any]) -> str:
    """The wire text of a message. Lone surrogates, which UTF-8 cannot encode, stay escaped."""
    text = compact_json(message)
    return ascii_json(message) if has_surrogates(text) else text
