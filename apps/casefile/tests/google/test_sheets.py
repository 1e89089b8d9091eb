"""Sheets: cells are read, written and added."""

from __future__ import annotations

import pytest

from apps.casefile.tests.google.fake.faults import Cut, broken
from apps.casefile.tests.google.world import World
from remit.errors import ExternalError, InvalidArgumentsError, NotFoundError
from remit_casefile.google.errors import UncertainError
from remit_casefile.google.payloads.sheets import AppendValues, BatchGet, UpdateValues

BOOK = "book-1"


@pytest.fixture(autouse=True)
def book(world: World) -> None:
    world.google.sheets.put(BOOK, "Sheet1", [["name", "n"], ["ann", 1], ["bob", True]])
    world.google.sheets.put(BOOK, "Sheet3", [])


async def test_several_ranges_are_read_in_the_order_asked(world: World) -> None:
    read = await world.sheets.batch_get(BatchGet(spreadsheet_id=BOOK, ranges=["Sheet1!A2:B3", "Sheet1!A1"]))

    assert [each.range for each in read.value_ranges] == ["Sheet1!A2:B3", "Sheet1!A1"]
    assert read.value_ranges[0].values == [["ann", 1], ["bob", True]]


async def test_values_are_given_as_people_see_them_where_that_is_asked(world: World) -> None:
    payload = BatchGet(spreadsheet_id=BOOK, ranges=["Sheet1!A2:B3"], value_render="FORMATTED_VALUE")
    read = await world.sheets.batch_get(payload)

    assert read.value_ranges[0].values == [["ann", "1"], ["bob", "TRUE"]]


async def test_what_was_read_by_default_is_written_back_by_default_and_is_the_same(world: World) -> None:
    rows = [["007", 1.5, True], ["=A1", -3, "1,234.50 €"], [2**40, "TRUE", ""]]
    world.google.sheets.put(BOOK, "Sheet2", rows)
    read = await world.sheets.batch_get(BatchGet(spreadsheet_id=BOOK, ranges=["Sheet2!A1:C3"]))

    values = read.value_ranges[0].values
    await world.sheets.update_values(UpdateValues(spreadsheet_id=BOOK, range="Sheet3!A1:C3", values=values))

    again = await world.sheets.batch_get(BatchGet(spreadsheet_id=BOOK, ranges=["Sheet3!A1:C3"]))
    assert again.value_ranges[0].values == values == [rows[0], rows[1], rows[2][:2]]


async def test_empty_cells_are_no_values(world: World) -> None:
    read = await world.sheets.batch_get(BatchGet(spreadsheet_id=BOOK, ranges=["Sheet1!D1:E9"]))

    assert read.value_ranges[0].values == []


async def test_cells_are_written_and_null_leaves_one_as_it_is(world: World) -> None:
    payload = UpdateValues(spreadsheet_id=BOOK, range="Sheet1!A2:B2", values=[[None, 7]])
    written = await world.sheets.update_values(payload)

    assert (written.updated_range, written.updated_cells) == ("Sheet1!A2:B2", 1)
    grid = world.google.sheets.books[BOOK]["Sheet1"]
    assert (grid[1, 0], grid[1, 1]) == ("ann", 7)


@pytest.mark.parametrize(("how", "stored"), [("RAW", "12"), ("USER_ENTERED", 12)])
async def test_text_is_read_as_typed_only_where_that_is_asked(world: World, how: str, stored: object) -> None:
    payload = UpdateValues.model_validate(
        {"spreadsheet_id": BOOK, "range": "Sheet1!C1", "values": [["12"]], "value_input": how}
    )
    await world.sheets.update_values(payload)

    assert world.google.sheets.books[BOOK]["Sheet1"][0, 2] == stored


async def test_rows_are_added_below_the_table(world: World) -> None:
    payload = AppendValues(spreadsheet_id=BOOK, range="Sheet1!A1:B1", values=[["cy", 3], ["di", 4]])
    added = await world.sheets.append_values(payload)

    assert added.table_range == "Sheet1!A1:B3"
    assert (added.updates.updated_range, added.updates.updated_rows) == ("Sheet1!A4:B5", 2)


@pytest.mark.parametrize("trouble", [Cut.AFTER, Cut.MIDWAY, broken(503)])
async def test_an_append_whose_answer_is_lost_is_uncertain_and_not_done_again(world: World, trouble: Cut) -> None:
    world.google.faults.plan("sheets.spreadsheets.values.append", trouble)

    with pytest.raises(UncertainError, match="were added to Sheet1!A1, or not") as caught:
        await world.sheets.append_values(AppendValues(spreadsheet_id=BOOK, range="Sheet1!A1", values=[["cy"]]))

    assert not caught.value.retryable
    assert world.google.asked == ["sheets.spreadsheets.values.append"]


async def test_an_append_that_is_refused_did_not_happen(world: World) -> None:
    with pytest.raises(InvalidArgumentsError, match="Unable to parse range"):
        await world.sheets.append_values(AppendValues(spreadsheet_id=BOOK, range="None!A1", values=[["cy"]]))


async def test_an_update_whose_answer_is_lost_is_worth_another_try(world: World) -> None:
    world.google.faults.plan("sheets.spreadsheets.values.update", Cut.AFTER, times=2)

    with pytest.raises(ExternalError) as caught:
        await world.sheets.update_values(UpdateValues(spreadsheet_id=BOOK, range="Sheet1!A1", values=[["x"]]))

    assert caught.value.retryable


async def test_a_spreadsheet_that_is_not_there_is_not_found(world: World) -> None:
    with pytest.raises(NotFoundError):
        await world.sheets.batch_get(BatchGet(spreadsheet_id="none", ranges=["A1"]))
