"""What a person is told while a run goes on, read from its items as they are stored."""

from __future__ import annotations

import json
from typing import Any, Final, cast

from remit.cli.legible import brief, one_line
from remit.contracts.chat import read
from remit.contracts.items import (
    Asked,
    Decided,
    Message,
    ModelReply,
    Note,
    Opened,
    Outcome,
    Position,
    Started,
    ToolOutput,
)
from remit.contracts.question import Decision, Question
from remit.core.frozen import frozen
from remit.errors import CallError, ToolFailedError, from_reply
from remit.journal.codec import message_text, tool_content

AGAIN: Final = "the call will be made again"
"""What comes of saying that a call which was cut off did not happen."""


@frozen
class Said:
    """The model said something beside the calls it wants."""

    text: str


@frozen
class Wanted:
    """The model wants a call; ``arguments`` is its raw text."""

    name: str
    arguments: str


@frozen
class CallEnded:
    """A call has ended; ``nested`` if a tool made it, not the model. Without a start it was refused before it ran."""

    name: str
    outcome: Outcome
    seconds: float | None
    error: CallError | None
    nested: bool


@frozen
class Noted:
    """A tool told how it comes along."""

    text: str


@frozen
class Put:
    """A question to a person was opened."""

    question: Question


@frozen
class Taken:
    """A person's decision reached the call that waits for it."""

    decision: Decision


Event = Said | Wanted | CallEnded | Noted | Put | Taken


class Following:
    """Follows one run. ``run`` is its id as soon as an item of it was seen, ``root`` how the call at its root ended."""

    def __init__(self) -> None:
        self.run = ""
        self.running: dict[str, str] = {}
        self._started: dict[str, float] = {}
        self._wanted: dict[str, float] = {}
        self.calls: list[CallEnded] = []
        self.root: CallEnded | None = None

    def see(self, position: Position) -> list[Event]:
        """What an item tells."""
        item = position.item
        self.run = position.run
        match item:
            case Message() | ModelReply():
                return self._message(item, position.at)
            case Started():
                self._started.setdefault(item.call, position.at)
            case ToolOutput() if item.parent:
                ended = self._ended(item, position.at)
                self.calls.append(ended)
                return [ended]
            case ToolOutput():
                self.root = self._ended(item, position.at)
            case Opened():
                self._started[item.call] = position.at
            case Asked():
                question = Question.of(item.body)
                return [Put(question=question)] if is_new(item, question) else []
            case Decided():
                return [Taken(decision=Decision.of(item.body))]
            case Note():
                return [Noted(text=note_text(item))]
            case _:
                pass
        return []

    def _message(self, item: Message | ModelReply, at: float) -> list[Event]:
        message = read(message_text(item))
        if message["role"] != "assistant":
            return []
        calls = message.get("tool_calls") or []
        content = message.get("content")
        events: list[Event] = [Said(text=content)] if calls and isinstance(content, str) and content.strip() else []
        for call in calls:
            self.running[call["id"]] = call["function"]["name"]
            self._wanted[call["id"]] = at
            events.append(Wanted(name=call["function"]["name"], arguments=call["function"]["arguments"]))
        return events

    def _ended(self, item: ToolOutput, at: float) -> CallEnded:
        self.running.pop(item.wire, None)
        wanted = self._wanted.pop(item.wire, None)
        started = self._started.pop(item.call, wanted if item.outcome == "ok" else None)
        return CallEnded(
            name=item.callee,
            outcome=item.outcome,
            seconds=None if started is None else at - started,
            error=error_of(item),
            nested=not item.wire,
        )


def title(question: Question) -> str:
    """What a question asks, in one sentence."""
    tool = one_line(question.tool)
    if question.kind == "outcome":
        return f"{tool} was under way when its process died; did it happen?"
    return f"{tool} wants to run; may it?"


def decided(decision: Decision, *, outcome: bool) -> str:
    """What a person said: to the question whether a call may run, or whether one that was cut off has happened."""
    if outcome:
        return "happened" if decision.approved else "did not happen"
    return "approved" if decision.approved else "denied"


def by_what(decision: Decision) -> str:
    """What is special about a decision: it came by a grant, or the arguments were edited."""
    if decision.grant:
        return f", by grant {decision.grant}"
    return f", edited to {brief(decision.arguments)}" if decision.arguments else ""


def error_of(item: ToolOutput) -> CallError | None:
    """The error that a call ended with."""
    if item.outcome == "ok":
        return None
    content = tool_content(item)
    try:
        return from_reply(content)
    except (ValueError, AttributeError):
        return ToolFailedError(content)


def wires(item: Message | ModelReply) -> list[str]:
    """The ids by which a model's message names the calls that it wants."""
    message = read(message_text(item))
    return [call["id"] for call in message.get("tool_calls") or ()] if message["role"] == "assistant" else []


def is_new(item: Asked, question: Question) -> bool:
    """Whether the item opens the question; the announced call, when it comes, refers to the one that was open."""
    return question.waits or item.call == question.match


def note_text(item: Note) -> str:
    """What a body told with ``ctx.log`` or ``ctx.emit``, on one line."""
    data = _json_or_text(item.data)
    if item.name == "log" and isinstance(data, dict):
        fields = dict(cast("dict[str, Any]", data))
        message = str(fields.pop("message", ""))
        return " ".join([message, *(f"{name}={json.dumps(value)}" for name, value in fields.items())])
    return item.name if data is None else f"{item.name}: {json.dumps(data, ensure_ascii=False)}"


def _json_or_text(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except ValueError:
        return text
