"""Mutants of the figure about tenants and access to casefiles."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, Plant, edited

_ACCESS: Final = "remit_casefile.casefiles.access"


def _mutant(defect: str, plant: Plant) -> Mutant:
    return Mutant(figure="acl.leaks", defect=defect, plant=plant)


MUTANTS: Final = (
    _mutant(
        "a casefile that the caller may not see is found",
        edited(f"{_ACCESS}:require_casefile", "if level is Level.NONE:", "if False:"),
    ),
    _mutant(
        "a level that is too low is enough", edited(f"{_ACCESS}:require_casefile", "if level < minimum:", "if False:")
    ),
    _mutant(
        "a list shows the casefiles of others",
        edited(
            f"{_ACCESS}:visibility_condition",
            "return (Casefile.tenant == view.tenant) & visible",
            "return visible | True",
        ),
    ),
)
