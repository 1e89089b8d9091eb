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
        edited(
            "remit.record.spelling:Spellings.replace_in",
            "pieces += [text[end:start], replacement]",
            "pieces += [text[end:stop], replacement]",
        ),
    ),
    *(
        _mutant(f"a secret is not known {spelling}", edited("remit.record.spelling:derive_spellings", added, "[]"))
        for spelling, added in {
            "in hexadecimal": "[data.hex()]",
            "in upper-case hexadecimal": "[data.hex().upper()]",
            "in Base64": "[whole]",
            "in Base64 for URLs": '[whole.replace("+", "-").replace("/", "_")]',
            "in a form": '[value.replace(" ", "+")]',
        }.items()
    ),
    *(
        _mutant(
            f"a secret in Base64 is not known after {before} bytes",
            edited("remit.record.spelling:derive_spellings", "enumerate((0, 2, 3))", others),
        )
        for before, others in enumerate(("enumerate((2, 3), 1)", "((0, 0), (2, 3))", "enumerate((0, 2))"))
    ),
    _mutant("escapes are not undone", edited("remit.record.spelling:_walk", "depth < _DEPTH", "depth < 0")),
    _mutant(
        "escapes within escapes are not undone",
        edited("remit.record.spelling:_walk", "depth < _DEPTH", "depth < 1"),
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
        edited("remit.call.redact:safe_cause", "error if redact_text(text, redactions) == text else None", "error"),
    ),
)
