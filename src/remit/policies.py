"""Policies: the rules that decide on a call, the questions they ask, and who may answer them."""

from remit.approvals.approver import Approver, HasApprover, InboxApprover
from remit.approvals.policy import (
    DECIDE_PERMISSION,
    DEFAULT_POLICY,
    Allow,
    Ask,
    Block,
    ConfirmationFlag,
    Egress,
    HighRisk,
    Policy,
    Rule,
    Undeclared,
    Verdict,
    When,
)
from remit.record.grant import Grant, GrantRow
from remit.record.principal import Principal
from remit.record.question import Decision, PlannedCall, Question

__all__ = [
    "DECIDE_PERMISSION",
    "DEFAULT_POLICY",
    "Allow",
    "Approver",
    "Ask",
    "Block",
    "ConfirmationFlag",
    "Decision",
    "Egress",
    "Grant",
    "GrantRow",
    "HasApprover",
    "HighRisk",
    "InboxApprover",
    "PlannedCall",
    "Policy",
    "Principal",
    "Question",
    "Rule",
    "Undeclared",
    "Verdict",
    "When",
]
