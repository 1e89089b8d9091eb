"""Policies: the rules that decide on a call, the questions they ask, and who may answer them."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.approvals.approver import Approver as Approver
    from remit.approvals.approver import HasApprover as HasApprover
    from remit.approvals.approver import InboxApprover as InboxApprover
    from remit.approvals.earlier_calls import After as After
    from remit.approvals.earlier_calls import AllOf as AllOf
    from remit.approvals.earlier_calls import NotAfter as NotAfter
    from remit.approvals.judgement import Judgement as Judgement
    from remit.approvals.policy import DECIDE_PERMISSION as DECIDE_PERMISSION
    from remit.approvals.policy import DEFAULT_POLICY as DEFAULT_POLICY
    from remit.approvals.policy import Allow as Allow
    from remit.approvals.policy import Ask as Ask
    from remit.approvals.policy import Block as Block
    from remit.approvals.policy import ConfirmationFlag as ConfirmationFlag
    from remit.approvals.policy import Egress as Egress
    from remit.approvals.policy import HighRisk as HighRisk
    from remit.approvals.policy import Policy as Policy
    from remit.approvals.policy import Rule as Rule
    from remit.approvals.policy import Undeclared as Undeclared
    from remit.approvals.policy import Verdict as Verdict
    from remit.approvals.policy import When as When
    from remit.record.grant import Grant as Grant
    from remit.record.grant import GrantRow as GrantRow
    from remit.record.principal import Principal as Principal
    from remit.record.question import Decision as Decision
    from remit.record.question import PlannedCall as PlannedCall
    from remit.record.question import Question as Question
    from remit.record.question import RepeatReason as RepeatReason
    from remit.trial.health import ApprovalHealth as ApprovalHealth
    from remit.trial.policy_trial import ChangedCall as ChangedCall
    from remit.trial.policy_trial import ChangedGroup as ChangedGroup
    from remit.trial.policy_trial import PolicyTrial as PolicyTrial
else:
    __getattr__ = lazy_exports(__name__)
