"""The readable story of a run: messages, calls and their events, questions and decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from operator import itemgetter

from remit.call.log import LogLine
from remit.chat.chat import decode_message
from remit.chat.wire import text_of_message
from remit.errors import error_from_reply
from remit.export.markup import Markup, element, join
from remit.record.items import (
    ErasedItem,
    GivenMessage,
    Handoff,
    HistoryCompacted,
    Item,
    ModelFailure,
    Note,
    Position,
    RunFinished,
    RunLoosened,
    RunOpened,
    RunResumed,
    RunScheduled,
    RunStalled,
    RunSuspended,
)
from remit.record.question import Change, Decision
from remit.record.seen import Seen
from remit.record.sentence import Sentence
from remit.schemas.jsontext import compact_json
from remit.views.parts import CallView, MessageView, QuestionView
from remit.views.receipt import FindContract, Receipt
from remit.views.run_view import RunView
from remit.views.sentences import sentence_of, sentence_of_question


class Story:
    """The story of one run. ``positions`` are all its items from ``header`` on, and ``view`` is their fold.

    ``find_contract`` finds the tools whose sentences say what their calls did.
    """

    def __init__(
        self, positions: Sequence[Position], header: RunOpened, view: RunView, find_contract: FindContract
    ) -> None:
        self._positions = positions
        self._header = header
        self._view = view
        self._find_contract = find_contract

    def thread(self) -> Markup:
        """The conversation of the run with its agent; of a direct call, the call."""
        root = self._view.root
        if root is None:
            return join(*self._events())
        if root.messages:
            return join(*self._conversation(root))
        return join(self._call(root), *self._events())

    def _events(self) -> Iterator[Markup]:
        """The events of the run itself."""
        return (_event(text, each.at) for each in self._positions if (text := _describe(each.item)))

    def _conversation(self, root: CallView) -> Iterator[Markup]:
        """The messages of the run's agent and the events of the run, in the order of the journal."""
        messages = {each.place: each for each in root.messages if each.agent == root.id and not each.given}
        for place, position in enumerate(self._positions, 1):
            if place in messages:
                yield self._message(root, messages[place])
            elif text := _describe(position.item):
                yield _event(text, position.at)

    def _message(self, agent: CallView, message: MessageView) -> Markup:
        text = message.text
        if message.role == "system":
            return _details(f"Instructions, {len(text):,} characters", element("div", text, class_="text"), "system")
        if message.role == "tool":
            return Markup("")
        if message.role == "user" and message.by not in ("person", "caller"):  # such as working memory
            return _details(
                f"Message of the runtime, {len(text):,} characters", element("div", text, class_="text"), "system"
            )
        who = {"person": self._header.principal, "caller": "The caller"}.get(message.by) or self._name(agent)
        said = element("div", text, class_="text", dir="auto") if text else Markup("")
        head = element("div", element("b", who), _time(message.at), class_="who")
        calls = (self._call(each) for each in message.calls)
        return element("div", head, said, *calls, class_=f"message {message.role}")

    def _call(self, call: CallView) -> Markup:
        """A call with its arguments, its events and its result."""
        outcome = call.output.outcome if call.output else "no result"
        has_ended = call.ended_at is not None and call.started_at is not None
        took = f" in {duration_text(call.seconds or 0.0)}" if has_ended else ""
        colour = "ok" if outcome == "ok" else "bad" if call.output else "ask"
        chip = element("span", f"{outcome}{took}", class_=f"chip {colour}")
        summary = join(_sentence(sentence_of(call, self._find_contract(call.tool))), " ", chip)
        inside = [
            _with_label("Tool", call.tool),
            _with_label("Arguments", _pretty(call.arguments)),
            *self._happened(call),
        ]
        if call.output is not None:
            inside.append(_with_label("Result", _pretty(call.content)))
        card = element("details", element("summary", summary), element("div", *inside, class_="inside"))
        return join(card, *(self._question(each) for each in call.questions))

    def _happened(self, call: CallView) -> Iterator[Markup]:
        """The events in a call: attempts, notes, and the calls that it made, including agents."""
        failed = (
            (each.place, _event(f"attempt {each.number}: {each.outcome}", each.ended_at))
            for each in call.attempts
            if each.outcome not in ("ok", None)
        )
        notes = ((each.place, _note(each.note)) for each in call.notes if each.note.name != Seen.note_name)
        yield from (markup for _, markup in sorted([*failed, *notes], key=itemgetter(0)))
        if call is not self._view.root:
            yield from (self._message(call, each) for each in call.messages if each.agent == call.id)
        asked = {id(each) for message in call.messages for each in message.calls}
        yield from (self._call(each) for each in call.calls if id(each) not in asked)

    def _question(self, asked: QuestionView) -> Markup:
        """A question as shown to the person, and its decision."""
        question = asked.question
        is_about_end = question.kind == "outcome"
        said = _sentence(sentence_of_question(question, self._find_contract(question.tool)))
        title = join("Did this happen: " if is_about_end else "", said, "?")
        risk = element("span", f"{question.risk} risk", class_="chip ask") if question.risk else Markup("")
        lines = [each for each in (question.consequence, question.shown, question.why) if each]
        return element(
            "div",
            element("p", element("b", title), " ", risk),
            *(element("p", each, dir="auto") for each in lines),
            _changes(question.changes),
            _decision(asked.decision) if asked.decision else element("p", "No decision is on record."),
            class_="question",
        )

    def _name(self, agent: CallView) -> str:
        """The name of the agent that answers a call: the callee, or the last agent to which it handed over."""
        return agent.handoffs[-1].target if agent.handoffs else agent.tool or self._header.callee


def _sentence(sentence: Sentence) -> Markup:
    """A sentence, its names emphasised."""
    return join(*(element("b", text, dir="auto") if is_name else text for text, is_name in sentence.parts))


def _note(note: Note) -> Markup:
    """A message of the log with its level, or other data that the body emitted."""
    line = LogLine.from_note(note)
    if line is None:
        return _with_label(note.name, _pretty(note.data))
    fields = "".join(f"\n{name}: {compact_json(value)}" for name, value in line.fields.items())
    return _with_label(f"log, {line.level}", line.message + fields)


def _decision(decision: Decision) -> Markup:
    word = element("b", "Approved" if decision.approved else "Denied", class_="ok" if decision.approved else "bad")
    edited = element("pre", decision.arguments) if decision.arguments else Markup("")
    why = f": {decision.reason}" if decision.reason else ""
    return join(element("p", word, f" by {decision.by}{why} ", _time(decision.at)), edited)


def _describe(item: Item) -> str:
    """The description of an item about the run itself; empty for items about calls."""
    text = ""
    match item:
        case RunSuspended():
            text = f"waits for {len(item.questions)} decision{'s' if len(item.questions) > 1 else ''}"
            text = text if item.questions else "rests until its next call"
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
    """The changes by the calls of a run, from the record and not from the model."""
    kinds = ("changed", "unknown", "erased", "failed", "not_made")
    lines = [(kind.replace("_", " "), call) for kind in kinds for call in getattr(receipt, kind)]
    listed = [element("li", element("b", f"{word}: "), call.summary) for word, call in lines]
    if receipt.has_changed_nothing:
        listed.insert(0, element("li", element("b", "nothing was changed")))
    return element("div", element("ul", *listed), class_="receipt")


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


def _pretty(text: str) -> str:
    """JSON with line breaks; other text unchanged."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
