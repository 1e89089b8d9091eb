"""``remit run FOLDER``: a folder of worker files is an application, without any Python application."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.testing import calls
from tests.cli.kit import Cli

TOOLS = """
from remit import tool


@tool(effect="pure")
async def shout(text: str) -> str:
    \"\"\"Say it loudly.\"\"\"
    return text.upper()


number = 3
"""


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The current folder, with a module of tools and a folder ``team``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loud_tools.py").write_text(TOOLS)
    (tmp_path / "team").mkdir()
    return tmp_path


def test_the_agent_of_a_folder_answers_and_uses_the_tools_that_its_file_imports(cli: Cli, folder: Path) -> None:
    (folder / "team" / "helper.worker").write_text("---\n---\nHelp.")
    (folder / "team" / "zoe.worker").write_text("---\ntools: [loud_tools:shout]\nworkers: [helper]\n---\nTalk.")
    cli.script(calls(("shout", {"text": "hi"})), "Said.")
    done = cli("run", "team", "--ask", "shout hi")
    assert (done.status, done.out) == (0, "Said.\n")
    assert "shout" in done.err


def test_a_run_of_a_folder_is_replayed_by_naming_the_folder(cli: Cli, folder: Path) -> None:
    (folder / "team" / "zoe.worker").write_text("---\ntools: [loud_tools:shout]\n---\nTalk.")
    cli.script(calls(("shout", {"text": "hi"})), "Said.")
    assert cli("run", "team", "--ask", "shout hi").status == 0
    run = cli("runs", "--json").json["runs"][0]["run"]
    replayed = cli("replay", run, "--app", "team")
    assert (replayed.status, "identical" in replayed.out) == (0, True)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("loud_tools:number", "3 is not a tool or an agent"),
        ("loud_tools:gone", "tools: loud_tools:gone cannot be imported: AttributeError"),
        ("no_such_module:x", "tools: no_such_module:x cannot be imported: ModuleNotFoundError"),
    ],
)
def test_a_tool_that_cannot_be_imported_is_reported_with_its_line(
    cli: Cli, folder: Path, reference: str, message: str
) -> None:
    (folder / "team" / "zoe.worker").write_text(f"---\ntools:\n  - {reference}\n---\nTalk.")
    done = cli("run", "team", "--ask", "x")
    assert done.status == 2
    assert "team/zoe.worker:3: " in done.err
    assert message in done.err


def test_a_folder_that_does_not_exist_is_reported_as_such(cli: Cli, folder: Path) -> None:
    done = cli("run", "nofolder/", "--ask", "x")
    assert (done.status, "there is no folder nofolder/" in done.err) == (2, True)


def test_a_folder_without_worker_files_is_no_application(cli: Cli, folder: Path) -> None:
    done = cli("run", "team", "--ask", "x")
    assert (done.status, "no file matches *.worker" in done.err) == (2, True)


def test_the_printed_commands_of_a_waiting_run_name_the_folder_and_work(cli: Cli, folder: Path) -> None:
    (folder / "risky_tools.py").write_text(TOOLS.replace('effect="pure"', 'risk="high"'))
    (folder / "team" / "zoe.worker").write_text("---\ntools: [risky_tools:shout]\n---\nTalk.")
    cli.script(calls(("shout", {"text": "hi"})), "Said.")
    waiting = cli("run", "team", "--ask", "shout hi")
    assert waiting.status == 3
    (approve,) = (line for line in waiting.err.splitlines() if "approvals approve" in line)
    done = cli(*approve.split()[2:])
    assert (done.status, done.out) == (0, "Said.\n"), done.err


def test_a_run_of_a_folder_cannot_be_resumed_without_the_folder_and_the_message_says_so(cli: Cli, folder: Path) -> None:
    (folder / "team" / "zoe.worker").write_text("---\n---\nTalk.")
    cli.script("Said.")
    assert cli("run", "team", "--ask", "hi").status == 0
    run = cli("runs", "--json").json["runs"][0]["run"]
    refused = cli("replay", run)
    assert (refused.status, "a worker file, or a folder of worker files" in refused.err) == (2, True)


def test_a_tool_that_no_application_provides_is_explained(cli: Cli, folder: Path) -> None:
    (folder / "team" / "zoe.worker").write_text("---\ntools: [shout]\n---\nTalk.")
    refused = cli("run", "team", "--ask", "hi")
    assert "team/zoe.worker:2: there is no tool 'shout'; write it as package.module:NAME" in refused.err


def test_a_folder_without_workers_has_no_line_number_and_a_command_that_creates_one(cli: Cli, folder: Path) -> None:
    done = cli("run", "team/", "--ask", "hi")
    assert done.status == 2
    assert done.err.startswith("remit: WORKER_FILE: team: no worker found: no file matches *.worker; ")
    assert done.err.endswith("create one there with: remit worker new NAME\n")
    assert folder.exists()
