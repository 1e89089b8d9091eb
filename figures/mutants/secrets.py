"""Mutants of the figure about secrets."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, Plant, edited

_BASE: Final = "remit.dispatch.base:Base"


def _mutant(defect: str, plant: Plant) -> Mutant:
    return Mutant(figure="secrets.leaked", defect=defect, plant=plant)


MUTANTS: Final = (
    _mutant(
        "the value of a secret is not replaced",
        edited("remit.contracts.secret:redact_secrets", "text = text.replace(spelling, placeholder)", "pass"),
    ),
    _mutant(
        "the error of a tool keeps the value",
        edited(f"{_BASE}._run_body", "redact_error(error, call.redactions)", "error"),
    ),
    _mutant(
        "an unexpected error keeps the value",
        edited(f"{_BASE}._tool_failure", "redact_text(message, call.redactions)", "message"),
    ),
    _mutant(
        "the cause of an error reveals the value",
        edited(
            "remit.contracts.redact:safe_cause", "error if redact_text(text, redactions) == text else None", "error"
        ),
    ),
)
