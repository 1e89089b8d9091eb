"""Streams of AG-UI events, as another implementation of the protocol judges them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.edges.tally import add_violations
from tests.server.agui import find_problems


def check_streams(*streams: Sequence[dict[str, Any]]) -> None:
    """Count the streams that are wrong, and fail if there are some."""
    wrong = [problems for events in streams if (problems := find_problems(events))]
    add_violations("agui.invalid_streams", len(wrong), len(streams), "streams that ag-ui-validate finds wrong")
    assert wrong == [], wrong


def as_resumed(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The stream after an interrupt, with the calls of the one before it, which its client holds and it may answer."""
    calls = [
        {"id": each["toolCallId"], "type": "function", "function": {"name": each["toolCallName"], "arguments": "{}"}}
        for each in before
        if each["type"] == "TOOL_CALL_START"
    ]
    held = {"id": "held", "role": "assistant", "toolCalls": calls}
    return [after[0], {"type": "MESSAGES_SNAPSHOT", "messages": [held]}, *after[1:]]
