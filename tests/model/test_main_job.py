"""The main job with a real model on this machine: the page is in the database, by the model's own calls.

A model of this size is not deterministic, so this is no part of the ordinary tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.model

JOB = "Create an About page with a hero section that says we bake bread"
WHICH = os.environ.get("REMIT_TEST_MODEL", "local:base")


def remit(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "REMIT_HOME": str(home), "REMIT_MODEL": WHICH}
    return subprocess.run(
        [sys.executable, "-m", "remit.cli", *arguments], capture_output=True, text=True, env=environ, check=False
    )


def test_the_model_creates_the_page_by_its_own_calls(tmp_path: Path) -> None:
    done = remit(tmp_path, "run", "cms", "--yes", "--ask", JOB)
    sys.stderr.write(f"\n$ REMIT_MODEL={WHICH} remit run cms --ask {JOB!r}\n{done.stderr}{done.stdout}\n")
    assert done.returncode == 0, done.stderr
    pages: dict[str, Any] = json.loads(remit(tmp_path, "call", "cms", "cms_getPages", "{}").stdout)
    about = next(page for page in pages["pages"] if page["title"].lower().startswith("about"))
    page = json.loads(
        remit(
            tmp_path, "call", "cms", "cms_getPage", json.dumps({"pageId": about["id"], "includeContent": True})
        ).stdout
    )
    sys.stderr.write(json.dumps(page, indent=1) + "\n")
    hero = next(section for section in page["page"]["sections"] if section["sectionKey"] == "hero")
    assert "bread" in json.dumps(hero).lower()
    opened = json.loads(remit(tmp_path, "call", "cms", "cms_openPage", json.dumps({"page": about["slug"]})).stdout)
    assert "bread" in Path(opened["path"]).read_text().lower()
