"""The part of an open answer that a reader has received, and the events for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from remit.client.following import DeltaEvent
from remit.server.agui.events import (
    Event,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallStart,
)

_NOT_STARTED = -1


def tool_call_id(request: str, index: int) -> str:
    """The id of the call with that index in the answer to a request: the same while it is written and afterwards."""
    return f"{request}/{index}"


class ToldAnswer(Struct):
    """The answer to a request as far as it was told: the characters of its text, and of the arguments of each call.

    ``is_held``: a piece could not be told, because the name of its call was not known; the rest is told when the
    answer is recorded.
    """

    request: str
    text: int = _NOT_STARTED
    arguments: dict[int, int] = {}
    is_held: bool = False

    def tell_piece(self, piece: DeltaEvent) -> Iterator[Event]:
        """The events of the next piece."""
        if self.is_held:
            return
        if piece.kind == "text":
            yield from self._tell_text(piece.text)
            return
        if piece.index not in self.arguments and not piece.name:
            self.is_held = True
            return
        yield from self._tell_call(piece.index, piece.name, piece.text)

    def tell_rest(self, text: str, calls: Sequence[tuple[str, str]]) -> Iterator[Event]:
        """The events of what is left of a recorded answer: its text, and the name and arguments of each call."""
        if text or self.text >= 0:
            yield from self._tell_text(text[max(self.text, 0) :])
            yield TextMessageEnd(message_id=self.request)
        for index, (name, arguments) in enumerate(calls):
            yield from self._tell_call(index, name, arguments[self.arguments.get(index, 0) :])
            yield ToolCallEnd(tool_call_id=tool_call_id(self.request, index))

    def withdraw(self) -> Iterator[Event]:
        """The events that end what was told of a discarded answer."""
        if self.text >= 0:
            self.text = _NOT_STARTED
            yield TextMessageEnd(message_id=self.request)
        for index in list(self.arguments):
            del self.arguments[index]
            yield ToolCallEnd(tool_call_id=tool_call_id(self.request, index))

    def _tell_text(self, text: str) -> Iterator[Event]:
        if self.text < 0:
            self.text = 0
            yield TextMessageStart(message_id=self.request, role="assistant")
        if text:
            self.text += len(text)
            yield TextMessageContent(message_id=self.request, delta=text)

    def _tell_call(self, index: int, name: str, arguments: str) -> Iterator[Event]:
        call = tool_call_id(self.request, index)
        if index not in self.arguments:
            self.arguments[index] = 0
            yield ToolCallStart(tool_call_id=call, tool_call_name=name, parent_message_id=self.request)
        if arguments:
            self.arguments[index] += len(arguments)
            yield ToolCallArgs(tool_call_id=call, delta=arguments)

    def copy(self) -> ToldAnswer:
        """The answer as it is told now."""
        return ToldAnswer(self.request, self.text, dict(self.arguments), self.is_held)

    def __str__(self) -> str:
        counts = "".join(f"*{index}={count}" for index, count in self.arguments.items())
        return f"{self.request}*{self.text}{counts}{'*held' if self.is_held else ''}"

    @staticmethod
    def parse(text: str) -> ToldAnswer:
        """Read what `__str__` wrote.

        Raises:
            ValueError: it is something else.
        """
        request, told, *counts = text.split("*")
        is_held = counts[-1:] == ["held"]
        pairs = (each.split("=", 1) for each in (counts[:-1] if is_held else counts))
        arguments = {int(index): max(int(count), 0) for index, count in pairs}
        return ToldAnswer(request, max(int(told), _NOT_STARTED), arguments, is_held)
