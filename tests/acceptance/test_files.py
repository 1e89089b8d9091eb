"""A file of 20 MB goes from a person through an agent, a nested agent and a tool and back, by reference."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.process
@pytest.mark.parametrize(
    ("megabytes", "step", "kills"), [(2, 1, 20), (20, 12, 2)], ids=["2 MB, each write", "20 MB, some writes"]
)
def test_a_process_killed_at_any_durable_write_loses_nothing_and_doubles_nothing(
    tmp_path: Path, megabytes: int, step: int, kills: int
) -> None:
    command = [sys.executable, "-m", "tests.acceptance.files", str(tmp_path), str(step)]
    environment = {**os.environ, "FILES_MEGABYTES": str(megabytes)}
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, env=environment)
    assert ended.returncode == 0, ended.stderr
    swept = json.loads(ended.stdout)
    assert swept["killed"] >= kills
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
        assert outcome["contents"] == [megabytes * 2**20] * 2
