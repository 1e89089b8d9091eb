"""Files on the command line: `--file` gives one to a tool or an agent, and `remit artifact` saves one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from remit import App, Effect, tool
from remit.artifacts import Artifact
from remit.tools import Limits
from tests.acceptance.files import BACK, CONTENT, RETURNED, application
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
    assert (back.read_bytes(), back.stat().st_mode & 0o777) == (BACK, 0o600)
    assert (folder / "home" / "journal.db").stat().st_size < 2**20
    again = done("artifact", str(RETURNED["digest"]), str(back))
    assert (again.status, again.err) == (2, f"remit: USAGE: {back} exists and is not replaced; name another file\n")


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
            "does not name a parameter; write --file NAME=PATH; parameters with files: file",
        ),
        (
            ["call", APP, "archivist", '{"files": 5}', "--file", "files=report.txt"],
            "--file: files takes a list of files; it is 5 in the arguments",
        ),
        (
            ["call", APP, "archivist", "--file", "prompt=report.txt"],
            "--file: prompt takes no file; parameters with files: files",
        ),
        (
            ["call", "tests.cli.shop:app", "add", "--file", "price=report.txt"],
            "--file: price takes no file; parameters with files: none",
        ),
        (
            ["run", APP, "--ask", "Read it.", "--file", "missing"],
            "--file: cannot read missing: No such file or directory",
        ),
        (["call", APP, "upload", "--file", "file=missing"], "cannot read missing: No such file or directory"),
        (["run", APP, "--file", "report.txt"], "--file needs --ask TEXT"),
        (["artifact", "sha256:" + "0" * 64, "x"], "there is no artifact sha256:000"),
        (["artifact", "0" * 64, "x"], "there is no artifact sha256:000"),
        (
            ["artifact", "sha256:74ce…", "x"],
            "there is no artifact sha256:74ce…; give the whole digest (64 digits) as remit show RUN --json prints it",
        ),
        (["artifact", "sha256:" + "0" * 64, "."], "there is no artifact sha256:000"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_wrong_file_is_refused_in_one_line(words: list[str], message: str) -> None:
    ended = done(*words)
    assert ended.status == 2
    assert message in ended.err


def test_a_file_that_is_too_large_is_a_usage_error_with_the_limit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = replace(application(folder), limits=Limits(artifact_bytes=1000))
    monkeypatch.setattr("tests.acceptance.files.app", limited)
    path, wrong = folder / "report.txt", f"an artifact of {len(CONTENT):,} bytes is too large"
    for words in (["call", APP, "upload", "--file", f"file={path}"], ["run", APP, "--ask", "Hi", "--file", str(path)]):
        ended = done(*words)
        assert ended.status == 2
        line = f"remit: USAGE: --file {path}: {wrong}; the limit, Limits.artifact_bytes, is 1,000"
        assert ended.err.splitlines()[-1] == line


def test_a_list_and_an_optional_file_take_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @tool(effect=Effect.PURE)
    async def count(files: list[Artifact] | None = None, cover: Artifact | None = None) -> list[int]:
        """Count files."""
        return [len(files or ()), 0 if cover is None else 1]

    monkeypatch.setattr("tests.acceptance.files.app", App(name="counts", tools=[count]))
    given = f"files={folder / 'report.txt'}"
    ended = done("call", APP, "count", "--file", given, "--file", given, "--file", given.replace("files", "cover", 1))
    assert (ended.status, ended.json) == (0, [2, 1])


def test_show_prints_the_whole_digest_as_json(folder: Path) -> None:
    ended = done("call", APP, "upload", "--file", f"file={folder / 'report.txt'}", "--json")
    assert str(RETURNED["digest"]) in done("show", str(ended.json["run"]), "--json").out


def test_an_agent_without_files_says_what_to_write(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("x", encoding="utf-8")
    cli.script("done")
    ended = cli("run", "tests.cli.shop:app", "--ask", "hello", "--file", str(tmp_path / "note.txt"))
    assert "takes no files; give it input=PromptWithFiles" in ended.err
