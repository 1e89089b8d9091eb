"""Arguments edited by an approver, and the notice about it for the model."""

from __future__ import annotations

import json
from typing import cast

from remit.approvals.approver import find_unset_flag
from remit.approvals.policy import Ask, Verdict
from remit.call.call import Call
from remit.call.contract import Contract
from remit.call.reply import Reply
from remit.errors import InvalidArgumentsError
from remit.record.arguments import Limits, parse_arguments
from remit.record.question import Question


def canonicalize_edit(callee: Contract, raw: str, question: Question, limits: Limits) -> str:
    """Canonicalize edited arguments; empty if they equal those of the question.

    Raises:
        InvalidArgumentsError: the contract does not allow them, or they unset the confirmation flag.
    """
    payload = callee.schema_in.bind(parse_arguments(raw, limits), strict=True)
    if find_unset_flag(callee, payload) is not None:
        raise InvalidArgumentsError(f"{callee.facts.confirm} must stay true; without it the call changes nothing")
    text = callee.schema_in.dump_canonical(payload)
    return "" if text == question.arguments else text


def approval_covers(question: Question, verdict: Verdict, rule: str) -> bool:
    """Whether a question's approval also satisfies this verdict on the call that the approver edited.

    Under four eyes it never does: the editor requests the edited call, so another person must approve it.
    """
    if not isinstance(verdict, Ask):
        return True
    return not verdict.four_eyes and (rule, verdict.who, verdict.kind) == (question.rule, question.who, question.needs)


def add_edit_notice(reply: Reply, call: Call, editor: str) -> Reply:
    """Add the edited arguments and their editor to the reply for the model.

    A reply that ends the run remains unchanged, because it is the run's result and no model reads it.
    """
    if not call.wire_id or reply.is_final:
        return reply
    note = f"{editor} edited the arguments of this call and allowed it so; it ran with these, not yours"
    arguments = cast("object", json.loads(call.canonical_arguments))
    return reply.with_notice({"edited": True, "note": note, "arguments": arguments})
