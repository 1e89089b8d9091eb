"""A file goes from a person through an agent, a nested agent and a tool and back, by reference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.files import CONTENT

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.process
def test_a_process_killed_at_any_durable_write_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.acceptance.files", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ended.returncode == 0, ended.stderr
    swept = json.loads(ended.stdout)
    assert swept["killed"] >= 20
    for outcome in swept["outcomes"]:
        assert outcome["journal"] < 2**20
        assert outcome["bodies"] < 10_000
        assert {name: outcome[name] for name in ("status", "is_back", "uploads", "keys", "ends", "replayed")} == {
            "status": "done",
            "is_back": True,
            "uploads": [True],
            "keys": 1,
            "ends": 3,
            "replayed": "",
        }
        assert outcome["contents"] == [len(CONTENT)] * 2
