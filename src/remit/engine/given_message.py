"""The members that one message of a given history may have.

Members that would be lost or reinterpreted are refused in one line.
"""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from remit.chat.chat import encode_message
from remit.chat.stand_in import MESSAGE_NAME, is_object
from remit.chat.wire import (
    has_surrogates,
    origin_of_text,
    plain_message,
    read_tool_calls,
    text_of_message,
    without_surrogates,
)
from remit.errors import InvalidArgumentsError, RequestError, SetupError
from remit.record.arguments import Limits
from remit.record.artifact import describe_file, new_artifact
from remit.record.secret import redact_secrets_in_content
from remit.schemas.jsontext import StrictError, compact_json, read_json, read_strictly
from remit.shown import show_value

_ROLES: Final = ("user", "assistant", "tool")
_FIELDS: Final = {"user": ("role", "content", "name"), "tool": ("role", "tool_call_id", "content", "name")}
"""The fields of messages. An answer may also have vendor-specific fields."""
_ANSWER_FIELDS: Final = ("role", "content", "name", "refusal", "tool_calls", "function_call")
UNKNOWN: Final = "another program"
"""The origin of an answer with fields of an unnamed vendor. They are kept, but sent to no model."""
_FILE_FIELDS: Final = {"image_url": ("url",), "file": ("file_data", "filename")}
"""The fields of a part with a file: its content as a data URL, and its name."""
_KINDS: Final = ("text", *_FILE_FIELDS)
_ANSWER_KINDS: Final = ("text", "refusal")
_VENDOR_KINDS: Final = ("thinking", "redacted_thinking", "reasoning")
"""The vendor-specific parts of an answer."""


class GivenFile(NamedTuple):
    """The content of a file in a given message, which is stored as an artifact once the run is accepted."""

    content: bytes
    media_type: str
    name: str


class ReadMessage(NamedTuple):
    """A message in its stored form, and the files to which it refers.

    ``text`` is the wire text of an answer with vendor-specific fields, which are sent only to the model that it names.
    """

    values: dict[str, Any]
    files: tuple[GivenFile, ...] = ()
    text: str = ""
    origin: str = ""


def read_message(where: str, given: object, limits: Limits) -> ReadMessage:
    """Read one message, without the values of secrets.

    Raises:
        RequestError: it is invalid, the agent writes such messages itself, or a part of it would be lost.
    """
    text, values = _read_json(where, given, limits)
    role = values.get("role")
    if role in ("system", "developer"):
        raise RequestError(f"{where} is a message of the {role}; leave it out: the agent's instructions take its place")
    if role not in _ROLES:
        raise RequestError(f"{where} has the role {role!r:.40}; give one of {', '.join(_ROLES)}")
    if role == "assistant":
        origin = origin_of_text(given) if isinstance(given, str) and not has_surrogates(given) else ""
        _check_calls(where, values)
        if origin:
            return ReadMessage(values, text=text, origin=origin)
        plain = _read_answer(where, values)
        kept = _keep_fields(where, values, plain)
        return ReadMessage(plain) if kept == plain else ReadMessage(kept, text=encode_message(kept), origin=UNKNOWN)
    _check_fields(where, values, _FIELDS[str(role)])
    if has_surrogates(compact_json(values)):
        raise RequestError(f"{where} has a lone surrogate, which is not a character; leave it out")
    if role == "tool" and not (isinstance(values.get("tool_call_id"), str) and values["tool_call_id"]):
        raise RequestError(f"{where} is a result without tool_call_id; give the id of its call")
    name = _check_name(where, values)
    content, files = _read_content(where, values.get("content"), limits)
    first = {"role": role, "tool_call_id": values["tool_call_id"]} if role == "tool" else {"role": role}
    named = {} if name is None else {"name": name}
    return ReadMessage({**first, "content": content, **named}, files)


def _read_json(where: str, given: object, limits: Limits) -> tuple[str, dict[str, Any]]:
    """The text of a message without the values of secrets, and its fields, read strictly.

    Raises:
        RequestError: it is not a JSON object, or too long to be read.
    """
    values, text, most = None, given, limits.argument_bytes + 2 * limits.artifact_bytes
    try:
        if isinstance(given, Mapping):
            text = compact_json(dict(_fields_of(cast("object", given))))
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestError(f"{where} is not JSON: {error}") from error
    if isinstance(text, str):
        if len(text) > most:
            raise RequestError(f"{where} has {len(text):,} characters; at most {most:,}")
        text = redact_secrets_in_content(str(text))
        with contextlib.suppress(ValueError, RecursionError):
            values = _decode(where, text, is_text=isinstance(given, str))
    if not isinstance(text, str) or not isinstance(values, dict):
        shown = f"{show_value(cast('object', given)):.100}; give a message, such as {{'role': 'user', 'content': '…'}}"
        raise RequestError(f"{where} is {shown}")
    return text, cast("dict[str, Any]", values)


def _decode(where: str, text: str, *, is_text: bool) -> object:
    """The value of a JSON text. The text of an answer is parsed as leniently as a model's answer.

    Raises:
        RequestError: a key occurs twice, or a number would be changed. ValueError, RecursionError: it is not JSON.
    """
    try:
        return read_strictly(text)
    except StrictError as error:
        if is_text and _fields_of(value := read_json(text)).get("role") == "assistant":
            return value
        raise RequestError(f"{where} is not JSON: {error}") from error


def _check_fields(where: str, values: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse fields that a provider may refuse. Fields without a value are omitted.

    Raises:
        RequestError: names the field.
    """
    for name, value in values.items():
        if value is not None and name not in known:
            raise RequestError(f"{where} has the field {name!r:.80}; leave it out, or give one of {', '.join(known)}")


def _fields_of(value: object) -> Mapping[str, Any]:
    """The fields of an object; empty for another value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _refuse_content(where: str, content: object) -> RequestError:
    part = "{'type': 'text', 'text': '…'}"
    return RequestError(f"{where} has the content {content!r:.60}; give a text, or a list of parts, such as {part}")


def _check_name(where: str, values: Mapping[str, Any]) -> str | None:
    """The name of the author of a message.

    Raises:
        RequestError: providers refuse it.
    """
    name: object = values.get("name")
    if name is None or (isinstance(name, str) and MESSAGE_NAME.fullmatch(name) and name.isprintable()):
        return name
    mend = "give one of at most 64 characters that can be seen, without spaces and < > | / \\"
    raise RequestError(f"{where} has the name {name!r:.80}; {mend}")


def _read_content(where: str, content: object, limits: Limits) -> tuple[object, tuple[GivenFile, ...]]:
    """The content of a user's or tool's message, with references instead of files, and these files.

    Raises:
        RequestError: names the part that cannot be kept.
    """
    if isinstance(content, str):
        return content, ()
    if not isinstance(content, list) or not content:
        raise _refuse_content(where, cast("object", content))
    files: list[GivenFile] = []
    parts = cast("list[object]", content)
    lines = [_read_part(f"{where}.content[{index}]", part, limits, files) for index, part in enumerate(parts)]
    return ("\n".join(lines) if files else parts), tuple(files)


def _read_part(where: str, part: object, limits: Limits, files: list[GivenFile]) -> str:
    """The line for a part: its text, or the reference to its file, which is added to ``files``.

    Raises:
        RequestError: it has another kind, or is incomplete.
    """
    values = _fields_of(part)
    kind = values.get("type")
    inner: object = values.get(kind) if isinstance(kind, str) and kind in _KINDS else None
    if not isinstance(inner, str if kind == "text" else Mapping):
        raise RequestError(f"{where} is {part!r:.100}; give a part of type {', '.join(_KINDS)}")
    _check_fields(where, values, ("type", str(kind)))
    if isinstance(inner, str):
        return inner
    given, fields = _fields_of(cast("object", inner)), _FILE_FIELDS[str(kind)]
    _check_fields(where, {key: value for key, value in given.items() if (key, value) != ("detail", "auto")}, fields)
    file = GivenFile(*_decode_url(where, given.get(fields[0])), given.get("filename") or "")
    try:
        artifact = new_artifact(
            file.content,
            name=file.name,
            media_type=file.media_type,
            max_bytes=limits.artifact_bytes,
            error=InvalidArgumentsError,
        )
    except InvalidArgumentsError as error:
        raise RequestError(f"{where}: {error.message}") from error
    files.append(file)
    return describe_file(artifact)


def _decode_url(where: str, url: object) -> tuple[bytes, str]:
    """The content of a data URL and its media type.

    Raises:
        RequestError: it is another URL.
    """
    head, comma, data = url.partition(",") if isinstance(url, str) else ("", "", "")
    scheme, _, media_type = head.removesuffix(";base64").partition(":")
    if comma and scheme == "data" and head.endswith(";base64"):
        with contextlib.suppress(ValueError):
            return base64.b64decode(data, validate=True), media_type
    mend = "give its content as data:image/png;base64,…, or store it and give it with files="
    raise RequestError(f"{where} is a file at {url!r:.60}; {mend}")


def _read_answer(where: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A model's answer in a form that every provider accepts, without vendor-specific parts.

    Raises:
        RequestError: a part of its content would be lost.
    """
    content = values.get("content")
    if values.get("function_call"):
        raise RequestError(f"{where} has a function_call; give it as one of tool_calls, with an id")
    _check_name(where, values)
    if not isinstance(values.get("refusal"), str | None):
        raise RequestError(f"{where} has the refusal {values['refusal']!r:.60}; give a text")
    if not isinstance(content, str | list | None):
        raise _refuse_content(where, content)
    for index, part in enumerate(cast("list[object]", content) if isinstance(content, list) else ()):
        kind: object = _fields_of(part).get("type")
        is_known = isinstance(part, str) or (kind in _ANSWER_KINDS and isinstance(_fields_of(part).get(str(kind)), str))
        if not is_known and kind not in _VENDOR_KINDS:
            given = f"{where}.content[{index}] is {part!r:.100}"
            raise RequestError(f"{given}; give a part of type {' or '.join(_ANSWER_KINDS)}")
    if values.get("audio") and not text_of_message(values):
        raise RequestError(f"{where} has audio without a transcript; give what was said as the content")
    return plain_message({**values, "tool_calls": [*map(_to_function, values.get("tool_calls") or ())]})


def _keep_fields(where: str, values: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with its vendor-specific fields and parts of its content.

    Raises:
        RequestError: names a field that cannot be kept.
    """
    kept = {**plain}
    for name, value in values.items():
        is_list = name == "content" and isinstance(value, list)
        if not is_list and (not value or name in _ANSWER_FIELDS):
            continue
        try:
            kept[name] = read_strictly(compact_json(without_surrogates(value)))
        except (ValueError, RecursionError) as error:
            raise RequestError(f"{where} has the field {name!r:.80}, which cannot be kept; leave it out") from error
    return kept


def _check_calls(where: str, values: Mapping[str, Any]) -> None:
    """Refuse calls that have no results, or that cannot be distinguished.

    Raises:
        RequestError: names the missing part.
    """
    try:
        calls = read_tool_calls(values)
    except SetupError as error:
        raise RequestError(f"{where}: {error.message}") from error
    ids = [each.id for each in calls]
    if "" in ids or any(not each.name for each in calls):
        raise RequestError(f"{where} has a call without an id or a name; give both")
    if len(set(ids)) < len(ids):
        raise RequestError(f"{where} has two calls with the same id; give each call a unique id")


def _to_function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """A call as a function call. The text of a custom tool becomes the argument ``input``."""
    custom = call.get("custom")
    if call.get("function") or not isinstance(custom, Mapping):
        return call
    text: object = cast("Mapping[str, Any]", custom).get("input")
    if isinstance(text, str) and not is_object(text):
        text = compact_json({"input": text})
    return {"id": call["id"], "function": {"name": custom["name"], "arguments": text}}
