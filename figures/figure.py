"""One measured figure, and the file they are written to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

BUILD = Path(__file__).parent.parent / "build"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """``value`` in ``unit`` out of ``n``, measured as ``how`` says, held against ``target``.

    ``killed`` of ``mutants`` planted defects made the figure miss its target.
    """

    name: str
    value: float
    unit: str
    target: str
    holds: bool
    n: int
    how: str
    killed: int = 0
    mutants: int = 0


def no_violations(name: str, violations: int, n: int, how: str) -> Figure:
    """A figure that is right at 0: violations out of ``n``, of which there must be some."""
    return Figure(
        name=name, value=violations, unit="violations", target="0", holds=violations == 0 and n > 0, n=n, how=how
    )


def at_most(name: str, value: float, unit: str, target: float, n: int, how: str) -> Figure:
    """A figure that is right up to its target."""
    return Figure(name=name, value=value, unit=unit, target=f"≤ {target:g}", holds=value <= target, n=n, how=how)


def at_least(name: str, value: float, unit: str, target: float, n: int, how: str) -> Figure:
    """A figure that is right from its target on."""
    return Figure(name=name, value=value, unit=unit, target=f"≥ {target:g}", holds=value >= target, n=n, how=how)


def write_figures(figures: list[Figure], path: Path) -> None:
    """Write figures as ``{name: {field: value}}``, keeping those of other names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = cast("dict[str, object]", json.loads(path.read_text())) if path.exists() else {}
    for figure in figures:
        fields = asdict(figure)
        known[fields.pop("name")] = fields
    path.write_text(json.dumps(dict(sorted(known.items())), indent=2, ensure_ascii=False) + "\n")


def select_parts(names: Sequence[str], available: Mapping[str, object]) -> Sequence[str]:
    """The parts to measure: those that are named, or all. Ends the program where there is none of a name."""
    for name in names:
        if name not in available:
            raise SystemExit(f"there is no part {name!r}; available: {', '.join(available)}")
    return names or tuple(available)


def format_figure(figure: Figure) -> str:
    """A figure on one line."""
    mark = "ok    " if figure.holds else "MISSED"
    killed = f" killed {figure.killed}/{figure.mutants}" if figure.mutants else ""
    value = f"{figure.value:>10.4g} {figure.unit:<12} target {figure.target:<8} n={figure.n}"
    return f"{mark} {figure.name:<32} {value}{killed}"
