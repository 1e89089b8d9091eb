"""``remit executor`` executes the runs of others until it is stopped."""

from __future__ import annotations

import gc
import signal
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from remit import App
from remit.database import Database, Schema
from remit.testing import calls
from tests.cli.kit import APP, PATIENCE, Cli, command


@contextmanager
def working(*arguments: str) -> Generator[subprocess.Popen[str]]:
    """An executor for as long as the block lasts."""
    process = subprocess.Popen(command("executor", "--app", APP, *arguments), stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until(process: subprocess.Popen[str], text: str) -> str:
    """Read what a process says until it says ``text``; the line."""
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return line
    raise AssertionError(f"it ended without saying {text!r}")


@pytest.mark.process
@pytest.mark.slow
def test_a_run_that_was_left_to_it_is_driven_to_its_question_and_after_the_decision_to_its_end(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "It is burnt.")
    run = cli("run", APP, "--ask", "burn it", "--detach").out.strip()
    with working() as process:
        until(process, f"run {run} waiting for ")
        decided = cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP, "--wait", "600")
        assert (decided.status, decided.out) == (0, "It is burnt.\n")
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert [row.status for row in cli.runs()] == ["done"]
    assert cli.book == ["burn bread"]


@pytest.mark.process
@pytest.mark.slow
def test_it_says_why_a_run_is_stalled(cli: Cli) -> None:
    cli.script("nothing")
    cli("call", "tests.cli.shop:careful", "add", '{"name": "cake", "price": 4}')
    run = cli.runs()[0].run
    cli("approvals", "approve", cli.questions()[0]["id"])
    with working("--app", "tests.cli.shop:careless") as process:
        assert "stalled: it was opened under the rule" in until(process, f"run {run} ")
    assert cli.book == []


@pytest.mark.process
@pytest.mark.slow
def test_without_a_model_it_makes_the_calls_of_tools_and_keeps_the_runs_of_agents(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.script("nothing")
    talk = cli("run", APP, "--ask", "go", "--detach").out.strip()
    cli("call", APP, "burn", '{"name": "bread"}')
    burning = next(row.run for row in cli.runs() if row.run != talk)
    cli("approvals", "approve", cli.questions()[0]["id"])
    monkeypatch.setenv("REMIT_MODEL", "nonsense")
    with working() as process:
        assert "runs that ask one wait until it can be used" in until(process, "without a model")
        until(process, f"run {burning} done")
        until(process, f"run {talk}: NoModelError")
    (status,) = [row.status for row in cli.runs() if row.run == talk]
    assert status == "running", "it was not claimed, and another executor can run it at once"
    assert cli.book == ["burn bread"]


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("heard", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_it_says_what_it_does_and_stops_when_it_is_told_to(cli: Cli, heard: signal.Signals) -> None:
    cli.script("nothing")
    with working("--concurrency", "3") as process:
        assert "executing runs of shop: engine local, 3 at once" in until(process, "executing")
        process.send_signal(heard)
        until(process, "stopped")
        assert process.wait(PATIENCE) == 0


@pytest.mark.process
@pytest.mark.slow
def test_the_resources_of_its_applications_are_open_while_it_works(cli: Cli) -> None:
    cli.script("nothing")
    with working("--app", "tests.cli.shop:staffed") as process:
        until(process, "executing runs of shop, staffed")
        assert cli.book == ["the staff comes"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert cli.book == ["the staff comes", "the staff goes"]


def test_a_run_that_is_detached_is_named_and_not_driven(cli: Cli) -> None:
    cli.script("never asked")
    done = cli("run", APP, "--ask", "go", "--detach", "--conversation", "talk")
    (row,) = cli.runs()
    assert (done.status, done.out) == (0, f"{row.run}\n")
    assert (row.status, row.conversation) == ("running", "talk")


def test_a_run_that_is_detached_is_told_as_json(cli: Cli) -> None:
    done = cli("run", APP, "--ask", "go", "--detach", "--conversation", "talk", "--json")
    assert done.json == {"run": cli.runs()[0].run, "status": "running", "conversation": "talk"}


def test_a_conversation_in_a_terminal_cannot_be_detached(cli: Cli) -> None:
    done = cli("run", APP, "--detach")
    assert done.status == 2
    assert "--detach needs --ask" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--engine", "steam"), "there is no engine 'steam'"),
        (("--engine", "dbos"), "needs the journal in Postgres"),
        (("--app", "nowhere"), "no application 'nowhere'"),
    ],
    ids=["unknown engine", "no Postgres", "unknown application"],
)
def test_what_cannot_be_is_refused_before_anything_is_driven(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    cli.script("nothing")
    done = cli("executor", *(arguments if "--app" in arguments else (*arguments, "--app", APP)))
    assert done.status == 2
    assert said in done.err


def keeping() -> App:
    """An application with a file of its own."""
    files.append(Database(Path("notes.db"), Schema(name="notes", migrations=Path("none"), head="0001")))
    return App(name="keeping")


files: list[Database] = []


@pytest.fixture(autouse=True)
def close_files() -> Iterator[None]:
    """What an application keeps in files concerns the engines of the whole process."""
    yield
    if files:
        files.clear()
        gc.collect()


@pytest.mark.parametrize("engine", ["local", "dbos"])
def test_an_application_with_local_data_is_refused_under_a_shared_journal(
    cli: Cli, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_DATABASE", "postgresql://127.0.0.1:1/none")
    done = cli("executor", "--app", "tests.cli.test_executor:keeping", "--engine", engine)
    assert done.status == 2
    assert "'keeping' keeps its data in notes.db, which executors on other machines do not have: keep " in done.err
    assert "pass --local-data if all executors run on this machine" in done.err


def test_local_data_is_accepted_if_all_executors_run_on_this_machine(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_DATABASE", "postgresql://127.0.0.1:1/none")
    arguments = ("executor", "--app", "tests.cli.test_executor:keeping", "--app", "nowhere", "--local-data")
    assert "no application 'nowhere'" in cli(*arguments).err, "the first application was accepted"


@pytest.mark.process
@pytest.mark.slow
def test_with_an_engine_of_many_processes_a_decision_is_driven_on_by_whichever_has_room(
    cli: Cli, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_ENGINE", "dbos")
    monkeypatch.setenv("REMIT_DATABASE", url)
    cli.script(calls(("burn", {"name": "bread"})), "It is burnt.")
    run = cli("run", APP, "--ask", "burn it", "--detach").out.strip()
    with working() as process:
        until(process, f"run {run} waiting for ")
        done = cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP, "--wait", "600")
        assert (done.status, done.out) == (0, "It is burnt.\n")
        assert "✓ Burned in " in done.err
        until(process, f"run {run} done")
    assert cli.book == ["burn bread"]


def test_a_decision_that_an_engine_of_many_processes_does_not_take_up_in_time_is_left_to_it(
    cli: Cli, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_ENGINE", "dbos")
    monkeypatch.setenv("REMIT_DATABASE", url)
    cli.script(calls(("burn", {"name": "bread"})), "It is burnt.")
    assert cli("run", APP, "--ask", "burn it").status == 3
    done = cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP, "--wait", "0")
    run = cli("runs", "--json").json["runs"][0]["run"]
    assert (done.status, done.out, cli.book) == (3, "", [])
    assert f"an executor continues the run: remit show {run}; if it is dead: remit resume {run} --app {APP}" in done.err
