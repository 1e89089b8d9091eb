"""The lines that replace dropped tool outputs in a compacted history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from remit.agent.media import find_references
from remit.call.callee import Callee
from remit.call.entity import entities_of
from remit.call.facts import Effect
from remit.call.schema import shorten_text
from remit.chat.chat import decode_message
from remit.chat.compacted_history import reply_id
from remit.chat.wire import read_tool_calls
from remit.schemas.jsontext import compact_json

_SHORTEST: Final = 400
"""Outputs of fewer characters are kept."""
_MAX_NAMED: Final = 3
_START: Final = "[The output of "


def describe_dropped_outputs(
    groups: Iterable[Sequence[str]], callees: Iterable[Callee[..., Any]]
) -> Iterator[tuple[str, str]]:
    """The ids of the calls in groups of messages whose outputs are long, each with a line about the output.

    The line says what was dropped, how to read it again, and which entities and artifacts it named. The line is
    shorter than the output.
    """
    by_name = {each.name: each for each in callees}
    for message, *replies in groups:
        calls = {call.id: call.name for call in read_tool_calls(decode_message(message))} if replies else {}
        for reply in replies:
            content = decode_message(reply).get("content")
            if isinstance(content, str) and len(content) >= _SHORTEST and not content.startswith(_START):
                name = calls.get(reply_id(reply), "")
                line = _describe(name, content, by_name.get(name))
                if len(line.encode()) < len(content.encode(errors="replace")):
                    yield reply_id(reply), line


def _describe(name: str, content: str, callee: Callee[..., Any] | None) -> str:
    sentences = [f"{_START}{name or 'a call'}, {len(content):,} characters, was dropped to save space."]
    if content.startswith('{"success":false'):
        sentences.append("The call had failed.")
    elif callee is not None and callee.facts.effect is Effect.PURE:
        sentences.append("Call it again to read it.")
    else:
        sentences.append("The call was made; do not repeat it.")
    found = () if callee is None else entities_of(content, callee)
    if found:
        named = ", ".join(f"{each.kind} {each.id} {json.dumps(each.name)}" for each in found[:_MAX_NAMED])
        more = f" and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        sentences.append(f"It described {shorten_text(named, 300)}{more}.")
    # The digest comes last: a reference that begins with it would attach the image again.
    artifacts = [
        dict(sorted(each.model_dump().items(), reverse=True)) for each in find_references(content)[:_MAX_NAMED]
    ]
    if artifacts:
        sentences.append(f"Its artifacts can be read: {', '.join(map(compact_json, artifacts))}.")
    return " ".join(sentences) + "]"
