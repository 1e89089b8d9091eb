"""Mutants of the figure about the event loop: each lacks a bound."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

MUTANTS: Final = mutants_of(
    "loop.blocked_ms",
    {
        "a value may take any number of checks": edited(
            "remit.schemas.schema_cost:SchemaCost.count", "if checks > MAX_CHECKS:", "if checks < 0:"
        ),
        "defaults of any length are filled in": edited(
            "remit.schemas.schema_binding:_Binding._fit_object",
            "if self._added_chars > MAX_ADDED_CHARS or chars > MAX_DEFAULT_CHARS:",
            "if self._added_chars < 0:",
        ),
        "a rendering is not counted": edited(
            "remit.workers.render_cost:RenderCost.add", "self._left -= _OPERATION + cost", "pass"
        ),
        "an answer is read to its end": edited(
            "remit.models.bounded_http:_read_body", "size += len(part)", "size = len(part)"
        ),
        "a rule that never matches is searched up to the year 9999": edited(
            "remit.engine.recurrence_rule:RecurrenceRule._periods",
            "for day in range(begin, until.toordinal() + 1, step):",
            "for day in range(begin, _LAST_DAY, step):",
        ),
    },
)
