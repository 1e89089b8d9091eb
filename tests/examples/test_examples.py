"""Each program of the examples runs, and prints what it promises."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

pytestmark = pytest.mark.process


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("REMIT_")}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )


def output(folder: Path, example: str, *arguments: str) -> str:
    done = run(folder, str(EXAMPLES / example), *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_hello_answers_and_prints_what_the_agent_did(tmp_path: Path) -> None:
    lines = output(tmp_path, "hello.py").splitlines()
    assert lines[0] == "Take your sunglasses."
    assert any('"content":"It is sunny in Lisbon."' in line for line in lines)


def test_an_approval_in_a_second_process_finishes_the_run(tmp_path: Path) -> None:
    status, question = output(tmp_path, "approval.py").split()
    assert status == "waiting:"
    assert output(tmp_path, "approval.py", "approve", question) == "The bakery is paid.\n"


def test_a_run_that_kill_9_interrupted_is_finished_and_pays_nothing_twice(tmp_path: Path) -> None:
    assert run(tmp_path, str(EXAMPLES / "resume.py")).returncode == -signal.SIGKILL
    assert (tmp_path / "payments.txt").read_text(encoding="utf-8") == "Ada 4000\n"
    assert output(tmp_path, "resume.py") == "everyone is paid\nAda 4000\nBen 3000\n"


def test_a_recorded_run_is_a_test(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "replay_as_a_test.py", tmp_path)
    done = run(tmp_path, "-m", "pytest", "-q", "replay_as_a_test.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_agents_written_as_files_call_each_other(tmp_path: Path) -> None:
    printed = output(tmp_path, "agents_as_files/main.py")
    assert printed == "We have two copies of Dune: a desert planet, told like history.\n"


def test_a_layer_of_your_own_closes_the_office_at_night(tmp_path: Path) -> None:
    assert output(tmp_path, "own_layer.py").splitlines() == [
        "['dentist']",
        "appointments is closed at 23:00; call again from 9:00 to 17:00",
    ]


def test_every_program_is_listed_and_fits_on_a_screen() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    index = (EXAMPLES.parent / "docs/index.md").read_text(encoding="utf-8")
    programs = [*sorted(EXAMPLES.glob("*.py")), EXAMPLES / "agents_as_files"]
    assert len(programs) == 6
    for program in programs:
        assert f"({program.name})" in listed
        assert f"(../examples/{program.name})" in index
    for source in EXAMPLES.rglob("*.py"):
        assert 20 <= len(source.read_text(encoding="utf-8").splitlines()) <= 60
