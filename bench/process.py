"""What a whole process costs, its modules compiled before: importing, running, installing."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import AsyncIterator
from importlib.metadata import distribution
from pathlib import Path

from figures.figure import BUILD, Figure, at_most

ROOT = Path(__file__).parent.parent
REPEATS = 5

_PEAK_PROGRAM = """
import asyncio
from remit import Agent, App, Effect, Runtime, tool
from remit.testing import Scripted, superuser, calls

@tool(effect=Effect.PURE)
async def save(number: int) -> int:
    "Save."
    return number

agent = Agent("bench", instructions="Save.", tools=[save], max_turns=60)
script = Scripted([calls(("save", {"number": n})) for n in range(50)] + ["done"])
asyncio.run(Runtime(App(name="bench", agents=(agent,)), model=script).run("go", by=superuser()))
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""

_IMPORTS = (
    "from remit import Agent, App, Context, Effect, Policy, Principal, Retry, Runtime, Stack, Timeout, preset, tool"
)
"""The names that a program uses: `import remit` alone loads none of them."""


async def process() -> AsyncIterator[Figure]:
    """CPU of an import, peak memory of a run, and distributions that the core brings along."""
    _run_python(_PEAK_PROGRAM)  # compiles what is not compiled yet
    bare = min(_cpu_seconds("pass") for _ in range(REPEATS))
    cost = min(_cpu_seconds(_IMPORTS) for _ in range(REPEATS)) - bare
    how = f"CPU time of `{_IMPORTS}` in a new process less that of `pass` ({bare * 1e3:.0f} ms), least of {REPEATS}"
    yield at_most("import.cpu_ms", cost * 1e3, "ms", 100, REPEATS, how)
    peak = min(int(_run_python(_PEAK_PROGRAM)) for _ in range(3)) / 1024
    yield at_most("run.peak_rss_mb", peak, "MB", 40, 3, "peak memory of a process that runs 50 turns in memory")
    names = sorted(core_distributions("remit", set()))
    yield at_most("install.core_dists", len(names), "distributions", 9, 1, ", ".join(names))


def core_distributions(name: str, found: set[str]) -> set[str]:
    """The distributions that installing ``name`` without extras brings along, itself included."""
    if name in found:
        return found
    found.add(name)
    for wanted in distribution(name).requires or ():
        requirement, _, marker = wanted.partition(";")
        if "extra ==" not in marker and not _is_other_python(marker):
            core_distributions(re.split(r"[^A-Za-z0-9_.-]", requirement.strip())[0].lower(), found)
    return found


def _is_other_python(marker: str) -> bool:
    older = re.search(r'python_version\s*<\s*"3\.(\d+)"', marker)
    return older is not None and sys.version_info[1] >= int(older[1])


def _cpu_seconds(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run_python(code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run_python(code: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPYCACHEPREFIX": str(BUILD / "bytecode")}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, cwd=ROOT, env=environment, capture_output=True, text=True).stdout
