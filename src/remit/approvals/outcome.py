"""Asks a person whether a started call happened if its end is unknown."""

from __future__ import annotations

from remit.approvals.approver import build_outcome_question
from remit.approvals.authority import why_lost
from remit.approvals.from_journal import question_item, read_approvals
from remit.call.call import Call
from remit.errors import Suspended
from remit.record.items import DecisionItem, QuestionItem
from remit.record.question import Decision


async def find_or_ask_outcome(call: Call, attempt: int) -> Decision:
    """Find the answer to the question whether an attempt happened, or ask the question.

    If the author of the answer has lost the permission, a new question, which gives this reason, replaces the old one.

    Raises:
        Suspended: a person must decide.
    """
    items = call.ledger.items_for(call.id)
    approvals = [each.question for each in read_approvals(items).standing.values()]
    asked = {item.question for item in items if isinstance(item, QuestionItem)}
    decisions = {item.question: Decision.from_json(item.body) for item in items if isinstance(item, DecisionItem)}
    question = build_outcome_question(call, attempt, approvals)
    while decision := decisions.get(question.id):
        lost = why_lost(call, question, decision)
        following = build_outcome_question(call, attempt, approvals, replaces=question.id, lost=lost)
        if not lost and following.id not in asked:
            return decision
        question = following
    if question.id not in asked:
        await call.ledger.commit(question_item(question, call=call.id, parent=call.caller.call, wire=call.wire_id))
    raise Suspended(question.id)
