"""Files on the command line: `--file` gives one to a tool or an agent, and `remit artifact` saves one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.files import BACK, CONTENT, RETURNED
from tests.cli.kit import Cli
from tests.cli.running import done

APP = "tests.acceptance.files:app"


@pytest.fixture
def folder(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the application, with a person's file."""
    (tmp_path / "report.txt").write_bytes(CONTENT)
    monkeypatch.setenv("FILES_FOLDER", str(tmp_path))
    return tmp_path


def test_on_the_command_line_an_agent_gets_a_file_and_returns_one(folder: Path) -> None:
    ended = done("run", APP, "--ask", "Archive this.", "--file", str(folder / "report.txt"), "--json")
    assert ended.status == 0, ended.err
    assert ended.json["result"] == RETURNED
    back = folder / "back.txt"
    assert done("artifact", str(RETURNED["digest"]), str(back)).status == 0
    assert back.read_bytes() == BACK
    assert (folder / "home" / "journal.db").stat().st_size < 2**20
    again = done("artifact", str(RETURNED["digest"]), str(back))
    assert (again.status, again.err) == (2, f"remit: USAGE: cannot write {back}: File exists\n")


def test_on_the_command_line_a_tool_gets_a_file(folder: Path) -> None:
    path = folder / "report.txt"
    ended = done("call", APP, "upload", "--file", f"file={path}")
    assert (ended.status, ended.json) == (0, RETURNED)
    listed = done("call", APP, "archivist", '{"prompt": "Archive this."}', "--file", f"files={path}")
    assert (listed.status, listed.json) == (0, RETURNED)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["call", APP, "upload", "--file", "report.txt"], "--file 'report.txt' does not name a parameter; write"),
        (
            ["call", APP, "upload", "--file", "paper=report.txt"],
            "does not name a parameter; write --file NAME=PATH; par",
        ),
        (["call", APP, "upload", "--file", "file=missing"], "cannot read missing: No such file or directory"),
        (["run", APP, "--file", "report.txt"], "--file needs --ask TEXT"),
        (["artifact", "sha256:" + "0" * 64, "x"], "there is no artifact sha256:000"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_wrong_file_is_refused_in_one_line(words: list[str], message: str) -> None:
    ended = done(*words)
    assert ended.status != 0
    assert message in ended.err


def test_an_agent_without_files_says_what_to_write(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("x", encoding="utf-8")
    cli.script("done")
    ended = cli("run", "tests.cli.shop:app", "--ask", "hello", "--file", str(tmp_path / "note.txt"))
    assert "takes no files; give it input=PromptWithFiles" in ended.err
