"""Histories from which runs start: checked on entry, and journaled after the header."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from remit.call.call import given_id, root_call_id
from remit.chat.call_ids import is_kept_id, new_ids
from remit.chat.chat import encode_message
from remit.chat.wire import (
    ModelText,
    ToolCallRequest,
    origin_of_text,
    read_tool_calls,
    rename_tool_calls,
    text_of_message,
)
from remit.core.checks import as_tuple
from remit.engine.given_message import GivenFile, ReadMessage, read_message
from remit.errors import RequestError
from remit.record.arguments import Limits
from remit.record.items import GivenMessage, Item, RunOpened

GivenMessages = Sequence[Mapping[str, Any] | str]
"""Chat messages as dicts, or as JSON texts, such as `Runtime.history` returns."""


class GivenHistory(NamedTuple):
    """A history in its stored form, and the files to which its texts refer."""

    texts: tuple[str, ...] = ()
    files: tuple[GivenFile, ...] = ()


def read_history(messages: GivenMessages, limits: Limits) -> GivenHistory:
    """Read a history into a form that every provider accepts, without the values of secrets.

    Vendor-specific fields of a message are kept if the text names its model, as the texts of `Runtime.history` do.
    Duplicate, overlong and malformed ids of calls are replaced.

    Raises:
        RequestError: a message is invalid, a call has no result, a result has no call, or the history is too long.
    """
    given = as_tuple("messages", messages)
    read = [read_message(f"messages[{index}]", each, limits) for index, each in enumerate(given)]
    texts, files = tuple(_pair_calls(read)), tuple(file for each in read for file in each.files)
    mend = "leave some out, or give Limits(argument_bytes=…)"
    _check_size("messages", sum(len(each.encode()) for each in texts), limits.argument_bytes, mend)
    _check_size(
        "files in messages", sum(len(each.content) for each in files), limits.artifact_bytes, "give some as files="
    )
    return GivenHistory(texts, files)


def _check_size(what: str, size: int, most: int, mend: str) -> None:
    if size > most:
        raise RequestError(f"the {what} are {size:,} bytes long; at most {most:,}: {mend}")


def take_prompt(history: GivenHistory) -> tuple[str, GivenHistory]:
    """Return the text of the last message of a history, which becomes the prompt, and the history before it.

    Raises:
        RequestError: it is not a user's message, or has a name or a character that prompts cannot have.
    """
    last: dict[str, Any] = json.loads(history.texts[-1])
    if last["role"] != "user":
        raise RequestError("messages does not end with a user message; give the question as the prompt")
    if "name" in last:
        mend = "leave out its name, or write it into the content"
        raise RequestError(f"messages ends with a message of {last['name']!r}, and a prompt has no name; {mend}")
    text = text_of_message(last)
    if "\0" in text:
        raise RequestError(
            f"messages[{len(history.texts) - 1}] contains the character NUL, which a prompt cannot hold; leave it out"
        )
    return text, history._replace(texts=history.texts[:-1])


def digest_history(texts: Sequence[str]) -> str:
    """The digest of a history, for the header of its run; empty for none."""
    if not texts:
        return ""
    return sha256("".join([f"{len(each)}:{each}" for each in texts]).encode()).hexdigest()


def make_given_items(header: RunOpened, texts: Iterable[str]) -> list[Item]:
    """The items after the header of a run that starts from a history."""
    root = root_call_id(header)
    return [
        GivenMessage(call=given_id(root), agent=root, text=str(each), origin=origin_of_text(each)) for each in texts
    ]


def _pair_calls(messages: Sequence[ReadMessage]) -> Iterator[str]:
    """The wire texts of a history in which each call is followed by its one result, before any other message.

    Raises:
        RequestError: names the message.
    """
    ids: set[str] = set()
    others = new_ids({call.id for message in messages for call in _calls_of(message)})
    open_calls: dict[str, tuple[str, ToolCallRequest]] = {}
    where = ""
    for index, message in enumerate(messages):
        values = message.values
        if values["role"] == "tool":
            yield encode_message(_name_result(f"messages[{index}]", values, open_calls))
            continue
        _refuse_open(where, open_calls)
        where = f"messages[{index}]"
        calls = _calls_of(message)
        kept = {each.id: each.id if each.id not in ids and is_kept_id(each.id) else next(others) for each in calls}
        open_calls = {each.id: (kept[each.id], each) for each in calls}
        ids.update(kept.values())
        text = message.text or encode_message(values)
        if any(given != id_ for given, id_ in kept.items()):
            text = rename_tool_calls(text, iter(kept.values()))
        yield ModelText(text, message.origin) if message.origin else text
    _refuse_open(where, open_calls)


def _calls_of(message: ReadMessage) -> tuple[ToolCallRequest, ...]:
    return read_tool_calls(message.values) if message.values["role"] == "assistant" else ()


def _name_result(
    where: str, values: dict[str, Any], open_calls: dict[str, tuple[str, ToolCallRequest]]
) -> dict[str, Any]:
    """The result of an open call, with the id under which the call is stored. The result closes the call.

    Raises:
        RequestError: there is no such call, or it is a call of another tool.
    """
    wire = values["tool_call_id"]
    if wire not in open_calls:
        raise RequestError(
            f"{where} is the result of a call {wire!r} that the preceding message does not make, or that "
            "already has a result; leave it out, or add the message with the call"
        )
    kept, call = open_calls.pop(wire)
    if values.get("name", call.name) != call.name:
        raise RequestError(
            f"{where} has the name {values['name']!r}, but is the result of a call of {call.name!r}; leave the name out"
        )
    return {"role": "tool", "tool_call_id": kept, "content": values["content"]}


def _refuse_open(where: str, open_calls: Iterable[str]) -> None:
    for wire in open_calls:
        result = f"{{'role': 'tool', 'tool_call_id': {wire!r}, 'content': '…'}}"
        raise RequestError(f"{where} has a call {wire!r} without its result; add {result} behind it, or leave it out")
