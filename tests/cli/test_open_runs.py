"""`remit call --session` and `--in`: calls of one open run from a shell, and `remit close`."""

from __future__ import annotations

import signal
import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from remit import App, Principal, Runtime
from remit.cli.open_runs import find_session
from remit.stores import InMemoryStore
from tests.cli.kit import APP, PATIENCE, Cli, command


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


def test_the_list_counts_a_direct_call_and_the_calls_of_an_open_run(cli: Cli) -> None:
    cli("call", APP, "find", '{"name": "bread"}')
    cli("call", APP, "find", '{"name": "rye"}', "--session", "s")
    told = cli("runs", "--json").json["runs"]
    assert [(each["title"], each["calls"]) for each in told] == [("s", 1), ("bread", 1)]


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
        (("--in", ""), "--in RUN"),
        (("--session", ""), "--session NAME"),
        (("--session", " "), "--session NAME"),
        (("--session", "a\nb"), "--session"),
        (("--session", "s", "--idempotency-key", ""), "--idempotency-key KEY"),
    ],
)
def test_options_that_do_not_fit_are_refused(cli: Cli, options: tuple[str, ...], message: str) -> None:
    done = cli("call", APP, "find", '{"name": "bread"}', *options)
    assert (done.status != 0, message in done.err) == (True, True), done.err
    assert cli.runs() == []


def test_the_first_call_after_a_close_opens_the_next_run_of_the_session(cli: Cli) -> None:
    call = ("call", APP, "find", '{"name": "bread"}', "--session", "s", "--json")
    runs = list[str]()
    for _ in range(3):
        first, second = cli(*call).json["run"], cli(*call).json["run"]
        assert first == second
        runs.append(first)
        assert cli("close", "--session", "s", "--app", APP).out == f"closed run {first}: 2 calls, 0 failed, 0 denied\n"
    assert len({*runs}) == 3
    assert "no open session" in cli("close", "--session", "s", "--app", APP).err


def test_the_idempotency_key_of_a_run_of_its_own_does_not_bar_a_session_of_that_name(cli: Cli) -> None:
    alone = cli("call", APP, "find", '{"name": "bread"}', "--idempotency-key", "s", "--json")
    called = cli("call", APP, "find", '{"name": "bread"}', "--session", "s", "--json")
    assert (called.status, called.json["run"] != alone.json["run"]) == (0, True)


async def test_two_processes_open_the_same_next_run_of_a_session() -> None:
    store = InMemoryStore()
    local: Any = SimpleNamespace(store=store, principal=Principal("ada"))
    client = Runtime(App(name="shop"), store=store).client(local.principal)
    key, none = await find_session(local, "shop", "s")
    assert none is None
    async with client.open_run(idempotency_key=key) as run:
        await run.close()
    (key, none), (same, _) = await find_session(local, "shop", "s"), await find_session(local, "shop", "s")
    assert none is None
    async with client.open_run(idempotency_key=key) as run, client.open_run(idempotency_key=same) as again:
        assert run.id == again.id
    assert [row.status for row in await store.list_runs()] == ["open", "done"]


def test_a_session_is_told_apart_by_its_name_and_its_options(cli: Cli) -> None:
    call = ("call", APP, "find", '{"name": "bread"}', "--session", "night till", "--target", "bakery/main")
    told = cli(*call)
    assert told.err.startswith(f"session night till: run {run_of(cli)}\n")
    assert cli("runs", "--json").json["runs"][0]["title"] == "night till"
    refused = cli(*call[:-2])
    assert refused.status == 2
    assert "was opened with --target bakery/main; give the same" in refused.err
    assert "remit close --session 'night till'" in refused.err


@pytest.mark.parametrize("given", [(), ("RUN", "--session", "s"), ("--session", "")])
def test_close_takes_a_run_or_a_session(cli: Cli, given: tuple[str, ...]) -> None:
    refused = cli("close", *given)
    assert (refused.status, "--session NAME" in refused.err) == (2, True)


@pytest.mark.process
def test_sigterm_ends_the_call_and_leaves_the_session_to_the_next_process(cli: Cli) -> None:
    calling = command("call", APP, "dawdle", "--session", "s", "--idempotency-key", "1")
    with subprocess.Popen(calling, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert any("shop: dawdle" in line for line in process.stderr)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, "stopped by SIGTERM" in err) == (1, True), err
    assert [row.status for row in cli.runs()] == ["open"]
    assert cli("close", "--session", "s", "--app", APP).out.endswith(": 1 calls, 1 failed, 0 denied\n")


def test_a_run_that_takes_no_calls_is_not_closed(cli: Cli) -> None:
    cli("call", APP, "find", '{"name": "bread"}')
    assert "takes no calls" in cli("close", run_of(cli), "--app", APP).err
