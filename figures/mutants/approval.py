"""Mutants of the figure about approvals."""

from __future__ import annotations

from typing import Final

from figures.approval import measure_until_wrong
from figures.mutants.mutant import Mutant, Plant, edited, together

_SERVICE: Final = "remit.approvals.service"
_AUTHORITY: Final = "remit.approvals.authority"
_ANSWERS: Final = "remit.approvals.answers"
_REQUIRE: Final = f"{_ANSWERS}:require_approval"


def _mutant(defect: str, plant: Plant) -> Mutant:
    return Mutant(figure="approval.matrix.executions", defect=defect, plant=plant, measure=measure_until_wrong)


MUTANTS: Final = (
    _mutant(
        "an approval can be used a second time",
        edited(
            "remit.journal.index:check_consumable",
            "row.consumed_by not in (None, (consumption.run, consumption.call))",
            "False",
        ),
    ),
    _mutant(
        "the requester decides where four eyes are required",
        together(
            edited(f"{_SERVICE}:check_may_decide", "if question.four_eyes and", "if False and"),
            edited(f"{_ANSWERS}:_check_four_eyes", "if question.four_eyes and", "if False and"),
        ),
    ),
    _mutant(
        "a decision does not need the permission",
        edited(f"{_SERVICE}:check_may_decide", "if missing:", "if False:"),
    ),
    _mutant(
        "other tenants decide",
        edited(f"{_SERVICE}:DecisionService.make_decision", "row.question.tenant != by.tenant", "False"),
    ),
    _mutant(
        "the base does not compare arguments with those approved",
        together(
            edited(
                "remit.dispatch.seal:check_seal",
                "(question.tool, each.arguments, question.definition)",
                "(question.tool, current[1], question.definition)",
            ),
            edited(
                "remit.call.guard:_check_same_call",
                "if getattr(passed, name) is not getattr(entered, name):",
                "if False:",
            ),
            edited(
                "remit.call.guard:compose_calls",
                'checked = _check_unchanged(base, ", ".join(own)) if own else base',
                "checked = base",
            ),
        ),
    ),
    _mutant(
        "a grant for one target covers all",
        edited(
            "remit.approvals.grants:_grant_covers",
            "(principal.tenant, call.caller.target,",
            "(principal.tenant, grant.target,",
        ),
    ),
    _mutant(
        "the state that the approver saw is not compared again",
        edited("remit.approvals.approved:_find_changed_preview", "if question.state != preview.state", "if False"),
    ),
    _mutant(
        "an edited yes approves itself under four eyes",
        edited("remit.approvals.editing:approval_covers", "return not verdict.four_eyes and ", "return "),
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
    _mutant(
        "a preview that fails does not end the call",
        edited(
            "remit.approvals.preview:preview_call",
            'preview = await observe(f"the preview of {callee.name}", look, deadline=call.deadline)',
            "try:\n        preview = await look()\n    except Exception:\n        return NO_PREVIEW",
        ),
    ),
    _mutant(
        "an open question lapses when the policy no longer asks",
        together(
            edited(
                "remit.layers.approve:_Approve._obtain_approval",
                "call, recorded = case.call, case.recorded",
                "call, recorded = case.call, case.recorded if isinstance(case.verdict, Ask) else None",
            ),
            edited(
                "remit.dispatch.seal:check_seal",
                "read_approvals(items).standing.values()",
                "[each for each in read_approvals(items).standing.values() if each.decision]",
            ),
        ),
    ),
    _mutant(
        "an approval does not expire",
        together(
            edited(_REQUIRE, "if decision is None or question.expires <= call.ledger.now():", "if decision is None:"),
            edited(
                "remit.journal.index:check_consumable",
                "row.consumed_by is None and row.question.expires <= now",
                "False",
            ),
        ),
    ),
    _mutant(
        "of two decisions the last writer wins",
        edited(
            "remit.journal.run_decisions:RunDecisions.decide",
            "return row.decision if row is not None else None",
            "pass",
        ),
    ),
    _mutant(
        "an in-process decision is journaled and not stored",
        edited(_REQUIRE, "await call.ledger.decisions.decide(_validate_decision", "(_validate_decision"),
    ),
    _mutant(
        "a question about an outcome does not need the permission of the approval",
        edited("remit.approvals.approver:build_outcome_question", "who=first.who,", "who=question.who,"),
    ),
    _mutant(
        "a call that did not happen runs again by the approval that is used up",
        edited("remit.dispatch.base:Base._settle_or_run", "if call.approvals:", "if False:"),
    ),
    _mutant(
        "a confirmation serves where an approval is needed",
        edited("remit.record.question:Question.accepts", 'decision.kind == "approve" or', "True or"),
    ),
    _mutant(
        "the author of a decision is not looked up when it is used",
        edited(f"{_AUTHORITY}:why_lost", "find is None or", "True or"),
    ),
    _mutant(
        "an approver who has left still approves",
        edited(f"{_AUTHORITY}:why_lost", 'return f"{decision.by}, who decided, is unknown now"', 'return ""'),
    ),
    _mutant(
        "an approver who has lost the permission still approves",
        edited(f"{_AUTHORITY}:why_lost", 'now" if missing else', 'now" if False else'),
    ),
    _mutant(
        "the grants of people who have lost the right serve",
        together(
            edited(f"{_AUTHORITY}:is_granted", "return find is None or", "return True or"),
            edited(f"{_AUTHORITY}:why_lost", "find is None or", "find is None or decision.grant or"),
        ),
    ),
    _mutant(
        "an answer about an outcome serves although its author has left",
        edited("remit.approvals.outcome:find_or_ask_outcome", "if not lost and", "if"),
    ),
    _mutant(
        "previews of Google tools name no state",
        edited("remit_casefile.google.tools:_digest", "return hashlib", 'return "" and hashlib'),
    ),
)
