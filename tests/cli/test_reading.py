"""Whose runs and questions somebody sees: their own, and those of others of the tenant only with leave."""

from __future__ import annotations

import pytest

from remit import Principal, Runtime
from remit.users import os_user
from tests.cli.kit import APP, Cli
from tests.cli.shop import app, burn

BOB = Principal("bob", "local-site", permissions=frozenset({"*"}))


@pytest.fixture
def bobs(cli: Cli) -> str:
    """A run of somebody else of the tenant, which waits for a person."""
    cli("runs")
    return cli.journal(lambda store: Runtime(app, store=store).call(burn, BOB, "bread")).run


def allow(cli: Cli, *permissions: str) -> None:
    listed = ", ".join(f'"{each}"' for each in permissions)
    (cli.home / "config.toml").write_text(
        f'[roles.clerk]\npermissions = [{listed}]\n[users."{os_user()}"]\nroles = ["clerk"]\ntenant = "local-site"\n'
    )


@pytest.mark.parametrize("command", [("show",), ("replay", "--app", APP), ("resume", "--app", APP)])
def test_the_run_of_somebody_else_looks_like_none(cli: Cli, bobs: str, command: tuple[str, ...]) -> None:
    allow(cli, "shop:*")
    verb, *options = command
    theirs, nobodys = cli(verb, bobs, *options), cli(verb, "nothing", *options)
    assert (theirs.status, theirs.err) == (2, nobodys.err.replace("nothing", bobs))
    assert cli("runs", "--json").json["runs"] == []


def test_with_leave_the_runs_of_the_tenant_can_be_read(cli: Cli, bobs: str) -> None:
    allow(cli, "runs:read")
    assert [row["run"] for row in cli("runs", "--json").json["runs"]] == [bobs]
    assert cli("show", bobs, "--json").json["principal"] == "bob"


def test_a_run_that_can_be_read_and_not_cancelled_is_not_said_to_be_unknown(cli: Cli, bobs: str) -> None:
    allow(cli, "runs:read")
    done = cli("cancel", bobs, "--app", APP)
    assert done.status == 1
    assert "may only read run" in done.err
    assert "does not exist" not in done.err


def test_who_may_cancel_a_run_and_not_read_it_is_told_that_it_is_cancelled(cli: Cli, bobs: str) -> None:
    allow(cli, "runs:cancel")
    done = cli("cancel", bobs, "--app", APP)
    assert done.status == 0
    assert done.out.startswith(f"cancelled run {bobs}, which waited for a decision")
    assert done.err == ""


def test_with_leave_for_a_target_only_its_runs_can_be_read(cli: Cli, bobs: str) -> None:
    there = cli.journal(lambda store: Runtime(app, store=store).call_at("bakery/main", burn, BOB, "rye")).run
    allow(cli, "runs:read@bakery/*")
    assert [row["run"] for row in cli("runs", "--target", "bakery/main", "--json").json["runs"]] == [there]
    assert [row["run"] for row in cli("runs", "--json").json["runs"]] == [there]
    assert (cli("show", there).status, cli("show", bobs).status) == (0, 2)


def test_ones_own_runs_can_be_read_without_leave(cli: Cli, bobs: str) -> None:
    allow(cli, "shop:*")
    assert cli("call", APP, "find", '{"name": "bread"}').status == 0
    (mine,) = cli("runs", "--json").json["runs"]
    assert cli("show", mine["run"]).status == 0


@pytest.mark.parametrize("command", ["show", "approve", "deny"])
def test_a_question_that_one_may_not_decide_and_did_not_raise_looks_like_none(
    cli: Cli, bobs: str, command: str
) -> None:
    (question,) = cli.questions()
    allow(cli, "shop:*")
    assert cli.questions() == []
    theirs, nobodys = cli("approvals", command, question["id"]), cli("approvals", command, "nothing")
    assert (theirs.status, theirs.err) == (2, nobodys.err.replace("nothing", question["id"]))


def test_who_may_decide_sees_the_question_and_its_run_goes_on(cli: Cli, bobs: str) -> None:
    (question,) = cli.questions()
    allow(cli, "approvals:decide")
    assert [each["id"] for each in cli.questions()] == [question["id"]]
    assert bobs in cli("approvals", "show", question["id"]).out
