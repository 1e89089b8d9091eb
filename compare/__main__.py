"""Kill the six programs, or those that are named, and write ``build/compare.json``; prints a table for each kill.

``documents`` runs the programs of the guides for readers who come from another framework; without a name, so does this.
``speed`` measures what calls, turns, runs and imports cost instead; see `compare.speed`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from compare.documents import check_documents
from compare.frameworks import FRAMEWORKS, check_programs, format_versions, installed_versions
from compare.measure import KILLS, Result, count_lines, measure
from compare.speed import compare_speed

BUILD: Final = Path(__file__).parent.parent / "build"
COLUMNS: Final = (
    *("lines", "requests repeated", "searches repeated", "notes doubled"),
    *("asked to approve", "asked about the outcome", "approval kept"),
)


def main(names: list[str]) -> int:
    """Measure, print and write; a program that fails to do the task ends this with an error."""
    if names[:1] == ["speed"]:
        return compare_speed(names[1:])
    if names in ([], ["documents"]):
        print("\n".join(check_documents()))
    if names == ["documents"]:
        return 0
    programs = names or list(FRAMEWORKS)
    check_programs(programs, FRAMEWORKS)
    with ThreadPoolExecutor(2) as pool:
        measured = dict(zip(programs, pool.map(measure, programs), strict=True))
    versions = {name: installed_versions(name) for name in programs}
    lines = {name: count_lines(name) for name in programs}
    document = {
        "date": datetime.now(UTC).date().isoformat(),
        "programs": {
            name: {
                "versions": versions[name],
                "lines": lines[name],
                "kills": {kill: asdict(result) for kill, result in results.items()},
            }
            for name, results in measured.items()
        },
    }
    BUILD.mkdir(exist_ok=True)
    (BUILD / "compare.json").write_text(json.dumps(document, indent=2) + "\n")
    print(f"{document['date']}: " + "; ".join(format_versions(versions[name]) for name in programs))
    print("\n".join(_table(measured, lines)))
    return 0


def _table(measured: dict[str, dict[str, Result]], lines: dict[str, int]) -> Iterable[str]:
    for kill in KILLS:
        yield f"\nkilled {kill}:\n"
        yield f"| {' | '.join(['', *COLUMNS])} |"
        yield "| --- " * (1 + len(COLUMNS)) + "|"
        for name, results in measured.items():
            each = results[kill]
            cells = [lines[name], each.lost_requests, each.lost_results, each.doubled, each.asked_to_approve]
            cells += [each.asked_about_outcome, "yes" if each.approval_survived else "no"]
            yield f"| {FRAMEWORKS[name][0]} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
