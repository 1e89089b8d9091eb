"""Reading copies back: searched, in pages, and only by who may see the casefile."""

from __future__ import annotations

from typing import Any

import pytest

from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.workspace.desk import BOB, Desk

READS: dict[str, dict[str, Any]] = {
    "list_casefile_messages": {},
    "get_casefile_message": {"message_id": "m1"},
    "list_casefile_files": {},
    "get_casefile_cells": {},
}


async def subjects(desk: Desk, casefile: str, query: str) -> list[str]:
    said = await desk.call("list_casefile_messages", casefile_id=casefile, query=query)
    assert said["total_count"] == len(said["messages"])
    return [each["subject"] for each in said["messages"]]


async def test_mail_is_found_by_all_of_the_words(desk: Desk, casefile: str) -> None:
    for subject, text in (
        ("Rent", "due on Friday"),
        ("100% off", "nothing due"),
        ("ÄRGER mit dem Dach", "no Words here"),
    ):
        desk.google.mailbox.deliver(mail(subject=subject, text=text))
    await desk.call("sync_gmail", casefile_id=casefile)

    assert await subjects(desk, casefile, "due") == ["100% off", "Rent"]
    assert await subjects(desk, casefile, "FRIDAY rent") == ["Rent"]
    assert await subjects(desk, casefile, "100%") == ["100% off"]
    assert await subjects(desk, casefile, "ärger") == ["ÄRGER mit dem Dach"]
    assert await subjects(desk, casefile, "ann@example.com words") == ["ÄRGER mit dem Dach"]
    assert await subjects(desk, casefile, "friday nothing") == []


async def test_mail_comes_newest_first_in_pages(desk: Desk, casefile: str) -> None:
    desk.deliver(5)
    await desk.call("sync_gmail", casefile_id=casefile)

    first = await desk.call("list_casefile_messages", casefile_id=casefile, limit=2)
    last = await desk.call("list_casefile_messages", casefile_id=casefile, limit=2, offset=4)

    assert [each["subject"] for each in first["messages"]] == ["mail 4", "mail 3"]
    assert [each["subject"] for each in last["messages"]] == ["mail 0"]
    assert (first["total_count"], last["total_count"], last["offset"], last["limit"]) == (5, 5, 4, 2)


async def test_a_message_is_read_whole_without_asking_google(desk: Desk, casefile: str) -> None:
    (key,) = desk.deliver(1)
    await desk.call("sync_gmail", casefile_id=casefile)
    live = await desk.call("gmail_get_message", message_id=key)
    desk.google.asked.clear()

    assert await desk.call("get_casefile_message", casefile_id=casefile, message_id=key) == live
    assert desk.google.asked == []


async def test_a_message_that_the_casefile_does_not_keep_is_not_there(desk: Desk, casefile: str) -> None:
    said = await desk.call("get_casefile_message", casefile_id=casefile, message_id="m9")

    assert (said["errorCode"], said["error"]) == (
        "NOT_FOUND",
        f"No message 'm9' in {casefile}; list its messages with list_casefile_messages.",
    )


async def test_files_are_found_by_name(desk: Desk, casefile: str) -> None:
    for name in ("rent 2026.pdf", "Rent 2025.pdf", "roof.jpg"):
        desk.google.drive.put(name, b"x")
    await desk.call("sync_drive", casefile_id=casefile)

    said = await desk.call("list_casefile_files", casefile_id=casefile, query="rent")

    assert [each["name"] for each in said["files"]] == ["Rent 2025.pdf", "rent 2026.pdf"]
    assert said["total_count"] == 2


async def test_cells_are_read_of_one_spreadsheet_or_of_all(desk: Desk, casefile: str) -> None:
    for book in ("a_b", "aXb"):
        desk.google.sheets.put(book, "Sheet1", [[book]])
        await desk.call("sync_sheets", casefile_id=casefile, spreadsheet_id=book, ranges=["Sheet1!A1"])

    of_one = await desk.call("get_casefile_cells", casefile_id=casefile, spreadsheet_id="a_b")
    of_all = await desk.call("get_casefile_cells", casefile_id=casefile)

    assert [each["spreadsheet_id"] for each in of_one["ranges"]] == ["a_b"]
    assert of_all["total_count"] == 2


@pytest.mark.parametrize("tool", READS)
async def test_a_viewer_may_read_and_a_stranger_sees_no_casefile(desk: Desk, casefile: str, tool: str) -> None:
    arguments = {"casefile_id": casefile, **READS[tool]}
    absent = await desk.call(tool, BOB, **{**arguments, "casefile_id": "cf_260101_ffffff"})
    stranger = await desk.call(tool, BOB, **arguments)
    assert stranger["error"] == absent["error"].replace("cf_260101_ffffff", casefile)

    await desk.grant(casefile, "viewer")

    seen = await desk.call(tool, BOB, **arguments)
    assert seen.get("error", "No message").startswith("No message")
