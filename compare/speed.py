"""What a call, a turn, a run and an import cost in each framework: ``make compare ARGS=speed``, or ``"speed 3"``.

Each of several rounds starts one new process for each framework in turn, and one for the floor of `bench`, so that a
busy machine slows all alike. A figure is the median of the rounds; each round takes the least of several windows. The
agents are those of `compare.speeds`, whose models answer in the same process. ``build/compare_speed.json`` has all
rounds, and ``compare/speed.md`` the table, which `make docs` puts into the documents.
"""

from __future__ import annotations

import ast
import asyncio
import gc
import importlib
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any, Final, Protocol

from compare.frameworks import FRAMEWORKS, format_versions, installed_versions
from compare.speeds import Work, check_work

ROOT: Final = Path(__file__).parent.parent
SPEEDS: Final = ROOT / "compare" / "speeds"
PROGRAMS: Final = [name for name in FRAMEWORKS if (SPEEDS / f"{name}.py").exists()]
FLOOR: Final = "floor"
BARE: Final = "pass"

ROUNDS: Final = 5
WINDOWS: Final = 3
CALLS: Final = 200
"""Calls of tools in one window."""

SHAPES: Final = {
    "turn_10_us": (10, 1, 10),
    "turn_200_us": (200, 1, 200),
    "run_us": (1, 1, 1),
    "parallel_us": (1, 50, 50),
}
"""Runs of an agent that has run before: their turns, the calls in each, and by what their CPU time is divided."""

COLUMNS: Final = {
    "call_us": "a call",
    "turn_10_us": "a turn of 10",
    "turn_200_us": "a turn of 200",
    "run_us": "a run of one turn",
    "first_run_us": "an agent's first",
    "parallel_us": "one of 50 parallel calls",
    "import_cpu_ms": "import, CPU",
    "import_wall_ms": "import",
}


class Task(Protocol):
    """What a program of `compare.speeds` offers. One that calls tools without an agent has ``call(a, b)`` as well."""

    def __init__(self, turns: int, wide: int) -> None: ...

    def prepare(self) -> None:
        """Make the answers of the next run, which is not measured."""
        ...

    async def run(self) -> str:
        """Run the agent; return its last answer."""
        ...


def compare_speed(arguments: Sequence[str]) -> int:
    """Measure all programs in as many rounds as the argument says; print and write what was found."""
    if arguments and not (len(arguments) == 1 and arguments[0].isdigit() and int(arguments[0])):
        raise SystemExit(f"`speed` takes a number of rounds, not {' '.join(arguments)!r}; try: speed {ROUNDS}")
    rounds = int(arguments[0]) if arguments else ROUNDS
    found: dict[str, list[dict[str, float]]] = {name: [] for name in (FLOOR, *PROGRAMS)}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for name, measured in measure_round().items():
            found[name].append(measured)
    document = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "versions": {name: installed_versions(name) for name in PROGRAMS},
        "rounds": found,
    }
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "compare_speed.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    text = "\n".join(format_table(document))
    (SPEEDS.parent / "speed.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def measure_round() -> dict[str, dict[str, float]]:
    """One round: the floor and each program in new processes, one after the other."""
    found: dict[str, dict[str, float]] = {}
    for name in (FLOOR, *PROGRAMS):
        found[name] = json.loads(_run_python("-m", "compare.speed", name))
    bare = _time_process(BARE)
    for name in PROGRAMS:
        _run_python("-c", program_imports(name))  # compiles what is not compiled yet
        wall, cpu = _time_process(program_imports(name))
        found[name] |= {"import_wall_ms": (wall - bare[0]) * 1e3, "import_cpu_ms": (cpu - bare[1]) * 1e3}
    return found


def program_imports(name: str) -> str:
    """The imports of a program, without those of the comparison."""
    tree = ast.parse((SPEEDS / f"{name}.py").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return "\n".join(text for text in map(ast.unparse, imports) if not text.startswith("from compare"))


def format_table(document: Mapping[str, Any]) -> Iterator[str]:
    """The medians of all rounds as a Markdown table, after a sentence of what was measured when."""
    medians = {name: median_of(rounds) for name, rounds in document["rounds"].items()}
    floor, rounds = medians[FLOOR]["floor_us"], len(document["rounds"][FLOOR])
    versions = ", ".join(format_versions(each) for each in document["versions"].values())
    yield fill(
        f"Measured on {document['date']} in {rounds} {'round' if rounds == 1 else 'rounds'} with Python "
        f"{document['python']}, {versions}. The floor was {floor:.2f} µs; in brackets are ratios to it.",
        width=120,
        break_on_hyphens=False,
    )
    yield ""
    yield f"| {' | '.join(['', *COLUMNS.values()])} |"
    yield "| --- " * (1 + len(COLUMNS)) + "|"
    for name in document["versions"]:
        cells = (_format_cell(figure, medians[name].get(figure), floor) for figure in COLUMNS)
        yield f"| {FRAMEWORKS[name][0]} | {' | '.join(cells)} |"


def median_of(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The median of each figure."""
    return {figure: median(each[figure] for each in rounds) for figure in rounds[0]}


def _format_cell(figure: str, value: float | None, floor: float) -> str:
    if value is None:
        return "-"
    return f"{value:.0f} ms" if figure.endswith("_ms") else f"{value:,.0f} µs ({value / floor:,.0f})"


async def measure(make: Callable[[int, int], Task], windows: int = WINDOWS) -> dict[str, float]:
    """What the program of this process costs, in µs of CPU time."""
    found: dict[str, float] = {}
    if hasattr(make, "call"):
        found["call_us"] = await _least(lambda: _time_calls(make(1, 1)), windows)
    for figure, (turns, wide, divisor) in SHAPES.items():
        found[figure] = await _least(lambda turns=turns, wide=wide: _time_runs(make, turns, wide), windows) / divisor
    found["first_run_us"] = await _least(lambda: _time_first_runs(make), windows)
    return found


async def measure_floor(windows: int = WINDOWS) -> dict[str, float]:
    """The floor of `bench`: awaiting a plain function, its arguments parsed and its result written by pydantic."""
    from bench.world import time_floor  # noqa: PLC0415 - it loads Remit, which other programs must not

    return {"floor_us": await _least(lambda: time_floor(CALLS * 20), windows) / CALLS / 20}


async def _least(measure_once: Callable[[], Awaitable[float]], windows: int) -> float:
    return min([await measure_once() for _ in range(windows)]) * 1e6


async def _time_runs(make: Callable[[int, int], Task], turns: int, wide: int) -> float:
    """Seconds for a run of an agent that has run before."""
    task = make(turns, wide)
    await _time_run(task, turns, wide)
    repeats = max(1, CALLS // turns // wide)
    gc.collect()
    return sum([await _time_run(task, turns, wide) for _ in range(repeats)]) / repeats


async def _time_first_runs(make: Callable[[int, int], Task]) -> float:
    """Seconds for the first run of an agent, of one turn, in a process where others have run."""
    tasks = [make(1, 1) for _ in range(CALLS // 4)]
    gc.collect()
    return sum([await _time_run(each, 1, 1) for each in tasks]) / len(tasks)


async def _time_run(task: Task, turns: int, wide: int) -> float:
    task.prepare()
    Work.reset()
    started = time.process_time()
    text = await task.run()
    spent = time.process_time() - started
    check_work(turns, wide, text)
    return spent


async def _time_calls(task: Any) -> float:
    """Seconds for a call of a tool without an agent."""
    await task.call(0, 0)
    Work.reset()
    gc.collect()
    started = time.process_time()
    for number in range(CALLS):
        await task.call(number, 1)
    spent = time.process_time() - started
    if (Work.calls, Work.total) != (CALLS, sum(range(CALLS)) + CALLS):
        raise RuntimeError(f"{CALLS} calls made {Work.calls}")
    return spent / CALLS


def _time_process(code: str) -> tuple[float, float]:
    """Seconds for a process that executes ``code``: by the clock, and of CPU time."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _run_python("-c", code)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run_python(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    measured = (
        measure_floor()
        if sys.argv[1] == FLOOR
        else measure(importlib.import_module(f"compare.speeds.{sys.argv[1]}").Task)
    )
    print(json.dumps(asyncio.run(measured)))
