"""Syncing a casefile: nothing is lost and nothing doubled, whatever fails and whenever the process dies."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from apps.casefile.tests.google.fake.faults import Says, broken
from apps.casefile.tests.workspace.desk import BOB, Crash, Desk
from apps.casefile.tests.world import call_of
from remit.errors import ConflictError, ExternalError, NotFoundError
from remit.inventory import Status
from remit.tools import Changed
from remit_casefile.google.account import Account
from remit_casefile.google.clients import Clients
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.transport import Hosts, Transport
from remit_casefile.google.wire import Profile
from remit_casefile.workspace.syncing import CopySyncer
from remit_casefile.workspace.syncing_payloads import SyncGmailPayload, SyncGmailRequest, SyncGmailResponse

LIST, GET, HISTORY = "gmail.users.messages.list", "gmail.users.messages.get", "gmail.users.history.list"


async def test_the_first_sync_brings_everything_and_the_next_only_what_changed(desk: Desk, casefile: str) -> None:
    old = desk.deliver(5)
    first = await desk.call("sync_gmail", casefile_id=casefile)
    assert first["sync_status"] == "completed"
    assert (first["full"], first["stored"], first["missing_count"]) == (True, 5, 0)

    new = desk.deliver(2, subject="new")
    desk.google.mailbox.delete(old[0])
    desk.google.mailbox.label(old[1], add="STARRED")
    desk.google.asked.clear()
    second = await desk.call("sync_gmail", casefile_id=casefile)

    counts = (second["full"], second["stored"], second["updated"], second["removed"])
    assert counts == (False, 2, 1, 1)
    assert LIST not in desk.google.asked
    assert await desk.mail_in(casefile) == desk.in_gmail()
    assert set(new) <= set(await desk.mail_in(casefile))


async def test_a_sync_says_how_it_stands(desk: Desk, casefile: str) -> None:
    assert await desk.state(casefile) is None

    await desk.call("sync_gmail", casefile_id=casefile)

    assert await desk.state(casefile) == {
        "status": "idle",
        "following": "",
        "synced_at": "2026-01-01T00:00:00Z",
        "error": None,
    }


async def test_a_token_that_google_has_forgotten_brings_everything_anew(desk: Desk, casefile: str) -> None:
    old = desk.deliver(4)
    await desk.call("sync_gmail", casefile_id=casefile)
    desk.google.mailbox.delete(old[0])
    desk.deliver(1, subject="new")
    desk.google.mailbox.forget()

    synced = await desk.call("sync_gmail", casefile_id=casefile)

    assert (synced["full"], synced["stored"], synced["skipped"], synced["removed"]) == (True, 1, 3, 1)
    assert await desk.mail_in(casefile) == desk.in_gmail()


async def test_what_could_not_be_had_is_said_and_comes_with_the_next_sync(desk: Desk, casefile: str) -> None:
    desk.deliver(5)
    desk.google.faults.plan(GET, broken(), times=2, skip=1)

    partial = await desk.call("sync_gmail", casefile_id=casefile)
    assert (partial["sync_status"], partial["stored"], partial["missing_count"]) == ("partial", 3, 2)
    assert {each["code"] for each in partial["missing"]} == {"GOOGLE_UNAVAILABLE"}

    rest = await desk.call("sync_gmail", casefile_id=casefile)
    assert (rest["sync_status"], rest["stored"]) == ("completed", 2)
    assert await desk.mail_in(casefile) == desk.in_gmail()


async def test_what_is_missing_is_not_taken_for_gone(desk: Desk, casefile: str) -> None:
    old = desk.deliver(3)
    await desk.call("sync_gmail", casefile_id=casefile)
    desk.deliver(1)
    desk.google.mailbox.forget()
    desk.google.faults.plan(GET, broken(), times=4)

    synced = await desk.call("sync_gmail", casefile_id=casefile)

    assert (synced["full"], synced["missing_count"], synced["removed"]) == (True, 4, 0)
    assert set(await desk.mail_in(casefile)) == set(old)


async def test_a_sync_that_brings_nothing_says_why_and_leaves_the_casefile_as_it_was(desk: Desk, casefile: str) -> None:
    desk.deliver(2)
    await desk.call("sync_gmail", casefile_id=casefile)
    desk.deliver(1, subject="new")
    desk.google.faults.plan(HISTORY, broken(), times=100)

    failed = await desk.run("sync_gmail", casefile_id=casefile)
    assert json.loads(failed.text)["errorCode"] == "GOOGLE_UNAVAILABLE"
    items = [position.item for position in await desk.store.read(failed.run)]
    assert Changed("casefile", casefile, fields=("gmail",)) in map(Changed.from_item, items)
    state = await desk.state(casefile)
    assert state["status"] == "error"
    assert "Google answers 500" in state["error"]
    assert len(await desk.mail_in(casefile)) == 2

    desk.google.faults.clear()
    assert (await desk.call("sync_gmail", casefile_id=casefile))["stored"] == 1
    assert (await desk.state(casefile))["status"] == "idle"


async def test_without_an_account_a_sync_says_what_to_set(desk: Desk, casefile: str) -> None:
    desk.account.unlink()

    said = await desk.call("sync_gmail", casefile_id=casefile)

    assert said["errorCode"] == "CAPABILITY_ABSENT"
    assert "REMIT_GOOGLE_CREDENTIALS" in said["error"]


@pytest.mark.parametrize("dies", [1, 2])
async def test_a_crash_before_the_write_loses_nothing_and_doubles_nothing(desk: Desk, casefile: str, dies: int) -> None:
    """It dies as the sync begins, and between fetching and writing; the run that is resumed does all of it."""
    desk.deliver(3)
    await desk.call("sync_gmail", casefile_id=casefile)
    desk.deliver(2, subject="new")
    desk.database.before = dies
    with pytest.raises(Crash):
        await desk.call("sync_gmail", casefile_id=casefile)
    (run,) = [row.run for row in await desk.store.list_runs() if not row.ended]
    assert len(await desk.mail_in(casefile)) == 3

    done = json.loads((await desk.runtime.resume(run)).text)

    assert (done["sync_status"], done["stored"], done["full"]) == ("completed", 2, False)
    assert await desk.mail_in(casefile) == desk.in_gmail()
    assert (await desk.state(casefile))["status"] == "idle"


async def test_a_crash_after_the_write_fetches_nothing_again(desk: Desk, casefile: str) -> None:
    desk.deliver(3)
    desk.database.after = 2  # what came is written, and nobody has heard of it
    with pytest.raises(Crash):
        await desk.call("sync_gmail", casefile_id=casefile)
    (run,) = [row.run for row in await desk.store.list_runs() if not row.ended]
    assert await desk.mail_in(casefile) == desk.in_gmail()
    desk.google.asked.clear()

    done = json.loads((await desk.runtime.resume(run)).text)

    assert (done["stored"], desk.google.asked) == (3, [])
    assert (await desk.state(casefile))["status"] == "idle"


async def test_of_a_label_only_its_mail_comes_and_the_next_sync_remembers_it(desk: Desk, casefile: str) -> None:
    one, two = desk.deliver(2, "INBOX", "Label_1")
    desk.deliver(2, "INBOX")
    await desk.call("sync_gmail", casefile_id=casefile, label_id="Label_1")
    assert set(await desk.mail_in(casefile)) == {one, two}

    (three,) = desk.deliver(1, "INBOX", "Label_1")
    desk.google.mailbox.label(one, remove="Label_1")
    await desk.call("sync_gmail", casefile_id=casefile)

    assert set(await desk.mail_in(casefile)) == {two, three}
    assert (await desk.state(casefile))["following"] == "Label_1"


async def test_another_label_takes_the_place_of_the_one_before(desk: Desk, casefile: str) -> None:
    desk.deliver(2, "INBOX", "Label_1")
    await desk.call("sync_gmail", casefile_id=casefile, label_id="Label_1")
    others = desk.deliver(2, "INBOX", "Label_2")

    synced = await desk.call("sync_gmail", casefile_id=casefile, label_id="Label_2")

    assert (synced["full"], synced["removed"]) == (True, 2)
    assert set(await desk.mail_in(casefile)) == set(others)


async def test_what_somebody_stored_stays_when_it_is_gone_in_gmail(desk: Desk, casefile: str) -> None:
    stored, synced = desk.deliver(2)
    message = await desk.call("gmail_get_message", message_id=stored)
    await desk.call("store_gmail_messages", casefile_id=casefile, messages=[message])
    await desk.call("sync_gmail", casefile_id=casefile)
    for key in (stored, synced):
        desk.google.mailbox.delete(key)

    said = await desk.call("sync_gmail", casefile_id=casefile)
    assert (said["removed"], set(await desk.mail_in(casefile))) == (1, {stored})

    desk.deliver(1)
    desk.google.mailbox.forget()
    await desk.call("sync_gmail", casefile_id=casefile)
    assert stored in await desk.mail_in(casefile)


async def test_files_of_a_folder_come_and_go(desk: Desk, casefile: str) -> None:
    drive = desk.google.drive
    one, two = (drive.put(name, b"x", parents=["folder"]) for name in ("b", "a"))
    drive.put("elsewhere", b"x")
    first = await desk.call("sync_drive", casefile_id=casefile, folder_id="folder")
    assert (first["full"], first["stored"]) == (True, 2)

    drive.delete(one)
    drive.change(two, name="c")
    three = drive.put("d", b"x", parents=["folder"])
    second = await desk.call("sync_drive", casefile_id=casefile)

    assert (second["full"], second["stored"], second["updated"], second["removed"]) == (False, 1, 1, 1)
    files = (await desk.call("list_casefile_files", casefile_id=casefile))["files"]
    assert [(each["id"], each["name"]) for each in files] == [(two, "c"), (three, "d")]


async def test_cells_are_followed_from_the_first_time_they_are_named(desk: Desk, casefile: str) -> None:
    desk.google.sheets.put("book", "Sheet1", [["a", "b"], ["c", "d"]])
    cells = {"spreadsheet_id": "book", "ranges": ["Sheet1!A1:B1", "Sheet1!A2:B2"]}
    first = await desk.call("sync_sheets", casefile_id=casefile, **cells)
    assert (first["sync_status"], first["stored"]) == ("completed", 2)

    desk.google.sheets.put("book", "Sheet1", [["a", "b"], ["c", "new"]])
    second = await desk.call("sync_sheets", casefile_id=casefile)

    assert (second["updated"], second["skipped"]) == (1, 1)
    read = await desk.call("get_casefile_cells", casefile_id=casefile)
    assert [each["values"] for each in read["ranges"]] == [[["a", "b"]], [["c", "new"]]]


async def test_a_spreadsheet_that_is_gone_is_missing_and_its_cells_stay(desk: Desk, casefile: str) -> None:
    for book in ("one", "two"):
        desk.google.sheets.put(book, "Sheet1", [[book]])
        await desk.call("sync_sheets", casefile_id=casefile, spreadsheet_id=book, ranges=["Sheet1!A1"])
    del desk.google.sheets.books["two"]

    said = await desk.call("sync_sheets", casefile_id=casefile)
    assert (said["sync_status"], [each["what"] for each in said["missing"]]) == ("partial", ["two"])

    del desk.google.sheets.books["one"]
    assert (await desk.call("sync_sheets", casefile_id=casefile))["errorCode"] == "GOOGLE_NOT_FOUND"
    read = await desk.call("get_casefile_cells", casefile_id=casefile)
    assert [each["values"] for each in read["ranges"]] == [[["one"]], [["two"]]]
    assert read["sync"]["status"] == "error"


async def test_cells_need_both_a_spreadsheet_and_ranges(desk: Desk, casefile: str) -> None:
    for arguments in ({"spreadsheet_id": "book"}, {"ranges": ["A1"]}):
        said = await desk.call("sync_sheets", casefile_id=casefile, **arguments)
        assert said["errorCode"] == "VALIDATION_ERROR"


@pytest.mark.parametrize("account", [True, False], ids=["an account", "no account"])
async def test_a_casefile_without_cells_has_none_to_read_anew(desk: Desk, casefile: str, account: bool) -> None:
    if not account:
        desk.account.unlink()
    said = await desk.call("sync_sheets", casefile_id=casefile)
    assert (said["errorCode"], "give a spreadsheet_id and ranges" in said["error"]) == ("NOT_FOUND", True)
    assert desk.google.asked == []
    assert (await desk.state(casefile, "get_casefile_cells"))["status"] == "error"


@pytest.mark.parametrize("tool", ["sync_gmail", "sync_drive", "sync_sheets"])
async def test_a_viewer_may_not_sync_and_google_is_not_asked(desk: Desk, casefile: str, tool: str) -> None:
    assert (await desk.call(tool, BOB, casefile_id=casefile))["errorCode"] == "NOT_FOUND"

    await desk.grant(casefile, "viewer")
    desk.google.sheets.put("book", "Sheet1", [["a"]])
    cells = {"spreadsheet_id": "book", "ranges": ["Sheet1!A1"]} if tool == "sync_sheets" else {}
    refused = await desk.call(tool, BOB, casefile_id=casefile, **cells)
    assert refused["errorCode"] == "PERMISSION_DENIED"
    assert "needs the level editor" in refused["error"]
    assert desk.google.asked == desk.google.granted == []

    await desk.grant(casefile, "editor")
    assert (await desk.call(tool, BOB, casefile_id=casefile, **cells))["sync_status"] == "completed"


async def test_an_archived_casefile_takes_nothing_in(desk: Desk, casefile: str) -> None:
    assert (await desk.call("archive_casefile", casefile_id=casefile, archived=True))["state"] == "archived"
    asked: dict[str, dict[str, Any]] = {"sync_gmail": {}, "store_gmail_messages": {"messages": []}}
    for name, arguments in asked.items():
        assert (await desk.call(name, casefile_id=casefile, **arguments))["errorCode"] == "BLOCKED"
    assert "messages" in await desk.call("list_casefile_messages", casefile_id=casefile)


class Meanwhile(GmailClient):
    """Lets something happen while a sync fetches."""

    def __init__(self, transport: Transport, happens: Callable[[], Awaitable[object]]) -> None:
        super().__init__(transport)
        self._happens = happens

    async def get_profile(self) -> Profile:
        """The state of the mailbox."""
        await self._happens()
        return await super().get_profile()


async def interrupted(
    desk: Desk, casefile: str, by: str, happens: Callable[[], Awaitable[object]]
) -> SyncGmailResponse:
    """A sync by somebody, in the middle of which something happens."""
    async with Account(file=desk.account, hosts=Hosts.all_at(desk.google.url)).transport() as transport:
        clients = replace(Clients.from_transport(transport), gmail=Meanwhile(transport, happens))
        request = SyncGmailRequest(user_id=by, payload=SyncGmailPayload(casefile_id=casefile))
        return await CopySyncer(desk.database, clients).sync_gmail(call_of(by), request)


async def test_of_two_syncs_at_a_time_the_second_to_end_writes_nothing(desk: Desk, casefile: str) -> None:
    desk.deliver(2)

    with pytest.raises(ConflictError, match="another sync of gmail has ended meanwhile"):
        await interrupted(desk, casefile, "ann", lambda: desk.call("sync_gmail", casefile_id=casefile))

    assert await desk.mail_in(casefile) == desk.in_gmail()
    assert (await desk.state(casefile))["status"] == "idle"


async def test_a_sync_that_fails_leaves_the_state_to_the_one_that_ended_meanwhile(desk: Desk, casefile: str) -> None:
    async def ended() -> None:
        await desk.call("sync_gmail", casefile_id=casefile)
        raise ExternalError("no more")

    response = await interrupted(desk, casefile, "ann", ended)

    assert response.error is not None
    assert response.payload is not None
    assert (response.status, response.error.message) == (Status.FAILED, "no more")
    assert (response.payload.sync_status, response.payload.stored) == ("failed", 0)
    assert (await desk.state(casefile))["status"] == "idle"


async def test_who_loses_access_while_fetching_writes_nothing(desk: Desk, casefile: str) -> None:
    desk.deliver(2)
    await desk.grant(casefile, "editor")

    with pytest.raises(NotFoundError):
        await interrupted(
            desk,
            casefile,
            "bob",
            lambda: desk.call("revoke_permission", casefile_id=casefile, target_user_id="bob"),
        )

    assert await desk.mail_in(casefile) == {}


async def test_whatever_fails_and_happens_meanwhile_the_casefile_is_right_in_the_end(desk: Desk, casefile: str) -> None:
    """Each request of a sync fails in turn, and the process dies in turn, while the mailbox goes on changing."""
    for round_ in range(12):
        old = desk.deliver(2, subject=f"round {round_}")
        desk.google.faults.plan((LIST, GET, HISTORY)[round_ % 3], broken(), skip=round_ % 4)
        desk.database.before, desk.database.after = ((0, 0), (1, 0), (2, 0), (0, 2))[round_ // 2 % 4]
        if round_ % 5 == 4:
            desk.google.mailbox.forget()
        with contextlib.suppress(Crash):
            await desk.call("sync_gmail", casefile_id=casefile)
        desk.database.before = desk.database.after = 0
        desk.google.mailbox.delete(old[0])
        desk.google.faults.clear()
    while (await desk.call("sync_gmail", casefile_id=casefile))["sync_status"] != "completed":
        pass

    assert await desk.mail_in(casefile) == desk.in_gmail()


async def test_an_answer_that_lacks_ranges_is_no_answer(desk: Desk, casefile: str) -> None:
    said = Says(b'{"spreadsheetId": "book", "valueRanges": []}')
    desk.google.faults.plan("sheets.spreadsheets.values.batchGet", said, times=10)

    refused = await desk.call("sync_sheets", casefile_id=casefile, spreadsheet_id="book", ranges=["Sheet1!A1"])

    assert "Google gave 0 of 1 ranges of book" in refused["error"]


async def test_copies_of_one_mailbox_are_not_synced_with_another(desk: Desk, casefile: str) -> None:
    desk.deliver(1)
    await desk.grant(casefile, "editor")

    async def sync(by: str) -> SyncGmailResponse:
        async with Account(file=desk.account, hosts=Hosts.all_at(desk.google.url)).transport() as transport:
            clients = Clients.from_transport(transport, owner=by)
            request = SyncGmailRequest(user_id=by, payload=SyncGmailPayload(casefile_id=casefile))
            return await CopySyncer(desk.database, clients).sync_gmail(call_of(by), request)

    assert (await sync("ann")).error is None
    with pytest.raises(ConflictError, match="come from the account of ann, and a sync from another account would"):
        await sync("bob")
    assert (await desk.state(casefile))["status"] == "idle"
    assert await desk.mail_in(casefile) == desk.in_gmail()
