"""Checks the authority of deciders when a decision is used, not only when it is made."""

from __future__ import annotations

from remit.approvals.from_journal import AskAgain, read_approvals
from remit.call.call import Call
from remit.errors import SealError
from remit.record.current_run import CURRENT_RUN
from remit.record.grant import Grant
from remit.record.question import Decision, Question


def why_lost(call: Call, question: Question, decision: Decision | None) -> str:
    """Say why a decision no longer counts: its author is gone or has lost the permission. Empty if it counts.

    A denial always counts. A replay does not check. A person needs no permission to confirm their own call.
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
    """Whether the grantor still has the permission to give a grant."""
    find = CURRENT_RUN.get().find_principal
    person = None if find is None else find(grant.by, grant.tenant)
    return find is None or (person is not None and person.at(grant.target).may(grant.who))


def check_deciders(call: Call) -> None:
    """Check the authors of a call's approvals. If one has lost the permission, ask about the call again.

    Raises:
        AskAgain: the outermost `Approve` asks. SealError: no layer can ask.
    """
    for question, decision in read_approvals(call.ledger.items_for(call.id)).standing.values():
        if lost := why_lost(call, question, decision):
            if question.id not in call.approvals:
                raise SealError(f"the approval of {call.callee.name} does not count: {lost}")
            raise AskAgain(question.id)
