"""`remit resume`, `remit cancel` and `remit replay`: runs after their process is gone."""

from __future__ import annotations

import pytest

from remit.testing import calls
from tests.cli.kit import APP, Cli, Talk


def crashed(cli: Cli, *arguments: str, once: str) -> str:
    """A run whose process was killed as soon as it showed ``once``, and whose lease has run out."""
    with Talk(*arguments) as talk:
        talk.until(once)
    run = cli.runs()[0].run
    cli.journal(lambda store: store.release(run, 1))
    return run


def test_a_run_that_was_cut_off_goes_on_and_repeats_nothing_that_was_done(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.script(calls(("add", {"name": "cake", "price": 4})), calls(("dawdle", {})), "Done at last.")
    run = crashed(cli, "run", APP, "--ask", "go", once="shop: dawdle")
    monkeypatch.setenv("HURRY", "1")
    done = cli("resume", run, "--app", APP)
    assert (done.status, done.out) == (0, "Done at last.\n")
    assert cli.book == ["add cake 4", "dawdle", "dawdle"]


def test_an_ended_run_tells_its_end_again(cli: Cli) -> None:
    cli.script("Hello.")
    cli("run", APP, "--ask", "hello")
    done = cli("resume", cli.runs()[0].run, "--app", APP)
    assert (done.status, done.out) == (0, "Hello.\n")


def test_a_run_that_still_waits_exits_with_3(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    assert cli("resume", cli.runs()[0].run, "--app", APP).status == 3


def test_an_outcome_that_nobody_knows_is_asked_about_and_what_happened_is_not_repeated(cli: Cli) -> None:
    run = crashed(cli, "call", APP, "post", '{"letter": "hello"}', once="shop: post hello")
    waiting = cli("resume", run, "--app", APP)
    assert waiting.status == 3
    assert "post was under way when its process died; did it happen?" in waiting.err
    question = cli.questions()[0]["id"]
    wrong = cli("approvals", "approve", question, "--result", "rubbish", "--app", APP)
    assert wrong.status == 1
    assert "the result is not what post gives" in wrong.err
    done = cli("approvals", "approve", question, "--result", '{"posted": "hello"}', "--app", APP)
    assert (done.status, done.json, cli.book) == (0, {"posted": "hello"}, ["post hello"])


def test_an_outcome_that_did_not_happen_is_made_to_happen(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    run = crashed(cli, "call", APP, "post", '{"letter": "hello"}', once="shop: post hello")
    cli("resume", run, "--app", APP)
    monkeypatch.setenv("HURRY", "1")
    done = cli("approvals", "deny", cli.questions()[0]["id"], "--app", APP)
    assert (done.status, done.json, cli.book) == (0, {"posted": "hello"}, ["post hello", "post hello"])


def test_a_waiting_run_is_cancelled_and_its_conversation_goes_on(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "Something else, then.")
    cli("run", APP, "--ask", "burn it", "--conversation", "c")
    run = cli.runs()[0].run
    assert cli("cancel", run, "--app", APP, "--json").json == {"run": run, "status": "cancelled"}
    assert cli("resume", run, "--app", APP).err == "remit: CANCELLED: the run was cancelled\n"
    done = cli("run", APP, "--ask", "never mind", "--conversation", "c")
    assert (done.status, done.out, cli.book) == (0, "Something else, then.\n", [])


def test_a_run_that_another_process_drives_is_told_to_end(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    run = cli.runs()[0].run
    cli.journal(lambda store: store.acquire(run, "somebody", 600))
    assert cli("cancel", run, "--app", APP).out == (
        f"run {run} is being driven by another process, which is told to cancel it\n"
    )
    assert cli.journal(lambda store: store.cancelled(run))


def test_a_replay_of_unchanged_code_is_identical(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "bread"}), ("add", {"name": "cake", "price": 4})), "Done.")
    cli("run", APP, "--ask", "go")
    run = cli.runs()[0].run
    done = cli("replay", run, "--app", APP)
    assert done.status == 0
    assert done.out.startswith("identical: ")
    told = cli("replay", run, "--app", APP, "--json").json
    assert (told["identical"], told["compared"] > 4) == (True, True)
    assert cli.book == ["add cake 4"]


def test_a_replay_of_changed_code_names_the_first_difference(cli: Cli) -> None:
    cli.script("Hello.")
    cli("run", APP, "--ask", "hello")
    run = cli.runs()[0].run
    done = cli("replay", run, "--app", "tests.cli.shop:changed")
    assert done.status == 1
    assert "You keep another shop." in done.out
    told = cli("replay", run, "--app", "tests.cli.shop:changed", "--json").json
    assert (told["identical"], "another shop" in told["difference"]) == (False, True)


@pytest.mark.parametrize("command", ["resume", "replay", "cancel", "show"])
def test_a_run_of_another_tenant_looks_like_none(cli: Cli, command: str) -> None:
    cli("call", APP, "find", '{"name": "bread"}')
    run = cli.runs()[0].run
    config = cli.home / "config.toml"
    config.write_text(config.read_text().replace('"local-site"\n', '"elsewhere"\n'))
    theirs, nobodys = cli(command, run, "--app", APP), cli(command, "nothing", "--app", APP)
    assert (theirs.status, theirs.out, theirs.err) == (1, "", nobodys.err.replace("nothing", run))
    assert cli("runs", "--json").json == {"runs": []}
