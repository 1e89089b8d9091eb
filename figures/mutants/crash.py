"""Mutants of the crash sweeps, each measured in the sweep of one world."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from figures import crash
from figures.crash_world import Script
from figures.figure import Figure
from figures.mutants.mutant import Mutant, Plant, edited

_BASE: Final = "remit.dispatch.base:Base"

_DEFECTS: Final[tuple[tuple[str, str, Plant], ...]] = (
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
            "Reply.from_journal(output_content(item),",
            'Reply.from_journal("{}",',
        ),
    ),
    (
        "lost",
        "the key of a call is another one in each execution",
        edited(
            "remit.dispatch.context:CallContext.__init__", "self.key = call.id", 'self.key = f"{id(self)}{call.id}"'
        ),
    ),
)


_EVERY: Final = 3
"""Kills at each third point, among them one between an unsafe effect and its end."""


def _measure(world: str, script: Script) -> Iterator[Figure]:
    return crash.measure_sweep(world, script, every=_EVERY)


_WORLDS: Final[tuple[tuple[str, Script], ...]] = (("sqlite", "flat"), ("nested", "nested"), ("workers", "workers"))

MUTANTS: Final = tuple(
    Mutant(figure=f"crash.{world}.{kind}", defect=defect, plant=plant, measure=partial(_measure, world, script))
    for world, script in _WORLDS
    for kind, defect, plant in _DEFECTS
)
