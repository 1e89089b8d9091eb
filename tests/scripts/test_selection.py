"""Which tests a marker selects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("selection", "collects"), [("process", False), ("process and not model", False), ("model", True)]
)
def test_real_weights_are_run_only_by_their_own_marker(selection: str, *, collects: bool) -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", selection, "tests/model"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ("test_main_job.py" in listed.stdout) is collects, listed.stdout
