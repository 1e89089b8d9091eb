"""Mutants of the figure about wrong and sloppy values."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, edited, together

_POLICY = "remit.approvals.policy:"

MUTANTS: Final = (
    Mutant(
        figure="untyped.open",
        defect="a rule whose test returns a truthy value that is not True is skipped",
        plant=edited(f"{_POLICY}When.__call__", "if type(matches) is not bool:", "if False:"),
    ),
    Mutant(
        figure="untyped.open",
        defect="a value that is not a verdict lets the call run",
        plant=together(
            edited(f"{_POLICY}_check_verdict", "if not isinstance(verdict, Verdict):", "if False:"),
            edited(f"{_POLICY}_without_secrets", "isinstance(verdict, Allow)", "not isinstance(verdict, (Ask, Block))"),
        ),
    ),
    Mutant(
        figure="untyped.open",
        defect="a truthy value counts as True",
        plant=edited("remit.core.checks:check_flag", "if not isinstance(value, bool):", "if False:"),
    ),
    Mutant(
        figure="untyped.open",
        defect="an item of a list of texts need not be one",
        plant=edited("remit.core.checks:as_text_tuple", "check_text(place_item(what), each, error)", "pass"),
    ),
)
