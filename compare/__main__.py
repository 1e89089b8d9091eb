"""Measure the six programs, or those that are named, and write ``build/compare.json``; prints two tables.

``documents`` runs the programs of the guides for readers who come from another framework; without a name, so does this.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from compare.documents import check_documents
from compare.measure import KILLS, Result, count_lines, measure

BUILD: Final = Path(__file__).parent.parent / "build"
FRAMEWORKS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "remit": ("Remit", ("remit",)),
    "pydantic_ai": ("PydanticAI", ("pydantic-ai-slim",)),
    "pydantic_ai_dbos": ("PydanticAI and DBOS", ("pydantic-ai-slim", "dbos")),
    "langgraph": ("LangGraph", ("langgraph", "langchain", "langgraph-checkpoint-sqlite")),
    "openai_agents": ("OpenAI Agents", ("openai-agents",)),
    "agent_framework": ("Agent Framework", ("agent-framework-core",)),
}
"""Each program: the name of its framework, and the distributions whose versions are named."""

COLUMNS: Final = (
    *("lines", "requests repeated", "searches repeated", "notes doubled"),
    *("asked to approve", "asked about the outcome", "approval kept"),
)


def main(names: list[str]) -> int:
    """Measure, print and write; a program that fails to do the task ends this with an error."""
    if names in ([], ["documents"]):
        print("\n".join(check_documents()))
    if names == ["documents"]:
        return 0
    programs = names or list(FRAMEWORKS)
    for name in programs:
        if name not in FRAMEWORKS:
            raise SystemExit(f"there is no program {name!r}; available: {', '.join(FRAMEWORKS)}")
    with ThreadPoolExecutor(2) as pool:
        measured = dict(zip(programs, pool.map(measure, programs), strict=True))
    versions = {name: {each: version(each) for each in FRAMEWORKS[name][1]} for name in programs}
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
    print(f"{document['date']}: " + "; ".join(_format_versions(versions[name]) for name in programs))
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


def _format_versions(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
