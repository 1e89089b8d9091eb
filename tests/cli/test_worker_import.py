"""`remit worker import`: worker files of the agent files of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.workers.reader import read_worker
from tests.cli.kit import Cli

AGENT = "---\nname: helper\ndescription: Helps.\ntools: [Read]\ncolor: blue\n---\nYou help.\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the commands are given."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_imported_and_what_is_left_out_is_named(cli: Cli) -> None:
    Path("helper.md").write_text(AGENT, encoding="utf-8")
    done = cli("worker", "import", "helper.md")
    assert (done.status, done.out) == (0, "helper.worker\n")
    assert done.err.splitlines() == [
        "helper.worker: left out: color",
        "helper.worker: left out: tools Read: name tools of your application in their place",
    ]
    assert read_worker(Path("helper.worker")).prompt == "You help."
    assert cli("worker", "check", "helper.worker").status == 0


def test_a_worker_file_that_exists_is_not_changed(cli: Cli) -> None:
    Path("helper.md").write_text(AGENT, encoding="utf-8")
    Path("helper.worker").write_text("mine", encoding="utf-8")
    done = cli("worker", "import", "helper.md")
    assert done.status == 2
    assert "helper.worker exists already" in done.err
    assert Path("helper.worker").read_text(encoding="utf-8") == "mine"


def test_a_value_that_no_worker_can_have_is_a_finding(cli: Cli) -> None:
    Path("helper.md").write_text("---\ntemperature: 9.5\nmaxTurns: 0\n---\nYou help.\n", encoding="utf-8")
    done = cli("worker", "import", "helper.md")
    assert (done.status, done.out) == (1, "helper.worker\n")
    assert "limits.turns" in done.err or "turns" in done.err


def test_a_name_that_is_reserved_is_refused(cli: Cli) -> None:
    Path("class.md").write_text("You help.\n", encoding="utf-8")
    done = cli("worker", "import", "class.md")
    assert done.status == 2
    assert "give the agent another name" in done.err


def test_a_file_that_is_absent_is_refused(cli: Cli) -> None:
    done = cli("worker", "import", "absent.md")
    assert done.status == 2
    assert "absent.md:1: it cannot be read" in done.err
