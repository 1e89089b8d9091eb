"""Reads the questions and decisions about one call from the journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from remit.call.call import Call
from remit.errors import InvalidArgumentsError, Suspended
from remit.record.arguments import Arguments, Limits, parse_arguments
from remit.record.items import ArgumentsBound, AttemptEnded, AttemptStarted, DecisionItem, Item, QuestionItem
from remit.record.question import Decision, Question

_STORED_LIMITS = Limits(argument_bytes=1 << 40, argument_depth=1 << 10)


class AskAgain(Suspended):
    """The approved state has changed, and the journal has an edit or a new question.

    The outermost `Approve` catches this signal and starts again, so that every `Approve` around the call sees the
    changed call.
    """


class RecordedQuestion(NamedTuple):
    """A question in the journal, and the first decision on it."""

    question: Question
    decision: Decision | None = None

    @property
    def edit(self) -> str:
        """The approver's edited arguments, empty if unedited."""
        return self.decision.arguments if self.decision is not None else ""

    @property
    def arguments(self) -> str:
        """The arguments that the question and its decision are about."""
        return self.edit or self.question.arguments


def question_item(question: Question, *, call: str, parent: str = "", wire: str = "") -> QuestionItem:
    """Make the item that opens or repeats a question under a call; see `QuestionItem`."""
    return QuestionItem(
        call=call,
        parent=parent,
        callee=question.tool,
        wire=wire,
        about=question.kind,
        question=question.id,
        body=question.to_json(),
    )


class Approvals(NamedTuple):
    """The questions about a call in its current form, by the number of `Approve` layers outside the one that asked.

    ``edit`` is the question whose decision last edited the call; it settles all earlier questions. ``refuted`` is the
    outcome question whose used answer says that the approved call did not happen; then every approval is asked for
    again.
    """

    standing: Mapping[int, RecordedQuestion]
    edit: RecordedQuestion | None = None
    refuted: str = ""

    @property
    def editor(self) -> str:
        """The editor of the call, empty if it is unedited."""
        return self.edit.decision.by if self.edit is not None and self.edit.decision is not None else ""

    def consumable_questions(self, now: float) -> tuple[str, ...]:
        """The questions whose approval can be consumed at ``now``, except those that a grant approved."""
        return tuple(
            question.id
            for question, decision in self.standing.values()
            if decision is not None and decision.approved and not decision.grant and question.expires > now
        )


_NO_APPROVALS: Final = Approvals(MappingProxyType({}))


def read_approvals(items: Sequence[Item]) -> Approvals:
    """Read the questions about approval of a call, and the decisions on them."""
    if not items:  # a new call, which most are
        return _NO_APPROVALS
    standing: dict[int, RecordedQuestion] = {}
    edit: RecordedQuestion | None = None
    outcomes, denied, refuted = set[str](), "", ""
    for item in items:
        if isinstance(item, QuestionItem) and item.about == "approval":
            question = Question.from_json(item.body)
            standing[question.layer] = RecordedQuestion(question)
        elif isinstance(item, QuestionItem):
            outcomes.add(item.question)
            denied = ""
        elif isinstance(item, DecisionItem) and item.question in outcomes:
            denied = "" if Decision.from_json(item.body).approved else item.question
        elif isinstance(item, AttemptEnded) and item.void and denied:
            standing, edit, refuted, denied = {}, None, denied, ""
        elif isinstance(item, DecisionItem):
            asked = next((each for each in standing.values() if each.question.id == item.question), None)
            if asked is None or asked.decision is not None:
                continue
            decided = RecordedQuestion(asked.question, Decision.from_json(item.body))
            standing[asked.question.layer] = decided
            if decided.edit:
                standing, edit = {asked.question.layer: decided}, decided
    return Approvals(standing, edit, refuted)


def questions_since_start(items: Sequence[Item]) -> set[str]:
    """The approval questions that were opened since the newest attempt started."""
    questions = set[str]()
    for item in reversed(items):
        if isinstance(item, AttemptStarted):
            break
        if isinstance(item, QuestionItem) and item.about == "approval":
            questions.add(item.question)
    return questions


def read_questions(items: Iterable[Item]) -> list[RecordedQuestion]:
    """Read all approval questions in the order of asking, each with its first decision."""
    asked: dict[str, Question] = {}
    decisions: dict[str, Decision] = {}
    for item in items:
        if isinstance(item, QuestionItem) and item.about == "approval":
            asked.setdefault(item.question, Question.from_json(item.body))
        elif isinstance(item, DecisionItem):
            decisions.setdefault(item.question, Decision.from_json(item.body))
    recorded = [RecordedQuestion(each, decisions.get(name)) for name, each in asked.items()]
    return sorted(recorded, key=lambda each: each.question.asked)


def as_recorded(call: Call, edit: RecordedQuestion | None) -> Call:
    """The call with the arguments of its last edit, or of a later resolution of its references.

    Raises:
        InvalidArgumentsError: the contract no longer allows them.
    """
    newest = _newest_arguments(call, edit)
    if newest is None:
        return call
    text = newest.arguments if isinstance(newest, ArgumentsBound) else edit.edit if edit is not None else ""
    return call if text == call.canonical_arguments else with_arguments(call, text)


def was_just_edited(call: Call, edit: RecordedQuestion | None) -> bool:
    """Whether the call's arguments come from an edit whose references are still to be resolved."""
    return isinstance(_newest_arguments(call, edit), DecisionItem)


def _newest_arguments(call: Call, edit: RecordedQuestion | None) -> ArgumentsBound | DecisionItem | None:
    edited = edit.question.id if edit is not None else None
    for item in reversed(call.ledger.items_for(call.id)):
        if isinstance(item, ArgumentsBound) or (isinstance(item, DecisionItem) and item.question == edited):
            return item
    return None


def with_arguments(call: Call, canonical: str) -> Call:
    """Return the call with other arguments, given in canonical form.

    Raises:
        InvalidArgumentsError: the contract does not allow them.
    """
    try:
        payload = call.callee.schema_in.load(canonical)
    except ValueError as error:
        raise InvalidArgumentsError(call.callee.schema_in.explain(error)) from error
    value = parse_arguments(canonical, _STORED_LIMITS).value
    return call.replace(arguments=Arguments(canonical, value)).with_payload(payload)
