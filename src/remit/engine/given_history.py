"""Histories that runs are started from: checked at the door, and journaled behind the header."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, cast

from remit.contracts.arguments import Limits, parse_arguments
from remit.contracts.chat import encode_message
from remit.contracts.items import GivenMessage, Item, RunOpened, given_id
from remit.contracts.question import content_digest
from remit.contracts.secret import redact_secrets_in_content
from remit.contracts.wire import ModelText, ToolCallRequest, origin_of_text, plain_message, read_tool_calls
from remit.core.checks import as_tuple
from remit.errors import RequestError, SetupError

GivenMessages = Sequence[Mapping[str, Any] | str]
"""Chat messages as dicts, or as JSON texts, such as `Runtime.history` returns."""

_ROLES: Final = ("user", "assistant", "tool")


def read_history(messages: GivenMessages, limits: Limits) -> tuple[str, ...]:
    """The wire texts of a history, without the values of secrets, as every provider takes it.

    What a message has that only the vendor of its model knows is kept if the text says which model wrote it, as those
    of `Runtime.history` do.

    Raises:
        RequestError: a message is none, a call has no result or a result no call, or they are too long.
    """
    given = as_tuple("messages", messages)
    texts = tuple(_read_message(f"messages[{index}]", each) for index, each in enumerate(given))
    if texts and (error := parse_arguments(f'{{"messages":[{",".join(texts)}]}}', limits).error):
        raise RequestError(error.replace("the arguments", "the messages"))
    _check_calls([cast("dict[str, Any]", json.loads(each)) for each in texts])
    return texts


def take_prompt(texts: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Take the last message of a history as what the agent is asked; return its text, and the messages before it.

    Raises:
        RequestError: it is not a text of the user.
    """
    last: dict[str, Any] = json.loads(texts[-1])
    if last["role"] != "user" or not isinstance(last["content"], str):
        raise RequestError("messages does not end with a text of the user; give what the agent is asked as the prompt")
    return last["content"], texts[:-1]


def digest_history(texts: Iterable[str]) -> str:
    """The digest of a history, for the header of its run; empty for none."""
    lengths = [f"{len(each)}:{each}" for each in texts]
    return sha256("".join(lengths).encode()).hexdigest() if lengths else ""


def make_given_items(header: RunOpened, texts: Iterable[str]) -> list[Item]:
    """What follows the header of a run that starts from a history."""
    root = content_digest(header.call, header.callee, header.arguments)
    return [
        GivenMessage(call=given_id(root), agent=root, text=str(each), origin=origin_of_text(each)) for each in texts
    ]


def _read_message(where: str, given: object) -> str:
    """The wire text of one message.

    Raises:
        RequestError: it is none, or one that the agent itself writes.
    """
    message = given
    if isinstance(given, str):
        try:
            message = json.loads(given)
        except (ValueError, RecursionError):
            message = None
    if not isinstance(message, Mapping):
        raise RequestError(f"{where} is {given!r:.100}; give a message, such as {{'role': 'user', 'content': '…'}}")
    values = {**cast("Mapping[str, Any]", message)}
    role = values.get("role")
    if role in ("system", "developer"):
        raise RequestError(f"{where} is a message of the {role}; leave it out: the agent's instructions take its place")
    if role not in _ROLES:
        raise RequestError(f"{where} has the role {role!r:.40}; give one of {', '.join(_ROLES)}")
    _check_content(where, values)
    origin = origin_of_text(given) if isinstance(given, str) else ""
    if role == "assistant" and not origin:
        values = plain_message(values)
    try:
        text = str(given) if origin else encode_message({"role": role, **_in_order(values)})
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestError(f"{where} is not JSON: {error}") from error
    text = redact_secrets_in_content(text)
    return ModelText(text, origin) if origin else text


def _in_order(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a message, the id of the call to which it replies first, as everywhere in the journal."""
    first = {"tool_call_id": values["tool_call_id"]} if values["role"] == "tool" else {}
    return {**first, **values}


def _check_content(where: str, values: Mapping[str, Any]) -> None:
    """Refuse a message without what its role needs.

    Raises:
        RequestError: says what is missing.
    """
    role, content = values["role"], values.get("content")
    if role == "assistant":
        if values.get("function_call"):
            raise RequestError(f"{where} has a function_call; give it as one of tool_calls, with an id")
        try:
            calls = read_tool_calls(values)
        except SetupError as error:
            raise RequestError(f"{where}: {error.message}") from error
        ids = [each.id for each in calls]
        if "" in ids or any(not each.name for each in calls):
            raise RequestError(f"{where} has a call without an id or a name; give both")
        if len(set(ids)) < len(ids):
            raise RequestError(f"{where} has two calls with one id; give each call an id of its own")
        return
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    if not isinstance(content, str) and not (parts and all(map(_is_text, parts))):
        raise RequestError(
            f"{where} has the content {content!r:.60}; give a text, or parts of text, and files with files="
        )
    if role == "tool" and not (isinstance(values.get("tool_call_id"), str) and values["tool_call_id"]):
        raise RequestError(f"{where} is a result without tool_call_id; give the id of its call")


def _is_text(part: object) -> bool:
    return isinstance(part, Mapping) and isinstance(cast("Mapping[str, Any]", part).get("text"), str)


def _check_calls(messages: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a history in which a call is not followed by its one result, before any other message.

    Raises:
        RequestError: names the message.
    """
    open_calls: dict[str, str] = {}
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        if message["role"] == "tool":
            wire = message["tool_call_id"]
            if open_calls.pop(wire, None) is None:
                raise RequestError(
                    f"{where} is the result of a call {wire!r} that the message before it does not make, or that has "
                    "one; leave it out, or give the message with the call"
                )
            continue
        _refuse_open(open_calls)
        calls: tuple[ToolCallRequest, ...] = read_tool_calls(message) if message["role"] == "assistant" else ()
        open_calls = {each.id: where for each in calls}
    _refuse_open(open_calls)


def _refuse_open(open_calls: Mapping[str, str]) -> None:
    for wire, where in open_calls.items():
        result = f"{{'role': 'tool', 'tool_call_id': {wire!r}, 'content': '…'}}"
        raise RequestError(f"{where} has a call {wire!r} without its result; add {result} behind it, or leave it out")
