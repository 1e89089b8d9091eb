"""Events of a run for display, derived from its items when they are stored."""

from __future__ import annotations

import json
from typing import Final, cast

from msgspec import Struct

from remit.approvals.shadow import read_shadow
from remit.call.changed import Changed
from remit.call.log import LogLevel, LogLine
from remit.cli.text import one_line, summarize_arguments
from remit.errors import CallError
from remit.record.items import (
    DecisionItem,
    Message,
    Mismatch,
    Note,
    Outcome,
    Position,
    QuestionItem,
    ToolOutput,
)
from remit.record.question import Decision, Question
from remit.record.seen import Seen
from remit.record.sentence import Sentence
from remit.views.parts import CallView, MessageView, only_announces
from remit.views.receipt import FindContract
from remit.views.run_view import RunView
from remit.views.sentences import sentence_of, sentence_of_question

REPEAT_NOTICE: Final = "the call will be made again"
"""The consequence of stating that an interrupted call did not happen."""

_DIFFERS: Final = (
    "the agent is not the one that began this run: it was changed since, or belongs to another application of the same "
    "name (see --app); recorded answers are kept"
)


class ModelText(Struct, frozen=True, kw_only=True):
    """The model wrote text in addition to its tool calls."""

    text: str


class ToolCalled(Struct, frozen=True, kw_only=True):
    """The model requested a call."""

    name: str
    sentence: Sentence


class CallEnded(Struct, frozen=True, kw_only=True):
    """A call ended. ``nested``: a tool made it, not the model. A call that never started was refused.

    ``announced``: it only announced a call, whose question it opened or an equal call before it.
    """

    name: str
    sentence: Sentence
    outcome: Outcome
    seconds: float | None
    error: CallError | None
    nested: bool
    announced: bool = False


class NoteLogged(Struct, frozen=True, kw_only=True):
    """A tool logged a message, or emitted a note."""

    text: str
    level: LogLevel = "info"


class QuestionAsked(Struct, frozen=True, kw_only=True):
    """A question was opened."""

    question: Question


class DecisionMade(Struct, frozen=True, kw_only=True):
    """A decision reached the call that waits for it."""

    decision: Decision


RunEvent = ModelText | ToolCalled | CallEnded | NoteLogged | QuestionAsked | DecisionMade


class RunFollower:
    """Follows runs, one after the other.

    After the first item, ``run`` is the id of the current run, and ``view`` is the fold of its items so far.
    ``find_contract`` finds the tools whose sentences say what their calls do.
    """

    def __init__(self, find_contract: FindContract = lambda _name: None) -> None:
        self._find_contract = find_contract
        self.run: str = ""
        self.view = RunView()
        self.ended_calls: list[CallEnded] = []
        self._open: list[CallView] = []
        self._announcements: set[tuple[str, str]] = set()
        self._has_differed = False

    def list_open_calls(self) -> list[str]:
        """What the unfinished calls that models have requested are doing."""
        self._open = [each for each in self._open if each.output is None]
        return [sentence_of(each, self._find_contract(each.tool), "running").text for each in self._open]

    def forget_open_calls(self) -> None:
        """Forget the currently open calls, because the run rests or another run begins."""
        self._open.clear()

    @property
    def root_call(self) -> CallEnded | None:
        """The end of the call at the root of the run, if it has ended."""
        root = self.view.root
        return None if root is None or root.output is None else self._describe_end(root)

    def process_item(self, position: Position) -> list[RunEvent]:
        """Convert an item to events."""
        item = position.item
        if position.run != self.run:
            self.run, self.view = position.run, RunView()
        self.view.add(item, position.at)
        match item:
            case Message():
                message = self.view.messages[-1]
                self._open += message.calls
                return self._message_events(message)
            case ToolOutput() if item.parent:
                self.ended_calls.append(self._describe_end(self.view.calls[item.call]))
                return [self.ended_calls[-1]]
            case QuestionItem():
                question = self.view.questions[item.question].question
                return [QuestionAsked(question=question)] if opens_question(item, question) else []
            case DecisionItem():
                return [DecisionMade(decision=Decision.from_json(item.body))]
            case Note() | Mismatch():
                return self._note_events(item)
            case _:
                return []

    def _note_events(self, item: Note | Mismatch) -> list[RunEvent]:
        if isinstance(item, Note):
            # Receipts say what changed.
            line = LogLine.from_note(item)
            logged = NoteLogged(text=note_text(item), level="info" if line is None else line.level)
            return [] if item.name in (Changed.note_name, Seen.note_name) else [logged]
        known, self._has_differed = self._has_differed, True
        return [] if known else [NoteLogged(text=_DIFFERS)]

    def _describe_end(self, call: CallView) -> CallEnded:
        request, contract = (call.tool, call.arguments or call.id), self._find_contract(call.tool)
        if only_announces(call, contract):
            self._announcements.add(request)
        assert call.output is not None  # noqa: S101 - for the type checker: it has ended
        announced = call.output.outcome == "ok" and request in self._announcements
        return CallEnded(
            name=call.tool,
            sentence=sentence_of(call, contract, "announced" if announced else None),
            outcome=call.output.outcome,
            seconds=call.seconds,
            error=call.error,
            nested=not call.wire,
            announced=announced,
        )

    def _message_events(self, message: MessageView) -> list[RunEvent]:
        if message.role != "assistant":
            return []
        said = [ModelText(text=message.text)] if message.calls and message.text.strip() else []
        return [*said, *(ToolCalled(name=each.tool, sentence=self._ask(each)) for each in message.calls)]

    def _ask(self, call: CallView) -> Sentence:
        return sentence_of(call, self._find_contract(call.tool), "asked")


def question_title(question: Question) -> str:
    """The question in one sentence that names the subject of the call."""
    if question.kind == "outcome":
        return f"Did this happen: {call_label(question)}? It was started and its end is unknown."
    if question.is_about_run:
        return f"May run {question.run} go on asking? {one_line(question.why)}"
    return f"{call_label(question)}?"


def call_label(question: Question) -> str:
    """What the call of a question would do."""
    return sentence_of_question(question).text


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


def opens_question(item: QuestionItem, question: Question) -> bool:
    """Whether the item opens the question; the announced call later refers to the one already open."""
    return question.waits or item.call == question.match


def note_text(item: Note) -> str:
    """The text of ``ctx.log`` or ``ctx.emit``, or what a shadow policy says, on one line."""
    shadow = read_shadow(item)
    if shadow is not None:
        why = ": ".join(filter(None, (shadow.after.rule, shadow.after.reason)))
        return f"shadow policy: {shadow.after.word}{why and f' ({why})'}; policy in force: {shadow.before.word}"
    line = LogLine.from_note(item)
    if line is not None:
        return " ".join([line.message, *(f"{name}={json.dumps(value)}" for name, value in line.fields.items())])
    data = _json_or_text(item.data)
    return item.name if data is None else f"{item.name}: {json.dumps(data, ensure_ascii=False)}"


def _json_or_text(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except ValueError:
        return text
