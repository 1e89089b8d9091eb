"""`remit run APP --ask TEXT`: one request without a terminal."""

from __future__ import annotations

import pytest

from remit.testing import calls
from tests.cli.kit import APP, Cli


def test_the_answer_goes_to_stdout_alone_and_the_calls_to_stderr(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "bread"}), ("add", {"name": "cake", "price": 4})), "There is bread.")
    done = cli("run", APP, "--ask", "what is there?")
    assert (done.status, done.out) == (0, "There is bread.\n")
    assert "→ Find: name bread  safe  find" in done.err
    assert "→ Add: name cake, price 4  moderate  add" in done.err
    assert "✓ Added: name cake, price 4 in " in done.err
    assert '· adding name="cake"' in done.err
    assert cli.book == ["add cake 4"]


def test_a_script_is_announced_as_a_script_and_not_as_a_model(cli: Cli) -> None:
    cli.script("Hello.")
    assert f"model: a script, not a model ({cli.script_file})" in cli("run", APP, "--ask", "hello").err


def test_what_the_model_says_beside_its_calls_is_shown(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "bread"}), content="Let me look."), "Here it is.")
    assert "Let me look.\n  → Find" in cli("run", APP, "--ask", "bread?").err


def test_a_failed_call_is_shown_with_its_code_and_the_run_goes_on(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "unicorn"})), "There is none.")
    done = cli("run", APP, "--ask", "a unicorn?")
    assert done.status == 0
    assert "✗ Could not find: name unicorn in " in done.err
    assert "NOT_FOUND: there is no article 'unicorn'" in done.err


def test_a_call_made_by_a_tool_is_shown_below_it(cli: Cli) -> None:
    cli.script(calls(("restock", {"name": "bread"})), "Restocked.")
    err = cli("run", APP, "--ask", "restock").err
    assert "\n    ✓ Added" in err
    assert "\n  ✓ Restocked" in err


def test_json_tells_run_status_result_and_calls_in_one_object(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "unicorn"})), "There is none.")
    told = cli("run", APP, "--ask", "a unicorn?", "--conversation", "c", "--json").json
    assert (told["status"], told["result"], told["conversation"], told["questions"]) == (
        "done",
        "There is none.",
        "c",
        [],
    )
    assert told["run"] == cli.runs()[0].run
    (call,) = told["calls"]
    assert (call["name"], call["outcome"], call["errorCode"]) == ("find", "error", "NOT_FOUND")


def test_a_run_that_waits_exits_with_3_and_says_how_to_decide(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "Burnt.")
    done = cli("run", APP, "--ask", "burn it")
    (question,) = cli.questions()
    assert (done.status, done.out) == (3, "")
    assert "waiting: Burn: name bread?" in done.err
    assert f"yes:     remit approvals approve {question['id']} --app {APP}" in done.err
    assert f"no:      remit approvals deny {question['id']} --app {APP}" in done.err
    assert cli.book == []


def test_json_of_a_run_that_waits_holds_the_whole_question(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "Burnt.")
    done = cli("run", APP, "--ask", "burn it", "--json")
    (question,) = done.json["questions"]
    assert (done.status, done.json["status"]) == (3, "waiting")
    assert (question["tool"], question["arguments"], question["risk"]) == ("burn", '{"name":"bread"}', "high")


def test_a_run_that_fails_exits_with_1_and_one_line(cli: Cli) -> None:
    cli.script()
    done = cli("run", APP, "--ask", "hello")
    assert (done.status, done.out) == (1, "")
    assert done.err.splitlines()[-1].startswith("remit: MODEL_ERROR: the script has 0 answers")
    assert done.err.endswith("of the conversation; add an answer\n")


def test_a_model_that_cannot_start_is_refused_before_a_conversation_is_named(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_MODEL", "scripted:nowhere.json")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 2
    (line,) = done.err.splitlines()
    assert "nowhere.json is not a script" in line


def test_json_of_a_run_that_fails_holds_error_and_code(cli: Cli) -> None:
    cli.script()
    done = cli("run", APP, "--ask", "hello", "--json")
    assert (done.status, done.json["status"], done.json["errorCode"]) == (1, "failed", "MODEL_ERROR")


def test_an_announced_call_is_named_with_what_to_do_and_made_after_the_yes(cli: Cli) -> None:
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?", "The cake is gone.")
    first = cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    (question,) = cli.questions()
    assert (first.status, first.out) == (0, "Shall I?\n")
    assert f"remit approvals approve {question['id']}" in first.err
    second = cli("approvals", "approve", question["id"], "--app", APP)
    assert (second.status, second.out, cli.book) == (0, "The cake is gone.\n", ["remove cake"])


def test_runs_of_one_conversation_share_their_history_and_others_do_not(cli: Cli) -> None:
    cli.script("first", "second")
    assert cli("run", APP, "--ask", "one", "--conversation", "c").out == "first\n"
    assert cli("run", APP, "--ask", "two", "--conversation", "c").out == "second\n"
    assert cli("run", APP, "--ask", "two").out == "first\n"


def test_a_conversation_whose_last_run_waits_takes_no_message(cli: Cli) -> None:
    cli.script(calls(("burn", {"name": "bread"})), "Burnt.")
    cli("run", APP, "--ask", "burn it", "--conversation", "c")
    done = cli("run", APP, "--ask", "well?", "--conversation", "c")
    assert done.status == 1
    assert "remit: REQUEST_CONFLICT: conversation c is busy" in done.err


def test_control_characters_of_a_model_are_spelled_out(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "\x1b[2Jx"})), "\x1b]0;evil\x07 and \u202edone")
    done = cli("run", APP, "--ask", "hello")
    assert done.out == "\\u001b]0;evil\\u0007 and \\u202edone\n"
    assert "\x1b" not in done.err


def test_half_of_a_surrogate_pair_is_spelled_out(cli: Cli) -> None:
    cli.script(calls(("find", {"name": "half \ud83d"})), "No.")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 0
    assert "→ Find: name half \\ud83d" in done.err


def test_conversations_of_one_name_in_two_applications_have_nothing_in_common(cli: Cli) -> None:
    cli.script(calls(("remove", {"name": "cake"})), "Shall I?")
    cli("run", APP, "--ask", "remove the cake", "--conversation", "c")
    cli.script("Hello, I am new here.")
    done = cli("run", "tests.cli.shop:branch", "--ask", "hello", "--conversation", "c", "--json")
    assert (done.json["result"], done.json["questions"]) == ("Hello, I am new here.", [])


def test_an_agent_that_brings_its_model_needs_no_other(cli: Cli) -> None:
    """The one that the command line would ask is nowhere."""
    done = cli("run", "tests.cli.shop:wise", "--ask", "hello")
    assert (done.status, done.out) == (0, "Who?\n")
    assert "model:" not in done.err
