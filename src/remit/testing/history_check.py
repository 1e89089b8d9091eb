"""Finds every defect of a chat history. Providers refuse the whole request for any of them."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple, cast

from pydantic import TypeAdapter, ValidationError

from remit.chat.chat import ChatMessage
from remit.chat.wire import ModelText, plain_message, read_tool_calls
from remit.core.checks import as_text_tuple
from remit.errors import SetupError


class HistoryErrorKind(enum.Enum):
    """The kinds of defects."""

    NOT_JSON = "a text is not JSON"
    NOT_A_MESSAGE = "a text is not a chat message"
    SYSTEM_NOT_FIRST = "a system message is not the first message"
    UNPAIRED_CALL = "a tool call has no reply"
    UNKNOWN_REPLY = "a tool message replies to no call of the assistant message before it"
    REPLIED_TWICE = "a tool call has two replies"
    OUT_OF_ORDER = "replies are in another order than their calls"
    NOT_CONTIGUOUS = "another message comes between a call and its reply"
    EMPTY_ID = "a tool call has no id"
    DUPLICATE_ID = "two tool calls have the same id"
    EMPTY_NAME = "a tool call names no tool"
    EMPTY_CALLS = "an assistant message has an empty list of tool calls"


class HistoryError(NamedTuple):
    """One defect: its kind, and the index of the message, counted from 0."""

    kind: HistoryErrorKind
    message_index: int


@cache
def _message_adapter() -> TypeAdapter[ChatMessage]:
    return TypeAdapter(ChatMessage)


def history_errors(texts: Iterable[str]) -> list[HistoryError]:
    """Return every defect in a history of wire texts, in order; empty for a valid history."""
    reader = _HistoryChecker()
    for index, text in enumerate(as_text_tuple("history_errors: texts", texts)):
        reader.check_message(index, text)
    reader.close_calls()
    return sorted(reader.errors, key=lambda error: error.message_index)


class _HistoryChecker:
    def __init__(self) -> None:
        self.errors: list[HistoryError] = []
        self._seen_ids: set[str] = set()
        self._open_calls: dict[str, int] = {}
        self._call_order: list[str] = []
        self._replied_ids: set[str] = set()

    def check_message(self, index: int, text: str) -> None:
        try:
            decoded: object = json.loads(text)
        except ValueError:
            self._add_error(HistoryErrorKind.NOT_JSON, index)
            return
        message = cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else {}
        try:
            known = plain_message(message) if message.get("role") == "assistant" else message
            _message_adapter().validate_python(known)
        except (ValidationError, SetupError):
            self._add_error(HistoryErrorKind.NOT_A_MESSAGE, index)
            return
        match message["role"]:
            case "tool":
                self._check_reply(index, message["tool_call_id"])
            case "system" if index > 0:
                self._add_error(HistoryErrorKind.SYSTEM_NOT_FIRST, index)
            case "assistant":
                self.close_calls()
                self._check_assistant(index, text, message)
            case _:
                self._end_replies(index)

    def close_calls(self) -> None:
        """Report open calls that got no reply."""
        for index in self._open_calls.values():
            self._add_error(HistoryErrorKind.UNPAIRED_CALL, index)
        self._open_calls, self._call_order, self._replied_ids = {}, [], set()

    def _check_assistant(self, index: int, text: str, message: dict[str, Any]) -> None:
        if message.get("tool_calls") == [] and not isinstance(text, ModelText):
            self._add_error(HistoryErrorKind.EMPTY_CALLS, index)
        for call in read_tool_calls(message):
            if not call.id:
                self._add_error(HistoryErrorKind.EMPTY_ID, index)
            elif call.id in self._seen_ids:
                self._add_error(HistoryErrorKind.DUPLICATE_ID, index)
            if not call.name:
                self._add_error(HistoryErrorKind.EMPTY_NAME, index)
            self._seen_ids.add(call.id)
            self._open_calls[call.id] = index
            self._call_order.append(call.id)

    def _check_reply(self, index: int, call_id: str) -> None:
        if call_id in self._replied_ids:
            self._add_error(HistoryErrorKind.REPLIED_TWICE, index)
        elif call_id not in self._open_calls:
            self._add_error(HistoryErrorKind.UNKNOWN_REPLY, index)
        else:
            if self._call_order[len(self._replied_ids)] != call_id:
                self._add_error(HistoryErrorKind.OUT_OF_ORDER, index)
            del self._open_calls[call_id]
            self._replied_ids.add(call_id)

    def _end_replies(self, index: int) -> None:
        if self._open_calls:
            self._add_error(HistoryErrorKind.NOT_CONTIGUOUS, index)
        self.close_calls()

    def _add_error(self, kind: HistoryErrorKind, index: int) -> None:
        self.errors.append(HistoryError(kind, index))
