"""Reads the streams of a server as a client does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from ag_ui.core import Event
from ag_ui_validate import create_validator
from pydantic import TypeAdapter

from figures.agui_reader import AguiReader, Frame

PIECES: Final = frozenset({"TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS"})
_EVENT: Final = TypeAdapter[Any](Event)


def check_protocol(frames: Iterable[Frame]) -> None:
    """Read each event with the models of the protocol."""
    for _, event in frames:
        _EVENT.validate_json(json.dumps(event))


def find_problems(events: Iterable[dict[str, Any]]) -> list[str]:
    """What another implementation of the protocol finds wrong with a stream."""
    validator = create_validator()
    for event in events:
        validator.feed(event)
    validator.finalize()
    return [f"{each.rule} {each.message}" for each in validator.report().diagnostics if each.severity != "info"]


def types_of(frames: Iterable[Frame]) -> list[str]:
    """The types of the events, of custom ones the names. How many pieces a text comes in depends on the machine."""
    types = [event["name"] if event["type"] == "CUSTOM" else event["type"] for _, event in frames]
    return [each for each, before in zip(types, ["", *types], strict=False) if each != before or each not in PIECES]


def fold(events: Iterable[dict[str, Any]]) -> dict[str, str]:
    """What a display shows after the events, in the order of their begin; nothing may come twice."""
    reader = AguiReader().add_all(events)
    assert (reader.doubled, reader.broken) == (0, 0)
    return reader.shown
