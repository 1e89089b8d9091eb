"""A call that a policy has judged, with what is on record about its approval."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from remit.approvals.approver import compute_match, find_change, valid_from
from remit.approvals.editing import approval_covers
from remit.approvals.from_journal import Approvals, RecordedQuestion
from remit.approvals.policy import Ask, Verdict
from remit.call.call import Call
from remit.call.gate import has_begun
from remit.record.question import Question, RepeatReason


class ApprovalCase(NamedTuple):
    """A call, the verdict on it, and the recorded question that this policy asked about it, if any.

    ``used_elsewhere`` is the id of that question if another call of the conversation has used up its approval. ``lost``
    is the reason why its decision no longer counts.
    """

    call: Call
    verdict: Verdict
    rule: str
    match: str
    approvals: Approvals
    recorded: RecordedQuestion | None
    used_elsewhere: str = ""
    lost: str = ""

    def still_applies(self, recorded: RecordedQuestion, policy_version: str) -> bool:
        """Whether a recorded question matches the current call. A denial stands even if the call has changed."""
        question, decision = recorded
        if self.used_elsewhere or self.lost:
            return False
        if recorded.edit:
            unedited = self.call.replace(canonical_arguments=question.arguments)
            is_same = compute_match(unedited, policy_version) == question.match
            is_same = is_same and self.call.canonical_arguments == recorded.edit
            return is_same and approval_covers(question, self.verdict, self.rule)
        is_denied = question.expires <= self.call.ledger.now() if decision is None else not decision.approved
        return is_denied or (question.match == self.match and self._is_as_strict(question))

    def _is_as_strict(self, question: Question) -> bool:
        """Whether the question is at least as strict as the present verdict, which may depend on changing data."""
        ask = self.verdict
        if not isinstance(ask, Ask):
            return True
        is_same = (self.rule, ask.who, ask.kind) == (question.rule, question.who, question.needs)
        return is_same and (question.four_eyes or not ask.four_eyes)

    @property
    def earlier_question(self) -> str:
        """The id of the question that the next one replaces, or empty."""
        if self.recorded is None:
            return self.approvals.refuted
        return "" if self.recorded.edit else self.recorded.question.id

    def ask(self) -> tuple[Ask, str, RepeatReason | None]:
        """The asking verdict, its rule, and why the call is asked about again."""
        ask, rule, again, remarks = self.verdict, self.rule, None, list[str]()
        if self.recorded is not None:
            question = self.recorded.question
            if not isinstance(ask, Ask):
                reason = "the policy no longer asks, but a call that was asked about needs an answer"
                expires_in = question.expires - valid_from(question.asked, self.call)
                ask = Ask(
                    reason=reason,
                    who=question.who,
                    expires_in=expires_in,
                    four_eyes=question.four_eyes,
                    kind=question.needs,
                )
                rule = question.rule
            is_edited, is_used = bool(self.recorded.edit), bool(self.used_elsewhere)
            again = RepeatReason("authority", self.lost) if self.lost else None
            again = again or find_change(question, self.call, is_edited=is_edited, is_used=is_used)
        elif self.approvals.refuted:
            again = RepeatReason("did_not_happen", "it was started and did not happen")
        elif has_begun(self.call.ledger.items_for(self.call.id)):
            remarks = ["it was started before, and may have happened"]
        assert isinstance(ask, Ask)  # noqa: S101 - for the type checker: no question is opened about an allowed call
        edits = [f"{self.approvals.editor} edited it"] if self.approvals.edit else []
        return replace(ask, reason="; ".join([ask.reason, *edits, *remarks])), rule, again
