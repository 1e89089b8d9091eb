"""Converts one model's messages for another model: without vendor fields, and with portable ids."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from remit.chat.call_ids import PORTABLE_CHARS, portable_id
from remit.chat.stand_in import stand_in
from remit.chat.wire import encode_values, origin_of_text, plain_message, read_tool_calls, rename_tool_calls
from remit.schemas.jsontext import ascii_json
from remit.schemas.raw_json import join_members, raw_members

_OTHER_ID: Final = re.compile(rf'"id"\s*:\s*"(?![A-Za-z0-9]{{{PORTABLE_CHARS}}}")')
"""An id, possibly a call's, that is not portable."""


def texts_for_model(texts: Iterable[str], origin: str) -> list[str] | None:
    """Convert wire texts for the model ``origin``; None if it accepts them unchanged.

    Each text that only some providers accept is marked with its model. Calls of other models, and the replies to them,
    get portable ids.
    """
    given, ids = list(texts), dict[str, str]()
    made = [_to_text_for_model(text, origin, ids) for text in given]
    return None if all(one is other for one, other in zip(made, given, strict=True)) else made


def _to_text_for_model(text: str, origin: str, ids: dict[str, str]) -> str:
    """Convert one message. ``ids`` maps call ids to portable ones; this message's calls are added to it."""
    if ids and '"tool_call_id"' in text:
        members = raw_members(text)
        ident: object = json.loads(members.get("tool_call_id", "null"))
        if isinstance(ident, str) and ident in ids:
            return join_members({**members, "tool_call_id": ascii_json(ids[ident])})
    if (author := origin_of_text(text)) == origin:
        return text
    if author:
        text = encode_values(plain_message(json.loads(text)))
        text = stand_in(text) or text
    if '"tool_calls"' not in text or not _OTHER_ID.search(text):
        return text
    calls = read_tool_calls(json.loads(text))
    ids.update({each.id: portable_id(each.id) for each in calls})
    return rename_tool_calls(text, (ids[each.id] for each in calls))
