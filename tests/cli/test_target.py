"""`--target` says what a run is about, and questions, grants and lists show it."""

from __future__ import annotations

from tests.cli.kit import APP, Cli

BURN = ("call", APP, "burn", '{"name": "bread"}')


def test_runs_have_the_target_that_was_given_and_are_listed_by_it(cli: Cli) -> None:
    cli.script("hello", "hello")
    cli("call", APP, "find", '{"name": "rye"}', "--target", "bakery/main")
    cli("run", APP, "--ask", "hello", "--target", "florist/shop")
    cli("run", APP, "--ask", "hello", "--target", "bakery/draft", "--detach")
    assert [each.target for each in cli.runs()] == ["bakery/draft", "florist/shop", "bakery/main"]
    (listed,) = cli("runs", "--target", "bakery/main", "--json").json["runs"]
    assert listed["callee"] == "find"
    assert "for bakery/main" in cli("show", listed["run"]).out
    assert "bakery/main" in cli("runs").out


def test_a_malformed_target_is_an_error_in_one_line(cli: Cli) -> None:
    done = cli("call", APP, "find", '{"name": "rye"}', "--target", "a b")
    assert (done.status, cli.runs()) == (1, [])
    assert done.err.startswith("remit: BAD_REQUEST: target is 'a b'; give words joined by /")


def test_the_question_shows_the_target(cli: Cli) -> None:
    cli(*BURN, "--target", "bakery/main")
    (question,) = cli.questions()
    assert question["target"] == "bakery/main"
    assert "bakery/main" in cli("approvals", "show", question["id"]).out


def test_a_grant_covers_runs_of_its_target_only(cli: Cli) -> None:
    cli(*BURN)
    user = str(cli.questions()[0]["asker"])
    limits = ("--for", user, "--count", "1", "--hours", "1", "--target", "bakery/main", "--json")
    assert cli("approvals", "grant", APP, "burn", *limits).json["target"] == "bakery/main"
    assert "bakery/main" in cli("approvals", "grants").out
    assert cli(*BURN).status == 3
    assert cli(*BURN, "--target", "bakery/main").status == 0
