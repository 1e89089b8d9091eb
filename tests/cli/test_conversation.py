"""`remit conversation` lists, renames, shares, exports and deletes conversations, and `remit export` exports runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.items import read_jsonl
from tests.cli.kit import APP, Cli


@pytest.fixture
def talk(cli: Cli) -> Cli:
    """A conversation of two runs."""
    cli.script("hello", "again")
    for text in ("Say hello", "and again"):
        assert cli("run", APP, "--ask", text, "--conversation", "talk").status == 0
    return cli


def test_conversations_are_listed_shown_renamed_and_found_by_their_title(talk: Cli) -> None:
    assert "Say hello" in talk("conversation", "list").out
    assert talk("conversation", "rename", "talk", "Bread").status == 0
    (listed,) = talk("conversation", "list", "--title", "BREA", "--json").json["conversations"]
    assert (listed["title"], listed["status"], listed["conversation"]) == ("Bread", "done", "talk")
    assert talk("conversation", "list", "--title", "wine", "--json").json["conversations"] == []
    shown = talk("conversation", "show", "talk")
    assert "Bread" in shown.out
    assert "shared with: no other user" in shown.out
    assert len(talk("conversation", "show", "talk", "--json").json["runs"]) == 2


def test_a_conversation_is_shared_with_users_that_exist(talk: Cli) -> None:
    assert talk("conversation", "share", "talk", "*", "--write").status == 0
    assert "* may write" in talk("conversation", "show", "talk").out
    assert talk("conversation", "unshare", "talk", "*").status == 0
    assert talk("people", "add", "nina").status == 0
    assert talk("conversation", "share", "talk", "nina").status == 0
    assert "nina may read" in talk("conversation", "show", "talk").out
    missing = talk("conversation", "share", "talk", "nobdy")
    assert missing.status != 0
    assert "your tenant has no user nobdy" in missing.err


def test_a_conversation_and_a_run_are_exported_to_files_that_do_not_exist_yet(talk: Cli, tmp_path: Path) -> None:
    page, lines = tmp_path / "talk.html", tmp_path / "talk.jsonl"
    assert talk("conversation", "export", "talk", "--html", str(page)).status == 0
    assert "again" in page.read_text()
    assert talk("conversation", "export", "talk", "--jsonl", str(lines)).status == 0
    assert {position.run for position in read_jsonl(lines.read_text())} == {row.run for row in talk.runs()}
    run = talk.runs()[0].run
    assert talk("export", run, "--jsonl", "-").out.count("\n") == sum(
        position.run == run for position in read_jsonl(lines.read_text())
    )
    again = talk("export", run, "--html", str(page))
    assert (again.status, "exists and is not replaced" in again.err) == (2, True)
    assert talk("export", run, "--html", str(tmp_path / "no" / "page.html")).status == 2
    for wrong in ((), ("--html", "-", "--jsonl", "-")):
        assert talk("export", run, *wrong).status == 2


def test_a_deleted_conversation_is_gone(talk: Cli) -> None:
    refused = talk("conversation", "delete", "talk")
    assert (refused.status, "add --yes" in refused.err) == (2, True)
    assert talk("conversation", "delete", "talk", "--yes").status == 0
    assert talk("conversation", "list", "--json").json["conversations"] == []
    assert talk("runs", "--json").json["runs"] == []
    assert "conversation 'talk' does not exist" in talk("conversation", "delete", "talk", "--yes").err
    assert "was deleted" in talk("run", APP, "--ask", "hello", "--conversation", "talk").err


def test_a_message_is_queued_on_request_and_deleted_with_its_conversation(cli: Cli) -> None:
    cli.script("hello", "again")
    ask = ("run", APP, "--conversation", "talk", "--ask")
    cli(*ask, "one", "--detach")
    assert "is busy" in cli(*ask, "refused").err
    assert cli(*ask, "two", "--detach", "--queue", "--json").json["status"] == "queued"
    queued = cli("resume", cli.runs()[0].run, "--app", APP)
    assert (queued.status, "queued: run" in queued.err) == (3, True)
    assert cli("run", APP, "--queue").status == 2
    assert cli("conversation", "delete", "talk", "--yes", "--app", APP).status == 0
    assert cli("runs", "--json").json["runs"] == []
