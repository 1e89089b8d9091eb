"""Mutants of the figure about confirmations."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of, together

_SERVICE: Final = "remit.approvals.service:check_may_decide"
_ANY_APPLICATION: Final = ("caller.application, caller.conversation", "caller.conversation")
_ACCEPTS: Final = "remit.record.question:Question.accepts"

MUTANTS: Final = mutants_of(
    "confirm.taken_for_yes",
    {
        "a later message of the asker is the yes": edited(
            "remit.approvals.answers:require_approval",
            "raise Suspended(question.id)",
            """if question.needs != "confirm" or question.run == call.caller.run:
                raise Suspended(question.id)
            decision = Decision(question=question.id, approved=True, by=question.asker, kind="confirm")""",
        ),
        "another person confirms": together(
            edited(_SERVICE, "if by.name != question.asker:", "if False:"),
            edited(_ACCEPTS, "decision.by == self.asker", "True"),
        ),
        "a confirmation is an approval": together(
            edited(_SERVICE, 'if question.needs == "approve" and', "if False and"),
            edited(_ACCEPTS, 'self.needs == "confirm" and', ""),
        ),
        "another application makes the call": together(
            edited(
                "remit.engine.conversations:Conversations.find_announcing_run",
                "if row.application != self._application:",
                "if False:",
            ),
            edited("remit.approvals.approver:compute_match", *_ANY_APPLICATION),
        ),
        "a question of another application serves": edited("remit.approvals.approver:compute_match", *_ANY_APPLICATION),
        "the yes to a cancelled run serves another call": together(
            edited("remit.approvals.carried:find_shared", "and found[0].run != call.caller.run", "and False"),
            edited(
                "remit.layers.approve:_Approve._find_earlier_answer",
                "if decision is not None and decision.approved:",
                """if decision is not None and decision.approved:
        await record_question(call, shared, Consumption((), call.caller.run, call.id))
        return shared
    if False:""",
            ),
        ),
    },
)
