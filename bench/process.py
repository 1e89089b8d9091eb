"""What a whole process costs, its modules compiled before: importing, running, installing."""

from __future__ import annotations

import math
import os
import re
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

from figures.figure import BUILD, Figure, at_most

ROOT = Path(__file__).parent.parent
REPEATS = 5
WARM_UPS = 1
"""How often each program runs first: it compiles what is not compiled yet, and makes the home folder."""
PEAKS = 3
"""How often the peak of memory is measured."""
BYTECODE = str(BUILD / "bytecode")
"""Where the programs keep what is compiled of their modules; beside the modules if it is empty."""

_FLOOR_IMPORTS = "import asyncio, msgspec, pydantic"
_FIRST_PROGRAM_IMPORTS = f"""{_FLOOR_IMPORTS}
from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.testing import Scripted, calls
"""
"""The names that the first program of the README imports."""

_PEAK_PROGRAM = """
import asyncio
from remit.agent.limits import AgentLimits
from remit import Agent, App, Effect, Runtime, tool
from remit.testing import Scripted, superuser, calls

@tool(effect=Effect.PURE)
async def save(number: int) -> int:
    "Save."
    return number

agent = Agent("bench", instructions="Save.", tools=[save], limits=AgentLimits(turns=60))
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
    programs = {
        name: ["-c", code]
        for name, code in (("bare", "pass"), ("floor", _FLOOR_IMPORTS), ("first", _FIRST_PROGRAM_IMPORTS))
    }
    cost = _least_cpu_ms(programs)
    how = f"CPU time of importing the names of the README's first program in a new process, least of {REPEATS}"
    over = f"{how}, less that of `pass` ({cost['bare']:.0f} ms)"
    yield at_most("import.cpu_ms", cost["first"] - cost["bare"], "ms", 100, REPEATS, over)
    over = f"{how}, less that of `{_FLOOR_IMPORTS}` ({cost['floor']:.0f} ms)"
    yield at_most("import.own_ms", cost["first"] - cost["floor"], "ms", 80, REPEATS, over)
    peak = min(int(_run_python("-c", _PEAK_PROGRAM)) for _ in range(PEAKS)) / 1024
    yield at_most("run.peak_rss_mb", peak, "MB", 40, PEAKS, "peak memory of a process that runs 50 turns in memory")
    names = sorted(core_distributions("remit", set()))
    yield at_most("install.core_dists", len(names), "distributions", 9, 1, ", ".join(names))


async def command_line() -> AsyncIterator[Figure]:
    """CPU of a whole process of the command line: the start, a list from the journal, a call of an application."""
    commands = {
        "cli.help_ms": (["--help"], 100),
        "cli.version_ms": (["--version"], 100),
        "cli.runs_ms": (["runs"], 350),
        "cli.call_ms": (["call", "cms", "cms_getPages", "{}"], 600),
    }
    with TemporaryDirectory() as home:
        cost = _least_cpu_ms({name: ["-m", "remit.cli", *words] for name, (words, _) in commands.items()}, home=home)
    for name, (words, target) in commands.items():
        how = f"CPU time of a process `remit {' '.join(words)}`, its modules compiled, least of {REPEATS}"
        yield at_most(name, cost[name], "ms", target, REPEATS, how)


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


def _least_cpu_ms(programs: Mapping[str, Sequence[str]], home: str = "") -> dict[str, float]:
    """The least CPU time of each program, in milliseconds. They take turns, so that a busy machine slows all alike."""
    for arguments in [*programs.values()] * WARM_UPS:
        _run_python(*arguments, home=home)
    least = dict.fromkeys(programs, math.inf)
    for _ in range(REPEATS):
        for name, arguments in programs.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            _run_python(*arguments, home=home)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            least[name] = min(least[name], spent * 1e3)
    return least


def _run_python(*arguments: str, home: str = "") -> str:
    removed = {"PYTHONDONTWRITEBYTECODE", "REMIT_ANCHOR", "REMIT_DATABASE"}
    kept = {name: value for name, value in os.environ.items() if name not in removed}
    environment = {**kept, "PYTHONPYCACHEPREFIX": BYTECODE, **({"REMIT_HOME": home} if home else {})}
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, cwd=ROOT, env=environment, capture_output=True, text=True).stdout
