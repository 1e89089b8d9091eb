"""What the tests of the edges have counted, each in a process of its own; `scripts/edges.py` adds it up."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

from figures.figure import BUILD, Figure, no_violations

TALLIES = BUILD / "edges" / "tallies"


def add_figure(figure: Figure) -> None:
    """Add a figure; violations of one name are summed over all tests."""
    TALLIES.mkdir(parents=True, exist_ok=True)
    with (TALLIES / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as tally:
        tally.write(json.dumps(asdict(figure)) + "\n")


def add_violations(name: str, found: int, n: int, how: str) -> None:
    """Add what was found of something that must not be, in ``n`` places."""
    add_figure(no_violations(name, found, n, how))


def read_figures() -> list[Figure]:
    """All figures, those of violations summed by name."""
    found: dict[str, Figure] = {}
    for path in sorted(TALLIES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            figure = Figure(**json.loads(line))
            known = found.get(figure.name)
            if known is None or figure.unit != "violations":
                found[figure.name] = figure
            else:
                total = int(known.value + figure.value)
                found[figure.name] = no_violations(figure.name, total, known.n + figure.n, figure.how)
    return list(found.values())
