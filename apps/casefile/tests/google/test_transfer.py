"""A file of 20 MB goes from a person through an agent, a nested agent and Drive, and back, despite kill -9."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.transfer import CONTENT, KILLS, UNDISTURBED

ROOT = Path(__file__).parents[4]


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.process
async def test_a_file_of_20_mb_is_uploaded_once_and_comes_back_whichever_step_is_killed(
    tmp_path: Path, google: FakeGoogle
) -> None:
    command = ("-m", "apps.casefile.tests.google.transfer", str(tmp_path), google.url)
    sweep = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
    printed, _ = await sweep.communicate()
    assert sweep.returncode == 0
    outcomes = json.loads(printed)

    assert list(outcomes) == [UNDISTURBED, *KILLS]
    asked = {UNDISTURBED: ["approval"]} | {point: ["outcome", "approval"] for point in KILLS[:2]}
    for point, outcome in outcomes.items():
        uploaded = [key for key, file in google.drive.files.items() if file["name"] == point]
        assert [google.drive.contents[key] == CONTENT for key in uploaded] == [True], point
        assert outcome.pop("journal_bytes") < 2**20, point
        assert outcome == {
            "is_back": True,
            "asked": asked.get(point, []),
            "difference": "",
            "artifact_bytes": [len(CONTENT)],
        }, point
