"""`remit approvals grant`, `grants` and `revoke`, and a yes with other arguments."""

from __future__ import annotations

import asyncio
import time

import pytest

from remit import Runtime
from remit.journal.sql.store import SqlStore
from remit.testing import Scripted, calls, superuser
from remit.users import os_user
from tests.cli.kit import APP, Cli
from tests.cli.shop import app

BURN = calls(("burn", {"name": "bread"}))


def give(cli: Cli, *more: str) -> str:
    """The id of a grant of one call."""
    user = cli("call", APP, "burn", '{"name": "old"}', "--json") and cli.questions()[0]["asker"]
    given = cli("approvals", "grant", APP, "burn", "--for", str(user), "--count", "1", "--hours", "1", *more, "--json")
    assert given.status == 0
    return str(given.json["id"])


def test_a_call_that_was_granted_is_not_asked_about(cli: Cli) -> None:
    grant = give(cli, "--arguments", '{"name": {"$like": "br*"}}')
    cli.script(BURN, "The bread is burnt.")
    done = cli("run", APP, "--ask", "burn it")
    assert (done.status, cli.book) == (0, ["burn bread"])
    assert f"by grant {grant}" in done.err
    run = cli.runs()[0].run
    assert f"by grant {grant}" in cli("show", run).out


def test_grants_are_listed_with_what_is_left_of_them(cli: Cli) -> None:
    grant = give(cli, "--reason", "spring")
    line = cli("approvals", "grants").out.splitlines()[1]
    assert line.split()[:3] == [grant, "standing", "burn"]
    assert "0 of 1" in line
    cli("call", APP, "burn", '{"name": "bread"}')
    assert cli("approvals", "grants", "--json").json == {"grants": []}
    (listed,) = cli("approvals", "grants", "--all", "--json").json["grants"]
    assert (listed["id"], listed["used"], listed["status"], listed["reason"]) == (grant, 1, "used up", "spring")


@pytest.mark.parametrize("as_json", [True, False])
def test_a_grant_is_taken_back(cli: Cli, as_json: bool) -> None:
    grant = give(cli)
    done = cli("approvals", "revoke", grant, *(["--json"] if as_json else []))
    assert (done.status, f"revoked: grant {grant}" in done.err) == (0, not as_json)
    assert cli("call", APP, "burn", '{"name": "bread"}').status == 3
    assert "revoked" in cli("approvals", "grants", "--all").out
    assert cli.book == []


def test_giving_says_how_to_take_it_back(cli: Cli) -> None:
    done = cli("approvals", "grant", APP, "burn", "--for", os_user(), "--count", "2", "--hours", "1")
    assert done.out.startswith("granted: burn, grant ")
    assert "remit approvals revoke " in done.out


def test_a_grant_for_a_user_who_does_not_exist_is_refused(cli: Cli) -> None:
    done = cli("approvals", "grant", APP, "burn", "--for", "ghost", "--count", "2", "--hours", "1")
    assert done.status == 1
    assert "there is no user 'ghost' of tenant 'local-site'" in done.err
    assert cli("approvals", "grants", "--json").json == {"grants": []}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--count", "0", "--hours", "1"), "give a whole number of at least 1"),
        (("--count", "1", "--hours", "0"), "give a positive number"),
        (("--count", "1", "--hours", "1", "--arguments", '{"page": 1}'), "page: no such parameter"),
    ],
)
def test_what_is_no_grant_is_refused(cli: Cli, more: tuple[str, ...], said: str) -> None:
    refused = cli("approvals", "grant", APP, "burn", "--for", "ada", *more)
    assert (refused.status, said in refused.err) == (1, True)


def test_a_yes_with_other_arguments_runs_those_and_tells_so(cli: Cli) -> None:
    cli.script(BURN, "Done.")
    cli("run", APP, "--ask", "burn it")
    question = cli.questions()[0]["id"]
    done = cli("approvals", "approve", question, "--arguments", '{"name": "toast"}', "--app", APP)
    assert (done.status, cli.book) == (0, ["burn toast"])
    assert 'edited to name="toast"' in done.err


def test_a_yes_with_arguments_that_cannot_run_decides_nothing(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name": "bread"}')
    question = cli.questions()[0]["id"]
    refused = cli("approvals", "approve", question, "--arguments", '{"name": 1}', "--app", APP)
    assert (refused.status, "these arguments are not valid for" in refused.err) == (1, True)
    assert cli.questions()[0]["status"] == "open"


def test_an_announced_call_may_be_edited(cli: Cli) -> None:
    cli.script(calls(("remove", {"name": "a"})), "May I?", "Removed.")
    cli("run", APP, "--ask", "remove a", "--conversation", "c")
    question = cli.questions()[0]["id"]
    edit = '{"name": "b", "confirmed": true}'
    assert cli("approvals", "approve", question, "--arguments", edit, "--app", APP).out == "Removed.\n"
    assert cli.book == ["remove b"]


def test_a_run_whose_question_nobody_answered_in_time_goes_on_without_a_person(cli: Cli) -> None:
    me = cli("call", APP, "find", '{"name": "bread"}') and cli.runs()[0]

    async def nine_days_ago() -> str:
        store = SqlStore.at(cli.home / "journal.db", clock := lambda: time.time() - 9 * 24 * 3600)
        by = superuser(name=me.principal, tenant=me.tenant)
        run = (await Runtime(app, store=store, clock=clock, model=Scripted([BURN])).run("burn it", by=by)).run
        await store.close()
        return run

    run = asyncio.run(nine_days_ago())
    cli.script(BURN, "Nobody allowed it.")
    done = cli("resume", run, "--app", APP)
    assert (done.status, done.out, cli.book) == (0, "Nobody allowed it.\n", [])
    assert "APPROVAL_DENIED: question " in done.err


def test_a_misspelled_tool_is_not_granted_and_similar_ones_are_named(cli: Cli) -> None:
    options = ("--for", os_user(), "--count", "1", "--hours", "1")
    done = cli("approvals", "grant", APP, "burm", *options)
    assert done.err == "remit: REQUEST_NOT_FOUND: application shop has no tool or agent 'burm'; similar: burn\n"
    assert cli("approvals", "grant", APP, "zzz", *options).err.endswith("no tool or agent 'zzz'\n")
