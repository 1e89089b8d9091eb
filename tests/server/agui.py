"""Reads the streams of a server as a client does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ag_ui.core import Event
from pydantic import TypeAdapter

Frame = tuple[str, dict[str, Any]]
_EVENT: Final = TypeAdapter[Any](Event)


def read_frames(text: str) -> list[Frame]:
    """The id and the data of each event of a stream."""
    found = list[Frame]()
    for part in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in part.splitlines() if not line.startswith(":"))
        if "data" in lines:
            found.append((lines["id"], json.loads(lines["data"])))
    return found


def check_protocol(frames: Iterable[Frame]) -> None:
    """Read each event with the models of the protocol."""
    for _, event in frames:
        _EVENT.validate_json(json.dumps(event))


def types_of(frames: Iterable[Frame]) -> list[str]:
    """The types of the events, of custom ones the names."""
    return [event["name"] if event["type"] == "CUSTOM" else event["type"] for _, event in frames]


def fold(events: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What a display shows after the events: texts, calls, results, states and questions, in the order of their begin.

    Raises:
        AssertionError: an event continues what did not begin.
    """
    shown = dict[str, Any]()
    for event in events:
        for key, value in _changes(event, shown):
            shown[key] = value
    return shown


def _changes(event: dict[str, Any], shown: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    kind, message, call = event["type"], event.get("messageId", ""), event.get("toolCallId", "")
    match kind:
        case "TEXT_MESSAGE_START" | "REASONING_MESSAGE_START":
            assert message not in shown, f"{message} begins twice"
            yield message, ""
        case "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT":
            assert message in shown, f"{message} continues before it begins"
            yield message, shown[message] + event["delta"]
        case "TOOL_CALL_START":
            assert call not in shown, f"{call} begins twice"
            yield call, event["toolCallName"] + " "
        case "TOOL_CALL_ARGS":
            assert call in shown, f"{call} continues before it begins"
            yield call, shown[call] + event["delta"]
        case "TEXT_MESSAGE_END" | "TOOL_CALL_END":
            ended = f"{message or call} ended"
            assert ended not in shown, ended
            yield ended, True
        case "TOOL_CALL_RESULT":
            assert f"{call} result" not in shown, f"{call} has two results"
            yield f"{call} result", event["content"]
        case "CUSTOM":
            told = f"{event['name']} {json.dumps(event['value'], sort_keys=True)}"
            assert told not in shown, f"{told} twice"
            yield told, True
        case _:
            pass
