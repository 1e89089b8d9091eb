"""A run as a timeline: what happened when, in which call, for how long, and who allowed it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from remit.cli.calls import by_what, decided, error_of, is_new, note_text, wires
from remit.cli.legible import brief, lasting, one_line
from remit.contracts.chat import read
from remit.contracts.items import (
    Asked,
    Decided,
    Ended,
    Failure,
    Finished,
    Handoff,
    Item,
    Message,
    Mismatch,
    ModelReply,
    Note,
    Opened,
    Position,
    Resumed,
    Started,
    ToolOutput,
    Usage,
    Waiting,
)
from remit.contracts.question import Decision, Question
from remit.core.frozen import frozen
from remit.errors import from_reply
from remit.journal.codec import message_text

_LONG: Final = 200


@frozen
class Line:
    """One thing that happened: ``offset`` seconds after the run began, ``depth`` calls deep."""

    offset: float
    depth: int
    what: str
    text: str
    risk: str = ""


class Timeline:
    """Reads a run's items. ``risks`` gives the risk of tools that no question tells of."""

    def __init__(self, positions: Sequence[Position], risks: Mapping[str, str]) -> None:
        self._positions = positions
        self._risks = dict(risks)
        self._outcomes = set[str]()
        self._parents: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._began: dict[str, float] = {}
        self._wanted: dict[str, float] = {}
        self._asker: dict[str, str] = {}
        self._ended_calls: set[str] = set()
        for position in positions:
            self._learn(position)

    def lines(self) -> list[Line]:
        """The run, in the order in which it was written."""
        began = self._positions[0].at
        return [
            Line(offset=position.at - began, depth=depth, what=what, text=text, risk=risk)
            for position in self._positions
            for depth, what, text, risk in self._of(position)
        ]

    def _learn(self, position: Position) -> None:
        item = position.item
        match item:
            case ToolOutput():
                self._parents[item.call] = item.parent
                self._ended_calls.add(item.call)
                self._names[item.call] = item.callee
            case Asked():
                question = Question.of(item.body)
                self._names.setdefault(question.call, question.tool)
                self._parents.setdefault(item.call, item.parent)
                self._risks[question.tool] = question.risk
                if question.kind == "outcome":
                    self._outcomes.add(question.id)
                self._asker.setdefault(item.call, question.call if item.call == question.match else item.call)
            case Started():
                self._began.setdefault(item.call, position.at)
                self._parents.setdefault(item.call, item.parent)
            case Message() | ModelReply():
                self._wanted |= dict.fromkeys(wires(item), position.at)
            case _:
                pass

    def _of(self, position: Position) -> list[tuple[int, str, str, str]]:
        item = position.item
        if isinstance(item, (Message, ModelReply)):
            return [(self._depth(item.agent), what, text, "") for what, text in _message(item)]
        if isinstance(item, ToolOutput):
            return [(self._depth(item.call), item.outcome, self._output(item, position.at), self._risk(item.call))]
        if isinstance(item, Started):
            return [(self._depth(item.call), "started", self._started(item), self._risk(item.call))]
        if isinstance(item, Ended):
            return self._ended(item)
        what, text = _plain(item, self._positions[0].at, position, self._outcomes)
        return [(self._depth(self._asker.get(item.call, item.call)), what, text, "")]

    def _output(self, item: ToolOutput, at: float) -> str:
        wanted = self._wanted.get(item.wire) if item.outcome == "ok" else None
        began = self._began.get(item.call, wanted) if item.parent else self._positions[0].at
        took = "" if began is None else f" in {lasting(at - began)}"
        error = error_of(item)
        return f"{item.callee}{took}" + (f": {one_line(f'{error.code}: {error.message}', most=_LONG)}" if error else "")

    def _started(self, item: Started) -> str:
        again = f", attempt {item.attempt}" if item.attempt > 1 else ""
        allowed = f", allowed by question {item.question}" if item.question else ""
        return f"{self._name(item.call)}{again}{allowed}"

    def _ended(self, item: Ended) -> list[tuple[int, str, str, str]]:
        """An attempt that failed; a good one is told by the end of its call."""
        if item.outcome == "ok" and item.call in self._ended_calls:
            return []
        became = "did not happen" if item.void else item.outcome
        return [(self._depth(item.call), "attempt", f"{self._name(item.call)}, {item.attempt}: {became}", "")]

    def _name(self, call: str) -> str:
        return self._names.get(call, f"call {call[:8]}")

    def _risk(self, call: str) -> str:
        return self._risks.get(self._names.get(call, ""), "")

    def _depth(self, call: str) -> int:
        depth, parent = 0, self._parents.get(call, "")
        while parent:
            depth, parent = depth + 1, self._parents.get(parent, "")
        return depth


def _message(item: Message | ModelReply) -> list[tuple[str, str]]:
    message = read(message_text(item))
    content = message.get("content")
    text = content if isinstance(content, str) else "".join(str(part.get("text", "…")) for part in content or ())
    if message["role"] == "system":
        return [("system", f"instructions of {len(text):,} characters")]
    lines = [(message["role"], one_line(text, most=_LONG))] if text else []
    if message["role"] == "assistant":
        functions = [call["function"] for call in message.get("tool_calls") or ()]
        lines += [("wants", f"{one_line(each['name'])} {brief(each['arguments'])}") for each in functions]
    return lines


def _with(arguments: str) -> str:
    """The arguments of a call after what called it; nothing where there are none."""
    said = brief(arguments)
    return f": {said}" if said else ""


def _plain(item: Item, began: float, position: Position, outcomes: Collection[str]) -> tuple[str, str]:
    """The items that are told without knowing any other."""
    what, text = item.kind, ""
    match item:
        case Opened():
            agent = f" as {item.agent}" if item.agent else ""
            text = f"{item.callee}{agent} of {item.application}, for {item.principal}{_with(item.arguments)}"
        case Failure():
            error = from_reply(item.content)
            text = one_line(f"{error.code}: {error.message}", most=_LONG)
        case Usage():
            text = f"{item.model}: {item.prompt_tokens:,} + {item.completion_tokens:,} tokens"
        case Asked():
            question = Question.of(item.body)
            reason = "for a call to come" if is_new(item, question) and not question.waits else ""
            reason = reason or (question.reason if is_new(item, question) else "asked before")
            text = f"{question.id}: may {question.tool} run? {one_line(reason, most=_LONG)}"
        case Decided():
            decision = Decision.of(item.body)
            outcome = decision.question in outcomes
            said = f"{decided(decision, outcome=outcome)}{', says' if outcome else ' by'}"
            reason = f": {one_line(decision.reason, most=_LONG)}" if decision.reason else ""
            text = f"{decision.question}: {said} {one_line(decision.by)}{by_what(decision)}{reason}"
        case Note():
            text = one_line(note_text(item), most=_LONG)
        case Mismatch():
            text = f"{item.what}: today's code asks something else; the recorded answer was kept"
        case Waiting():
            what, text = "waiting", f"for {', '.join(item.questions)}"
        case Resumed():
            text = f"by {item.driver}"
        case Handoff():
            text = f"{item.source} to {item.target} {item.reason}".rstrip()
        case Finished():
            error = f": {one_line(item.error, most=_LONG)}" if item.error else ""
            what, text = item.status, f"after {lasting(position.at - began)}{error}"
        case _:
            pass
    return what, text
