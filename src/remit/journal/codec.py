"""Encodes items as text, and converts raw chat messages to items and back losslessly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Any, Final, cast

from msgspec import ValidationError, convert, structs
from msgspec.json import Encoder

from remit.call.reply import Reply
from remit.chat.chat import decode_message, encode_message
from remit.chat.compacted_history import TOOL_PREFIX, compact_messages
from remit.chat.wire import ModelText, origin_of_text
from remit.errors import CallCancelledError, JournalFormatError
from remit.record.arguments import content_digest
from remit.record.items import (
    ITEM_TYPES,
    ErasedItem,
    GivenMessage,
    Handoff,
    HistoryCompacted,
    Item,
    Message,
    Position,
    RunFinished,
    RunResumed,
    RunStalled,
    RunSuspended,
    ToolOutput,
)
from remit.schemas.jsontext import ascii_json, compact_json

JOURNAL_FORMAT: Final = 1
"""The format of journals that this version writes and reads."""

ERASED_BODY: Final = ""
"""The body of an item after erasure."""

RESULT_TOOL: Final = "final_result"
"""The pseudo tool that a worker's model calls to return a result that is not text."""

ChatItem = Message | ToolOutput
"""Items that correspond one to one to raw chat messages."""


_MESSAGES: Final = (Message, GivenMessage)
_ITEM_ENCODER: Final = Encoder()
_FIELD_NAMES: Final = {
    kind: tuple(name for name in kind.__struct_fields__ if name != "call") for kind in ITEM_TYPES.values()
}

_OMITTED: Final[dict[type[Item], dict[str, Any]]] = {
    kind: {each.name: each.default for each in structs.fields(kind) if not each.required}
    for kind in ITEM_TYPES.values()
    if kind.__struct_config__.omit_defaults
}
"""The defaults of item fields, which are omitted, as msgspec does."""


def encode_item(item: Item) -> str:
    """The body of an item: its fields as JSON, without kind and call, which the journal stores in columns.

    Non-ASCII is escaped, so that every database stores the same bytes. Since every item is encoded, plain ASCII is
    written by msgspec, which produces the same text at half the cost.
    """
    try:
        text = str(_ITEM_ENCODER.encode(item), "ascii")
    except (UnicodeError, OverflowError, TypeError):  # not ASCII, a large number, or a str subclass
        text = ""
    rest = text.removeprefix(f'{{"call":"{item.call}",')
    if rest is not text and "\x7f" not in text:
        return "{" + rest
    defaults = _OMITTED.get(type(item), {})
    values: dict[str, Any] = {}
    for name in _FIELD_NAMES[type(item)]:
        value = getattr(item, name)
        if name not in defaults or value != defaults[name]:
            values[name] = value
    return ascii_json(values)


def decode_item(kind: str, call: str, body: str) -> Item:
    """Decode a stored item.

    Raises:
        JournalFormatError: the kind is unknown to this version, or its fields or types differ.
    """
    if body == ERASED_BODY:
        return ErasedItem(call=call, was=kind)
    item_type = ITEM_TYPES.get(kind)
    if item_type is None:
        raise JournalFormatError(
            f"the journal has an item {kind!r}, which this version does not know; use a newer Remit"
        )
    try:
        return _decode_body(item_type, call, body)
    except (TypeError, ValueError, AttributeError, ValidationError) as error:
        raise JournalFormatError(
            f"the journal's item {kind!r} does not have the fields that this version expects: {error}"
        ) from error


def _decode_body(item_type: type[Item], call: str, body: str) -> Item:
    values = cast("dict[str, Any]", json.loads(body))
    if not values.keys() <= set(_FIELD_NAMES[item_type]):
        raise ValueError(f"{min(values.keys() - set(_FIELD_NAMES[item_type]))!r}")
    values["call"] = call
    return convert(values, item_type)


def check_format(run: str, version: int) -> None:
    """Refuse a run whose journal this version cannot read.

    Raises:
        JournalFormatError: names both formats.
    """
    if version != JOURNAL_FORMAT:
        raise JournalFormatError(
            f"run {run} has format {version}; this version reads {JOURNAL_FORMAT}; use the Remit that wrote it"
        )


def body_digest(body: str) -> bytes:
    """The digest of a body. It is kept when the body is erased."""
    return sha256(body.encode()).digest()


def compute_chain_hash(previous: bytes, kind: str, call: str, digest: bytes) -> bytes:
    """Compute the hash chain after an item. It covers the body's digest, not the body, so that bodies can be erased."""
    return sha256(previous + f"{kind}|{call}|".encode() + digest).digest()


def link_items(run: str, epoch: int, seq: int, link: bytes, items: Iterable[tuple[Item, float, str]]) -> list[Position]:
    """Make the positions of items, given with times and bodies, that follow item ``seq`` with the chain ``link``."""
    positions: list[Position] = []
    for item, at, body in items:  # as `body_digest` and `compute_chain_hash`, without two calls for every item
        digest = sha256(body.encode()).digest()
        link = sha256(link + f"{item.kind}|{item.call}|".encode() + digest).digest()
        seq += 1
        positions.append(Position(run, epoch, seq, at, item, body, digest, link))
    return positions


def find_broken_link(positions: Sequence[Position]) -> int | None:
    """Find the first item that was changed after it was written; return its seq, or None if the chain holds."""
    previous = b""
    for expected, position in enumerate(positions):
        if [type(position.digest), type(position.body)] != [bytes, str]:
            return position.seq  # a value that no store writes
        item = position.item
        kind = item.was if isinstance(item, ErasedItem) else item.kind
        previous = compute_chain_hash(previous, kind, item.call, position.digest)
        body_matches = isinstance(item, ErasedItem) or body_digest(position.body) == position.digest
        if position.seq != expected or previous != position.chain or not body_matches:
            return position.seq
    return None


def items_from_messages(texts: Iterable[str], agent: str) -> list[ChatItem]:
    """Convert raw messages to items, one each, in order. Their text is kept byte for byte."""
    items: list[ChatItem] = []
    for index, text in enumerate(texts):
        message = decode_message(text)
        if message["role"] == "tool":
            wire = message["tool_call_id"]
            call = content_digest(agent, "tool", wire, str(index))
            items.append(ToolOutput(call=call, parent=agent, callee="", wire=wire, text=text, outcome="ok"))
        else:
            call = content_digest(agent, "message", str(index))
            items.append(Message(call=call, agent=agent, text=str(text), origin=origin_of_text(text)))
    return items


def messages_from_items(items: Iterable[ChatItem]) -> list[str]:
    """Convert items back to raw messages: the inverse of `items_from_messages`."""
    return [message_text(item) if isinstance(item, Message) else item.text for item in items]


def build_chat_history(items: Sequence[Item], agent: str, prior: Sequence[str] = ()) -> list[str]:
    """Build the chat history of the agent with call id ``agent``, after ``prior`` messages. It is always valid.

    Outputs are journaled as they complete, but here they follow the order of their calls. A call without an output gets
    a reply with the reason: its run waits for a decision or a model, or was interrupted and never resumed. After a
    handoff, the only system message is that of the agent that took over. Compacted messages stay compacted.
    """
    texts = list(prior)
    has_handed_off = False
    outputs, missing_reply = _collect_replies(items, agent), _missing_reply(items)
    for item in items:
        if isinstance(item, _MESSAGES) and item.text.startswith(TOOL_PREFIX):
            continue
        if isinstance(item, HistoryCompacted) and item.agent == agent:
            others = compact_messages([text for text in texts if not _is_system(text)], item)
            texts = [*filter(_is_system, texts), *others]
        has_handed_off = has_handed_off or (isinstance(item, Handoff) and item.call == agent)
        if isinstance(item, _MESSAGES) and item.agent == agent:
            text = message_text(item)
            message = decode_message(text)
            if has_handed_off and message["role"] == "system":
                texts = [text, *(text for text in texts if not _is_system(text))]
            else:
                texts.append(text)
            for call in (message.get("tool_calls") or ()) if message["role"] == "assistant" else ():
                remaining_outputs = outputs.get(call["id"])
                texts.append(remaining_outputs.pop(0) if remaining_outputs else missing_reply(call["id"]))
    return texts


def count_prior_groups(items: Sequence[Item], agent: str, needed: float) -> float:
    """The number of earlier message groups that are needed for the last ``needed`` groups of a run's history."""
    for item in reversed(items):
        if isinstance(item, HistoryCompacted) and item.agent == agent and item.kept is not None:
            needed = min(needed, item.kept)
        elif isinstance(item, _MESSAGES) and item.agent == agent:
            text = message_text(item)
            needed -= not (text.startswith(TOOL_PREFIX) or _is_system(text))
    return max(needed, 0)


def _is_system(text: str) -> bool:
    return decode_message(text)["role"] == "system"


def _collect_replies(items: Sequence[Item], agent: str) -> dict[str, list[str]]:
    """Collect the replies to the calls of an agent's model, by call id.

    Most are tool outputs. Replies to ``final_result``, and those of a given history, are messages.
    """
    replies: dict[str, list[str]] = {}
    for item in items:
        if isinstance(item, ToolOutput) and item.parent == agent and item.wire:
            replies.setdefault(item.wire, []).append(item.text)
        elif isinstance(item, _MESSAGES) and item.agent == agent and item.text.startswith(TOOL_PREFIX):
            replies.setdefault(cast("dict[str, str]", json.loads(item.text))["tool_call_id"], []).append(item.text)
    return replies


def message_text(item: Message | GivenMessage) -> str:
    """The wire text of an item, marked with its model if it has vendor-specific fields."""
    return ModelText(item.text, item.origin) if item.origin else item.text


def tool_message_text(wire: str, content: str) -> str:
    """The wire text of the tool message that replies to the model's call ``wire``."""
    text = _TOOL_MESSAGE % (encode_basestring(wire), encode_basestring(content))
    return text if text.isascii() else encode_message({"role": "tool", "tool_call_id": wire, "content": content})


_TOOL_MESSAGE: Final = '{"role":"tool","tool_call_id":%s,"content":%s}'


def _missing_reply(items: Sequence[Item]) -> Callable[[str], str]:
    """Return a function that makes the tool message for a call without an output, given its wire id."""
    last = next((item for item in reversed(items) if isinstance(item, _RESTING + _LEAVING_REST)), None)
    content = _PENDING_CONTENT if isinstance(last, _RESTING) else _INTERRUPTED_CONTENT
    return lambda wire: tool_message_text(wire, content)


_RESTING: Final = (RunSuspended, RunStalled)
_LEAVING_REST: Final = (RunResumed, RunFinished)
_PENDING_CONTENT: Final = compact_json(
    {"success": False, "pending": True, "message": "this call has not ended; its run waits"}
)
_INTERRUPTED_CONTENT: Final = Reply.from_error(CallCancelledError("the run was cut off before this call ended")).content
