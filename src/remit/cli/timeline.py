"""A run as a timeline: events with time, depth, duration and decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from msgspec import structs

from remit.call.contract import Contract
from remit.chat.chat import decode_message
from remit.chat.wire import read_tool_calls
from remit.cli.run_events import (
    decision_detail,
    decision_word,
    note_text,
    opens_question,
    question_title,
)
from remit.cli.text import describe_tokens, format_duration, json_text, one_line, summarize_arguments
from remit.errors import error_from_reply
from remit.journal.codec import message_text
from remit.record.items import (
    ArgumentsBound,
    AttemptEnded,
    AttemptStarted,
    CallEntered,
    CallReceived,
    DecisionItem,
    GivenMessage,
    Handoff,
    HistoryCompacted,
    Item,
    Message,
    Mismatch,
    ModelExchange,
    ModelFailure,
    ModelUsage,
    Note,
    Position,
    QuestionItem,
    RuleRead,
    RunFinished,
    RunLoosened,
    RunOpened,
    RunScheduled,
    RunStalled,
    RunSuspended,
    ToolOutput,
    TurnEnded,
    UsesReserved,
)
from remit.record.question import Decision
from remit.views.changed_tools import has_changed_since
from remit.views.parts import CallView
from remit.views.run_view import RunView
from remit.views.sentences import Form, sentence_of

_MAX_TEXT_LENGTH: Final = 200
_MAX_REASON_LENGTH: Final = 2000
_PLACE: Final = frozenset({"call", "parent", "callee", "wire"})
"""The fields of items that say where an item belongs, which the depth of its line shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One event, ``offset`` seconds after the start of the run and ``depth`` calls deep."""

    offset: float
    depth: int
    label: str
    text: str
    risk: str = ""


class Timeline:
    """Builds the timeline of a run from its items and the ``view`` of them.

    ``tools`` are the present tools by name. Their sentences say what calls do; they give the risk of tools that no
    question mentions, and show which have changed since.
    """

    def __init__(self, positions: Sequence[Position], tools: Mapping[str, Contract]) -> None:
        self._positions = positions
        self._tools = tools
        self.view = RunView.of(positions)
        self._messages = {each.place: each for each in self.view.messages}
        risks = {name: each.facts.risk.value for name, each in tools.items()}
        asked = (each.question for each in self.view.questions.values())
        self._risks = {**risks, **{question.tool: question.risk for question in asked}}

    def entries(self) -> list[TimelineEntry]:
        """The entries in the order in which the journal was written."""
        run_started_at = self._positions[0].at
        return [
            TimelineEntry(offset=position.at - run_started_at, depth=depth, label=what, text=text, risk=risk)
            for place, position in enumerate(self._positions, 1)
            for depth, what, text, risk in self._item_entries(place, position)
        ]

    def _say(self, call: CallView, form: Form | None = None) -> str:
        return sentence_of(call, self._tools.get(call.tool), form).text

    def _item_entries(self, place: int, position: Position) -> Iterator[tuple[int, str, str, str]]:
        item, call = position.item, self.view.call_of(position.item)
        depth, risk = self.view.depth(call), "" if call is None else self._risks.get(call.tool, "")
        match item:
            case Message() | GivenMessage():
                given = "given " if isinstance(item, GivenMessage) else ""
                yield from ((depth, given + what, text, "") for what, text in self._message_entries(place, item))
            case ToolOutput() if call is not None:
                yield depth, item.outcome, self._output_text(call), risk
            case AttemptStarted() if call is not None:
                changed = ", changed since" if has_changed_since(item, self._tools.get(call.tool)) else ""
                yield depth, "started", f"{self._started_text(call, item)}{changed}", risk
            case CallReceived() if call is not None:
                yield depth, item.kind, f"{self._say(call, 'asked')} ({one_line(item.callee)})", risk
            case AttemptEnded() if call is not None:
                yield from ((depth, what, text, "") for what, text in _attempt_entries(call, item))
            case ModelExchange() | HistoryCompacted():
                yield from (
                    (0, what, one_line(text, max_length=_MAX_TEXT_LENGTH), "") for what, text in _layer_entries(item)
                )
            case CallEntered():
                pass  # the next entries say more
            case _:
                what, text = _describe_item(item, self._positions[0].at, position, self.view)
                yield depth, what, text, ""

    def _output_text(self, call: CallView) -> str:
        duration = "" if call.seconds is None else f" in {format_duration(call.seconds)}"
        error = call.error
        said = "" if error is None else f": {one_line(f'{error.code}: {error.message}', max_length=_MAX_TEXT_LENGTH)}"
        return f"{self._say(call)}{duration}{said}"

    @staticmethod
    def _started_text(call: CallView, item: AttemptStarted) -> str:
        again = f", attempt {item.attempt}" if item.attempt > 1 else ""
        allowed = f", allowed by question {item.question}" if item.question else ""
        return f"{one_line(call.tool)}{again}{allowed}"

    def _message_entries(self, place: int, item: Message | GivenMessage) -> list[tuple[str, str]]:
        message = self._messages[place]
        if message.role == "system":
            return [("system", f"instructions of {len(message.text):,} characters")]
        lines = [(message.role, one_line(message.text, max_length=_MAX_TEXT_LENGTH))] if message.text else []
        if isinstance(item, GivenMessage):
            calls = read_tool_calls(decode_message(message_text(item)))
            return lines + [("wants", f"{one_line(each.name)} {summarize_arguments(each.arguments)}") for each in calls]
        return lines + [("wants", f"{self._say(each, 'asked')} ({one_line(each.tool)})") for each in message.calls]


def _attempt_entries(call: CallView, item: AttemptEnded) -> Iterator[tuple[str, str]]:
    """The entry of a failed attempt; the end of the call covers a successful one."""
    if item.outcome != "ok" or call.output is None:
        result = "did not happen" if item.void else item.outcome + (f" at {item.where}" if item.where else "")
        yield "attempt", f"{call.tool or f'call {item.call[:8]}'}, {item.attempt}: {result}"


def _layer_entries(item: ModelExchange | HistoryCompacted) -> Iterator[tuple[str, str]]:
    """The entries for actions of layers around a model, or for a compaction; none for layers that changed nothing."""
    if isinstance(item, HistoryCompacted):
        dropped = f"dropped {len(item.notes)} outputs" if item.notes else "showed fewer tools"
        done = "summarised older messages" if item.head else dropped
        yield item.kind, f"{done} before request {item.turn}{', refused as too long' if item.refused else ''}"
        return
    for text in item.added:
        yield "layer", f"sends {text}"
    for content in item.failures:
        error = error_from_reply(content)
        yield "failure", f"{error.code}: {error.message}"
    if item.changed:
        yield "layer", "changed the model's answer" if item.answer else "answered without a model"


def _describe_origin(item: RunOpened) -> str:
    """The principal of a run, its target, the metadata of its request, and its arguments."""
    target = f" for {item.target}" if item.target else ""
    metadata = f", with the metadata {one_line(item.metadata, max_length=_MAX_TEXT_LENGTH)}" if item.metadata else ""
    passed = f", because {item.passed_over}" if item.passed_over else ""
    extra = f"{passed}{_schedule_suffix(item.schedule)}{metadata}"
    return f"{item.principal}{target}{extra}{_arguments_suffix(item.arguments)}"


def _schedule_suffix(schedule: str) -> str:
    """The rule of a call that recurs; empty for others."""
    if not schedule:
        return ""
    rule: dict[str, str] = json.loads(schedule)
    return f", recurring by {rule['every']}, missed: {rule['missed']}"


def _arguments_suffix(arguments: str) -> str:
    """The arguments of a call as a suffix of its label; empty without arguments."""
    summary = summarize_arguments(arguments)
    return f": {summary}" if summary else ""


def _describe_rest(item: RunStalled | RunSuspended | RunScheduled) -> tuple[str, str]:
    """Label and reason of a run that rests."""
    if isinstance(item, RunStalled):
        return "stalled", item.reason
    if isinstance(item, RunScheduled):
        return "scheduled", f"for {datetime.fromtimestamp(item.at).astimezone():%Y-%m-%d %H:%M:%S}"
    return ("waiting", f"for {', '.join(item.questions)}") if item.questions else ("open", "for its next call")


def _describe_change_of_run(item: Mismatch | TurnEnded | RunLoosened) -> str:
    """The entry for a decision about the run itself, or for its continuation."""
    if isinstance(item, RunLoosened):
        what = f"by {item.by}, without {', '.join(item.without)}: {item.reason}"
        return one_line(what, max_length=_MAX_TEXT_LENGTH)
    if isinstance(item, Mismatch):
        return f"{item.what}: today's request differs; the recorded answer was kept"
    return "the stop policy ended the agent" if item.stopped else "the stop policy let the agent go on"


def _describe_fields(item: Item) -> str:
    """What rules read and windows reserved, or the fields of any other item, without those that only place it."""
    if isinstance(item, RuleRead):
        return item.test if item.holds else f"no longer {item.test}"
    if isinstance(item, UsesReserved):
        return one_line(", ".join(f"{amount:g} of {window}" for window, _, amount in item.uses))
    fields = {name: value for name, value in structs.asdict(item).items() if value and name not in _PLACE}
    return summarize_arguments(json_text(fields))


def _describe_item(item: Item, run_started_at: float, position: Position, view: RunView) -> tuple[str, str]:
    """Label and details of an item that can be described on its own."""
    what, text = item.kind, ""
    match item:
        case RunOpened():
            text = f"{item.callee} of {item.application}, asked by {_describe_origin(item)}"
        case ModelFailure():
            error = error_from_reply(item.content)
            text = one_line(f"{error.code}: {error.message}", max_length=_MAX_TEXT_LENGTH)
        case ModelUsage():
            text = f"{item.model}: {'about ' if item.estimated else ''}{describe_tokens(item)}"
        case QuestionItem():
            question = view.questions[item.question].question
            reason = "for a call to come" if opens_question(item, question) and not question.waits else ""
            reason = reason or (question.why if opens_question(item, question) else "asked before")
            text = f"{question.id}: {question_title(question)} {one_line(reason, max_length=_MAX_TEXT_LENGTH)}"
        case DecisionItem():
            decision = Decision.from_json(item.body)
            asked = view.questions.get(decision.question)
            outcome = asked is not None and asked.question.kind == "outcome"
            decision_text = f"{decision_word(decision, about_outcome=outcome)}{', says' if outcome else ' by'}"
            reason = f": {one_line(decision.reason, max_length=_MAX_TEXT_LENGTH)}" if decision.reason else ""
            text = f"{decision.question}: {decision_text} {one_line(decision.by)}{decision_detail(decision)}{reason}"
        case Note():
            text = one_line(note_text(item), max_length=_MAX_TEXT_LENGTH)
        case Mismatch() | TurnEnded() | RunLoosened():
            text = _describe_change_of_run(item)
        case RunStalled() | RunSuspended() | RunScheduled():
            what, reason = _describe_rest(item)
            text = one_line(reason, max_length=_MAX_REASON_LENGTH)
        case ArgumentsBound():
            text = summarize_arguments(item.arguments)
        case Handoff():
            text = f"{item.source} to {item.target} {item.reason}".rstrip()
        case RunFinished():
            error = f": {one_line(item.error, max_length=_MAX_TEXT_LENGTH)}" if item.error else ""
            what, text = item.status, f"after {format_duration(position.at - run_started_at)}{error}"
        case _:
            text = _describe_fields(item)
    return what, text
