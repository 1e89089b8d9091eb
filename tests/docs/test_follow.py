"""Whoever does what a guide says, command by command, gets where it says.

The blocks of Python are run where all examples are, by `conftest.py`; here are the shell, and a real endpoint.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.images.files import picture_file
from tests.docs.reading import ROOT, blocks
from tests.loopback import Endpoint, answering

TUTORIAL = ROOT / "docs/guides/tutorial.md"
CMS = ROOT / "docs/guides/use-the-cms.md"
DONE, WAITING = 0, 3


def followed(guide: Path, folder: Path) -> list[tuple[str, int, str]]:
    """The commands of a guide, done in a folder: each with its exit status, and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.docs.follow", str(guide), str(folder / "home")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [(line, status, said) for line, status, said in json.loads(done.stdout)]


@pytest.mark.process
def test_the_tutorial_waits_for_a_yes_and_replays_to_the_byte(tmp_path: Path) -> None:
    (tmp_path / "todo.py").write_text(blocks(TUTORIAL, "python")[0], "utf-8")
    (tmp_path / "script.json").write_text(blocks(TUTORIAL, "json")[0], "utf-8")
    (tmp_path / "todo.txt").write_text("buy flour\n", "utf-8")
    steps = followed(TUTORIAL, tmp_path)
    assert [status for _, status, _ in steps] == [DONE, WAITING, DONE, DONE, DONE, DONE, DONE, DONE], steps
    assert "The list is empty now." in next(said for line, _, said in steps if "approve " in line)
    assert not (tmp_path / "todo.txt").exists()
    assert steps[-1][2].startswith("identical")


@pytest.mark.process
def test_the_guide_of_the_cms_publishes_a_page_and_deletes_it_each_after_a_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_CMS_PREVIEW_KEY", "signs-previews-in-tests-and-nowhere-else")
    monkeypatch.setenv("REMIT_CMS_WEBHOOK_KEY", "signs-webhooks-in-tests-and-nowhere-else")
    monkeypatch.setenv("REMIT_CMS_SEARCH", "searxng:http://127.0.0.1:8888")
    (tmp_path / "loaf.jpg").write_bytes(picture_file("JPEG"))
    steps = followed(CMS, tmp_path)
    assert [line for line, status, _ in steps if status not in (DONE, WAITING)] == [], steps
    waiting = [line.split()[3] for line, status, _ in steps if status == WAITING]
    asked = [
        "cms_publishPage",
        "cms_publishPage",
        "cms_publishPost",
        "cms_expirePage",
        "cms_addWebhook",
        "cms_changeType",
        "cms_defineType",
        "cms_defineType",
        "cms_publishPage",
        "cms_publishChangeSet",
        "cms_seedSite",
        "cms_importContent",
    ]
    searches = ["web_quickSearch", "web_fetchContent", "web_deepResearch"]
    assert sorted(waiting) == sorted(["cms_publishChangeSet", *asked, "cms_deletePage", *searches])
    live = next(json.loads(said) for line, _, said in steps if "cms_getLivePage" in line)
    assert live["page"]["livePath"] == "opening-hours"
    yes = [(line.split()[2], said) for line, _, said in steps if "approvals" in line and "QUESTION" in line]
    assert any(kind == "approve" and "Published the change set 'Spring'" in said for kind, said in yes)
    assert [kind for kind, said in yes if "Deleted page 'Opening hours'" in said] == ["confirm"]


@pytest.mark.process
async def test_the_tutorials_function_asks_any_endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Nothing is to be done."}}]}
    namespace: dict[str, Any] = {}
    plain = [block for block in blocks(TUTORIAL, "python") if not block.startswith(">>>")]
    for block in (*plain[:2], plain[-1]):
        exec(block, namespace)  # noqa: S102 - the guide's own code
    monkeypatch.chdir(tmp_path)
    async with Endpoint(answering(200, json.dumps(answer))) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        assert await namespace["ask"]("What is to be done?") == "Nothing is to be done."
    assert [json.loads(body)["model"] for body in endpoint.received] == ["NAME"]
