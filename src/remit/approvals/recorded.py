"""What the journal says of the questions about one call, and of who allowed it."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import ValidationError

from remit.contracts.arguments import Arguments, Limits, parse
from remit.contracts.call import Call
from remit.contracts.items import Asked, Decided, Started
from remit.contracts.question import Decision, Question
from remit.errors import InvalidError

_AS_STORED = Limits(argument_bytes=1 << 40, argument_depth=1 << 10)


class Approved(NamedTuple):
    """A call as it may run, and who edited its arguments before they allowed it; empty if nobody did."""

    call: Call
    editor: str = ""


def recorded(call: Call, match: str, edits: str = "") -> tuple[Question | None, Decision | None]:
    """The newest question about this call, if it still matches, and the decision on it.

    With ``edits``, the newest of those that were asked because the decision on that question edited the arguments.
    """
    question: Question | None = None
    decision: Decision | None = None
    for item in call.ledger.known(call.id):
        if isinstance(item, Asked) and item.about == "approval":
            asked = Question.of(item.body)
            if asked.edits == edits:
                question, decision = asked, None
        elif isinstance(item, Decided) and question is not None and item.question == question.id:
            decision = Decision.of(item.body)
    return (question, decision) if question is not None and question.match == match else (None, None)


def begun(call: Call) -> Approved | None:
    """A call that has started, as it was approved then: it is not asked about again. None for one that has not.

    Raises:
        InvalidError: what was approved is not what the contract allows today.
    """
    items = call.ledger.known(call.id)
    started = next((item for item in items if isinstance(item, Started)), None) if items else None
    if started is None:
        return None
    asked = next((i for i in items if isinstance(i, Asked) and i.question == started.question), None)
    if asked is None:
        return Approved(call)
    question = Question.of(asked.body)
    given = next((Decision.of(i.body) for i in items if isinstance(i, Decided) and i.question == question.id), None)
    if given is not None and given.arguments:
        return Approved(with_arguments(call, given.arguments), given.by)
    return Approved(with_arguments(call, question.arguments), question.editor) if question.edits else Approved(call)


def with_arguments(call: Call, canonical: str) -> Call:
    """The call with other arguments, in their canonical form.

    Raises:
        InvalidError: they are not what the contract allows.
    """
    try:
        payload = call.callee.schema_in.load(canonical)
    except ValidationError as error:
        raise InvalidError(call.callee.schema_in.explain(error)) from error
    value = parse(canonical, _AS_STORED).value
    return call._replace(arguments=Arguments(canonical, value)).bound(payload)
