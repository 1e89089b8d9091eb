"""Mail is filed by one call: searched, read, kept in a casefile, and noted there."""

from __future__ import annotations

import json

import pytest

from apps.casefile.tests.workspace.desk import BOB, Crash, Desk
from remit.record.items import ToolOutput
from remit_casefile.pipelines.filing import Filing


async def outputs(desk: Desk, run: str) -> list[str]:
    """The calls of a run, as they ended."""
    items = [position.item for position in await desk.store.read(run)]
    return [item.callee for item in items if isinstance(item, ToolOutput)]


async def test_what_a_search_finds_is_read_kept_and_noted(desk: Desk, casefile: str) -> None:
    desk.deliver(2, subject="invoice")
    desk.deliver(1, subject="lunch")
    result = await desk.run("file_mail", casefile_id=casefile, query="subject:invoice")
    said = json.loads(result.text)
    assert said == {
        "casefile_id": casefile,
        "found": 2,
        "unread": 0,
        "stored": 2,
        "skipped": 0,
        "noted": True,
        "steps": {"steps_executed": 5, "steps_succeeded": 5, "steps_failed": 0},
    }
    assert sorted((await desk.mail_in(casefile)).values()) == ["invoice 0", "invoice 1"]
    notes = (await desk.call("get_casefile", casefile_id=casefile))["casefile"]["notes"]
    assert notes.splitlines()[-1] == "2 new messages filed for: subject:invoice"
    read = ["gmail_get_message"] * 2
    called = ["gmail_search_messages", *read, "store_gmail_messages", "get_casefile", "update_casefile", "file_mail"]
    assert await outputs(desk, result.run) == called
    assert (await desk.runtime.replay(result.run)).difference == ""


async def test_filing_again_skips_what_is_there_and_notes_nothing(desk: Desk, casefile: str) -> None:
    desk.deliver(1, subject="invoice")
    await desk.call("file_mail", casefile_id=casefile, query="subject:invoice")
    said = await desk.call("file_mail", casefile_id=casefile, query="subject:invoice")
    assert (said["found"], said["stored"], said["skipped"], said["noted"]) == (1, 0, 1, False)
    notes = (await desk.call("get_casefile", casefile_id=casefile))["casefile"]["notes"]
    assert [line for line in notes.splitlines() if line] == ["1 new messages filed for: subject:invoice"]


async def test_a_search_that_finds_nothing_is_not_noted(desk: Desk, casefile: str) -> None:
    said = await desk.call("file_mail", casefile_id=casefile, query="subject:invoice")
    assert (said["found"], said["noted"], said["steps"]["steps_executed"]) == (0, False, 3)
    assert (await desk.call("get_casefile", casefile_id=casefile))["casefile"]["notes"] == ""


async def test_mail_is_filed_over_as_many_pages_as_its_limit_needs(desk: Desk, casefile: str) -> None:
    desk.deliver(8, subject="invoice")
    said = await desk.call("file_mail", casefile_id=casefile, query="subject:invoice", limit=7)
    assert (said["found"], said["stored"]) == (7, 7)
    said = await desk.call("file_mail", casefile_id=casefile, query="subject:invoice", limit=100)
    assert (said["found"], said["stored"]) == (8, 1)


async def test_a_message_that_cannot_be_read_does_not_keep_others_from_being_filed(desk: Desk, casefile: str) -> None:
    for key in desk.deliver(3, subject="invoice")[1:]:
        desk.google.spoiled[f'"id": "{key}", "threadId": "t{key}", "labelIds"'] = '"id": 7, "labelIds"'
    said = await desk.call("file_mail", casefile_id=casefile, query="subject:invoice")
    assert (said["found"], said["unread"], said["stored"]) == (1, 2, 1)
    assert [each["errorCode"] for each in said["steps"]["element_failures"]["read"]] == ["GOOGLE_UNEXPECTED"] * 2


async def test_at_most_so_many_are_filed_as_were_asked_for(desk: Desk, casefile: str) -> None:
    desk.deliver(3, subject="invoice")
    said = await desk.call("file_mail", casefile_id=casefile, query="subject:invoice", limit=2)
    assert (said["found"], said["stored"]) == (2, 2)


async def test_notes_that_are_full_do_not_keep_mail_from_being_filed(desk: Desk, casefile: str) -> None:
    await desk.call("update_casefile", casefile_id=casefile, notes="x" * 5000)
    desk.deliver(1, subject="invoice")
    said = await desk.call("file_mail", casefile_id=casefile, query="subject:invoice")
    assert (said["stored"], said["noted"]) == (1, False)
    assert said["steps"]["failures"]["note"]["errorCode"] == "VALIDATION_ERROR"
    assert said["steps"]["steps_failed"] == 1


@pytest.mark.parametrize("write", [1, 2], ids=["storing", "noting"])
async def test_a_note_that_is_written_while_mail_is_filed_is_kept(desk: Desk, casefile: str, write: int) -> None:
    desk.deliver(1, subject="invoice")
    desk.database.before = write
    with pytest.raises(Crash):
        await desk.run("file_mail", casefile_id=casefile, query="subject:invoice")
    (row, *_) = await desk.store.list_runs()
    await desk.call("update_casefile", casefile_id=casefile, notes="call on Monday")
    said = json.loads((await desk.runtime.resume(row.run)).text)
    assert (said["stored"], said["noted"]) == (1, True)
    notes = (await desk.call("get_casefile", casefile_id=casefile))["casefile"]["notes"]
    assert notes.splitlines() == ["call on Monday", "1 new messages filed for: subject:invoice"]


async def test_who_may_only_look_at_a_casefile_files_nothing_in_it(desk: Desk, casefile: str) -> None:
    desk.deliver(1, subject="invoice")
    await desk.grant(casefile, "viewer")
    said = await desk.call("file_mail", BOB, casefile_id=casefile, query="subject:invoice")
    assert said["success"] is False
    assert await desk.mail_in(casefile) == {}


async def test_without_an_account_it_says_at_which_step_it_stopped(desk: Desk, casefile: str) -> None:
    desk.account.unlink()
    said = await desk.call("file_mail", casefile_id=casefile, query="subject:invoice")
    assert said["error"].startswith("filing stopped at the step search: ")


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("write", [1, 2], ids=["storing", "noting"])
async def test_a_crash_while_it_writes_loses_nothing_and_doubles_nothing(
    desk: Desk, casefile: str, write: int, moment: str
) -> None:
    desk.deliver(2, subject="invoice")
    setattr(desk.database, moment, write)
    with pytest.raises(Crash):
        await desk.run("file_mail", casefile_id=casefile, query="subject:invoice")
    (row, *_) = await desk.store.list_runs()
    result = await desk.runtime.resume(row.run)
    assert json.loads(result.text)["stored"] == 2
    notes = (await desk.call("get_casefile", casefile_id=casefile))["casefile"]["notes"]
    assert notes.count("2 new messages filed") == 1
    assert len(await desk.mail_in(casefile)) == 2


def test_the_inventory_says_no_less_of_it_than_its_steps_do(desk: Desk) -> None:
    operations = desk.app.operations
    assert operations is not None
    steps, said = Filing(operations.find_tool).pipeline.facts, operations.find_tool("file_mail").facts
    assert (steps.effect, steps.risk, steps.egress) == (said.effect, said.risk, said.egress)
    assert steps.permissions <= said.permissions
