"""What cannot be is said in one line, with exit status 2, before anything is done."""

from __future__ import annotations

import subprocess
import sys

import pytest

from remit.cli.commands import COMMANDS, DeferredCommand
from remit.lazy_exports import install_hint
from remit.testing import calls
from tests.cli.kit import APP, Cli


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", APP), "stdin is not a terminal"),
        (("run", APP, "--json"), "--json needs --ask"),
        (("run", APP, "--ask", " "), "--ask is empty"),
        (("run",), "Missing argument 'APP'. See: remit run --help"),
        (("approvals", "approve"), "Missing argument 'ID'. See: remit approvals approve --help"),
        (("approvals", "happened", "x"), "Missing option '--result'. See: remit approvals happened --help"),
        (("run", APP, "hello"), "(hello). Send a message with --ask TEXT. See: remit run --help"),
        (("runs", "hello"), "extra argument(s) (hello) See: remit runs --help"),
        (("run", APP, "--loud"), "No such option: --loud"),
        (("frobnicate",), "No such command"),
        (("runs", "--limit", "0"), "--limit"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_status_2(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    done = cli(*arguments)
    (line,) = done.err.splitlines()
    assert line.startswith("remit: USAGE: ")
    assert said in line
    assert done.status == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nowhere", "--ask", "x"), "no application 'nowhere' is installed (available: casefile, cms"),
        (("tools", "csm"), "similar: cms"),
        (("call", "cms", "cms_getPags"), "similar: cms_getPage"),
        (("show", "nothing"), "run nothing does not exist; see: remit runs"),
        (("approvals", "show", "nothing"), "question nothing does not exist; see: remit approvals list"),
        (("model", "fetch", "huge"), "there is no local model 'huge'; available: small, base"),
    ],
)
def test_what_is_not_there_has_one_code_and_exit_status_2(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    done = cli(*arguments)
    (line,) = done.err.splitlines()
    assert line.startswith("remit: NO_SUCH: ")
    assert said in line
    assert done.status == 2


def test_a_run_whose_id_was_mistyped_is_named(cli: Cli) -> None:
    cli("call", APP, "find", '{"name": "bread"}')
    run = cli.runs()[0].run
    assert f"similar: {run}" in cli("show", run[:-1]).err
    assert f"similar: {run}" in cli("cancel", run[:-1]).err


def test_json_errors_are_an_object_on_stdout_too(cli: Cli) -> None:
    done = cli("run", "nowhere", "--ask", "x", "--json")
    assert (done.status, done.json["errorCode"]) == (2, "NO_SUCH")
    assert done.json["error"] in done.err


@pytest.mark.parametrize("said", ["gpt", "openai:", "magic:x"])
def test_a_model_that_makes_no_sense_is_refused_with_what_would(
    cli: Cli, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_MODEL", said)
    done = cli("run", APP, "--ask", "x")
    assert done.status == 2
    assert f"the model '{said}' cannot be used: " in done.err


def test_an_application_without_an_agent_cannot_be_talked_to(cli: Cli) -> None:
    done = cli("run", "tests.cli.shop:other", "--ask", "x")
    assert done.status == 1
    assert "the application 'other' has no agent to talk to" in done.err


def test_an_unforeseen_error_is_a_line_and_no_traceback(cli: Cli) -> None:
    (cli.home / "journal.db").write_text("this is no database, and was never one")
    done = cli("runs")
    assert done.status == 1
    (line,) = done.err.splitlines()
    assert line.startswith("remit: ")
    assert "not a database" in line


def test_remit_debug_shows_the_traceback_before_the_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_DEBUG", "1")
    done = cli("show", "nothing")
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("remit: NO_SUCH: run nothing does not exist")


@pytest.mark.parametrize(
    "arguments", [(), ("--help",), ("approvals",), ("model",), ("run", "--help"), ("worker", "--help")]
)
def test_help_is_there_for_the_whole_and_for_each_part(cli: Cli, arguments: tuple[str, ...]) -> None:
    done = cli(*arguments)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Usage: remit")
    assert not (cli.home / "config.toml").exists()


@pytest.mark.parametrize("group", [(), ("approvals",), ("audit",), ("model",), ("worker",)])
def test_the_summary_of_each_command_fits_on_its_line(cli: Cli, group: tuple[str, ...]) -> None:
    assert "..." not in cli(*group, "--help").out.partition("Commands:")[2]


@pytest.mark.process
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_no_contract_no_database_and_no_rendering(option: str) -> None:
    code = (
        f"import sys\nfrom remit.cli.main import main\nsys.argv = ['remit', '{option}']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'asyncio', 'pydantic', 'sqlalchemy', 'alembic', 'rich', 'openai', 'pydantic_ai', 'jinja2', 'yaml'}\n"
        "sys.exit(f'loaded: {heavy & set(sys.modules)}' if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_of_each_command_is_that_of_its_module(name: str) -> None:
    command = DeferredCommand(name, *COMMANDS[name])
    assert command.get_short_help_str(200) == command.load().get_short_help_str(200)


@pytest.mark.process
@pytest.mark.parametrize(
    ("missing", "status", "needs"),
    [
        ("typer", 1, "the command line needs typer"),
        ("platformdirs", 2, "remit.home needs platformdirs, which is not installed"),
    ],
)
def test_without_its_extra_the_program_says_what_to_install(cli: Cli, missing: str, status: int, needs: str) -> None:
    code = f"import sys; sys.modules['{missing}'] = None; from remit.cli.main import main; main()"
    command = [sys.executable, "-c", code, "runs"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert (done.returncode, done.stderr) == (status, f"remit: SETUP_ERROR: {needs}; {install_hint('cli')}\n")


@pytest.mark.process
def test_ctrl_c_while_the_program_loads_is_one_line_and_exit_status_130(cli: Cli) -> None:
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Late:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'remit.cli.commands': signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Late())\n"
        "from remit.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=False)
    assert (done.returncode, done.stderr) == (130, "remit: CANCELLED: stopped\n")


def test_the_version_is_that_of_the_package(cli: Cli) -> None:
    from importlib.metadata import version

    assert cli("--version").out == f"remit {version('remit')}\n"


def test_yes_fetches_weights_and_approves_no_call(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "Burnt.")
    assert cli("run", APP, "--ask", "burn it", "--yes").status == 3
    assert cli.book == []
