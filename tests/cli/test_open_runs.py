"""`remit call --session` and `--in`: calls of one open run from a shell, and `remit close`."""

from __future__ import annotations

import pytest

from tests.cli.kit import APP, Cli


def run_of(cli: Cli) -> str:
    (told,) = cli("runs", "--json").json["runs"]
    return told["run"]


def test_calls_of_a_session_are_calls_of_one_run(cli: Cli) -> None:
    assert cli("call", APP, "find", '{"name": "bread"}', "--session", "s").json["price"] == 3
    assert cli("call", APP, "find", '{"name": "rye"}', "--session", "s").json["name"] == "rye"
    run = run_of(cli)
    done = cli("call", APP, "find", '{"name": "bread"}', "--in", run, "--json")
    assert (done.status, done.json["run"], done.json["result"]["price"]) == (0, run, 3)
    (told,) = cli("runs", "--status", "open", "--json").json["runs"]
    assert (told["run"], told["callee"]) == (run, "open run")
    resumed = cli("resume", run, "--app", APP)
    assert (resumed.status, resumed.out) == (0, f"open: run {run} rests until its next call\n")
    shown = cli("show", run, "--app", APP)
    assert (shown.status, shown.out.count("bread"), shown.out.count("rye")) == (0, 4, 2), shown.out
    assert cli("close", run, "--app", APP).out == f"closed run {run}: 3 calls, 0 failed, 0 denied\n"
    assert cli("replay", run, "--app", APP).status == 0
    assert "has ended" in cli("call", APP, "find", '{"name": "rye"}', "--session", "s").err


def test_the_list_counts_a_direct_call_and_the_calls_of_an_open_run(cli: Cli) -> None:
    cli("call", APP, "find", '{"name": "bread"}')
    cli("call", APP, "find", '{"name": "rye"}', "--session", "s")
    told = cli("runs", "--json").json["runs"]
    assert [(each["title"], each["calls"]) for each in told] == [("open run", 1), ("bread", 1)]


def test_a_call_that_waits_has_its_result_once_it_is_approved(cli: Cli) -> None:
    call = ("call", APP, "burn", '{"name": "bread"}', "--session", "s", "--idempotency-key", "1")
    asked = cli(*call, "--json")
    assert (asked.status, cli.book) == (3, [])
    assert "waits for the decision" in cli("close", run_of(cli), "--app", APP).err
    cli("approvals", "approve", asked.json["questions"][0]["id"], "--app", APP)
    assert cli(*call).status == 0
    assert len(cli.book) == 1
    closed = cli("close", run_of(cli), "--app", APP, "--json")
    assert closed.json == {"run": run_of(cli), "status": "done", "calls": 1, "failed": 0, "denied": 0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--session", "s", "--in", "r"), "give one of them"),
        (("--in", "r", "--target", "a/b"), "takes no --target"),
        (("--session", "s", "--at", "tomorrow 10:00"), "made now"),
        (("--in", "unknown"), "does not exist"),
    ],
)
def test_options_that_do_not_fit_are_refused(cli: Cli, options: tuple[str, ...], message: str) -> None:
    done = cli("call", APP, "find", '{"name": "bread"}', *options)
    assert (done.status != 0, message in done.err) == (True, True), done.err
    assert cli.runs() == []


def test_a_run_that_takes_no_calls_is_not_closed(cli: Cli) -> None:
    cli("call", APP, "find", '{"name": "bread"}')
    assert "takes no calls" in cli("close", run_of(cli), "--app", APP).err
