"""`remit worker run`: a worker file beside an application; its run is governed, waits, goes on and is replayed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from remit.record.artifact import new_artifact
from remit.record.items import RunOpened
from remit.testing import calls
from remit.workers import Attachment
from tests.cli.kit import APP, Cli

HERE = "tests.cli.test_worker_run"
KEEP = "---\ntools: [find, burn]\n---\nYou keep the shop.\n"


class Wish(BaseModel):
    """What a customer wants."""

    article: str
    attachments: tuple[Attachment, ...] = ()


class Price(BaseModel):
    """What it costs."""

    euros: int


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the commands are given."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(text: str, name: str = "keep.worker") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_the_worker_answers_and_its_tools_are_those_of_the_application(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "bread"})), "It costs 3 euros.")
    done = cli("worker", "run", write(KEEP), "What is bread?", "--app", APP)
    assert (done.status, done.out) == (0, "It costs 3 euros.\n")
    assert f"worker keep, model: scripted:{cli.script_file}" in done.err
    assert "✓ Found: name bread" in done.err
    (row,) = cli.runs()
    assert (row.application, row.callee, row.status) == ("shop", "keep", "done")


def test_the_whole_run_is_told_as_json(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "unicorn"})), "There is none.")
    done = cli("worker", "run", write(KEEP), "a unicorn", "--app", APP, "--json")
    assert done.json["result"] == "There is none."
    (call,) = done.json["calls"]
    assert (call["name"], call["outcome"], call["errorCode"]) == ("find", "error", "NOT_FOUND")


def test_a_worker_that_names_no_tools_needs_no_application(cli: Cli) -> None:
    cli.script("Hello, Ada.")
    done = cli("worker", "run", write("---\n---\nGreet."), "-", stdin="I am Ada")
    assert (done.status, done.out) == (0, "Hello, Ada.\n")
    (row,) = cli.runs()
    assert (row.application, row.callee) == ("keep", "keep")
    assert cli("replay", row.run, "--app", "keep.worker").status == 0


def test_an_input_of_its_own_is_given_as_json_and_a_result_of_its_own_is_printed_as_json(cli: Cli) -> None:
    file = write(
        f"---\ninput: {HERE}:Wish\noutput: {HERE}:Price\nattachments: {{suffixes: [.txt]}}\n---\n{{{{ article }}}}?"
    )
    cli.script(calls(("final_result", {"euros": 3})))
    done = cli("worker", "run", file, '{"article": "bread"}')
    assert (done.status, done.json) == (0, {"euros": 3})
    assert cli("worker", "run", file, '{"artikel": "bread"}').status == 1
    assert cli("worker", "run", file, "bread").status == 1


def test_a_run_that_waits_says_how_to_decide_and_goes_on_after_the_decision(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "It is burnt.")
    waiting = cli("worker", "run", write(KEEP), "burn it", "--app", APP)
    assert waiting.status == 3
    (question,) = cli.questions()
    where = f"{APP}+keep.worker"
    assert f"remit approvals approve {question['id']} --app {where}" in waiting.err
    done = cli("approvals", "approve", question["id"], "--app", where)
    assert (done.status, done.out, cli.book) == (0, "It is burnt.\n", ["burn bread"])
    (row,) = cli.runs()
    assert cli("resume", row.run, "--app", where).out == "It is burnt.\n"
    assert cli("replay", row.run, "--app", where).out.startswith("identical: ")
    assert "It is burnt." in cli("show", row.run).out


def test_a_run_is_not_driven_on_without_its_worker(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "It is burnt.")
    cli("worker", "run", write(KEEP), "burn it", "--app", APP)
    done = cli("resume", cli.runs()[0].run, "--app", APP)
    assert done.status == 2
    assert f"name the file: --app {APP}+FILE.worker" in done.err
    assert cli.book == []


def test_a_replay_names_what_a_changed_prompt_asks_otherwise(cli: Cli) -> None:
    cli.script("Hello.")
    cli("worker", "run", write("---\n---\nGreet."), "hello")
    write("---\n---\nGreet loudly.")
    done = cli("replay", cli.runs()[0].run, "--app", "keep.worker")
    assert done.status == 1
    assert "Greet loudly." in done.out


def test_the_model_of_the_call_comes_first_and_is_kept_in_what_is_told(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, said in (("call", "of the call"), ("file", "of the file"), ("env", "of the environment")):
        (here / f"{name}.json").write_text(json.dumps({"script": [said]}))
    monkeypatch.setenv("REMIT_MODEL", "scripted:env.json")
    plain, named = write("---\n---\nSay.", "a.worker"), write("---\nmodel: scripted:file.json\n---\nSay.", "b.worker")
    assert cli("worker", "run", plain, "x").out == "of the environment\n"
    assert cli("worker", "run", named, "x").out == "of the file\n"
    assert cli("worker", "run", named, "x", "--model", "scripted:call.json").out == "of the call\n"
    (here / "call.json").write_text(json.dumps({"script": [calls(("burn", {"name": "bread"})), "burnt"]}))
    waiting = cli("worker", "run", write(KEEP), "x", "--app", APP, "--model", "scripted:call.json")
    assert f"--app {APP}+keep.worker@scripted:call.json" in waiting.err


def test_a_model_that_it_is_not_made_for_is_refused_before_anything_runs(cli: Cli) -> None:
    done = cli("worker", "run", write('---\ncompatible_models: ["openai:*"]\n---\nSay.'), "x")
    assert done.status == 2
    assert "worker keep does not support the model 'scripted:" in done.err
    assert cli.runs() == []


def test_a_model_that_a_worker_below_it_cannot_have_is_told_before_anything_runs(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    monkeypatch.setenv("REMIT_CACHE", str(here))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    write("---\nworkers: [middle]\n---\nBoss.", "boss.worker")
    write("---\nworkers: [boss, low]\n---\nAsk.", "middle.worker")
    write("---\nmodel: nobody:x\n---\nNobody names me.", "other.worker")
    cli.script("Done.")
    for model, said in (
        ("openai:small", "OPENAI_API_KEY"),
        ("nobody:x", "the model 'nobody:x' cannot be used"),
        ("local:base", "run: remit model fetch base"),
        ("scripted:none.json", "none.json is not a script"),
    ):
        write(f"---\nmodel: {model}\n---\nLow.", "low.worker")
        done = cli("worker", "run", "boss.worker", "go")
        assert (done.status, cli.runs()) == (2, [])
        assert "agent low cannot run here: " in done.err
        assert said in done.err
    write("---\n---\nLow.", "low.worker")
    assert cli("worker", "run", "boss.worker", "go").out == "Done.\n"


@pytest.mark.parametrize(
    "command", [("call", "boss", '{"prompt": "go"}'), ("run", "--ask", "go")], ids=["call", "run --ask"]
)
def test_every_command_that_opens_a_run_tells_it_beforehand(cli: Cli, here: Path, command: tuple[str, ...]) -> None:
    (here / "staffed.py").write_text(
        "from pathlib import Path\nfrom remit import Agent, App\nfrom remit.workers import load_workers\n"
        "workers = load_workers(Path('team'))\n"
        "app = App(name='staffed', tools=workers, agents=(Agent('front', instructions='x', tools=workers),))\n"
    )
    (here / "team").mkdir()
    write("---\nworkers: [low]\n---\nBoss.", "team/boss.worker")
    write("---\nmodel: nobody:x\n---\nLow.", "team/low.worker")
    cli.script("Done.")
    try:
        verb, *rest = command
        done = cli(verb, "staffed:app", *rest)
        assert (done.status, cli.runs()) == (2, [])
        assert "agent low cannot run here: the model 'nobody:x' cannot be used" in done.err
        write("---\n---\nLow.", "team/low.worker")
        sys.modules.pop("staffed")
        assert cli(verb, "staffed:app", *rest).status == 0
    finally:
        sys.modules.pop("staffed", None)
        sys.path.remove(str(Path.cwd()))


def test_weights_that_are_not_here_are_named_before_anything_runs(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_CACHE", str(here))
    monkeypatch.delenv("REMIT_MODEL")
    done = cli("worker", "run", write("---\n---\nSay."), "x")
    assert (done.status, cli.runs()) == (2, [])
    assert "the weights of 'base' are not downloaded; run: remit model fetch base" in done.err


def test_files_are_attached_and_the_journal_refers_to_them(cli: Cli, here: Path) -> None:
    (here / "list.txt").write_text("bread")
    (here / "list.exe").write_text("bread")
    takes = write('---\nattachments: {suffixes: [".txt"]}\n---\nRead {{ attachments[0].name }}.')
    own = write(f'---\ninput: {HERE}:Wish\nattachments: {{suffixes: [".txt"]}}\n---\n{{{{ article }}}}?', "own.worker")
    cli.script("Read.")
    cli("worker", "run", takes, "read it", "--attach", "list.txt")
    cli("worker", "run", own, '{"article": "bread"}', "--attach", "list.txt")
    for row in cli.runs():
        header = cli.journal(lambda store, run=row.run: store.read(run))[0].item
        assert isinstance(header, RunOpened)
        (given,) = json.loads(header.arguments)["attachments"]
        artifact = new_artifact(b"bread", name="list.txt", media_type="text/plain", max_bytes=9)
        assert given == {"name": "list.txt", "media_type": "text/plain", "artifact": artifact.model_dump()}
    refused = cli("worker", "run", takes, "read it", "--attach", "list.exe")
    assert refused.status == 1
    assert "attachments: 'list.exe' is not accepted; accepted suffixes: .txt" in refused.err
    assert cli("worker", "run", own, "no JSON", "--attach", "list.txt").status == 1


def test_workers_of_the_folder_are_found_by_name_and_others_do_not_matter(cli: Cli) -> None:
    write("---\nworkers: [ask]\n---\nBoss.", "boss.worker")
    write("---\ntools: [find]\nworkers: [boss]\n---\nAsk.", "ask.worker")
    write("---\ntools: [nothing]\n---\nOther.", "other.worker")
    write("no worker file", "broken.worker")
    cli.script(calls(("ask", {"prompt": "bread?"})), "Done.")
    done = cli("worker", "run", "boss.worker", "go", "--app", APP)
    assert done.status == 0, done.err
    assert "✓ Asked the agent ask" in done.err


def test_a_worker_that_the_application_lists_is_that_one(cli: Cli) -> None:
    write("---\ntools: [find]\n---\nAsk.", "ask.worker")
    write("---\nworkers: [ask]\n---\nBoss.", "boss.worker")
    Path("listing.py").write_text(
        "from pathlib import Path\nfrom remit import App\nfrom remit.workers import load_workers\n"
        "from tests.cli.shop import find\n"
        "app = App(name='listing', tools=(find, *load_workers(Path('team'), tools=[find])))\n"
    )
    Path("team").mkdir()
    Path("team/ask.worker").write_text(Path("ask.worker").read_text())
    try:
        cli.script("Listed.")
        assert cli("worker", "run", "team/ask.worker", "x", "--app", "listing:app").out == "Listed.\n"
        assert cli("worker", "run", "boss.worker", "x", "--app", "listing:app").out == "Listed.\n"
        write("---\ntools: [find]\n---\nAsk otherwise.", "ask.worker")
        done = cli("worker", "run", "ask.worker", "x", "--app", "listing:app")
        assert done.status == 2
        assert "ask.worker:2: the name 'ask' is taken: the application lists another worker of that name" in done.err
    finally:
        sys.modules.pop("listing", None)
        sys.path.remove(str(Path.cwd()))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("keep.md", "x"), "'keep.md' is not a worker file; its name must end in .worker"),
        (("nowhere.worker", "x"), "nowhere.worker:1: it cannot be read: No such file"),
        (("keep.worker", "x"), "keep.worker:2: there is no tool 'find'; give --app APP, whose tools it may use"),
        (("keep.worker", "x", "--app", "nowhere"), "no application 'nowhere' is installed"),
        (("keep.worker", "x", "--app", APP, "--attach", "keep.worker"), "worker keep takes no attachments"),
        (("gone.worker", "x"), "broken.worker:1: the first line is not ---"),
    ],
    ids=["no-worker", "no-file", "no-tools", "no-application", "no-attachments", "broken-neighbour"],
)
def test_what_cannot_be_is_refused_before_anything_runs(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    write(KEEP)
    if arguments[0] == "gone.worker":
        write("---\nworkers: [other]\n---\nx", "gone.worker")
        write("no worker file", "broken.worker")
    done = cli("worker", "run", *arguments)
    assert (done.status, cli.runs()) == (2, [])
    assert said in done.err


def test_without_the_extra_one_line_says_how_to_get_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("remit.workers")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "remit.cli.worker_app", raising=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for arguments in (("worker", "run", "keep.worker", "x"), ("worker", "check", "keep.worker")):
        done = cli(*arguments)
        assert done.status == 2
        assert (
            "needs jinja2, which is not installed; in a checkout of Remit, run: pip install '.[pydantic-ai]'\n"
            in done.err
        )
        assert done.err.startswith("remit: SETUP_ERROR: remit.workers.")


def test_a_model_that_cannot_be_had_is_refused_before_a_run_is_opened(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for model in ("nobody:x", "openai:gpt-4o", "scripted:none.json"):
        done = cli("worker", "run", write("---\n---\nSay."), "x", "--model", model)
        assert (done.status, cli.runs()) == (2, []), done.err
        assert done.err.startswith("remit: NO_MODEL: ")


def test_a_run_that_waited_is_not_lost_where_its_model_cannot_be_had(cli: Cli, here: Path) -> None:
    (here / "call.json").write_text(json.dumps({"script": [calls(("burn", {"name": "bread"})), "burnt"]}))
    assert cli("worker", "run", write(KEEP), "x", "--app", APP, "--model", "scripted:call.json").status == 3
    (question,) = cli.questions()
    where = f"{APP}+keep.worker@scripted:call.json"
    (here / "call.json").rename(here / "moved.json")
    done = cli("approvals", "approve", question["id"], "--app", where)
    assert (done.status, "'scripted:call.json' cannot be used: call.json is not a script" in done.err) == (2, True), (
        done.err
    )
    (row,) = cli.runs()
    assert (row.status, cli.questions()) == ("waiting", [question])
    (here / "moved.json").rename(here / "call.json")
    done = cli("approvals", "approve", question["id"], "--app", where)
    assert (done.status, done.out, cli.book) == (0, "burnt\n", ["burn bread"])
    (here / "call.json").unlink()
    assert cli("replay", row.run, "--app", where).out.startswith("identical: ")


def test_a_worker_hands_over_to_another_file_of_its_folder(cli: Cli) -> None:
    write("---\ndescription: Knows prices.\n---\nYou know prices.\n", "prices.worker")
    cli.script(calls(("handoff_to_prices", {"reason": "a price"})), "It costs 3 euros.")
    done = cli("worker", "run", write("---\nhandoffs: [prices]\n---\nYou greet.\n"), "What is bread?", "--app", APP)
    assert (done.status, done.out) == (0, "It costs 3 euros.\n")
