"""What the journal says of the questions about one call, and of who allowed it."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import ValidationError

from remit.contracts.arguments import Arguments, Limits, parse_arguments
from remit.contracts.call import Call
from remit.contracts.items import AttemptStarted, DecisionItem, QuestionItem
from remit.contracts.question import Decision, Question
from remit.errors import InvalidArgumentsError

_STORED_LIMITS = Limits(argument_bytes=1 << 40, argument_depth=1 << 10)


class ApprovedCall(NamedTuple):
    """A call as it may run, and who edited its arguments before they allowed it; empty if nobody did."""

    call: Call
    editor: str = ""


def find_recorded_question(call: Call, match: str, edits: str = "") -> tuple[Question | None, Decision | None]:
    """The newest question about this call, if it still matches, and the decision on it.

    With ``edits``, the newest of those that were asked because the decision on that question edited the arguments.
    """
    question: Question | None = None
    decision: Decision | None = None
    for item in call.ledger.items_for(call.id):
        if isinstance(item, QuestionItem) and item.about == "approval":
            asked = Question.from_json(item.body)
            if asked.edits == edits:
                question, decision = asked, None
        elif isinstance(item, DecisionItem) and question is not None and item.question == question.id:
            decision = Decision.from_json(item.body)
    return (question, decision) if question is not None and question.match == match else (None, None)


def find_started_call(call: Call) -> ApprovedCall | None:
    """A call that has started, as it was approved then: it is not asked about again. None for one that has not.

    Raises:
        InvalidArgumentsError: what was approved is not what the contract allows today.
    """
    items = call.ledger.items_for(call.id)
    started = next((item for item in items if isinstance(item, AttemptStarted)), None) if items else None
    if started is None:
        return None
    asked = next((i for i in items if isinstance(i, QuestionItem) and i.question == started.question), None)
    if asked is None:
        return ApprovedCall(call)
    question = Question.from_json(asked.body)
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
    """The call with other arguments, in their canonical form.

    Raises:
        InvalidArgumentsError: they are not what the contract allows.
    """
    try:
        payload = call.callee.schema_in.load(canonical)
    except ValidationError as error:
        raise InvalidArgumentsError(call.callee.schema_in.explain(error)) from error
    value = parse_arguments(canonical, _STORED_LIMITS).value
    return call._replace(arguments=Arguments(canonical, value)).with_payload(payload)
