"""Which decisions are recorded, and which commands continue their runs."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from remit.app import App
from remit.errors import LeaseError, SetupError
from remit.testing import calls
from remit.users import os_user
from tests.cli.kit import APP, Cli
from tests.cli.shop import app

BURN = calls(("burn", {"name": "bread"}))


@pytest.fixture
def waiting(cli: Cli) -> str:
    """The id of the question that the agent's run waits for."""
    cli.script(BURN, "The bread is burnt.")
    assert cli("run", APP, "--ask", "burn it", "--conversation", "c").status == 3
    return str(cli.questions()[0]["id"])


@pytest.mark.parametrize("word", ["approve", "deny"])
@pytest.mark.parametrize(
    "named",
    ["nowhere", "tests.cli.shop:misspelled", "tests.cli.nowhere:app", "tests.cli.shop:other", "tests.cli.shop:broken"],
)
def test_a_named_application_that_cannot_continue_the_run_leaves_the_question_open(
    cli: Cli, waiting: str, word: str, named: str
) -> None:
    done = cli("approvals", word, waiting, "--app", named)
    assert done.status == 2
    assert [each["id"] for each in cli.questions()] == [waiting]
    assert cli("approvals", word, waiting, "--app", APP).status == 0, "the right one continues it"


def test_a_model_that_makes_no_sense_leaves_the_question_open(
    cli: Cli, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_MODEL", "nonsense")
    assert cli("approvals", "approve", waiting, "--app", APP).status == 2
    assert [each["id"] for each in cli.questions()] == [waiting]


def test_an_agent_whose_own_model_is_missing_leaves_the_question_open(
    cli: Cli, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    done = cli("approvals", "approve", waiting, "--app", "tests.cli.shop:keyless")
    assert (done.status, "OPENAI_API_KEY" in done.err) == (2, True)
    assert [each["id"] for each in cli.questions()] == [waiting]


def test_what_is_missing_only_when_the_run_continues_does_not_deny_that_the_decision_is_recorded(
    cli: Cli, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise SetupError("the disk is gone")

    monkeypatch.setattr("remit.cli.deciding.resume_run", refuse)
    done = cli("approvals", "approve", waiting, "--app", APP)
    assert (done.status, cli.questions()) == (3, [])
    assert "the decision is recorded; this process cannot continue the run: the disk is gone" in done.err
    assert f"remit resume {cli.runs()[0].run} --app {APP}\n" in done.err


def test_a_worker_file_that_has_become_invalid_keeps_its_question_open_only_where_it_is_named(
    cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "shop.worker"
    file.write_text("---\ntools: [burn]\n---\nSell.\n")
    cli.script(BURN, "The bread is burnt.")
    assert cli("worker", "run", str(file), "burn", "--app", APP).status == 3
    question = cli.questions()[0]["id"]
    file.write_text("---\ntools: 5\n---\nSell.\n")
    assert cli("approvals", "approve", question, "--app", f"{APP}+{file}").status != 0
    assert [each["id"] for each in cli.questions()] == [question]
    assert cli("approvals", "approve", question).status == 3
    assert (cli.questions(), cli.book) == ([], [])


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_without_an_application_the_decision_is_recorded_and_the_commands_that_continue_it_are_printed(
    cli: Cli, waiting: str, word: str
) -> None:
    done = cli("approvals", word, waiting)
    run = cli.runs()[0].run
    assert (done.status, cli.questions(), cli.book) == (3, [], [])
    assert "the decision is recorded; this process cannot continue the run: run " in done.err
    assert f"  continue it:  remit resume {run} --app package.module:attribute\n" in done.err
    assert done.err.endswith("executor that runs: remit executor --app package.module:attribute\n")
    assert cli("resume", run, "--app", APP).status == 0


def test_a_decision_that_is_left_to_another_process_is_told_as_json(cli: Cli, waiting: str) -> None:
    done = cli("approvals", "approve", waiting, "--json")
    assert done.json == {"run": cli.runs()[0].run, "status": "waiting", "decision": "approved"}


def test_an_installed_application_without_its_model_leaves_the_run_to_another_process(
    cli: Cli, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[str, Callable[[], App]] = {"shop": lambda: app}
    monkeypatch.setattr("remit.cli.apps.installed_apps", lambda: found)
    monkeypatch.setattr("remit.cli.report.installed_apps", lambda: found)
    with monkeypatch.context() as without_model:
        without_model.setenv("REMIT_MODEL", "nonsense")
        done = cli("approvals", "approve", waiting)
    assert (done.status, cli.questions()) == (3, [])
    (line,) = [each for each in done.err.splitlines() if "continue it:" in each]
    assert cli(*shlex.split(line.partition("remit ")[2])).out == "The bread is burnt.\n"


@pytest.mark.parametrize("option", [(), ("--app", APP)])
def test_the_same_decision_once_more_continues_a_run_that_was_left(
    cli: Cli, waiting: str, option: tuple[str, ...]
) -> None:
    cli("approvals", "approve", waiting)
    again = cli("approvals", "approve", waiting, *option)
    assert f"question {waiting} is already decided: approved by {os_user()}" in again.err
    assert (again.status, again.out) == ((0, "The bread is burnt.\n") if option else (3, ""))
    assert cli.book == (["burn bread"] if option else [])


def test_another_decision_is_refused_with_the_command_that_continues_the_run(cli: Cli, waiting: str) -> None:
    cli("approvals", "approve", waiting)
    run = cli.runs()[0].run
    again = cli("approvals", "deny", waiting, "--app", APP)
    assert again.status == 1
    assert (
        f"already decided: approved by {os_user()}; its run continues with: remit resume {run} --app {APP}" in again.err
    )


def test_the_decision_of_another_person_is_not_repeated(
    cli: Cli, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("approvals", "approve", waiting)
    with (cli.home / "config.toml").open("a") as config:
        config.write('[users.bea]\nroles = ["owner"]\ntenant = "local-site"\n')
    monkeypatch.setattr("remit.cli.client.os_user", lambda: "bea")
    again = cli("approvals", "approve", waiting, "--app", APP)
    assert f"approved by {os_user()}; its run continues with: remit resume " in again.err
    assert (again.status, cli.book) == (1, [])


def test_an_edit_of_a_decided_call_is_refused(cli: Cli, waiting: str) -> None:
    cli("approvals", "approve", waiting)
    again = cli("approvals", "approve", waiting, "--arguments", '{"name": "cake"}', "--app", APP)
    assert (again.status, cli.book) == (1, [])


def test_a_yes_to_an_announced_call_needs_the_application_and_is_not_recorded_without_it(cli: Cli) -> None:
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?", "The cake is gone.")
    cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    (question,) = cli.questions()
    assert cli("approvals", "approve", question["id"]).status == 2
    assert cli.questions() == [question]


def test_a_yes_to_an_announced_call_whose_run_was_cut_off_is_continued(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?", "The cake is gone.")
    cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    question = cli.questions()[0]["id"]

    def refuse(*_: object, **__: object) -> int:
        raise LeaseError("another process has it")

    with monkeypatch.context() as cut_off:
        cut_off.setattr("remit.cli.deciding.resume_run", refuse)
        assert cli("approvals", "approve", question, "--app", APP, "--wait", "0").status == 3
    assert cli.book == []
    done = cli("approvals", "approve", question, "--app", APP)
    assert (done.status, done.out, cli.book) == (0, "The cake is gone.\n", ["remove cake"])
