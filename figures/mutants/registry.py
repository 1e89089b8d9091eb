"""The mutants of all figures, by the part that measures them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from figures.figure import Figure
from figures.mutants import (
    access,
    approval,
    audit,
    budgets,
    combinations,
    corruption,
    crash,
    door,
    drift,
    engine,
    four_eyes,
    fuzz,
    governed,
    history,
    limits,
    narrowing,
    order,
    outage,
    policy,
    race,
    replay,
    retry,
    schedules,
    seal,
    secrets,
    untyped,
    workers,
)
from figures.mutants.mutant import KillRate, Mutant

MUTANTS: Final[dict[str, tuple[Mutant, ...]]] = {
    "acl": access.MUTANTS,
    "approval": approval.MUTANTS,
    "crash": crash.MUTANTS,
    "combinations": combinations.MUTANTS,
    "narrowing": narrowing.MUTANTS,
    "secrets": secrets.MUTANTS,
    "four-eyes": four_eyes.MUTANTS,
    "replay": replay.MUTANTS,
    "race": race.MUTANTS,
    "retry": retry.MUTANTS,
    "untyped": untyped.MUTANTS,
    "bijection": history.BIJECTION,
    "history": history.HISTORY,
    "seal": seal.MUTANTS,
    "schedules": schedules.MUTANTS,
    "order": order.MUTANTS,
    "outage": outage.MUTANTS,
    "limits": limits.MUTANTS,
    "budgets": budgets.MUTANTS,
    "audit": audit.MUTANTS,
    "corruption": corruption.MUTANTS,
    "drift": drift.MUTANTS,
    "governed": governed.MUTANTS,
    "policy": policy.MUTANTS,
    "workers": workers.MUTANTS,
    "door": door.MUTANTS,
    "fuzz": fuzz.MUTANTS,
    "engine": engine.MUTANTS,
}


class MeasurePart(Protocol):
    """Measures the figures of one part."""

    def __call__(self, *, short: bool) -> Iterable[Figure]:
        """The figures; ``short`` takes a sample."""
        ...


def kill_mutants(part: str, measure: MeasurePart, *, short: bool) -> dict[str, KillRate]:
    """Plant the mutants of a part in turn and measure its short form; ``short`` plants the first one."""
    rates: dict[str, KillRate] = {}
    for mutant in MUTANTS.get(part, ()):
        if short and rates:
            break
        rate = rates.setdefault(mutant.figure, KillRate())
        rate.planted += 1
        if survival := mutant.find_survival(_in_short(measure)):
            rate.survivors.append(f"{mutant.figure}: {mutant.defect} ({survival})")
    return rates


def _in_short(measure: MeasurePart) -> Callable[[], Iterable[Figure]]:
    return lambda: measure(short=True)
