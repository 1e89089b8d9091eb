"""Storing by hand: by id, all or nothing, and counted."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from apps.casefile.tests.workspace.desk import BOB, Desk
from apps.casefile.tests.world import rows
from remit_casefile.storage.tables import Event

TOKEN = '{"since":"1001","pending":[]}'


def message(key: str, subject: str = "hello") -> dict[str, Any]:
    """A message, as gmail_get_message gives it."""
    return {
        "id": key,
        "thread_id": f"t{key}",
        "history_id": "7",
        "label_ids": ["INBOX"],
        "received_at": "2026-01-01T00:00:00Z",
        "message_id": f"<{key}@example.com>",
        "sender": "Ann <ann@example.com>",
        "to": "me@example.com",
        "cc": "",
        "subject": subject,
        "snippet": "",
        "text": "a line",
        "attachments": [{"filename": "a.pdf", "mime_type": "application/pdf", "size": 3}],
    }


def cells(value: str, *ranges: str) -> dict[str, Any]:
    """Cells, as sheets_batch_get gives them."""
    return {"spreadsheet_id": "book", "value_ranges": [{"range": each, "values": [[value, 1]]} for each in ranges]}


STORES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "store_gmail_messages": (
        {"messages": [message("m1"), message("m2")]},
        {"messages": [message("m1", "changed"), message("m2"), message("m3")]},
        "gmail_messages",
    ),
    "store_drive_files": (
        {"files": [{"id": "f1", "name": "one"}, {"id": "f2", "name": "two"}]},
        {"files": [{"id": "f1", "name": "changed"}, {"id": "f2", "name": "two"}, {"id": "f3", "name": "three"}]},
        "drive_files",
    ),
    "store_sheet_data": (
        {"sheet_payloads": [cells("x", "Sheet1!A1:B1", "Sheet1!A2:B2")]},
        {"sheet_payloads": [cells("changed", "Sheet1!A1:B1"), cells("x", "Sheet1!A2:B2", "Sheet1!A3:B3")]},
        "sheet_ranges",
    ),
}
"""For each tool what is stored first, then the same with one changed and one more, and the table it goes to."""


@pytest.mark.parametrize("tool", STORES)
async def test_what_is_there_is_skipped_unless_it_is_to_be_overwritten(desk: Desk, casefile: str, tool: str) -> None:
    first, second, table = STORES[tool]

    async def stored(**arguments: Any) -> tuple[int, int, int]:
        said = await desk.call(tool, casefile_id=casefile, **arguments)
        assert said["sync_status"] == "completed"
        assert said["synced_at"] == "2026-01-01T00:00:00Z"
        return said["stored"], said["updated"], said["skipped"]

    assert await stored(**first) == (2, 0, 0)
    assert await stored(**second) == (1, 0, 2)
    assert await stored(**second, overwrite=True) == (0, 1, 2)
    assert await stored(**second, overwrite=True) == (0, 0, 3)
    assert await rows(desk.database, table) == {table: 3}


@pytest.mark.parametrize("tool", STORES)
async def test_storing_needs_the_level_editor(desk: Desk, casefile: str, tool: str) -> None:
    first, _, table = STORES[tool]
    assert (await desk.call(tool, BOB, casefile_id=casefile, **first))["errorCode"] == "NOT_FOUND"
    await desk.grant(casefile, "viewer")
    assert (await desk.call(tool, BOB, casefile_id=casefile, **first))["errorCode"] == "PERMISSION_DENIED"
    assert await rows(desk.database, table) == {table: 0}

    await desk.grant(casefile, "editor")
    assert (await desk.call(tool, BOB, casefile_id=casefile, **first))["stored"] == 2


@pytest.mark.parametrize("tool", STORES)
async def test_what_one_casefile_has_another_has_not(desk: Desk, casefile: str, tool: str) -> None:
    first, _, table = STORES[tool]
    other = await desk.casefile()

    for each in (casefile, other):
        assert (await desk.call(tool, casefile_id=each, **first))["stored"] == 2
    assert await rows(desk.database, table) == {table: 4}


async def test_threads_and_the_names_of_labels_are_kept_beside_messages(desk: Desk, casefile: str) -> None:
    beside = {"threads": [{"id": "tm1", "snippet": "a"}], "labels": [{"id": "INBOX", "name": "Inbox"}]}
    arguments = {"casefile_id": casefile, "messages": [message("m1")], **beside}

    first = await desk.call("store_gmail_messages", **arguments)
    again = await desk.call("store_gmail_messages", **arguments)

    assert (first["threads_stored"], first["labels_stored"]) == (1, 1)
    assert (again["threads_stored"], again["labels_stored"]) == (0, 0)
    listed = await desk.call("list_casefile_messages", casefile_id=casefile)
    assert listed["messages"][0]["labels"] == ["Inbox"]


async def test_a_token_that_was_stored_is_where_the_next_sync_begins(desk: Desk, casefile: str) -> None:
    desk.deliver(2)
    said = await desk.call("store_gmail_messages", casefile_id=casefile, messages=[], sync_token=TOKEN)
    assert said["sync_token"] == TOKEN

    synced = await desk.call("sync_gmail", casefile_id=casefile)

    assert (synced["full"], synced["stored"]) == (False, 1)


async def test_an_empty_list_and_no_token_leave_the_next_sync_where_it_was(desk: Desk, casefile: str) -> None:
    desk.deliver(1)
    await desk.call("sync_gmail", casefile_id=casefile)

    said = await desk.call("store_gmail_messages", casefile_id=casefile, messages=[])

    assert (said["stored"], said["sync_token"]) == (0, None)
    assert (await desk.call("sync_gmail", casefile_id=casefile))["full"] is False


@pytest.mark.parametrize(
    ("tool", "arguments"), [("store_gmail_messages", {"messages": []}), ("store_drive_files", {"files": []})]
)
async def test_a_token_that_no_sync_gave_is_refused(
    desk: Desk, casefile: str, tool: str, arguments: dict[str, Any]
) -> None:
    said = await desk.call(tool, casefile_id=casefile, **arguments, sync_token="12345")

    assert said["errorCode"] == "VALIDATION_ERROR"
    assert "not the sync_token of an earlier sync" in said["error"]


async def test_cells_that_were_stored_are_read_anew_by_a_sync(desk: Desk, casefile: str) -> None:
    desk.google.sheets.put("book", "Sheet1", [["new", 2]])
    payload = [cells("old", "Sheet1!A1:B1")]
    await desk.call("store_sheet_data", casefile_id=casefile, sheet_payloads=payload, sync_token="mine")

    synced = await desk.call("sync_sheets", casefile_id=casefile)

    assert (synced["updated"], synced["sync_status"]) == (1, "completed")
    read = await desk.call("get_casefile_cells", casefile_id=casefile)
    assert [each["values"] for each in read["ranges"]] == [[["new", 2]]]


async def test_events_of_storing_do_not_hold_what_was_stored(desk: Desk, casefile: str) -> None:
    await desk.call("store_gmail_messages", casefile_id=casefile, messages=[message("m1", "a secret plan")])

    async with desk.database.read() as session:
        kept = (await session.scalars(select(Event).where(Event.tool_name == "store_gmail_messages"))).one()
    assert kept.parameters == {"casefile_id": casefile, "messages": "[redacted]"}
