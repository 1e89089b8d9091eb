"""Ranges of cells that cannot be read any more."""

from __future__ import annotations

from apps.casefile.tests.workspace.desk import Desk


async def test_a_range_that_is_gone_does_not_hide_the_others(desk: Desk, casefile: str) -> None:
    desk.google.sheets.put("book", "Sheet1", [["a"]])
    desk.google.sheets.put("book", "Sheet2", [["b"]])
    cells = {"spreadsheet_id": "book", "ranges": ["Sheet1!A1", "Sheet2!A1"]}
    await desk.call("sync_sheets", casefile_id=casefile, **cells)
    del desk.google.sheets.books["book"]["Sheet2"]
    desk.google.sheets.put("book", "Sheet1", [["new"]])

    said = await desk.call("sync_sheets", casefile_id=casefile)

    assert (said["sync_status"], said["updated"]) == ("partial", 1)
    assert [each["what"] for each in said["missing"]] == ["book/Sheet2!A1"]
