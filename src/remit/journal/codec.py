"""Items to text and back, and the bijection between raw chat messages and the items that stand for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from json.encoder import encode_basestring, encode_basestring_ascii
from operator import attrgetter
from typing import Any, Final, cast

from msgspec import ValidationError, convert

from remit.contracts.chat import read, write
from remit.contracts.items import KINDS, Erased, Handoff, Item, Message, ModelReply, Position, ToolOutput
from remit.contracts.question import digest
from remit.contracts.reply import Reply
from remit.errors import CallCancelledError, FormatError
from remit.schemas.jsontext import ascii_compact, compact

FORMAT: Final = 1
"""The format of journals that this version writes."""

OLDEST: Final = 1
"""The oldest format that this version reads."""

ERASED: Final = ""
"""The tombstone: the body of an item whose body was erased."""

RESULT: Final = "final_result"
"""The tool by which the model of a worker gives a result that is no text: it calls nothing."""

RunItem = Message | ToolOutput
"""The items that are in bijection with raw chat messages."""


_TEXT: Final[dict[type, Callable[[Any], str]]] = {
    int: int.__repr__,
    bool: {True: "true", False: "false"}.__getitem__,
}
"""How fields are written, text and others. All beyond ASCII is escaped, so that any database stores it alike."""


def _body_writer(kind: type[Item]) -> Callable[[Item], str]:
    """Writes what `json` would, from a text that is made once: a body is written for every item."""
    names = [name for name in kind.__struct_fields__ if name != "call"]
    text = "{" + ",".join(f'"{name}":%s' for name in names) + "}"
    values_of = cast("Callable[[Item], tuple[object, ...]]", attrgetter("call", *names))

    def write_body(item: Item) -> str:
        return text % tuple(
            [
                encode_basestring_ascii(value) if type(value) is str else _TEXT.get(type(value), ascii_compact)(value)
                for value in values_of(item)[1:]
            ]
        )

    return write_body


_WRITERS: Final = {kind: _body_writer(kind) for kind in KINDS.values()}

_NAMES: Final = {kind: frozenset(kind.__struct_fields__) - {"call"} for kind in KINDS.values()}


def encode(item: Item) -> str:
    """The body of an item: its fields as JSON, without kind and call, which the journal keeps beside it."""
    return _WRITERS[type(item)](item)


def decode(kind: str, call: str, body: str) -> Item:
    """The item that was stored.

    Raises:
        FormatError: this version knows no such item, or its fields are others or of other types.
    """
    if body == ERASED:
        return Erased(call=call, was=kind)
    known = KINDS.get(kind)
    if known is None:
        raise FormatError(f"the journal holds an item {kind!r} that this version does not know; use a newer Remit")
    try:
        return _read_body(known, call, body)
    except (ValueError, AttributeError, ValidationError) as error:
        raise FormatError(f"the journal's item {kind!r} has other fields than this version knows: {error}") from error


def _read_body(known: type[Item], call: str, body: str) -> Item:
    values = cast("dict[str, Any]", json.loads(body))
    if not values.keys() <= _NAMES[known]:
        raise ValueError(f"{min(values.keys() - _NAMES[known])!r}")
    values["call"] = call
    return convert(values, known)


def check_format(run: str, written: int) -> None:
    """Refuse a run whose journal this version cannot read.

    Raises:
        FormatError: naming both.
    """
    if not OLDEST <= written <= FORMAT:
        raise FormatError(
            f"run {run} has format {written}; this version reads {OLDEST} to {FORMAT}, use the Remit that wrote it"
        )


def body_digest(body: str) -> bytes:
    """The digest of a body, which stays when the body is erased."""
    return sha256(body.encode()).digest()


def chain(before: bytes, kind: str, call: str, digest: bytes) -> bytes:
    """The next link: over the link before it and the digest of the body, so that a body may be erased later."""
    return sha256(b"%s%s|%s|%s" % (before, kind.encode(), call.encode(), digest)).digest()


def broken_link(positions: Sequence[Position]) -> int | None:
    """The seq of the first item of a run, read from its start, that is not what was written; None if all are."""
    before = b""
    for expected, position in enumerate(positions):
        item = position.item
        kind = item.was if isinstance(item, Erased) else item.kind
        before = chain(before, kind, item.call, position.digest)
        same_body = isinstance(item, Erased) or body_digest(position.body) == position.digest
        if position.seq != expected or before != position.chain or not same_body:
            return position.seq
    return None


def to_items(texts: Iterable[str], agent: str) -> list[RunItem]:
    """The items that stand for raw messages, one each, in order. Their text is kept to the byte."""
    items: list[RunItem] = []
    for index, text in enumerate(texts):
        message = read(text)
        if message["role"] == "tool":
            wire = message["tool_call_id"]
            call = digest(agent, "tool", wire, str(index))
            items.append(ToolOutput(call=call, parent=agent, callee="", wire=wire, text=text, outcome="ok"))
        else:
            items.append(Message(call=digest(agent, "message", str(index)), agent=agent, text=text))
    return items


def to_texts(items: Iterable[RunItem]) -> list[str]:
    """The raw messages that items stand for: the inverse of `to_items`."""
    return [item.text for item in items]


def project(items: Sequence[Item], agent: str) -> list[str]:
    """The chat history of the agent whose call id is ``agent``: always valid.

    Outputs are journaled as they complete; here they stand in the order of their calls. A call without an output (its
    run was cut off and never resumed) gets a reply that says so. After a handoff the one system message is that of the
    agent that took over.
    """
    texts: list[str] = []
    handed = False
    outputs: dict[str, list[str]] = {}
    for item in items:
        if isinstance(item, ToolOutput) and item.parent == agent and item.wire:
            outputs.setdefault(item.wire, []).append(item.text)
    for item in items:
        handed = handed or (isinstance(item, Handoff) and item.call == agent)
        if isinstance(item, (Message, ModelReply)) and item.agent == agent:
            text = message_text(item)
            message = read(text)
            if handed and message["role"] == "system":
                texts = [text, *(text for text in texts if read(text)["role"] != "system")]
            else:
                texts.append(text)
            for call in (message.get("tool_calls") or ()) if message["role"] == "assistant" else ():
                known = outputs.get(call["id"])
                texts.append(known.pop(0) if known else _cut_off(call["id"]))
    return texts


def message_text(item: Message | ModelReply) -> str:
    """The raw message that an item is; of a response to a worker, as much as a raw message can hold."""
    if isinstance(item, Message):
        return item.text
    parts = cast("list[dict[str, Any]]", json.loads(item.response)["parts"])
    said = [part["content"] for part in parts if part["part_kind"] == "text"]
    wanted = [(part, _written(part.get("args"))) for part in parts if part["part_kind"] == "tool-call"]
    said += [arguments for part, arguments in wanted if part["tool_name"] == RESULT]
    calls = [_call(part, arguments) for part, arguments in wanted if part["tool_name"] != RESULT]
    content = "\n\n".join(said) or (None if calls else "")
    return write({"role": "assistant", "content": content} | ({"tool_calls": calls} if calls else {}))


def _call(part: dict[str, Any], arguments: str) -> dict[str, Any]:
    function = {"name": part["tool_name"], "arguments": arguments}
    return {"id": part["tool_call_id"], "type": "function", "function": function}


def _written(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else compact(arguments or {})


def tool_text(wire: str, content: str) -> str:
    """The wire text of the tool message that replies to the call which the model named ``wire``."""
    text = _TOOL % (encode_basestring(wire), encode_basestring(content))
    return text if text.isascii() else write({"role": "tool", "tool_call_id": wire, "content": content})


_TOOL: Final = '{"role":"tool","tool_call_id":%s,"content":%s}'


def tool_content(output: ToolOutput) -> str:
    """The content of a terminal record, whoever called."""
    return cast("str", json.loads(output.text)["content"]) if output.wire else output.text


def _cut_off(wire: str) -> str:
    return tool_text(wire, Reply.failed(CallCancelledError("the run was cut off before this call ended")).content)
