"""`remit audit`: runs are entered into a log that is anchored outside, and what was changed since is found."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from remit.audit import FileAnchor, LogHead
from remit.audit.log import AuditLog
from remit.users import os_user
from tests.cli.kit import APP, Cli

elsewhere = FileAnchor(Path("elsewhere"))
nothing = 42


@pytest.fixture
def anchor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "outside" / "anchor"
    monkeypatch.setenv("REMIT_ANCHOR", str(path))
    return path


def tamper(cli: Cli, statement: str) -> None:
    with closing(sqlite3.connect(cli.home / "journal.db")) as database, database:
        assert database.execute(statement).rowcount


def test_with_an_anchor_every_run_is_entered_when_it_comes_to_rest(cli: Cli, anchor: Path) -> None:
    cli("call", APP, "add", '{"name":"rye","price":2}')
    cli("call", APP, "find", '{"name":"unicorn"}')
    assert len(anchor.read_text().splitlines()) == 2
    done = cli("audit", "verify")
    assert done.status == 0
    assert "2 runs" in done.out
    assert "2 of 2 entries are anchored" in done.out
    assert "everything up to the last anchor is unchanged\nlag of the anchor: 0.0 s" in done.out


def test_a_run_that_waits_is_entered_and_so_is_its_end(cli: Cli, anchor: Path) -> None:
    assert cli("call", APP, "burn", '{"name":"bread"}').status == 3
    cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP)
    assert [LogHead.from_json(line).count for line in anchor.read_text().splitlines()] == [1, 2]


def test_what_was_changed_is_found_and_named(cli: Cli, anchor: Path) -> None:
    cli("call", APP, "add", '{"name":"rye","price":2}')
    run = cli.runs()[0].run
    tamper(cli, "UPDATE remit_items SET body = replace(body, 'rye', 'gold') WHERE seq = 0")
    done = cli("audit", "verify")
    assert done.status == 1
    assert f"run {run}, item 0: the item was changed or moved" in done.out
    assert done.err == "remit: AUDIT_BROKEN: one thing is different from the audit log\n"
    told = cli("audit", "verify", "--json")
    assert (told.status, told.json["intact"], told.json["faults"][0]["run"]) == (1, False, run)


def test_an_item_that_cannot_even_be_read_is_named(cli: Cli, anchor: Path) -> None:
    cli("call", APP, "add", '{"name":"rye","price":2}')
    tamper(cli, "UPDATE remit_items SET kind = 'other' WHERE seq IN (1, 3)")
    [fault] = cli("audit", "verify", "--json").json["faults"]
    assert (fault["seq"], "'other'" in fault["what"]) == (3, True)


def test_without_an_anchor_in_the_environment_it_is_named_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    place = str(tmp_path / "anchor")
    assert cli("audit", "seal", "--anchor", place).out == "there is no run to enter\n"
    cli("call", APP, "find", '{"name":"bread"}')
    assert "1 entries are anchored, the last is " in cli("audit", "seal", "--anchor", place).out
    assert cli("audit", "seal", "--anchor", place, "--json").json["head"]["count"] == 1
    assert cli("audit", "verify", "--anchor", place).status == 0


def test_it_is_said_how_to_name_the_anchor(cli: Cli) -> None:
    done = cli("audit", "verify")
    assert (done.status, "set REMIT_ANCHOR, or give --anchor FILE" in done.err) == (2, True)


def test_the_anchor_may_be_an_object_of_ones_own(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cli("call", APP, "find", '{"name":"bread"}')
    assert cli("audit", "seal", "--anchor", f"{__name__}:elsewhere").status == 0
    assert (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("where", ["tests.cli.test_audit:nothing", "tests.cli.no_such:anchor"])
def test_an_anchor_that_is_none_is_told_before_anything_runs(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setenv("REMIT_ANCHOR", where)
    assert cli("call", APP, "add", '{"name":"rye","price":2}').status == 2
    assert cli.book == []


def test_a_run_whose_entry_fails_is_done_all_the_same_and_the_failure_is_told(cli: Cli, anchor: Path) -> None:
    cli("call", APP, "find", '{"name":"bread"}')
    next((cli.home / "audit").iterdir()).write_text("")
    done = cli("call", APP, "find", '{"name":"bread"}')
    assert (done.status, "remit: AUDIT_BROKEN: nothing was written to the audit log" in done.err) == (0, True)


def test_the_audit_of_another_tenant_needs_a_permission(cli: Cli, anchor: Path) -> None:
    assert cli("audit", "verify", "--tenant", "other").status == 0
    assert AuditLog(cli.home / "audit", "other").read().entries == []
    config = cli.home / "config.toml"
    config.write_text(f'[roles.none]\npermissions = []\n[users."{os_user()}"]\nroles = ["none"]\ntenant = "acme"\n')
    done = cli("audit", "verify", "--tenant", "other")
    assert (done.status, "missing permission audit:tenants" in done.err) == (1, True)


def test_a_journal_whose_key_is_lost_is_accepted_on_request(cli: Cli) -> None:
    cli("call", APP, "burn", '{"name":"bread"}')
    (cli.home / "journal.db.key").unlink()
    done = cli("runs")
    assert done.err.startswith("remit: JOURNAL_ERROR: the key ")
    assert done.err.endswith("accept the journal as it is: remit audit accept\n")
    assert cli("audit", "accept").out == "every row of the journal is signed; check the open questions and grants\n"
    assert cli("approvals", "approve", cli.questions()[0]["id"], "--app", APP).status == 0


def test_accepting_a_journal_needs_a_permission(cli: Cli) -> None:
    config = cli.home / "config.toml"
    config.write_text(
        f'[roles.r]\npermissions = ["audit:tenants"]\n[users."{os_user()}"]\nroles = ["r"]\ntenant = "acme"\n'
    )
    assert "may not accept the journal: missing permission audit:accept" in cli("audit", "accept").err
