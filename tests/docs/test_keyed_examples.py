"""The KEYED examples of the guides keep their promise: under kill -9 at each durable write, the effect happens once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDES = [
    "add-an-operation",
    "keep-an-applications-data",
    "make-a-tool-from-a-json-schema",
    "schedule-calls",
    "write-a-pipeline",
    "write-a-tool",
]
KEYED = re.compile(r"""Effect\.KEYED|effect=["']keyed["']|effect: keyed""")


def test_every_document_with_a_keyed_example_is_listed_here() -> None:
    """The tools of the applications have a test of their own, over their inventories."""
    texts = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder, kind in (("docs", "*.md"), ("examples", "*"), ("apps", "*.md"), ("packages", "*.md")):
        texts += [path for path in (ROOT / folder).rglob(kind) if path.suffix in {".md", ".py", ".yaml", ".worker"}]
    keyed = [path for path in texts if KEYED.search(path.read_text(encoding="utf-8"))]
    assert sorted(path.relative_to(ROOT) for path in keyed) == [Path(f"docs/guides/{name}.md") for name in GUIDES]


@pytest.mark.process
@pytest.mark.parametrize("guide", GUIDES)
def test_the_effect_of_a_keyed_example_happens_once_wherever_its_process_is_killed(guide: str, tmp_path: Path) -> None:
    swept = subprocess.run(
        [sys.executable, "-m", "tests.docs.keyed_child", guide],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert swept.returncode == 0, swept.stderr
    assert int(swept.stdout) > 3
