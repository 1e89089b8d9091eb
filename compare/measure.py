"""Runs one of the programs in processes of its own, kills it, has it continue, and judges what happened."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compare.model import ScriptedModel

PROGRAMS: Final = Path(__file__).parent / "programs"
KILLS: Final = ("publish after", "publish before", "search after")
"""Where a process is killed: just after or before the effect of a tool, and before the tool returns."""

MAX_STEPS: Final = 6
STEP_SECONDS: Final = 300


@dataclass(frozen=True, kw_only=True)
class Play:
    """One run, from its start to its end: how often each thing happened."""

    requests: int
    searches: int
    notes: int
    approvals: int
    outcomes: int
    approvals_after_kill: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a kill cost: repeated model requests, repeated searches, notes beyond the first, and questions."""

    lost_requests: int
    lost_results: int
    doubled: int
    asked_to_approve: int
    asked_about_outcome: int
    approval_survived: bool


def measure(program: str, kills: tuple[str, ...] = KILLS) -> dict[str, Result]:
    """What each kill costs the program, compared with an uninterrupted run."""
    undisturbed = play(program)
    if (undisturbed.searches, undisturbed.notes, undisturbed.approvals) != (1, 1, 1):
        raise RuntimeError(f"{program} does not do the task: {undisturbed}")
    return {kill: _compare(play(program, kill), undisturbed) for kill in kills}


def play(program: str, kill: str = "") -> Play:
    """Start the program, and have it continue in new processes until it is done."""
    with tempfile.TemporaryDirectory(prefix="compare-") as folder, ScriptedModel() as model:
        home = Path(folder)
        if kill:
            (home / "kill").write_text(kill)
        asked_before_kill = 0
        for step in ("start", *["continue"] * MAX_STEPS):
            status, printed = _run_step(program, step, home, model.url)
            if status == -signal.SIGKILL:
                asked_before_kill = len(_lines(home, "questions.log"))
            elif printed.startswith("done"):
                break
        else:
            raise RuntimeError(f"{program} killed {kill or 'never'} did not end within {MAX_STEPS} steps")
        if (home / "kill").exists():
            raise RuntimeError(f"{program} was never killed {kill}")
        questions = _lines(home, "questions.log")
        approvals = [index for index, line in enumerate(questions) if line.startswith("approve")]
        return Play(
            requests=len(model.requests),
            searches=len(_lines(home, "searches.log")),
            notes=len(_lines(home, "notes.log")),
            approvals=len(approvals),
            outcomes=len(questions) - len(approvals),
            approvals_after_kill=sum(index >= asked_before_kill > 0 for index in approvals),
            text=printed.strip(),
        )


def count_lines(program: str) -> int:
    """The lines of a program, without blank lines, comments and docstrings."""
    source = (PROGRAMS / f"{program}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    prose = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(source.splitlines(), 1)
    return sum(bool(line.strip()) and line.strip()[0] != "#" and number not in prose for number, line in lines)


def _compare(killed: Play, undisturbed: Play) -> Result:
    return Result(
        lost_requests=killed.requests - undisturbed.requests,
        lost_results=killed.searches - undisturbed.searches,
        doubled=killed.notes - 1,
        asked_to_approve=killed.approvals,
        asked_about_outcome=killed.outcomes,
        approval_survived=killed.approvals_after_kill == 0,
    )


def _run_step(program: str, step: str, home: Path, model_url: str) -> tuple[int, str]:
    environment = {
        **os.environ,
        "COMPARE_HOME": str(home),
        "OPENAI_BASE_URL": model_url,
        "OPENAI_API_KEY": "scripted",
        "REMIT_HOME": str(home / "home"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each of sixty processes would compile its framework again
    command = [sys.executable, "-m", f"compare.programs.{program}", step]
    done = subprocess.run(
        command,
        cwd=PROGRAMS.parent.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=STEP_SECONDS,
        check=False,
    )
    if done.returncode not in (0, -signal.SIGKILL):
        raise RuntimeError(f"{program} {step} ended with status {done.returncode}:\n{done.stderr}")
    return done.returncode, done.stdout


def _lines(home: Path, name: str) -> list[str]:
    path = home / name
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
