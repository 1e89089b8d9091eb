"""A run according to its journal: its messages, its tree of calls, its questions, and how it continues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from remit.call.call import root_call_id
from remit.chat.chat import decode_message
from remit.chat.streaming import DeltaKind
from remit.chat.wire import read_tool_calls, text_of_message
from remit.core.argument_types import Converted
from remit.core.call_checks import check_arguments, check_typed_calls
from remit.core.checks import as_tuple_of
from remit.errors import SetupError
from remit.journal.codec import message_text
from remit.journal.run_row import RunStatus
from remit.journal.run_totals import RunTotals
from remit.record.items import (
    HEADER_ITEMS,
    ArgumentsBound,
    AttemptEnded,
    AttemptStarted,
    CallAllowed,
    CallItem,
    CallReceived,
    DecisionItem,
    ErasedItem,
    GivenMessage,
    Handoff,
    Item,
    Message,
    Note,
    Position,
    QuestionItem,
    RunFinished,
    RunOpened,
    RunResumed,
    ToolOutput,
)
from remit.record.question import Decision, Question
from remit.views.parts import (
    AttemptView,
    CallView,
    FailureView,
    MessageView,
    NoteView,
    QuestionView,
    WritingView,
)


def _as_item(what: str, item: Any) -> Item:
    if not isinstance(item, Item):
        raise SetupError(f"{what} is of type {type(item).__name__}; pass event.item, or position.item")
    return item


@check_arguments()
@check_typed_calls(SetupError)
class RunView:
    """The fold of the items of a run. `add` the items in order, all at once or as they arrive.

    ``totals`` are the numbers of the run, such as the tokens that its models have used. ``root`` is its call; None
    until an item mentions it. ``calls`` are all calls by id, ``questions`` all questions by id, ``messages`` the
    messages of all its agents in order. ``writing`` are the answers that models are writing, by request; see `write`.
    ``continued_at`` is when an executor last took over the run from one that had not let it rest, such as one that was
    killed; 0 for never.
    """

    def __init__(self) -> None:
        self.header: RunOpened | None = None
        self.root: CallView | None = None
        self.totals = RunTotals()
        self.calls: dict[str, CallView] = {}
        self.questions: dict[str, QuestionView] = {}
        self.messages: list[MessageView] = []
        self.writing: dict[str, WritingView] = {}
        self.count = 0
        self.continued_at = 0.0
        self._last: Item | None = None
        self._wanted: dict[tuple[str, str], CallView] = {}

    @classmethod
    def of(cls, positions: Iterable[Position]) -> RunView:
        """The view of a run after these items."""
        view = cls()
        for position in as_tuple_of(Position, "RunView.of", "positions", positions, "give items with their places"):
            view._add(position.item, position.at)
        return view

    def add(self, item: Annotated[Item, Converted(_as_item)], at: float = 0.0) -> None:
        """Add the next item, which was written at ``at`` (epoch seconds)."""
        self._add(item, at)

    def _add(self, item: Item, at: float) -> None:
        before, last = self.totals.status, self._last
        self._last = item
        self.totals.add(item, at, self.count)
        self.count += 1
        if isinstance(item, CallItem):
            self._add_of_call(item, at)
            return
        match item:
            case RunOpened():
                self._open(item, at)
            case Message() | GivenMessage():
                self._add_message(item, at)
            case AttemptEnded():
                self._end_attempt(item, at)
            case Note() | CallAllowed() | Handoff() | ArgumentsBound():
                self._add_to_call(item, at)
            case DecisionItem():
                self._decide(item, at)
            case ErasedItem():
                self._find(item.call.partition(":")[0]).erased.add(item.was)
            case RunResumed() if before == "running" and not isinstance(last, HEADER_ITEMS):
                self.continued_at = at
            case RunFinished():
                for call in self.calls.values():
                    call.is_over = True
            case _:
                pass

    @property
    def status(self) -> RunStatus:
        """The status of the run."""
        return self.totals.status or "running"

    @property
    def error(self) -> str:
        """The error of a failed run; empty otherwise."""
        return self.totals.error

    @property
    def first_failure(self) -> FailureView | None:
        """The first failure of the run."""
        failure = self.totals.failure
        return None if failure is None else FailureView.of(failure, self.totals.failed_at)

    def write(self, request: str, text: str, kind: DeltaKind = "text", index: int = 0, name: str = "") -> None:
        """Add a piece of the answer to a request, until its message is recorded. See `remit.items.DeltaEvent`."""
        answer = self.writing.setdefault(request, WritingView())
        if kind == "text":
            answer.text += text
        else:
            tool, arguments = answer.calls.get(index, ("", ""))
            answer.calls[index] = (name or tool, arguments + text)

    def drop(self, request: str) -> None:
        """Forget the pieces of a discarded answer."""
        self.writing.pop(request, None)

    def depth(self, call: CallView | None) -> int:
        """The number of calls that enclose a call."""
        depth = 0
        while call is not None and call.parent:
            call, depth = self.calls.get(call.parent), depth + 1
        return depth

    def call_of(self, item: Item) -> CallView | None:
        """The call to which an item belongs; for a question about an announced call, the call that announced it."""
        if isinstance(item, QuestionItem) and item.question in self.questions:
            question = self.questions[item.question].question
            if item.call == question.match:
                return self.calls.get(question.call)
        return self.calls.get(item.agent if isinstance(item, (Message, GivenMessage)) else item.call)

    def _open(self, item: RunOpened, at: float) -> None:
        self.header = item
        root = self.root = self._find(root_call_id(item))
        root.tool, root.arguments, root.asked_at, root.has_begun = item.callee, item.arguments, at, True

    def _find(self, call: str) -> CallView:
        """The call with an id. It has no caller until an item places it in the tree."""
        found = self.calls.get(call)
        if found is None:
            found = self.calls[call] = CallView(id=call, parent="")
        return found

    def _add_message(self, item: Message | GivenMessage, at: float) -> None:
        message = decode_message(message_text(item))
        given, calls = isinstance(item, GivenMessage), list[CallView]()
        self.writing.pop(item.call, None)
        agent = self._find(item.agent.partition(":")[0])
        if message["role"] == "assistant" and not given:
            for each in read_tool_calls(message):
                call = CallView(id="", parent=agent.id, tool=each.name, wire=each.id, asked_at=at)
                call.arguments = each.arguments
                self._wanted[item.agent, each.id] = call
                calls.append(call)
            agent.calls += calls
        made = MessageView(
            agent=item.agent,
            role=message["role"],
            by="caller" if isinstance(item, GivenMessage) else item.by,
            text=text_of_message(message),
            at=at,
            place=self.count,
            calls=calls,
            given=given,
        )
        agent.has_begun = True
        agent.messages.append(made)
        self.messages.append(made)

    def _add_of_call(self, item: CallItem, at: float) -> None:
        if isinstance(item, QuestionItem):
            self._ask(item, at)
            return
        call = self._place(item)
        if isinstance(item, CallReceived):
            call.arguments, call.asked_at = item.arguments, at
            return
        call.has_begun = True
        if isinstance(item, AttemptStarted):
            call.attempts.append(AttemptView(number=item.attempt, started_at=at, pure=item.pure, place=self.count))
        elif isinstance(item, ToolOutput):
            call.output, call.ended_at = item, at

    def _add_to_call(self, item: Note | CallAllowed | Handoff | ArgumentsBound, at: float) -> None:
        call = self._find(item.call)
        match item:
            case Note():
                call.notes.append(NoteView(note=item, at=at, place=self.count))
            case CallAllowed():
                call.rules.append(item.rule)
            case Handoff():
                call.handoffs.append(item)
            case ArgumentsBound():
                call.bound = item.arguments

    def _place(self, item: CallItem) -> CallView:
        """Place the call of an item in the tree: a call that its model requested, or one that a body makes."""
        call = self.calls.get(item.call)
        if call is not None and call.tool:
            return call
        asked = self._wanted.pop((item.parent, item.wire), None)
        if call is None and asked is not None:
            asked.id, asked.tool = item.call, item.callee
            self.calls[item.call] = asked
            return asked
        call = call or self._find(item.call)
        call.parent, call.tool, call.wire = item.parent, item.callee, item.wire
        if not item.parent:
            self.root = self.root or call
            return call
        siblings = self._find(item.parent).calls
        if asked is None:
            siblings.append(call)
            return call
        # Items of the call came before the item that places it, so it stands beside the requested call.
        call.arguments, call.asked_at = asked.arguments, asked.asked_at
        for listed in (siblings, *(each.calls for each in self.messages)):
            listed[:] = [call if each is asked else each for each in listed]
        return call

    def _ask(self, item: QuestionItem, at: float) -> None:
        view = self.questions.get(item.question)
        if view is None:
            view = self.questions[item.question] = QuestionView(question=Question.from_json(item.body), at=at)
        question = view.question
        call = self._find(question.call) if item.call == question.match else self._place(item)
        if not (question.waits and question.call == item.call):
            self._find(question.call).announces = True
        call.questions.append(view)
        if not question.is_about_run:
            call.bound = question.arguments

    def _decide(self, item: DecisionItem, at: float) -> None:
        view = self.questions.get(item.question)
        if view is not None and view.decision is None:
            view.decision, view.decided_at = Decision.from_json(item.body), at
            if view.decision.arguments:
                self._find(view.question.call).bound = view.decision.arguments

    def _end_attempt(self, item: AttemptEnded, at: float) -> None:
        attempts = self._find(item.call).attempts
        attempt = next((each for each in reversed(attempts) if each.number == item.attempt), None)
        if attempt is None:  # its start was erased
            attempt = AttemptView(number=item.attempt, started_at=at)
            attempts.append(attempt)
        attempt.ended_at, attempt.outcome, attempt.content, attempt.place = at, item.outcome, item.content, self.count
        attempt.void, attempt.where = item.void, item.where
