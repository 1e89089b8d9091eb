"""Converts messages of one model for another: without vendor fields, and with portable ids."""

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
"""An id that is not portable, perhaps that of a call."""


def texts_for_model(texts: Iterable[str], origin: str) -> list[str] | None:
    """The wire texts as the model ``origin`` may get them; None if it may get them unchanged.

    Which model wrote a text is known of each that only some providers take. A call of another model, and the reply to
    it, get a portable id.
    """
    given, ids = list(texts), dict[str, str]()
    made = [_to_text_for_model(text, origin, ids) for text in given]
    return None if all(one is other for one, other in zip(made, given, strict=True)) else made


def _to_text_for_model(text: str, origin: str, ids: dict[str, str]) -> str:
    """The text of one message. ``ids`` maps call ids to portable ones; the calls of this message are added to it."""
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
