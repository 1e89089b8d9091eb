"""The KEYED examples of the guides keep their promise: under kill -9 at each durable write, the effect happens once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("guide", ["write-a-tool", "write-a-pipeline", "make-a-tool-from-a-json-schema"])
def test_the_effect_of_a_keyed_example_happens_once_wherever_its_process_is_killed(guide: str, tmp_path: Path) -> None:
    swept = subprocess.run(
        [sys.executable, "-m", "tests.docs.keyed_child", guide],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert swept.returncode == 0, swept.stderr
    assert int(swept.stdout) > 3
