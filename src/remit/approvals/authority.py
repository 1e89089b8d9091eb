"""The authority of deciders, which is checked when a decision is used, not only when it is made."""

from __future__ import annotations

from remit.approvals.from_journal import AskAgain, read_approvals
from remit.call.call import Call
from remit.errors import SealError
from remit.record.current_run import CURRENT_RUN
from remit.record.grant import Grant
from remit.record.question import Decision, Question


def why_lost(call: Call, question: Question, decision: Decision | None) -> str:
    """Why a decision does not count today: its author is gone, or lacks the right; empty if it counts.

    A denial counts always, and a replay compares only. A person who confirmed their own call needs no right for that.
    """
    is_denial = decision is not None and question.kind == "approval" and not decision.approved
    find = CURRENT_RUN.get().find_principal
    if decision is None or is_denial or find is None or call.ledger.execution.is_replaying:
        return ""
    person = find(decision.by, question.tenant)
    if person is None:
        return f"{decision.by}, who decided, is unknown now"
    missing = "" if decision.kind == "confirm" else question.missing_permission(person)
    return f"{decision.by}, who decided, lacks the permission {missing} now" if missing else ""


def is_granted(grant: Grant) -> bool:
    """Whether the grantor has today the right to give a grant."""
    find = CURRENT_RUN.get().find_principal
    person = None if find is None else find(grant.by, grant.tenant)
    return find is None or (person is not None and person.at(grant.target).may(grant.who))


def check_deciders(call: Call) -> None:
    """Refuse the approvals of a call if one of their authors has lost the right; the call is asked about again.

    Raises:
        AskAgain: the outermost `Approve` asks. SealError: no layer is there to ask.
    """
    for question, decision in read_approvals(call.ledger.items_for(call.id)).standing.values():
        if lost := why_lost(call, question, decision):
            if question.id not in call.approvals:
                raise SealError(f"the approval of {call.callee.name} does not count: {lost}")
            raise AskAgain(question.id)
