"""Mutants of the figures that kill processes: of each crash sweep."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.crash import Kind, measure_postgres, measure_sweep
from figures.mutants.mutant import Mutant, Plant, edited

_BASE: Final = "remit.dispatch.base:Base"

CRASH_DEFECTS: Final[tuple[tuple[Kind, str, Plant], ...]] = (
    (
        "doubled",
        "an unsafe call that was under way runs again",
        edited(f"{_BASE}.__call__", "if started is not None and self._effect is Effect.UNSAFE:", "if False:"),
    ),
    (
        "doubled",
        "the start of a call is not durable before its effect",
        edited(f"{_BASE}._write_item", "await call.ledger.commit(item)", "call.ledger.add(item)"),
    ),
    (
        "doubled",
        "a call that has ended runs again",
        edited(
            "remit.layers.record:_Record.__call__",
            "if isinstance(item, ToolOutput) and not is_reexecuted:",
            "if False:",
        ),
    ),
    (
        "lost",
        "a call that did not happen is recorded as done",
        edited(
            f"{_BASE}._resolve_outcome", "decision is not None and decision.approved is True", "decision is not None"
        ),
    ),
    (
        "lost",
        "a recorded result is not given back",
        edited(
            "remit.layers.record:_Record.__call__",
            "Reply.from_journal(content,",
            'Reply.from_journal("{}",',
        ),
    ),
    (
        "lost",
        "the key of a call is another one in each execution",
        edited(
            "remit.dispatch.context:CallContext.__init__", "self._key = call.id", 'self._key = f"{id(self)}{call.id}"'
        ),
    ),
)


_POINTS: Final = range(1, 1000, 3)
"""Kills at each third point, among them one between an unsafe effect and its end."""

_MEASURES: Final = {
    "sqlite": partial(measure_sweep, "sqlite", "flat"),
    "nested": partial(measure_sweep, "nested", "nested"),
    "workers": partial(measure_sweep, "workers", "workers"),
    "stalled": partial(measure_sweep, "stalled", "stalled"),
    "postgres": partial(measure_postgres, "postgres"),
    "postgres_stalled": partial(measure_postgres, "postgres_stalled"),
}

MUTANTS: Final = tuple(
    Mutant(
        figure=f"crash.{world}.{kind}",
        defect=defect,
        plant=plant,
        measure=partial(measure, points=_POINTS, until=kind),
    )
    for world, measure in _MEASURES.items()
    for kind, defect, plant in CRASH_DEFECTS
)
