"""`remit approvals`: questions, and decisions that drive their runs on from any process."""

from __future__ import annotations

import json
import os

import pytest

from remit.testing import calls
from remit.users import os_user
from tests.cli.kit import APP, Cli

BURN = calls(("burn", {"name": "bread"}))


@pytest.fixture
def waiting(cli: Cli) -> str:
    """The id of the question that the agent's run waits for."""
    cli.script(BURN, "The bread is burnt.")
    assert cli("run", APP, "--ask", "burn it", "--conversation", "c").status == 3
    return str(cli.questions()[0]["id"])


def test_the_list_names_tool_risk_and_run(cli: Cli, waiting: str) -> None:
    line = cli("approvals", "list").out.splitlines()[1]
    assert line.split()[:6] == [waiting, "open", "Burn:", "name", "bread", "high"]
    assert cli.runs()[0].run in line


def test_show_tells_exactly_what_will_run_and_why_it_is_asked(cli: Cli, waiting: str) -> None:
    shown = cli("approvals", "show", waiting).out
    assert "  arguments \n    name: bread\n" in shown
    assert "burn is high-risk (rule: high risk)" in shown
    assert "by the agent keeper" in shown


def test_the_call_of_a_person_is_not_shown_as_the_agents(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    (question,) = cli.questions()
    shown = cli("approvals", "show", question["id"]).out
    assert "  asked by  " in shown
    assert "keeper" not in shown
    assert question["agent"] == ""
    assert " as keeper" not in cli("show", cli.runs()[0].run, "--app", APP).out


def test_hidden_characters_of_arguments_are_spelled_out(cli: Cli) -> None:
    cli("call", APP, "burn", json.dumps({"name": "bread\u202e\u200b\x9bm"}, ensure_ascii=False))
    shown = cli("approvals", "show", cli.questions()[0]["id"]).out
    assert "name: bread\\u202e\\u200b\\u009bm\n" in shown


@pytest.mark.process
def test_approving_in_another_process_finishes_the_run(cli: Cli, waiting: str) -> None:
    done = cli.process("approvals", "approve", waiting, "--app", APP)
    assert (done.status, done.out) == (0, "The bread is burnt.\n")
    assert "✓ Burned in " in done.err
    assert cli.book == ["burn bread"]
    assert cli.runs()[0].status == "done"
    assert cli.questions() == []


def test_approving_finishes_a_run_of_one_tool_without_a_model(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_MODEL", "nonsense")
    cli("call", APP, "burn", '{"name": "cake"}')
    done = cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP, "--json")
    assert (done.status, done.json["result"], cli.book) == (0, "burnt cake", ["burn cake"])


def test_denying_tells_the_agent_why_and_does_nothing(cli: Cli, waiting: str) -> None:
    done = cli("approvals", "deny", waiting, "--reason", "we need it", "--app", APP)
    assert done.status == 0
    assert "APPROVAL_DENIED: we need it" in done.err
    assert cli.book == []


def test_denying_a_run_of_one_tool_fails_it(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "cake"}')
    done = cli("approvals", "deny", cli.questions()[0]["id"], "--app", APP)
    assert (done.status, done.out, cli.book) == (1, "", [])
    assert done.err.splitlines()[-1].startswith("remit: APPROVAL_DENIED: ")


def test_a_run_that_asks_again_goes_on_waiting(cli: Cli) -> None:
    cli.script(BURN, calls(("burn", {"name": "cake"})), "All burnt.")
    cli("run", APP, "--ask", "burn it all")
    first = cli.questions()[0]["id"]
    assert cli("approvals", "approve", first, "--app", APP).status == 3
    second = cli.questions()[0]["id"]
    assert second != first
    assert cli("approvals", "approve", second, "--app", APP).out == "All burnt.\n"
    assert cli.book == ["burn bread", "burn cake"]


def test_a_decision_counts_once(cli: Cli, waiting: str) -> None:
    assert cli("approvals", "approve", waiting, "--app", APP).status == 0
    again = cli("approvals", "deny", waiting, "--app", APP)
    assert again.status == 1
    assert f"question {waiting} is already approved" in again.err
    assert cli.book == ["burn bread"]


def test_who_may_not_decide_is_told_so(cli: Cli, waiting: str) -> None:
    config = cli.home / "config.toml"
    config.write_text(config.read_text().replace('["*"]', '["shop:*"]'))
    done = cli("approvals", "approve", waiting, "--app", APP)
    assert done.status == 1
    assert "missing permission approvals:decide" in done.err
    assert cli.book == []


@pytest.mark.parametrize("command", ["show", "approve", "deny"])
def test_a_question_of_another_tenant_looks_like_none(cli: Cli, waiting: str, command: str) -> None:
    config = cli.home / "config.toml"
    config.write_text(config.read_text().replace('"local-site"\n', '"elsewhere"\n'))
    mine, nobodys = cli("approvals", command, waiting), cli("approvals", command, "nothing")
    assert (mine.status, mine.err) == (2, nobodys.err.replace("nothing", waiting))
    assert cli.questions() == []


def test_a_run_that_another_process_drives_takes_the_decision_up_itself(cli: Cli, waiting: str) -> None:
    run = cli.runs()[0].run
    cli.journal(lambda store: store.acquire(run, "somebody", 600))
    done = cli("approvals", "approve", waiting, "--app", APP, "--wait", "0", "--json")
    assert (done.status, done.json) == (3, {"run": run, "status": "running", "decision": "approved"})
    told = f"executor somebody continues the run: remit show {run}; if it is dead: remit resume {run} --app {APP}"
    assert done.err.splitlines()[1:] == [told]
    assert cli.questions() == []


def test_a_run_that_a_live_executor_has_is_left_to_it_in_one_line(cli: Cli, waiting: str) -> None:
    run = cli.runs()[0].run
    cli.journal(lambda store: store.acquire(run, f"{os.getpid()}-bj0skha9qsff", 600))
    done = cli("approvals", "approve", waiting, "--app", APP, "--wait", "0")
    assert done.status == 3
    assert done.err.splitlines()[1:] == [f"executor {os.getpid()} continues the run: remit show {run}"]


def test_under_four_eyes_the_messages_name_who_can_decide(cli: Cli) -> None:
    strict = "tests.cli.shop:strict"
    waiting = cli("call", strict, "burn", '{"name": "bread"}')
    me = os_user()
    assert f"  who:     no other user may; give one the permission approvals:decide in {cli.home}" in waiting.err
    with (cli.home / "config.toml").open("a") as config:
        config.write('[users.bea]\nroles = ["owner"]\ntenant = "local-site"\n')
        config.write('[users.carl]\nroles = []\ntenant = "local-site"\n')
    refused = cli("approvals", "approve", cli.questions()[0]["id"], "--app", strict)
    assert f"{me} requested the call and may not decide question" in refused.err
    assert f"bea (not {me}: four eyes)" in refused.err
    assert (refused.status, cli.book) == (1, [])


def test_an_announced_call_is_made_at_once_when_it_is_approved(cli: Cli) -> None:
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?", "The cake is gone.")
    cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    question = cli.questions()[0]["id"]
    done = cli("approvals", "approve", question, "--app", APP)
    assert (done.status, done.out, cli.book) == (0, "The cake is gone.\n", ["remove cake"])


def test_a_call_that_needs_an_approval_is_not_confirmed(cli: Cli) -> None:
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?")
    cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    refused = cli("approvals", "confirm", cli.questions()[0]["id"], "--app", APP)
    assert (refused.status, cli.book) == (1, [])
    assert "needs an approval; a confirmation of the acting user is not one" in refused.err


def test_an_announced_call_that_is_denied_is_refused_when_the_agent_makes_it(cli: Cli) -> None:
    remove = calls(("remove", {"name": "cake", "confirmed": True}))
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?", remove, "I may not.")
    cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    question = cli.questions()[0]["id"]
    assert cli("approvals", "deny", question, "--json").json == {"question": question, "decision": "denied"}
    done = cli("run", APP, "--ask", "well?", "--conversation", "c")
    assert (done.status, done.out, cli.book) == (0, "I may not.\n", [])
    assert "✗ Did not remove: name cake: APPROVAL_DENIED" in done.err


@pytest.mark.process
def test_a_run_that_makes_the_announced_call_before_it_is_decided_waits_and_is_driven_on(cli: Cli) -> None:
    confirmed = calls(("remove", {"name": "cake", "confirmed": True}))
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?", confirmed, "The cake is gone.")
    cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    assert cli("run", APP, "--ask", "do it", "--conversation", "c").status == 3
    (question,) = cli.questions()
    done = cli.process("approvals", "approve", question["id"], "--app", APP)
    assert (done.status, done.out, cli.book) == (0, "The cake is gone.\n", ["remove cake"])


def test_all_lists_what_was_decided_too(cli: Cli, waiting: str) -> None:
    cli("approvals", "deny", waiting, "--reason", "no", "--app", APP)
    (row,) = cli("approvals", "list", "--all", "--json").json["questions"]
    assert (row["status"], row["decision"]["approved"], row["decision"]["reason"]) == ("denied", False, "no")
    assert cli("approvals", "show", waiting).out.splitlines()[-1].split() == [
        "status",
        "denied",
        "by",
        f"{os_user()}:",
        "no",
    ]


def test_an_approval_that_its_call_used_is_shown_as_consumed(cli: Cli, waiting: str) -> None:
    cli("approvals", "approve", waiting, "--app", APP)
    assert cli("approvals", "list", "--all").out.splitlines()[1].split()[1] == "consumed"
    assert cli("approvals", "show", waiting).out.splitlines()[-1].split() == [
        "status",
        "consumed,",
        "approved",
        "by",
        os_user(),
    ]


def test_a_question_shows_what_was_asked_for_and_apart_from_it_what_is_at_its_default(cli: Cli) -> None:
    waiting = cli("call", "tests.cli.shop:orders", "order", '{"name": "rye", "note": ""}')
    assert "waiting: Use order: name rye?" in waiting.err
    (question,) = cli.questions()
    shown = cli("approvals", "show", question["id"]).out
    assert '  arguments \n    name: rye\n  defaults  \n    count: 1\n    note: ""\n' in shown
    asked = cli("approvals", "show", question["id"], "--json").json
    assert json.loads(asked["arguments"]) == {"name": "rye", "count": 1, "note": ""}
    assert asked["at_default"] == ["count", "note"]
