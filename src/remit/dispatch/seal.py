"""The seal: an approved call runs with exactly the approved arguments and definition, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from remit.approvals.from_journal import read_approvals
from remit.call.contract import definition_digest
from remit.dispatch.registry import AnyCallee
from remit.errors import SealError
from remit.record.items import Item
from remit.record.question import Question


def check_seal(callee: AnyCallee, payload: BaseModel, items: Sequence[Item]) -> Sequence[Question]:
    """Check that a call with these items is exactly what its approvals cover, and return their questions.

    Raises:
        SealError: a layer let it through without an approval, or changed it afterwards.
    """
    standing = read_approvals(items).standing.values()
    if not standing:
        return ()
    current = (callee.name, callee.schema_in.dump_canonical(payload), definition_digest(callee))
    for each in standing:
        question = each.question
        if each.decision is None or each.decision.approved is not True or not question.accepts(each.decision):
            raise SealError(f"{callee.name} was not approved, but a layer let it through")
        if current != (question.tool, each.arguments, question.definition):
            raise SealError(f"a layer changed what {callee.name} is called with after it was approved")
    return [each.question for each in standing]
