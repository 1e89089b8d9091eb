"""Mutants of the figure about trials of policies."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_FOLD: Final = "remit.trial.policy_trial:TrialFold"
_JUDGEMENT: Final = "remit.approvals.judgement"

MUTANTS: Final = mutants_of(
    "policy.trial_differs",
    {
        "rules see nothing of the run": edited(f"{_FOLD}.add_run", "ledger.add_recorded(item, position.at)", "pass"),
        "what is looser counts as stricter": edited(
            f"{_JUDGEMENT}:difference", "if after.strictness < before.strictness:", "if False:"
        ),
        "a question to others is no difference": edited(
            f"{_JUDGEMENT}:difference", 'return "looser" if after.who != before.who else None', "return None"
        ),
        "calls of bodies are not judged": edited(f"{_FOLD}._add_call", "if reads_call and (", "if ("),
        "blocked calls are taken for refused ones": edited(
            "remit.trial.policy_trial:_was_refused_before",
            "return not isinstance(view.error, _JUDGED_ERRORS)",
            "return True",
        ),
    },
)
