"""`remit resume`, `remit cancel` and `remit replay`: runs after their process is gone."""

from __future__ import annotations

import shlex

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


@pytest.mark.process
def test_a_run_that_was_cut_off_goes_on_and_repeats_nothing_that_was_done(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.script(calls(("add", {"name": "cake", "price": 4})), calls(("dawdle", {})), "Done at last.")
    run = crashed(cli, "run", APP, "--ask", "go", once="shop: dawdle")
    monkeypatch.setenv("HURRY", "1")
    done = cli("resume", run, "--app", APP)
    assert (done.status, done.out) == (0, "Done at last.\n")
    assert cli.book == ["add cake 4", "dawdle", "dawdle"]
    assert "\ninterrupted: its process ended in the middle; it went on at " in cli("show", run).out


def test_an_ended_run_tells_its_end_again(cli: Cli) -> None:
    cli.script("Hello.")
    cli("run", APP, "--ask", "hello")
    run = cli.runs()[0].run
    done = cli("resume", run, "--app", APP)
    assert (done.status, done.out) == (0, "Hello.\n")
    assert "interrupted:" not in cli("show", run).out


def test_a_run_is_continued_without_a_rule_that_the_application_lost_if_a_person_says_why(cli: Cli) -> None:
    lax = APP.replace(":app", ":lax")
    cli("call", APP.replace(":app", ":strict"), "burn", '{"name": "bread"}')
    run = cli.runs()[0].run
    stalled = cli("resume", run, "--app", lax)
    assert stalled.status == 3
    assert f"  without it:  remit resume {run} --app {lax} --without twice --reason WHY\n" in stalled.err
    assert cli("resume", run, "--app", lax, "--without", "twice", "--reason", "a mistake").status == 3
    assert "without twice: a mistake" in cli("show", run).out
    assert cli.book == []


CARELESS = "tests.cli.shop:careless"


@pytest.fixture
def stalled(cli: Cli) -> str:
    """A run whose question is answered, and whose application has lost the rule that asked."""
    cli("call", "tests.cli.shop:careful", "add", '{"name": "cake", "price": 4}')
    cli("approvals", "approve", cli.questions()[0]["id"])
    return cli.runs()[0].run


def test_a_stalled_run_does_not_show_an_answered_question_as_open(cli: Cli, stalled: str) -> None:
    done = cli("resume", stalled, "--app", CARELESS)
    assert (done.status, "waiting:" in done.err) == (3, False)
    assert cli("resume", stalled, "--app", CARELESS, "--json").json["questions"] == []


@pytest.mark.parametrize("shows", [("resume", "--app", CARELESS), ("show", "--app", CARELESS)])
def test_the_printed_command_continues_a_stalled_run_without_the_rule(
    cli: Cli, stalled: str, shows: tuple[str, ...]
) -> None:
    cli("resume", stalled, "--app", CARELESS)
    done = cli(shows[0], stalled, *shows[1:])
    (line,) = [each for each in (done.out + done.err).splitlines() if "without it:" in each]
    continued = cli(*shlex.split(line.partition("remit ")[2]))
    assert "waiting: Add: name cake" in continued.err, "a call that was asked about is asked about anew"
    assert "stalled" not in continued.err
    assert cli("approvals", "approve", cli.questions()[0]["id"], "--app", CARELESS).json == {"added": "cake"}


def test_the_reason_of_a_stall_is_shown_whole(cli: Cli, stalled: str) -> None:
    cli("resume", stalled, "--app", CARELESS)
    shown = cli("show", stalled).out
    assert "let a person with runs:loosen continue the run without it" in " ".join(shown.split())
    assert "--app package.module:attribute --without 'it'\"'\"'s asked' --reason WHY" in shown


@pytest.mark.parametrize("reason", [(), ("--reason", " ")])
def test_without_a_reason_nothing_is_loosened_and_the_line_to_write_is_said(
    cli: Cli, stalled: str, reason: tuple[str, ...]
) -> None:
    done = cli("resume", stalled, "--app", CARELESS, "--without", "it's asked", *reason)
    assert done.status == 2
    names = """--without 'it'"'"'s asked'"""
    assert done.err == (f"remit: USAGE: say why: remit resume {stalled} --app {CARELESS} {names} --reason WHY\n")


def test_the_line_to_write_names_an_application_that_is_not_installed(cli: Cli, stalled: str) -> None:
    done = cli("resume", stalled, "--without", "twice")
    assert done.err.endswith(f"remit resume {stalled} --app package.module:attribute --without twice --reason WHY\n")


def test_a_reason_for_nothing_is_refused(cli: Cli, stalled: str) -> None:
    done = cli("resume", stalled, "--app", CARELESS, "--reason", "a mistake")
    assert (done.status, "--reason needs --without NAME" in done.err) == (2, True)


def test_a_run_that_still_waits_exits_with_3(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    assert cli("resume", cli.runs()[0].run, "--app", APP).status == 3


@pytest.mark.process
def test_an_outcome_that_nobody_knows_is_asked_about_and_what_happened_is_not_repeated(cli: Cli) -> None:
    run = crashed(cli, "call", APP, "post", '{"letter": "hello"}', once="shop: post hello")
    waiting = cli("resume", run, "--app", APP)
    assert waiting.status == 3
    assert "Did this happen: Use post: letter hello? It was started and its end is unknown." in waiting.err
    question = cli.questions()[0]["id"]
    no = f"remit approvals did-not-happen {question} --app {APP}   (the call will be made again)"
    assert f"  no:      {no}\n" in waiting.err
    for wrong in ("rubbish", '{"posted":', ""):
        refused = cli("approvals", "happened", question, "--result", wrong, "--app", APP)
        assert refused.status == 1
        assert "this is not a valid result of post: it is not JSON" in refused.err
        assert "pydantic" not in refused.err
    done = cli("approvals", "happened", question, "--result", '{"posted": "hello"}', "--app", APP)
    assert (done.status, done.json, cli.book) == (0, {"posted": "hello"}, ["post hello"])


@pytest.mark.process
def test_an_outcome_that_did_not_happen_is_made_to_happen(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    run = crashed(cli, "call", APP, "post", '{"letter": "hello"}', once="shop: post hello")
    cli("resume", run, "--app", APP)
    monkeypatch.setenv("HURRY", "1")
    done = cli("approvals", "did-not-happen", cli.questions()[0]["id"], "--app", APP)
    assert "it did not happen, the call will be made again: Use post: letter hello" in done.err
    assert (done.status, done.json, cli.book) == (0, {"posted": "hello"}, ["post hello", "post hello"])


@pytest.mark.process
@pytest.mark.parametrize("word", ["approve", "deny"])
def test_whether_a_call_happened_is_not_answered_by_allowing_or_refusing_it(cli: Cli, word: str) -> None:
    run = crashed(cli, "call", APP, "post", '{"letter": "hello"}', once="shop: post hello")
    cli("resume", run, "--app", APP)
    question = cli.questions()[0]["id"]
    done = cli("approvals", word, question, "--app", APP)
    assert done.status == 2
    (line,) = done.err.splitlines()
    assert f"yes: remit approvals happened {question} --result JSON --app {APP}" in line
    assert f"no: remit approvals did-not-happen {question} --app {APP}" in line
    assert (cli.questions()[0]["id"], cli.book) == (question, ["post hello"])


@pytest.mark.parametrize("words", [("happened", "--result", "1"), ("did-not-happen",)])
def test_whether_a_call_may_run_is_not_answered_by_saying_what_happened(cli: Cli, words: tuple[str, ...]) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    question = cli.questions()[0]["id"]
    done = cli("approvals", words[0], question, *words[1:], "--app", APP)
    assert done.status == 2
    assert f"yes: remit approvals approve {question}" in done.err
    assert cli.questions()[0]["id"] == question


@pytest.mark.process
def test_list_and_show_tell_that_a_call_which_did_not_happen_is_made_again(cli: Cli) -> None:
    run = crashed(cli, "call", APP, "post", '{"letter": "hello"}', once="shop: post hello")
    cli("resume", run, "--app", APP)
    assert "did it happen? if not, the call will be made again" in cli("approvals", "list").out
    shown = cli("approvals", "show", cli.questions()[0]["id"]).out
    assert "if it did not happen, the call will be made again" in shown


@pytest.mark.process
def test_a_run_whose_driver_is_gone_goes_on_when_its_lease_ends(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with Talk("call", APP, "dawdle", "{}") as talk:
        talk.until("shop: dawdle")
    run = cli.runs()[0].run
    cli.journal(lambda store: store.renew(run, 1, 1.0))
    monkeypatch.setenv("HURRY", "1")
    done = cli("resume", run, "--app", APP)
    assert (done.status, done.out) == (0, '"dawdled"\n')
    assert "is dead. Resuming in at most 30 s, when its lease ends." in done.err


@pytest.mark.process
def test_a_run_whose_driver_is_alive_is_left_to_it_and_when_a_lease_ends_is_said(cli: Cli) -> None:
    with Talk("call", APP, "dawdle", "{}") as talk:
        talk.until("shop: dawdle")
        done = cli("resume", cli.runs()[0].run, "--app", APP, "--wait", "0")
    assert done.status == 1
    assert "is alive on this machine; a lease ends 30 s after its executor died" in done.err


def test_a_run_of_an_application_in_a_file_names_the_option_that_says_where_it_is(cli: Cli) -> None:
    cli("call", APP, "find", '{"name": "bread"}')
    done = cli("resume", cli.runs()[0].run)
    assert done.status == 2
    assert "pass --app package.module:attribute" in done.err


def test_a_waiting_run_is_cancelled_and_its_conversation_goes_on(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "Something else, then.")
    cli("run", APP, "--ask", "burn it", "--conversation", "c")
    run = cli.runs()[0].run
    assert cli("cancel", run, "--app", APP, "--json").json == {"run": run, "status": "cancelled"}
    assert cli("resume", run, "--app", APP).err == "nothing was changed\nremit: CANCELLED: the run was cancelled\n"
    done = cli("run", APP, "--ask", "never mind", "--conversation", "c")
    assert (done.status, done.out, cli.book) == (0, "Something else, then.\n", [])


def test_what_became_of_a_cancelled_run_is_told(cli: Cli) -> None:
    cli.script(calls(("add", {"name": "cake", "price": 4}), ("burn", {"name": "bread"})))
    cli("run", APP, "--ask", "go")
    run, question = cli.runs()[0].run, cli.questions()[0]["id"]
    first, second = cli("cancel", run, "--app", APP), cli("cancel", run, "--app", APP)
    assert first.out == (f"cancelled run {run}, which waited for a decision; nobody is asked any more: {question}\n")
    assert first.err == "changed: Added: name cake, price 4\n"
    assert (second.out, second.err) == (f"run {run} ended before as cancelled; it is not changed\n", "")
    assert cli.questions() == []


def test_a_run_that_has_ended_is_not_said_to_be_cancelled(cli: Cli) -> None:
    cli("call", APP, "find", '{"name": "bread"}')
    run = cli.runs()[0].run
    done = cli("cancel", run, "--app", APP)
    assert (done.status, done.out, done.err) == (0, f"run {run} ended before as done; it is not changed\n", "")


def test_a_run_that_another_process_drives_is_told_to_end(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    run = cli.runs()[0].run
    cli.journal(lambda store: store.acquire(run, "somebody", 600))
    assert cli("cancel", run, "--app", APP).out == (
        f"run {run} is executed by another process, which was told to cancel it\n"
    )
    assert cli.journal(lambda store: store.cancel_requested_by(run))


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
    assert (theirs.status, theirs.out, theirs.err) == (2, "", nobodys.err.replace("nothing", run))
    assert cli("runs", "--json").json == {"runs": []}
