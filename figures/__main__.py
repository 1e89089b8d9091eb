"""Measure the promises, or those that are named, and write ``build/figures.json``. ``--short`` takes a sample.

Each figure is printed with the number of its mutants, defects planted in Remit, that it notices. Every measurement
has a process of its own, so that a figure does not depend on what was measured before it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from figures.alone import run_alone
from figures.figure import BUILD, Figure, format_figure, no_violations, select_parts, write_figures
from figures.mutants.mutant import KillRate
from figures.parts import PARTS


def main(names: list[str]) -> int:
    """Measure and print, one line a figure; the status says whether every promise held."""
    short = "--short" in names
    found: list[Figure] = []
    rates: list[KillRate] = []
    for name in select_parts([name for name in names if name != "--short"], PARTS):
        begun = time.perf_counter()
        part = PARTS[name]
        killed = part.kill_mutants(short=short)
        rates += killed.values()
        for figure in run_alone(lambda part=part: part.measure(short=short)):
            rate = killed.get(figure.name, KillRate())
            found.append(replace(figure, killed=rate.killed, mutants=rate.planted))
            print(format_figure(found[-1]), flush=True)
        for survivor in (each for rate in killed.values() for each in rate.survivors):
            print(f"       survived: {survivor}", flush=True)
        print(f"       {name}: {time.perf_counter() - begun:.0f} s", flush=True)
    found.append(_count_survivors(rates))
    print(format_figure(found[-1]), flush=True)
    write_figures(found, BUILD / "figures.json")
    return 0 if all(figure.holds for figure in found) else 1


def _count_survivors(rates: list[KillRate]) -> Figure:
    """The planted defects that their figure did not notice, over all figures measured."""
    survivors = [each for rate in rates for each in rate.survivors]
    how = "defects planted in Remit, each noticed by the figure that it is meant for"
    how += f"; survived: {survivors}" if survivors else ""
    planted = sum(rate.planted for rate in rates)
    return replace(no_violations("figures.mutants_survived", len(survivors), planted, how), unit="count")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
