"""`remit call APP TOOL JSON`: one tool, under all layers of policy, without a model."""

from __future__ import annotations

import pytest

from remit.models.choice import ChoiceFile, ModelChoice
from tests.cli.kit import APP, Cli


def test_the_result_is_json_on_stdout(cli: Cli) -> None:
    done = cli("call", APP, "find", '{"name": "bread"}')
    assert (done.status, done.json, done.err) == (0, {"name": "bread", "price": 3}, "")


def test_a_result_that_is_text_is_json_too(cli: Cli) -> None:
    assert cli("call", APP, "restock", '{"name": "bread"}').out == '"restocked bread"\n'


def test_a_dash_reads_the_arguments_from_stdin(cli: Cli) -> None:
    done = cli("call", APP, "find", "-", stdin='{"name": "rye"}')
    assert done.json["name"] == "rye"


def test_no_model_is_needed_nor_looked_for(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_MODEL", "nonsense")
    assert cli("call", APP, "find", '{"name": "bread"}').status == 0


def test_a_call_of_a_tool_needs_no_key_of_the_chosen_model(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REMIT_MODEL")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    cli("runs")  # makes the home folder
    ChoiceFile(cli.home).write(ModelChoice(name="openai:gpt-x", key="env:OPENAI_API_KEY"))
    assert cli("call", APP, "find", '{"name": "bread"}').status == 0
    asked = cli("run", APP, "--ask", "go")
    assert (asked.status, asked.err.startswith("remit: NO_MODEL: ")) == (2, True), asked.err


@pytest.mark.parametrize("arguments", ['{"name": 1}', "{}", "[]", '{"name": "a", "name": "b"}'])
def test_arguments_that_are_not_what_the_contract_says_are_refused(cli: Cli, arguments: str) -> None:
    done = cli("call", APP, "find", arguments)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("remit: VALIDATION_ERROR: ")


def test_a_tool_that_fails_exits_with_1_and_its_code(cli: Cli) -> None:
    done = cli("call", APP, "find", '{"name": "unicorn"}', "--json")
    assert (done.status, done.json["status"], done.json["errorCode"]) == (1, "failed", "NOT_FOUND")
    assert done.err == f"remit: NOT_FOUND: {done.json['error']}\n"


def test_an_unknown_tool_is_said_with_near_ones_and_nothing_is_done(cli: Cli) -> None:
    done = cli("call", APP, "fnid", "{}")
    assert (done.status, cli.runs()) == (2, [])
    assert done.err.startswith("remit: NO_SUCH: the application 'shop' has no tool 'fnid'; similar: find; see: ")


def test_a_call_of_high_risk_waits_like_a_models_would(cli: Cli) -> None:
    done = cli("call", APP, "burn", '{"name": "bread"}')
    assert (done.status, done.out, cli.book) == (3, "", [])
    assert "remit approvals approve" in done.err


def test_a_call_in_a_conversation_is_listed_there_and_can_be_made_while_another_waits(cli: Cli) -> None:
    waiting = cli("call", APP, "burn", '{"name": "bread"}', "--conversation", "c")
    assert (waiting.status, cli("call", APP, "find", '{"name": "rye"}', "--conversation", "c").status) == (3, 0)
    told = cli("runs", "--conversation", "c", "--json").json["runs"]
    assert [(each["callee"], each["status"]) for each in told] == [("find", "done"), ("burn", "waiting")]


def test_a_call_that_announces_another_is_followed_by_that_one_in_the_same_conversation(cli: Cli) -> None:
    first = cli("call", APP, "remove", '{"name": "cake"}', "--conversation", "c", "--json").json
    assert (first["result"]["requiresConfirmation"], first["conversation"]) == (True, "c")
    (question,) = first["questions"]
    confirmed = '{"name": "cake", "confirmed": true}'
    assert cli("call", APP, "remove", confirmed, "--conversation", "c").status == 3
    done = cli("approvals", "approve", question["id"], "--app", APP)
    assert (done.status, cli.book) == (0, ["remove cake"])


def test_what_an_agent_says_does_not_begin_with_calls_made_beside_it(cli: Cli) -> None:
    cli.script("Hello.", "Again.")
    cli("run", APP, "--ask", "hello", "--conversation", "c")
    cli("call", APP, "find", '{"name": "rye"}', "--conversation", "c")
    assert cli("run", APP, "--ask", "again", "--conversation", "c").out == "Again.\n"


def test_a_permission_that_is_not_held_denies(cli: Cli) -> None:
    cli("runs")
    config = cli.home / "config.toml"
    config.write_text(config.read_text().replace('["*"]', '["shop:read"]'))
    done = cli("call", APP, "add", '{"name": "cake", "price": 1}')
    assert (done.status, cli.book) == (1, [])
    assert done.err.startswith("remit: PERMISSION_DENIED: ")


def test_json_tells_the_whole_run(cli: Cli) -> None:
    told = cli("call", APP, "restock", '{"name": "bread"}', "--json").json
    assert (told["status"], told["result"]) == ("done", "restocked bread")
    assert [call["name"] for call in told["calls"]] == ["add", "restock"]


def test_json_of_a_call_tells_the_call_itself_with_its_seconds_or_its_error(cli: Cli) -> None:
    (call,) = cli("call", APP, "find", '{"name": "bread"}', "--json").json["calls"]
    assert (call["name"], call["outcome"], call["seconds"] >= 0) == ("find", "ok", True)
    (call,) = cli("call", APP, "find", '{"name": "unicorn"}', "--json").json["calls"]
    assert (call["outcome"], call["errorCode"]) == ("error", "NOT_FOUND")


def test_a_call_that_is_repeated_with_its_idempotency_key_runs_once(cli: Cli) -> None:
    command = ("call", APP, "restock", '{"name": "bread"}', "--idempotency-key", "a1")
    first, second = cli(*command), cli(*command)
    assert (first.status, second.out, len(cli.runs())) == (0, first.out, 1)


def test_a_call_for_later_is_announced_and_can_be_cancelled(cli: Cli) -> None:
    done = cli("call", APP, "restock", '{"name": "bread"}', "--at", "2099-12-24T09:00", "--zone", "Europe/Berlin")
    assert done.status == 0
    assert done.out.startswith("scheduled: run ")
    run = done.out.split()[2]
    assert "scheduled" in cli("runs").out
    assert "scheduled" in cli("show", run).out
    told = done.out.splitlines()[-1].partition("remit ")[2]
    assert told == f"cancel {run} --app {APP}"
    done = cli(*told.split())
    assert (done.status, done.out) == (0, f"cancelled run {run}, which was to begin later\n")
    assert done.err == "nothing was changed\n"
    assert "cancelled" in cli("runs").out


def test_a_call_for_later_has_its_time_in_json(cli: Cli) -> None:
    at = ("--at", "2099-12-24T09:00+00:00", "--every", "FREQ=DAILY", "--missed", "skip")
    done = cli("call", APP, "restock", '{"name": "bread"}', "--json", *at)
    assert (done.json["status"], done.json["startsAt"]) == ("scheduled", 4101786000.0)
    assert cli("call", APP, "find", '{"name": "bread"}').status == 0
    assert [(each["status"], each["due"]) for each in cli("runs", "--status", "scheduled", "--json").json["runs"]] == [
        ("scheduled", 4101786000.0)
    ]
    assert [each.get("due") for each in cli("runs", "--status", "done", "--json").json["runs"]] == [None]
    assert "2099-12-2" in cli("runs", "--status", "scheduled").out
    assert "recurring by FREQ=DAILY, missed: skip" in cli("show", done.json["run"]).out
    refused = cli("runs", "--status", "due")
    assert (refused.status, "status is 'due'" in refused.err) == (1, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--every", "FREQ=DAILY"], "need --at"),
        (["--at", "tomorrow"], "is not a time such as"),
        (["--at", "2099-01-01T09:00", "--zone", "Mars"], "is not a time zone"),
        (["--at", "2099-01-01T09:00Z", "--zone", "UTC"], "has an offset"),
        (["--at", "2099-01-01T09:00", "--missed", "never"], "is not one of once, skip, all"),
        (["--at", "2099-01-01T09:00", "--every", "daily"], "recurrence rule"),
    ],
)
def test_a_schedule_that_is_none_is_refused_in_one_line(cli: Cli, options: list[str], message: str) -> None:
    done = cli("call", APP, "restock", '{"name": "bread"}', *options)
    assert done.status in (1, 2)
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ("{name: rye}", "at character 2, 'name: rye}'"),
        ("not JSON", "at character 1, 'not JSON'"),
        ('{"name": "rye"', "where they end"),
        ("", "where they end"),
    ],
)
def test_arguments_that_are_no_json_are_refused_in_words_before_a_run_is_made(
    cli: Cli, arguments: str, where: str
) -> None:
    done = cli("call", APP, "find", arguments)
    assert (done.status, done.out, cli.runs()) == (2, "", [])
    (line,) = done.err.splitlines()
    assert line.startswith(f"remit: USAGE: the arguments are not JSON {where}; write one object in single quotes, ")


def test_json_that_is_nested_too_deeply_is_refused_by_the_limits(cli: Cli) -> None:
    done = cli("call", APP, "find", "[" * 100_000 + "]" * 100_000)
    assert done.status == 1
    assert "nested too deeply" in done.err


def test_the_resources_of_an_application_are_open_during_its_calls_and_opened_once(cli: Cli) -> None:
    cli("call", "tests.cli.shop:staffed", "burn", '{"name": "rye"}')
    cli("approvals", "approve", cli.questions()[0]["id"], "--app", "tests.cli.shop:staffed")
    assert cli.book == ["the staff comes", "the staff goes", "the staff comes", "burn rye", "the staff goes"]


def test_a_resource_that_cannot_be_opened_is_named_and_nothing_is_called(cli: Cli) -> None:
    failed = cli("call", "tests.cli.shop:closed", "find", '{"name": "rye"}')
    assert (failed.status, cli.runs()) == (2, [])
    assert "application closed: the resource no_staff could not be opened: OSError: all are ill" in failed.err
