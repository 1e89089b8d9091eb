"""Answers to questions: recorded, obtained, and checked."""

from __future__ import annotations

from dataclasses import replace

from remit.approvals.approver import Approver, ask_approver
from remit.approvals.authority import why_lost
from remit.approvals.editing import canonicalize_edit
from remit.approvals.from_journal import RecordedQuestion, question_item
from remit.call.call import Call
from remit.call.schema import shorten_text
from remit.core.names import as_person_name
from remit.errors import ApprovalDeniedError, InvalidArgumentsError, SetupError, Suspended
from remit.record.current_run import CURRENT_RUN
from remit.record.items import CallAllowed, DecisionItem
from remit.record.ledger import Consumption
from remit.record.question import Decision, Question
from remit.record.secret import redact_secrets, redact_secrets_in_content


async def record_question(call: Call, recorded: RecordedQuestion, consumption: Consumption) -> None:
    """Write a question about a call, and its decision if there is one."""
    question, decision = recorded
    consumed = consumption if consumption.questions else None
    item = question_item(question, call=call.id, parent=call.caller.call, wire=call.wire_id)
    if decision is None:
        await call.ledger.commit(item, consumed)
    else:
        call.ledger.add(item)
        copied = DecisionItem(call=call.id, question=question.id, body=decision.to_json())
        await call.ledger.commit(copied, consumed)


async def require_approval(call: Call, recorded: RecordedQuestion, approver: Approver) -> Decision:
    """Return the decision that approves the call.

    Raises:
        Suspended: the question is open.
        ApprovalDeniedError: the call was denied, no decision came in time, or the approver may not decide.
    """
    question, decision = recorded
    if decision is None and question.expires > call.ledger.now():
        decision = await ask_approver(approver, question, call.deadline)
        if decision is None:
            raise Suspended(question.id)
        # Store the decision first: another approver may have decided, and a crash here must leave one decision.
        decision = await call.ledger.decisions.decide(_validate_decision(call, question, decision))
        if decision is not None:
            of = question.call if question.is_about_run else call.id
            await call.ledger.commit(DecisionItem(call=of, question=question.id, body=decision.to_json()))
    if decision is None or question.expires <= call.ledger.now():
        raise ApprovalDeniedError(
            f"question {question.id} was not decided in time, or its approval was not used in time"
        )
    if not decision.approved:
        raise ApprovalDeniedError(decision.reason or f"{decision.by} denied {call.callee.name}")
    if not question.accepts(decision):
        raise ApprovalDeniedError(f"{call.callee.name} needs an approval; {decision.by} only confirmed it")
    if decision.grant and not await call.ledger.decisions.is_grant_valid(question.tenant, decision.grant):
        raise ApprovalDeniedError(f"the grant {decision.grant} for {call.callee.name} was revoked or has expired")
    _check_four_eyes(call, question, decision)
    return decision


def _check_four_eyes(call: Call, question: Question, decision: Decision) -> None:
    if question.four_eyes and decision.by in (*question.requesters, call.caller.principal.name):
        raise ApprovalDeniedError(f"{decision.by} requested {call.callee.name}, so another approver must decide")


def _validate_decision(call: Call, question: Question, decision: Decision) -> Decision:
    """Check that an in-process approver returned a valid decision on this question."""
    is_person_decision = decision.question == question.id and type(decision.approved) is bool and not decision.grant
    if not is_person_decision or (decision.arguments and not decision.approved):
        raise ApprovalDeniedError(f"the approver did not return a decision on question {question.id}")
    if decision.approved and not question.accepts(decision):
        raise ApprovalDeniedError(f"{call.callee.name} needs an approval; {decision.by} only confirmed it")
    _check_four_eyes(call, question, decision)
    if lost := why_lost(call, question, decision):
        raise ApprovalDeniedError(f"the approval of {call.callee.name} does not count: {lost}")
    try:
        as_person_name("the approver's name", decision.by)
    except SetupError as error:
        raise ApprovalDeniedError(error.message) from error
    limits = CURRENT_RUN.get().limits
    reason, result = redact_secrets(decision.reason), redact_secrets_in_content(decision.result)
    decision = replace(decision, reason=shorten_text(reason, limits.reason_bytes), result=result)
    if not decision.arguments:
        return decision
    try:
        edited = canonicalize_edit(call.callee, decision.arguments, question, limits)
    except InvalidArgumentsError as error:
        raise ApprovalDeniedError(
            f"{decision.by} edited the arguments, and they are invalid: {error.message}"
        ) from error
    return replace(decision, arguments=edited)


def record_rule(call: Call, rule: str) -> None:
    """Record the rule that allows a call, unless it is recorded already."""
    items, allowed = call.ledger.items_for(call.id), CallAllowed(call=call.id, rule=rule)
    if not call.ledger.execution.is_replaying and allowed not in items:
        call.ledger.add(allowed)
