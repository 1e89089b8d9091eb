"""The error that a response reports, in any known form: with a status, or in the body of a successful response."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from remit.chat.finish import Ending, read_finish
from remit.chat.provider_error import ProviderError
from remit.models.choices import find_answer
from remit.schemas.raw_json import MAX_DEPTH, limit_depth, load_json


def find_reported_error(answer: bytes) -> ProviderError | None:
    """The error in the body of a success; None if there is none, or if the body also has a complete answer."""
    body = _object_of(_load(answer.decode(errors="replace")))
    choice = _answer_of(body.get("choices"))
    if _is_whole(choice):
        return None  # so it is a warning
    error = next((each for each in (body.get("error"), choice.get("error")) if each), None)
    if error is None and not _states_error(body):
        return None
    return _read_fields(_fields_of(body, error), None, "no reason")


def read_refusal(body: object, status: int | None) -> ProviderError:
    """The error in the body of a response that is not a success: a text, or the JSON that a client has read.

    JSON without any text counts as an empty body.
    """
    text = body if isinstance(body, str) else "" if body is None else str(body)
    value = _load(body) if isinstance(body, str) else body
    is_lost = value is None and _LOST.match(text) is not None
    text = "" if is_lost or _is_without_words(value) else text
    fields = _object_of(value)
    if not fields:
        return ProviderError(status, text)
    return _read_fields(_fields_of(fields, fields.get("error") or fields.get("Error")), status, text)


def _load(text: str) -> object:
    try:
        return load_json(limit_depth(text))
    except ValueError:
        return None


def _object_of(value: object) -> Mapping[str, Any]:
    """A JSON object, or the object in a list, as Google's endpoints write it; empty for other values."""
    items: list[object] = cast("list[object]", value) if isinstance(value, list) else [value]
    return cast("Mapping[str, Any]", items[0]) if items and isinstance(items[0], dict) else {}


def _answer_of(choices: object) -> Mapping[str, Any]:
    """The choice that is the answer; an empty object if there is none."""
    try:
        return cast("Any", choices)[find_answer(choices)]
    except LookupError:
        return {}


def _is_without_words(value: object) -> bool:
    """Whether a value is an object or a list of JSON without any text, within the depth that is read."""
    if not isinstance(value, (dict, list)):
        return False
    parts: list[object] = [value]
    for _ in range(MAX_DEPTH + 1):
        if any(isinstance(each, str) and each.strip() for each in parts):
            return False
        parts = [part for each in parts for part in _list_parts(each)]
    return True


def _list_parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def _is_whole(choice: Mapping[str, Any]) -> bool:
    """Whether a choice is an answer that has ended."""
    message, finish = _object_of(choice.get("message")), choice.get("finish_reason")
    has_ended = isinstance(finish, str) and read_finish(finish) is not Ending.OTHER
    return has_ended and any(message.get(name) for name in ("content", "tool_calls", "function_call", "refusal"))


def _states_error(body: Mapping[str, Any]) -> bool:
    """Whether a body is an error as a whole, as vLLM, FastAPI and MiniMax write it."""
    if "error" in (body.get("object"), body.get("type")):
        return True
    is_told = any(isinstance(body.get(name), str) for name in ("detail", "message", "msg")) or body.get("errors")
    return not body.get("choices") and bool(is_told or _object_of(body.get("base_resp")).get("status_msg"))


def _fields_of(body: Mapping[str, Any], error: object) -> Mapping[str, Any]:
    """The fields of an error: its own, or those around it."""
    if isinstance(error, dict):
        return cast("Mapping[str, Any]", error)
    if isinstance(error, str):
        return {**body, "message": error}
    nested = _object_of(body.get("errors")) or _object_of(body.get("base_resp"))
    return {name: value for name, value in body.items() if name != "object"} | dict(nested)


def _read_fields(fields: Mapping[str, Any], status: int | None, otherwise: str) -> ProviderError:
    """The error with these fields, with the message ``otherwise`` if the fields have no message."""
    inner = _object_of(fields.get("innererror"))
    codes = [_as_code(fields.get(name)) for name in _CODES] + [_as_code(inner.get("code"))]
    stated = next((int(code) for code in codes if _STATUS.fullmatch(code)), None)
    words = " ".join(dict.fromkeys(code for code in codes if code and not code.isdigit()))
    message = "; ".join(dict.fromkeys(_list_texts(fields))) or words or otherwise
    if stated is not None and status in (None, 400, 422):
        status = stated
    return ProviderError(status, message, words)


def _as_code(value: object) -> str:
    """The code as text; empty for values that are not codes."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if 0 <= value < 10**_MAX_CODE else ""
    return value if isinstance(value, str) and len(value) <= _MAX_CODE else ""


def _list_texts(fields: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an error, with the message of the provider behind a gateway and the window that llama.cpp names."""
    for name in ("message", "Message", "detail", "msg", "status_msg", "error_msg"):
        told: object = fields.get(name)
        for each in cast("list[object]", told) if isinstance(told, list) else [told]:
            text = each if isinstance(each, str) else _object_of(each).get("msg")
            if isinstance(text, str) and text:
                yield text
    raw = _object_of(fields.get("metadata")).get("raw")
    if isinstance(raw, str) and raw:
        yield raw
    window = fields.get("n_ctx")
    if isinstance(window, int):
        yield f"n_ctx: {_as_code(window)}"


_CODES: Final = ("code", "Code", "status_code", "status", "type", "error_code")
_LOST: Final = re.compile(r'\s*[{\[](?:[^"]|"[^"]*"\s*:)*$')
"""The beginning of JSON that cannot be read, with keys and without any text."""
_STATUS: Final = re.compile(r"[45][0-9]{2}")
_MAX_CODE: Final = 100
