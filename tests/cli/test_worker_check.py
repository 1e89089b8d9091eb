"""`remit worker check`: all that is wrong in worker files, and what they name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.kit import APP, Cli


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the commands are given."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, *lines: str) -> None:
    Path(name).write_text("\n".join(["---", *lines, "---", "Do it."]), encoding="utf-8")


def test_files_that_hold_are_listed_with_what_they_name_and_what_is_ungoverned(cli: Cli) -> None:
    write("a.worker", "tools: [find]", "workers: [b]", "model: openai:small")
    write("b.worker", 'compatible_models: ["openai:*", "local:*"]', "builtin_tools: [web_search, web_fetch]")
    done = cli("worker", "check", ".", "--app", APP)
    assert (done.status, done.err) == (0, "")
    assert [line.split() for line in done.out.splitlines()] == [
        ["worker", "file", "model", "tools", "workers", "delegates", "ungoverned"],
        ["a", "a.worker", "openai:small", "find", "b"],
        ["b", "b.worker", "openai:*,", "local:*", "web_search,", "web_fetch"],
    ]


def test_each_finding_is_told_with_its_place_and_how_to_mend_it(cli: Cli) -> None:
    write("a.worker", "tools: [fnd, burn]", "workers: [c]")
    write("b.worker", "tol: [find]")
    done = cli("worker", "check", "a.worker", "b.worker", "--app", APP)
    assert done.status == 1
    assert "\nb.worker:2: unknown-key: tol: no such key\n    did you mean tools?\n" in done.out
    assert "\na.worker:2: unknown-tools: there is no tool 'fnd'\n    did you mean find?\n" in done.out
    assert "\na.worker:3: unknown-workers: there is no worker 'c'\n    available: a, b\n" in done.out


def test_findings_alone_are_printed_without_the_head_of_a_list(cli: Cli) -> None:
    write("a.worker", "tol: [find]")
    assert (
        cli("worker", "check", "a.worker").out == "a.worker:2: unknown-key: tol: no such key\n    did you mean tools?\n"
    )


def test_the_same_is_told_as_json(cli: Cli) -> None:
    write("a.worker", "tools: [fnd]")
    done = cli("worker", "check", "a.worker", "--app", APP, "--json")
    assert done.status == 1
    assert (done.json["holds"], done.json["files"]) == (False, 1)
    assert done.json["workers"] == [
        {
            "worker": "a",
            "file": "a.worker",
            "model": "any",
            "tools": ["fnd"],
            "workers": [],
            "delegates": None,
            "ungoverned": [],
        }
    ]
    assert done.json["findings"] == [
        {
            "code": "unknown-tools",
            "where": "a.worker:2",
            "what": "there is no tool 'fnd'",
            "mend": "did you mean find?",
        }
    ]


def test_a_tool_that_a_worker_above_bars_is_noted_in_one_line_and_is_no_finding(cli: Cli) -> None:
    write("a.worker", "workers: [b]", "delegates: []")
    write("b.worker", "tools: [find]")
    note = "b.worker:2: b cannot call 'find' below a: `delegates` lacks it (a.worker:3)"
    for file in ("a.worker", "b.worker"):
        done = cli("worker", "check", file, "--app", APP)
        assert (done.status, done.out.splitlines()[-1]) == (0, note)
    done = cli("worker", "check", "b.worker", "--app", APP, "--json")
    assert (done.status, done.json["holds"], done.json["findings"], done.json["notes"]) == (0, True, [], [note])


def test_without_an_application_the_names_of_tools_are_not_looked_at_and_those_of_workers_are(cli: Cli) -> None:
    write("a.worker", "tools: [anything]", "workers: [b, c]", "delegates: [whatever, b]")
    write("b.worker")
    done = cli("worker", "check", "a.worker")
    assert done.status == 1
    assert "there is no worker 'c'" in done.out
    assert "anything'" not in done.out
    assert "'b' is delegated, but the worker may call it itself" in done.out


def test_when_every_file_is_broken_there_is_no_list_but_what_is_wrong(cli: Cli) -> None:
    Path("a.worker").write_text("Do it.")
    done = cli("worker", "check", "a.worker")
    assert done.status == 1
    assert "a.worker:1: no-front-matter: the first line is not ---" in done.out


@pytest.mark.parametrize("path", ["nowhere.worker", "."], ids=["no-file", "empty-folder"])
def test_where_there_is_no_worker_file_nothing_was_looked_at(cli: Cli, path: str) -> None:
    done = cli("worker", "check", path)
    assert done.status == 2
    assert f"there is no worker file at {path}; create one with: remit worker new NAME" in done.err


def test_a_file_alone_is_checked_against_the_names_beside_it(cli: Cli) -> None:
    write("a.worker", "name: sort-it")
    write("b.worker", "name: sort_it")
    write("c.worker", "name: find", "tools: [final_result]")
    done = cli("worker", "check", "a.worker")
    assert done.status == 1
    said = (
        "a.worker:2: name-taken: the name 'sort-it' is taken, in Python, by 'sort_it': it is the worker at b.worker:2"
    )
    assert said in done.out
    done = cli("worker", "check", "c.worker", "--app", APP)
    assert "c.worker:2: name-taken: the name 'find' is taken: it is a tool of the application" in done.out
    assert (
        "c.worker:3: reserved: 'final_result' is reserved: it is the name by which a model gives its result" in done.out
    )
    assert "remove it: every worker gives its result without it" in done.out
    ran = cli("worker", "run", "a.worker", "x")
    assert (ran.status, "is taken, in Python, by 'sort_it'" in ran.err) == (2, True)


def test_the_names_of_a_broken_neighbour_are_known_and_a_worker_that_names_it_is_told(cli: Cli) -> None:
    write("a.worker", "tools: [run]")
    write("b.worker", "workers: [run]")
    write("run.worker", "nope: 1")
    done = cli("worker", "check", "a.worker", "b.worker")
    assert done.status == 1
    assert "a.worker:2: unknown-tools: 'run' is a worker\n    list it as a worker\n" in done.out
    assert (
        "b.worker:2: unreadable: the worker 'run' cannot be read: run.worker\n    correct it; see: remit " in done.out
    )


def test_unknown_names_do_not_hide_behind_what_else_is_wrong(cli: Cli) -> None:
    write("a.worker", "tools: [fnd]", "workers: [b, b]")
    write("b.worker")
    done = cli("worker", "check", "a.worker", "--app", APP)
    assert [line.split(": ")[1] for line in done.out.splitlines() if line.startswith("a.worker:")] == [
        "duplicate",
        "unknown-tools",
    ]


def test_a_provider_tool_that_the_api_of_the_model_lacks_is_found(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write("a.worker", "model: openai:gpt-5", "builtin_tools: [web_search, x_search]")
    write("b.worker", "model: openai-responses:gpt-5", "builtin_tools: [web_search]")
    done = cli("worker", "check", "a.worker", "b.worker")
    assert done.status == 1
    assert [line.strip() for line in done.out.splitlines() if "unsupported" in line or "remove" in line] == [
        "a.worker:3: unsupported-tool: the API of the model 'openai:gpt-5' has no tool 'web_search'",
        "remove it, or write model: openai-responses:gpt-5",
        "a.worker:3: unsupported-tool: the API of the model 'openai:gpt-5' has no tool 'x_search'",
        "remove it, or name another model",
    ]


def test_a_setting_that_the_model_cannot_take_is_found(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    write("a.worker", "model: openai:gpt-5", "settings:", "  max_tokens: 9", "  seed: 1")
    write("b.worker", "model: openai-responses:gpt-5", "settings: {seed: 1}")
    done = cli("worker", "check", "a.worker", "b.worker")
    assert [line.strip() for line in done.out.splitlines() if "unsupported" in line or "write" in line] == [
        "a.worker:4: unsupported-setting: the model 'openai:gpt-5' cannot take the setting max_tokens",
        "write max_completion_tokens",
        "b.worker:3: unsupported-setting: the model 'openai-responses:gpt-5' cannot take the setting seed",
    ]


def test_a_model_that_there_is_nowhere_is_told_also_of_workers_below(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write("a.worker", "workers: [b]", "model: opnai:small")
    write("b.worker", "delegates: [c]", "model: openai:small")
    write("c.worker", "workers: [d]", "model: local:bse")
    write("d.worker", "workers: [a]", "model: scripted:d.json")
    write("e.worker", "model: nobody:x")
    done = cli("worker", "check", "a.worker")
    assert done.status == 1
    assert [line for line in done.out.splitlines() if ".worker:" in line] == [
        "a.worker:3: unknown-model: there is no model 'opnai:small'",
        "c.worker:3: unknown-model: there is no model 'local:bse'",
        "d.worker:3: unknown-model: there is no model 'scripted:d.json'",
    ]
    assert "    did you mean openai?\n" in done.out
    assert "    did you mean base?\n" in done.out
    assert "    d.json is not a script" in done.out


def test_a_model_whose_key_package_or_weights_are_missing_here_is_one_all_the_same(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("REMIT_CACHE", str(here))
    (here / "own.gguf").touch()
    (here / "s.json").write_text('{"script": []}')
    models = (
        "openai:x",
        "pydantic-ai:openai:x",
        "anthropic:x",
        "mistral:x",
        "local:base",
        "local:own.gguf",
        "scripted:s.json",
    )
    for index, model in enumerate(models):
        write(f"w{index}.worker", f"model: {model}")
    done = cli("worker", "check", ".")
    assert done.status == 0, done.out


@pytest.mark.process
def test_the_installed_command_finds_tools_in_modules_of_the_current_folder(here: Path) -> None:
    source = "from remit import tool\n\n\n@tool\nasync def shout() -> None:\n    'Shout.'\n"
    (here / "own_tools.py").write_text(source)
    write("a.worker", "tools: [own_tools:shout]")
    command = Path(sys.executable).with_name("remit")  # `python -m` would search the folder by itself
    done = subprocess.run([command, "worker", "check", "a.worker"], capture_output=True, text=True, check=False)
    assert (done.returncode, "shout" in done.stdout, done.stderr) == (0, True, "")
