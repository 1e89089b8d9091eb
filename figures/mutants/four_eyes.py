"""Mutants of the figure about two people behind each call."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, Plant, edited, together


def _mutant(defect: str, plant: Plant) -> Mutant:
    return Mutant(figure="four_eyes.single", defect=defect, plant=plant)


MUTANTS: Final = (
    _mutant(
        "an edited yes approves itself",
        edited("remit.approvals.editing:approval_covers", "return not verdict.four_eyes and ", "return "),
    ),
    _mutant(
        "who edited a call may approve it",
        edited(
            "remit.record.question:Question.requesters.fget",
            "(self.asker, self.editor) if self.editor else (self.asker,)",
            "(self.asker,)",
        ),
    ),
    _mutant(
        "who started the run may decide",
        together(
            edited("remit.approvals.service:check_may_decide", "if question.four_eyes and", "if False and"),
            edited("remit.approvals.answers:_check_four_eyes", "if question.four_eyes and", "if False and"),
        ),
    ),
    _mutant(
        "the starter's own grant counts",
        together(
            edited("remit.approvals.grants:_grant_covers", "if ask.four_eyes and", "if False and"),
            edited("remit.approvals.answers:_check_four_eyes", "if question.four_eyes and", "if False and"),
        ),
    ),
    _mutant(
        "the state is not compared again",
        edited("remit.approvals.approved:_find_changed_preview", "if question.state != preview.state", "if False"),
    ),
    _mutant(
        "a second policy takes the answer to the first",
        together(
            edited(
                "remit.layers.approve:_find_own_question",
                "return standing.get(len(call.approvals)) or same",
                "return next(iter(standing.values()), None)",
            ),
            edited(
                "remit.approvals.approval_case:ApprovalCase.still_applies",
                "(question.match == self.match and self._is_as_strict(question))",
                "True",
            ),
        ),
    ),
)
