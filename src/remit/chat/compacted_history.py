"""Applies `HistoryCompacted`, which replaces older messages, to the wire texts of histories."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, cast

from remit.chat.chat import encode_message
from remit.record.items import HistoryCompacted

TOOL_PREFIX: Final = '{"role":"tool"'
"""The beginning of the wire text of each reply to a call."""


def compaction_id(agent: str) -> str:
    """The id under which the journal stores the compactions of the agent with call id ``agent``."""
    return f"{agent}:compaction"


def group_messages(texts: Iterable[str]) -> list[list[str]]:
    """Split a history without system messages into groups: a message, with the replies to its calls."""
    groups: list[list[str]] = []
    for text in texts:
        if groups and text.startswith(TOOL_PREFIX):
            groups[-1].append(text)
        else:
            groups.append([text])
    return groups


def reply_id(text: str) -> str:
    """The id of the call to which a wire text replies; empty if it is not a reply."""
    return cast("dict[str, str]", json.loads(text))["tool_call_id"] if text.startswith(TOOL_PREFIX) else ""


def compact_messages(texts: Sequence[str], item: HistoryCompacted) -> list[str]:
    """Apply one compaction. A group is kept or dropped as a whole, so that the history stays valid."""
    if item.kept is not None:
        texts = [text for group in group_messages(texts)[-item.kept :] for text in group]
    notes = dict(item.notes)
    noted = (_replace_reply(text, notes) for text in texts) if notes else texts
    return [*item.head, *noted]


def compact_history(texts: Sequence[str], items: Iterable[HistoryCompacted]) -> list[str]:
    """Apply several compactions; ``texts`` are all uncompacted messages of the agent."""
    compacted: list[str] = []
    start = 0
    for item in items:
        compacted = compact_messages([*compacted, *texts[start : item.length]], item)
        start = item.length
    return [*compacted, *texts[start:]]


def _replace_reply(text: str, notes: dict[str, str]) -> str:
    call_id = reply_id(text)
    if call_id not in notes:
        return text
    return encode_message({"role": "tool", "tool_call_id": call_id, "content": notes[call_id]})
