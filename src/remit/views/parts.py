"""The parts of the view of a run: its calls, messages, questions, attempts and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from remit.call.changed import Changed
from remit.call.contract import Contract
from remit.call.facts import lacks_flag
from remit.errors import CallCancelledError, CallError, InternalError, StillRunningError, error_from_reply
from remit.record.items import Author, Handoff, ModelFailure, Note, Outcome, ToolOutput, output_content
from remit.record.question import Decision, Question

CallState = Literal["asked", "running", "done", "failed", "denied", "unknown"]
"""``asked``: not started; a model requested it, or a person is asked about it. ``unknown``: not on record whether it
happened."""

STOPPED: Final = (CallCancelledError, StillRunningError)
"""Errors of attempts that may have happened."""


class QuestionView(Struct, kw_only=True):
    """A question, asked at ``at`` (epoch seconds), with the first decision on it."""

    question: Question
    at: float
    decision: Decision | None = None
    decided_at: float = 0.0


class AttemptView(Struct, kw_only=True):
    """An attempt of a call. ``outcome`` is None until an end is on record.

    For ``pure`` see `AttemptStarted`, for the other fields `AttemptEnded`.
    """

    number: int
    started_at: float
    pure: bool = False
    ended_at: float = 0.0
    outcome: Outcome | None = None
    content: str = ""
    void: bool = False
    where: str = ""
    place: int = 0


class NoteView(Struct, kw_only=True):
    """A note of a call. ``place`` is the position of its item in the run, as in attempts and messages."""

    note: Note
    at: float
    place: int


class MessageView(Struct, kw_only=True):
    """A message of the agent with call id ``agent``: its author, its text, and the calls that it requests.

    ``given``: the message is part of the history that the run started from, and its calls are not calls of the run.
    """

    agent: str
    role: str
    by: Author
    text: str
    at: float
    place: int
    calls: list[CallView]
    given: bool = False


class CallView(Struct, kw_only=True):
    """A call: its caller, its arguments and its outcome.

    ``id`` is empty until an item other than the model's message records the call; ``wire`` is the model's id.
    ``arguments`` were written by a model or came from outside; they are empty for calls made by a body. Times are epoch
    seconds. ``bound`` are its last arguments in canonical form, in which references have names; empty if none are on
    record. ``calls`` are the calls that its body or its model made or requested, and ``messages`` the messages of an
    agent. ``rules`` are the policy's rules that matched and allowed it. ``announces``: it only announced a call, about
    which it opened a question. ``erased`` are the kinds of its erased items.
    """

    id: str
    parent: str
    tool: str = ""
    wire: str = ""
    arguments: str = ""
    bound: str = ""
    asked_at: float | None = None
    ended_at: float | None = None
    attempts: list[AttemptView] = []
    questions: list[QuestionView] = []
    notes: list[NoteView] = []
    calls: list[CallView] = []
    messages: list[MessageView] = []
    handoffs: list[Handoff] = []
    rules: list[str] = []
    output: ToolOutput | None = None
    announces: bool = False
    has_begun: bool = False
    is_over: bool = False
    erased: set[str] = set()

    @property
    def started_at(self) -> float | None:
        """When its first attempt began; None if none is on record."""
        return self.attempts[0].started_at if self.attempts else None

    @property
    def made_with(self) -> str:
        """The arguments with which it is made, as JSON: the canonical ones, or else those that were requested."""
        return self.bound or self.arguments

    @property
    def seconds(self) -> float | None:
        """Its duration from its start, or from the model's message if its start is not recorded."""
        if self.ended_at is None or self.output is None:
            return None
        since = self.started_at
        if since is None and self.output.outcome == "ok":
            since = self.asked_at
        return None if since is None else self.ended_at - since

    @property
    def content(self) -> str:
        """The reply to its caller; empty until it has ended."""
        return "" if self.output is None else output_content(self.output)

    @property
    def error(self) -> CallError | None:
        """Why it failed or was refused; None if it succeeded or has not ended."""
        return None if self.output is None or self.output.outcome == "ok" else read_error(self.content)

    @property
    def changes(self) -> tuple[Changed, ...]:
        """The objects that it reported as changed."""
        return tuple(changed for each in self.notes if (changed := Changed.from_item(each.note)) is not None)

    @property
    def open_question(self) -> QuestionView | None:
        """The question that it waits for."""
        return next((each for each in self.questions if each.decision is None), None) if self.output is None else None

    @property
    def state(self) -> CallState:
        """Its current state. An attempt of a pure call that was stopped has failed."""
        last = self.attempts[-1] if self.attempts else None
        has_acted = last is not None and not last.void and not last.pure
        if self.output is not None:
            if self.output.outcome == "denied":
                return "denied"
            if self.output.outcome == "ok":
                return "done"
            return "unknown" if has_acted and isinstance(self.error, STOPPED) else "failed"
        waits = self.open_question
        if waits is not None and waits.question.kind == "outcome":
            return "unknown"
        if last is not None and last.outcome is None and waits is None:
            return "running" if not self.is_over else "unknown" if has_acted else "failed"
        return "running" if self.has_begun and waits is None and not self.is_over else "asked"

    def walk(self) -> Iterator[CallView]:
        """Iterate over the call and all calls below it, in order."""
        yield self
        for each in self.calls:
            yield from each.walk()


def only_announces(call: CallView, contract: Contract | None) -> bool:
    """Whether a call opened a question about another one, or lacks the flag without which its tool changes nothing.

    A call without that flag changes nothing, whether or not a question was asked. If its arguments are not on record,
    only the question tells.
    """
    if call.announces or contract is None or not call.made_with:
        return call.announces
    return lacks_flag(contract.facts, call.made_with)


class WritingView(Struct, kw_only=True):
    """An answer that a model is writing: its text so far, and the tool and arguments of each call so far."""

    text: str = ""
    calls: dict[int, tuple[str, str]] = {}


class FailureView(Struct, frozen=True, kw_only=True):
    """The first failure in a run: a call of ``tool``, or a request to a model if ``tool`` is empty.

    ``code`` and ``message`` are the error's; see `remit.errors`.
    """

    call: str
    tool: str
    at: float
    code: str
    message: str

    @staticmethod
    def of(item: ToolOutput | ModelFailure, at: float) -> FailureView:
        """The failure that an item reports; ``at`` is the item's time."""
        is_call = isinstance(item, ToolOutput)
        error = read_error(output_content(item) if is_call else item.content)
        call, tool = (item.call, item.callee) if is_call else (item.call.partition(":")[0], "")
        return FailureView(call=call, tool=tool, at=at, code=error.code, message=error.message)


def read_error(content: str) -> CallError:
    """The error that a reply reports."""
    try:
        return error_from_reply(content)
    except (ValueError, AttributeError):
        return InternalError(content)
