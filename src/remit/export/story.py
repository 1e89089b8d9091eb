"""What happened in a run, as it is read: messages, calls with what happened in them, questions and decisions."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from remit.contracts.chat import decode_message
from remit.contracts.items import (
    AttemptEnded,
    AttemptStarted,
    DecisionItem,
    ErasedItem,
    GivenMessage,
    Handoff,
    HistoryCompacted,
    Item,
    Message,
    ModelFailure,
    Note,
    Position,
    QuestionItem,
    RunFinished,
    RunLoosened,
    RunOpened,
    RunResumed,
    RunScheduled,
    RunStalled,
    RunSuspended,
    ToolOutput,
    output_content,
)
from remit.contracts.question import Change, Decision, Question, content_digest
from remit.contracts.seen import SEEN
from remit.contracts.wire import ToolCallRequest, read_tool_calls, text_of_message
from remit.errors import error_from_reply
from remit.export.markup import Markup, element, join
from remit.export.receipt import Receipt, ReceiptCall
from remit.journal.codec import message_text

_BRIEF_CHARS: Final = 120


class Story:
    """The story of one run. ``positions`` are all its items, from ``header`` on."""

    def __init__(self, positions: Sequence[Position], header: RunOpened) -> None:
        self._positions = positions
        self._header = header
        self._root = content_digest(header.call, header.callee, header.arguments)
        self._outputs = defaultdict[tuple[str, str], list[Position]](list)
        self._nested = defaultdict[str, list[Position]](list)
        self._by_call = defaultdict[str, list[Position]](list)
        self._asked: dict[str, Question] = {}
        self._begun = defaultdict[tuple[str, str], list[str]](list)
        self._decided: dict[str, Position] = {}
        self._names: dict[str, str] = {}
        for position in positions:
            item = position.item
            self._by_call[item.agent if isinstance(item, Message) else item.call].append(position)
            if isinstance(item, ToolOutput):
                (self._outputs[item.parent, item.wire] if item.wire else self._nested[item.parent]).append(position)
            elif isinstance(item, QuestionItem):
                self._asked[item.question] = Question.from_json(item.body)
                self._begun[item.parent, item.wire].append(item.call)
            elif isinstance(item, AttemptStarted):
                self._begun[item.parent, item.wire].append(item.call)
            elif isinstance(item, DecisionItem):
                self._decided.setdefault(item.question, position)
        self._left = {key: deque(outputs) for key, outputs in self._outputs.items()}
        self._shown = set[str]()

    def thread(self) -> Markup:
        """The conversation of the run with its agent; of a direct call, the call."""
        if any(isinstance(each.item, Message) for each in self._by_call[self._root]):
            return join(*self._entries(self._root))
        roots = [each for each in self._nested[""] if each.item.call == self._root]
        events = [event for each in self._positions if (event := self._event(each))]
        return join(self._call(self._header.callee, self._header.arguments, self._root, *roots[-1:]), *events)

    def _entries(self, agent: str) -> Iterator[Markup]:
        """Everything in the thread of an agent, in the order of the journal."""
        for position in self._positions if agent == self._root else self._by_call[agent]:
            item = position.item
            if isinstance(item, Message):
                if item.agent == agent:
                    yield self._message(position, item)
            elif agent == self._root and (event := self._event(position)):
                yield event

    def _message(self, position: Position, item: Message) -> Markup:
        message = decode_message(message_text(item))
        role, text = message["role"], text_of_message(message)
        if role == "system":
            return _details(f"Instructions, {len(text):,} characters", element("div", text, class_="text"), "system")
        if role == "tool":
            return Markup("")
        if role == "user" and item.by not in ("person", "caller"):  # such as working memory, which the runtime writes
            return _details(
                f"Message of the runtime, {len(text):,} characters", element("div", text, class_="text"), "system"
            )
        who = {"person": self._header.principal, "caller": "The caller"}.get(item.by) or self._name(item.agent)
        calls = read_tool_calls(message) if role == "assistant" else ()
        said = element("div", text, class_="text", dir="auto") if text else Markup("")
        head = element("div", element("b", who), _time(position.at), class_="who")
        return element(
            "div", head, said, *(self._wanted_call(item.agent, each) for each in calls), class_=f"message {role}"
        )

    def _wanted_call(self, agent: str, wanted: ToolCallRequest) -> Markup:
        """A call that a model asked for, with its result if there is one."""
        outputs = self._left.get((agent, wanted.id))
        output = outputs.popleft() if outputs else None
        call = output.item.call if output else self._unended_call(agent, wanted.id)
        return self._call(wanted.name, wanted.arguments, call, *([output] if output else []))

    def _unended_call(self, agent: str, wire: str) -> str:
        """The call that a model made with this id, if it was begun or asked about."""
        begun = self._begun.get((agent, wire), ())
        return next((call for call in begun if call not in self._shown), f"{agent}/{wire}")

    def _call(self, name: str, arguments: str, call: str, *outputs: Position) -> Markup:
        """A call with arguments, what happened in it, and its result."""
        if call in self._shown:
            return Markup("")
        self._shown.add(call)
        output = next((each.item for each in outputs if isinstance(each.item, ToolOutput)), None)
        outcome = output.outcome if output else "no result"
        started = next((each.at for each in self._by_call[call] if isinstance(each.item, AttemptStarted)), None)
        took = f" in {duration_text(outputs[0].at - started)}" if outputs and started is not None else ""
        chip = element(
            "span", f"{outcome}{took}", class_="chip " + ("ok" if outcome == "ok" else "bad" if output else "ask")
        )
        brief = element("span", _brief(arguments), class_="brief")
        summary = join(element("code", name), brief, chip)
        questions = [self._question(each.item) for each in self._by_call[call] if isinstance(each.item, QuestionItem)]
        inside = [_with_label("Arguments", _pretty(arguments)), *self._happened(call)]
        if output is not None:
            inside.append(_with_label("Result", _pretty(output_content(output))))
        card = element("details", element("summary", summary), element("div", *inside, class_="inside"))
        return join(card, *questions)

    def _happened(self, call: str) -> Iterator[Markup]:
        """What happened in a call: attempts, notes, and the calls that it made, agents included."""
        for position in self._by_call[call]:
            item = position.item
            if isinstance(item, AttemptEnded) and item.outcome != "ok":
                yield _event(f"attempt {item.attempt}: {item.outcome}", position.at)
            elif isinstance(item, Note) and item.name != SEEN:
                yield _with_label(item.name, _pretty(item.data))
        if call != self._root:
            yield from self._entries(call)
        for position in self._nested[call]:
            if isinstance(position.item, ToolOutput):
                yield self._call(position.item.callee, "", position.item.call, position)

    def _question(self, item: QuestionItem) -> Markup:
        """A question with what the person was shown, and its decision."""
        question = self._asked[item.question]
        title = "Did this call happen?" if question.kind == "outcome" else f"May {question.tool} run?"
        risk = element("span", f"{question.risk} risk", class_="chip ask") if question.risk else Markup("")
        lines = [each for each in (question.shown, question.reason) if each]
        decided = self._decided.get(item.question)
        return element(
            "div",
            element("p", element("b", title), " ", risk),
            *(element("p", each, dir="auto") for each in lines),
            _changes(question.changes),
            self._decision(decided) if decided else element("p", "No decision is on record."),
            class_="question",
        )

    def _decision(self, position: Position) -> Markup:
        item = position.item
        decision = Decision.from_json(item.body if isinstance(item, DecisionItem) else "")
        word = element("b", "Approved" if decision.approved else "Denied", class_="ok" if decision.approved else "bad")
        edited = element("pre", decision.arguments) if decision.arguments else Markup("")
        why = f": {decision.reason}" if decision.reason else ""
        said = element("p", word, f" by {decision.by}{why} ", _time(decision.at))
        return join(said, edited)

    def _event(self, position: Position) -> Markup | None:
        """What happened to the run itself; None for items of calls."""
        text = _describe(position.item)
        return _event(text, position.at) if text else None

    def _name(self, agent: str) -> str:
        """The name of the agent that answers a call: the callee, or who it handed over to last."""
        if agent not in self._names:
            items = [each.item for each in self._by_call[agent]]
            names = [each.callee for each in items if isinstance(each, ToolOutput)]
            targets = [each.target for each in items if isinstance(each, Handoff)]
            self._names[agent] = (targets or names or [self._header.callee])[-1]
        return self._names[agent]


def _describe(item: Item) -> str:
    """What an item says about the run itself; empty for those about calls."""
    text = ""
    match item:
        case RunSuspended():
            text = f"waits for {len(item.questions)} decision{'s' if len(item.questions) > 1 else ''}"
        case RunStalled():
            text = f"stalled: {item.reason}"
        case RunScheduled():
            text = f"scheduled for {datetime.fromtimestamp(item.at, UTC):%Y-%m-%d %H:%M} UTC"
        case RunResumed():
            text = "resumed"
        case RunLoosened():
            text = f"continued by {item.by} without {', '.join(item.without)}: {item.reason}"
        case RunFinished():
            text = f"{item.status}: {item.error}" if item.error else ""
        case Handoff():
            text = f"{item.source} hands over to {item.target}{f': {item.reason}' if item.reason else ''}"
        case ModelFailure():
            text = f"the model failed: {error_from_reply(item.content).message}"
        case GivenMessage():
            message = decode_message(item.text)
            text = f"it starts from a message of the {message['role']}: {text_of_message(message)}"
        case HistoryCompacted():
            is_shorter = item.head or item.notes
            text = "what came before was shortened for the model" if is_shorter else "the model was shown fewer tools"
        case ErasedItem():
            text = f"erased: {item.was.replace('_', ' ')}"
        case _:
            pass
    return text


def write_receipt(receipt: Receipt) -> Markup:
    """What the calls of a run changed, from the record and not from the model."""
    kinds = ("changed", "unknown", "erased", "failed", "not_made")
    lines = [(kind.replace("_", " "), call) for kind in kinds for call in getattr(receipt, kind)]
    listed = [element("li", element("b", f"{word}: "), _describe_call(call)) for word, call in lines]
    if receipt.has_changed_nothing:
        listed.insert(0, element("li", element("b", "nothing was changed")))
    return element("div", element("ul", *listed), class_="receipt")


def _describe_call(call: ReceiptCall) -> str:
    objects = f"{', '.join(call.changed_objects)} by " if call.changed_objects else ""
    arguments = "" if objects else f" {_brief(call.arguments)}".rstrip()
    return f"{objects}{call.tool or 'a call'}{arguments}{f': {call.error.message}' if call.error else ''}"


def _details(summary: str, inside: Markup, kind: str) -> Markup:
    return element("details", element("summary", summary), inside, class_=kind)


def _with_label(label: str, text: str) -> Markup:
    return join(element("div", label, class_="label"), element("pre", text)) if text else Markup("")


def _changes(changes: Sequence[Change]) -> Markup:
    if not changes:
        return Markup("")
    rows = [
        element("tr", element("th", each.where), element("td", each.before), element("td", each.after))
        for each in changes
    ]
    return element("table", element("tr", *(element("th", each) for each in ("", "before", "after"))), *rows)


def _event(text: str, at: float) -> Markup:
    return element("p", element("span", text, " ", _time(at)), class_="event")


def _time(at: float) -> Markup:
    moment = datetime.fromtimestamp(at, UTC)
    return element("time", clock_text(at), datetime=moment.isoformat(timespec="seconds"))


def clock_text(at: float) -> str:
    """The time of day."""
    return f"{datetime.fromtimestamp(at, UTC):%H:%M:%S}"


def duration_text(seconds: float) -> str:
    """A duration: ``12 ms``, ``3.4 s``, ``5 min``."""
    if seconds < 1:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _brief(arguments: str) -> str:
    return " ".join(arguments.split())[:_BRIEF_CHARS] if arguments != "{}" else ""


def _pretty(text: str) -> str:
    """JSON with line breaks; other text unchanged."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
