"""A reader of AG-UI events: what it shows after them, and what came twice or continued what never began."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

Frame = tuple[str, dict[str, Any]]


def read_frames(text: str) -> list[Frame]:
    """The id and the data of each event of a stream."""
    found = list[Frame]()
    for part in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in part.splitlines() if not line.startswith(":"))
        if "data" in lines:
            found.append((lines.get("id", ""), json.loads(lines["data"])))
    return found


class AguiReader:
    """Folds events as a display does.

    ``shown`` are texts, calls, results and values of events by their ids, in the order in which they began.
    ``doubled`` counts what came twice, and ``broken`` what continued without a begin.
    """

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}
        self.doubled = self.broken = 0

    def add(self, event: dict[str, Any]) -> None:
        """Take one event."""
        ident = event.get("messageId") or event.get("toolCallId") or ""
        match event["type"]:
            case "TEXT_MESSAGE_START" | "REASONING_MESSAGE_START":
                self._begin(ident, "")
            case "TOOL_CALL_START":
                self._begin(event["toolCallId"], f"{event['toolCallName']} ")
            case "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT":
                self._continue(ident, event["delta"])
            case "TOOL_CALL_ARGS":
                self._continue(event["toolCallId"], event["delta"])
            case "TEXT_MESSAGE_END" | "TOOL_CALL_END":
                self._begin(f"{ident} ended", "")
            case "TOOL_CALL_RESULT":
                self._begin(f"{event['toolCallId']} result", event["content"])
            case "CUSTOM":
                self._begin(f"{event['name']} {json.dumps(event['value'], sort_keys=True)}", "")
            case "MESSAGES_SNAPSHOT":
                self._take_snapshot(event["messages"])
            case _:
                pass

    def add_all(self, events: Iterable[dict[str, Any]]) -> AguiReader:
        """Take several events."""
        for each in events:
            self.add(each)
        return self

    def _begin(self, ident: str, value: str) -> None:
        self.doubled += ident in self.shown
        self.shown[ident] = value

    def _continue(self, ident: str, text: str) -> None:
        self.broken += ident not in self.shown
        self.shown[ident] = self.shown.get(ident, "") + text

    def _take_snapshot(self, messages: list[dict[str, Any]]) -> None:
        """Forget the messages and calls that a snapshot does not have."""
        known = {each["id"] for each in messages} | {
            call["id"] for each in messages for call in each.get("toolCalls", ())
        }
        for ident in list(self.shown):
            owner = ident.removesuffix(" ended").removesuffix(" result")
            if not ident.startswith("remit.") and owner not in known:
                del self.shown[ident]
