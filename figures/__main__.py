"""Measure the promises, or those that are named, and write ``build/figures.json``. ``--short`` takes a sample."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Final, Protocol

from figures import (
    acl_figure,
    approval,
    audit,
    bijection,
    crash,
    door,
    drift,
    engine,
    fuzz,
    history,
    limits,
    narrowing,
    policy,
    race,
    replay,
    retry,
    schedules,
    seal,
    secrets,
    workers,
)
from figures.figure import BUILD, Figure, format_figure, select_parts, write_figures


class Part(Protocol):
    """Measures the figures of one promise."""

    def __call__(self, *, short: bool) -> Iterator[Figure]:
        """The figures, one after the other; ``short`` takes a sample."""
        ...


PARTS: Final[dict[str, Part]] = {
    "bijection": bijection.figures,
    "history": history.figures,
    "seal": seal.figures,
    "approval": approval.figures,
    "replay": replay.figures,
    "schedules": schedules.figures,
    "limits": limits.figures,
    "retry": retry.figures,
    "race": race.figures,
    "audit": audit.figures,
    "secrets": secrets.figures,
    "drift": drift.figures,
    "policy": policy.figures,
    "acl": acl_figure.figures,
    "fuzz": fuzz.figures,
    "door": door.figures,
    "narrowing": narrowing.figures,
    "crash": crash.figures,
    "engine": engine.figures,
    "workers": workers.figures,
}


def main(names: list[str]) -> int:
    """Measure and print, one line a figure; the status says whether every promise held."""
    short = "--short" in names
    found: list[Figure] = []
    for name in select_parts([name for name in names if name != "--short"], PARTS):
        begun = time.perf_counter()
        for figure in PARTS[name](short=short):
            print(format_figure(figure), flush=True)
            found.append(figure)
        print(f"       {name}: {time.perf_counter() - begun:.0f} s", flush=True)
    write_figures(found, BUILD / "figures.json")
    return 0 if all(figure.holds for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
