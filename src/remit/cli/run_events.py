"""Events of a run for display, derived from its items as they are stored."""

from __future__ import annotations

import json
from typing import Any, Final, cast

from msgspec import Struct

from remit.cli.text import one_line, summarize_arguments
from remit.contracts.changed import CHANGED
from remit.contracts.chat import decode_message
from remit.contracts.items import (
    AttemptStarted,
    DecisionItem,
    Message,
    Mismatch,
    Note,
    Outcome,
    Position,
    QuestionItem,
    RunOpened,
    ToolOutput,
    output_content,
)
from remit.contracts.question import Decision, Question
from remit.contracts.seen import SEEN
from remit.contracts.wire import read_tool_calls, text_of_message
from remit.errors import CallError, ToolFailedError, error_from_reply
from remit.journal.codec import message_text

REPEAT_NOTICE: Final = "the call will be made again"
"""The consequence of stating that an interrupted call did not happen."""

_DIFFERS: Final = (
    "the agent is not the one that began this run: it was changed since, or belongs to another application of the same "
    "name (see --app); recorded answers are kept"
)


class ModelText(Struct, frozen=True, kw_only=True):
    """The model wrote text beside its tool calls."""

    text: str


class ToolCalled(Struct, frozen=True, kw_only=True):
    """The model requested a call; ``arguments`` is the raw text."""

    name: str
    arguments: str


class CallEnded(Struct, frozen=True, kw_only=True):
    """A call ended. ``nested``: a tool made it, not the model. A call that never started was refused.

    ``announced``: it only announced a call, whose question it opened or an equal call before it.
    """

    name: str
    outcome: Outcome
    seconds: float | None
    error: CallError | None
    nested: bool
    announced: bool = False


class NoteLogged(Struct, frozen=True, kw_only=True):
    """A tool logged a note."""

    text: str


class QuestionAsked(Struct, frozen=True, kw_only=True):
    """A question was opened."""

    question: Question


class DecisionMade(Struct, frozen=True, kw_only=True):
    """A decision reached the call that waits for it."""

    decision: Decision


RunEvent = ModelText | ToolCalled | CallEnded | NoteLogged | QuestionAsked | DecisionMade


class RunFollower:
    """Follows one run.

    ``run`` is its id once an item was processed; ``root_call`` is the end of its root call.
    """

    def __init__(self) -> None:
        self.run = ""
        self.open_calls: dict[str, str] = {}
        self._started_at: dict[str, float] = {}
        self._called_at: dict[str, float] = {}
        self._arguments: dict[str, str] = {}
        self._announcing_calls: set[str] = set()
        self._announcements: set[tuple[str, str]] = set()
        self.ended_calls: list[CallEnded] = []
        self._has_differed = False
        self.root_call: CallEnded | None = None

    def process_item(self, position: Position) -> list[RunEvent]:
        """Convert an item to events."""
        item = position.item
        self.run = position.run
        match item:
            case Message():
                return self._message_events(item, position.at)
            case AttemptStarted():
                self._started_at.setdefault(item.call, position.at)
            case ToolOutput() if item.parent:
                ended = self._end_call(item, position.at)
                self.ended_calls.append(ended)
                return [ended]
            case ToolOutput():
                self.root_call = self._end_call(item, position.at)
            case RunOpened():
                self._started_at[item.call] = position.at
            case QuestionItem():
                question = Question.from_json(item.body)
                self._announcing_calls.update({question.call} - ({item.call} if question.waits else set()))
                return [QuestionAsked(question=question)] if opens_question(item, question) else []
            case DecisionItem():
                return [DecisionMade(decision=Decision.from_json(item.body))]
            case Note() | Mismatch():
                return self._note_events(item)
            case _:
                pass
        return []

    def _note_events(self, item: Note | Mismatch) -> list[RunEvent]:
        if isinstance(item, Note):
            # Receipts say what changed.
            return [] if item.name in (CHANGED, SEEN) else [NoteLogged(text=note_text(item))]
        known, self._has_differed = self._has_differed, True
        return [] if known else [NoteLogged(text=_DIFFERS)]

    def _message_events(self, item: Message, at: float) -> list[RunEvent]:
        message = decode_message(message_text(item))
        if message["role"] != "assistant":
            return []
        calls, content = read_tool_calls(message), text_of_message(message)
        events: list[RunEvent] = [ModelText(text=content)] if calls and content.strip() else []
        for call in calls:
            self.open_calls[call.id] = call.name
            self._called_at[call.id] = at
            self._arguments[call.id] = call.arguments
            events.append(ToolCalled(name=call.name, arguments=call.arguments))
        return events

    def _end_call(self, item: ToolOutput, at: float) -> CallEnded:
        self.open_calls.pop(item.wire, None)
        called_at = self._called_at.pop(item.wire, None)
        request = (item.callee, self._arguments.pop(item.wire, item.call))
        if item.call in self._announcing_calls:
            self._announcements.add(request)
        started_at = self._started_at.pop(item.call, called_at if item.outcome == "ok" else None)
        return CallEnded(
            name=item.callee,
            outcome=item.outcome,
            seconds=None if started_at is None else at - started_at,
            error=error_of(item),
            nested=not item.wire,
            announced=item.outcome == "ok" and request in self._announcements,
        )


def question_title(question: Question) -> str:
    """The question in one sentence that names the subject of the call."""
    if question.kind == "outcome":
        return f"{call_label(question)} was started and its end is unknown; did it happen?"
    if question.is_about_run:
        return f"may run {question.run} go on asking? {one_line(question.reason)}"
    return f"may {call_label(question)} run?"


def call_label(question: Question) -> str:
    """The tool of a question, and the object of the call: the first line of its preview, or else its arguments.

    Arguments at their defaults are omitted.
    """
    first_line = question.shown.partition("\n")[0]
    if first_line:
        about = one_line(first_line, max_length=100)
    else:
        about = summarize_arguments(question.arguments, without=question.at_default)
    return f"{one_line(question.tool)} ({about})" if about else one_line(question.tool)


def decision_word(decision: Decision, *, about_outcome: bool) -> str:
    """The word for a decision, about permission to run or about the outcome of an interrupted call."""
    if about_outcome:
        return "happened" if decision.approved else "did not happen"
    if not decision.approved:
        return "denied"
    return "confirmed" if decision.kind == "confirm" else "approved"


def decision_detail(decision: Decision) -> str:
    """Details of a decision: whether a grant made it and whether the arguments were edited."""
    if decision.grant:
        return f", by grant {decision.grant}"
    return f", edited to {summarize_arguments(decision.arguments)}" if decision.arguments else ""


def error_of(item: ToolOutput) -> CallError | None:
    """The error of a failed call, or None."""
    if item.outcome == "ok":
        return None
    content = output_content(item)
    try:
        return error_from_reply(content)
    except (ValueError, AttributeError):
        return ToolFailedError(content)


def tool_call_ids(item: Message) -> list[str]:
    """The ids of the tool calls in a model's message."""
    message = decode_message(message_text(item))
    return [call["id"] for call in message.get("tool_calls") or ()] if message["role"] == "assistant" else []


def opens_question(item: QuestionItem, question: Question) -> bool:
    """Whether the item opens the question; the announced call later refers to the one already open."""
    return question.waits or item.call == question.match


def note_text(item: Note) -> str:
    """The text of ``ctx.log`` or ``ctx.emit``, on one line."""
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
