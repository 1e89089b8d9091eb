"""Reads questions and decisions about one call from the journal."""

from __future__ import annotations

from typing import NamedTuple

from remit.contracts.arguments import Arguments, Limits, parse_arguments
from remit.contracts.call import Call
from remit.contracts.items import AttemptStarted, DecisionItem, QuestionItem
from remit.contracts.question import Decision, Question
from remit.errors import InvalidArgumentsError

_STORED_LIMITS = Limits(argument_bytes=1 << 40, argument_depth=1 << 10)


class ApprovedCall(NamedTuple):
    """A call that may run, and the approver who edited its arguments, empty if unedited."""

    call: Call
    editor: str = ""


def find_recorded_question(call: Call, match: str, edits: str = "") -> tuple[Question | None, Decision | None]:
    """The newest question about this call, if it still matches, and its decision.

    With ``edits``, only questions that were opened because the decision on that question edited the arguments.
    """
    question: Question | None = None
    decision: Decision | None = None
    for item in call.ledger.items_for(call.id):
        if isinstance(item, QuestionItem) and item.about == "approval":
            candidate = Question.from_json(item.body)
            if candidate.edits == edits:
                question, decision = candidate, None
        elif isinstance(item, DecisionItem) and question is not None and item.question == question.id:
            decision = Decision.from_json(item.body)
    return (question, decision) if question is not None and question.match == match else (None, None)


def find_started_call(call: Call) -> ApprovedCall | None:
    """The call as it was approved when it started, so that it needs no new approval; None if it has not started.

    Raises:
        InvalidArgumentsError: the present contract does not allow the approved arguments.
    """
    items = call.ledger.items_for(call.id)
    started = next((item for item in items if isinstance(item, AttemptStarted)), None) if items else None
    if started is None:
        return None
    question_item = next((i for i in items if isinstance(i, QuestionItem) and i.question == started.question), None)
    if question_item is None:
        return ApprovedCall(call)
    question = Question.from_json(question_item.body)
    decision = next(
        (Decision.from_json(i.body) for i in items if isinstance(i, DecisionItem) and i.question == question.id), None
    )
    if decision is not None and decision.arguments:
        return ApprovedCall(with_arguments(call, decision.arguments), decision.by)
    return (
        ApprovedCall(with_arguments(call, question.arguments), question.editor)
        if question.edits
        else ApprovedCall(call)
    )


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
    return call._replace(arguments=Arguments(canonical, value)).with_payload(payload)
