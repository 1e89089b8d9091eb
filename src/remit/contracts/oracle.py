"""Says each way in which a chat history is broken. A provider refuses the whole request for any of them."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

from pydantic import TypeAdapter, ValidationError

from remit.contracts.chat import ChatMessage


class Broken(enum.Enum):
    """The ways in which a history can be broken."""

    NOT_JSON = "a text is not JSON"
    NOT_A_MESSAGE = "a text is no chat message"
    SYSTEM_NOT_FIRST = "a system message stands anywhere but first"
    UNPAIRED_CALL = "a tool call has no reply"
    UNKNOWN_REPLY = "a tool message replies to no call of the assistant message before it"
    REPLIED_TWICE = "a tool call has two replies"
    OUT_OF_ORDER = "replies stand in another order than their calls"
    NOT_CONTIGUOUS = "something stands between a call and its reply"
    EMPTY_ID = "a tool call has no id"
    DUPLICATE_ID = "two tool calls have one id"
    EMPTY_NAME = "a tool call names no tool"
    EMPTY_CALLS = "an assistant message has an empty list of tool calls"


class Fault(NamedTuple):
    """One fault: what is broken, and which message, counted from 0."""

    broken: Broken
    message: int


_MESSAGE: TypeAdapter[ChatMessage] = TypeAdapter(ChatMessage)


def faults(texts: Iterable[str]) -> list[Fault]:
    """Everything that is wrong with a history of wire texts, in order; empty for a valid one."""
    reader = _Reader()
    for index, text in enumerate(texts):
        reader.read(index, text)
    reader.close()
    return sorted(reader.found, key=lambda fault: fault.message)


class _Reader:
    def __init__(self) -> None:
        self.found: list[Fault] = []
        self._ids: set[str] = set()
        self._open: dict[str, int] = {}
        self._order: list[str] = []
        self._replied: set[str] = set()

    def read(self, index: int, text: str) -> None:
        try:
            message = cast("dict[str, Any]", json.loads(text))
        except ValueError:
            self._fault(Broken.NOT_JSON, index)
            return
        try:
            _MESSAGE.validate_python(message)
        except ValidationError:
            self._fault(Broken.NOT_A_MESSAGE, index)
            return
        match message["role"]:
            case "tool":
                self._reply(index, message["tool_call_id"])
            case "system" if index > 0:
                self._fault(Broken.SYSTEM_NOT_FIRST, index)
            case "assistant":
                self.close()
                self._assistant(index, message)
            case _:
                self._interrupt(index)

    def close(self) -> None:
        """No more replies can come to the calls that are open."""
        for index in self._open.values():
            self._fault(Broken.UNPAIRED_CALL, index)
        self._open, self._order, self._replied = {}, [], set()

    def _assistant(self, index: int, message: dict[str, Any]) -> None:
        calls = message.get("tool_calls")
        if calls == []:
            self._fault(Broken.EMPTY_CALLS, index)
        for call in calls or ():
            if not call["id"]:
                self._fault(Broken.EMPTY_ID, index)
            elif call["id"] in self._ids:
                self._fault(Broken.DUPLICATE_ID, index)
            if not call["function"]["name"]:
                self._fault(Broken.EMPTY_NAME, index)
            self._ids.add(call["id"])
            self._open[call["id"]] = index
            self._order.append(call["id"])

    def _reply(self, index: int, wire: str) -> None:
        if wire in self._replied:
            self._fault(Broken.REPLIED_TWICE, index)
        elif wire not in self._open:
            self._fault(Broken.UNKNOWN_REPLY, index)
        else:
            if self._order[len(self._replied)] != wire:
                self._fault(Broken.OUT_OF_ORDER, index)
            del self._open[wire]
            self._replied.add(wire)

    def _interrupt(self, index: int) -> None:
        if self._open:
            self._fault(Broken.NOT_CONTIGUOUS, index)
        self.close()

    def _fault(self, broken: Broken, index: int) -> None:
        self.found.append(Fault(broken, index))
