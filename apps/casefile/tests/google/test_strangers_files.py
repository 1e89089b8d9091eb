"""What strangers say of their files and write into cells is read as it is, and one of them never hides the others."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from apps.casefile.tests.google.world import World
from remit_casefile.google.drive_sync import DriveSync
from remit_casefile.google.payloads.drive import DownloadFile, FileView, GetFile, ListFiles
from remit_casefile.google.payloads.sheets import BatchGet, UpdateValues, ValueRanges
from tests.strangers.files import CONTENTS, KINDS, NAMES, ROWS, SHEETS, SIZES, TIMES, read_text

TIME = "2026-01-01T12:34:56Z"


async def read_everywhere(world: World, key: str) -> list[FileView]:
    """A file as it is got, listed and synced."""
    listed = [each for each in (await world.drive.list_files(ListFiles())).files if each.id == key]
    synced = await DriveSync(world.drive, schedule=world.patience).sync()
    assert synced.missing == []
    return [await world.drive.get_file(GetFile(file_id=key)), *listed, *(e for e in synced.files if e.id == key)]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
async def test_a_file_has_the_name_that_it_was_given(world: World, name: str) -> None:
    key = world.google.drive.put(name, b"x")
    assert [each.name for each in await read_everywhere(world, key)] == [read_text(name)] * 3


@pytest.mark.parametrize("kind", KINDS, ids=ascii)
async def test_a_file_has_the_kind_that_it_was_given(world: World, kind: str) -> None:
    key = world.google.drive.put("a", b"x", kind)
    assert [each.mime_type for each in await read_everywhere(world, key)] == [kind] * 3


@pytest.mark.parametrize(("text", "time"), TIMES)
async def test_a_time_is_read_as_it_is_and_what_is_none_is_said(world: World, text: str, time: str | None) -> None:
    key = world.google.drive.put("a", b"x", modifiedTime=TIME)
    world.google.spoiled[json.dumps(TIME)] = json.dumps(text)
    for view in await read_everywhere(world, key):
        said = json.loads(view.model_dump_json())
        assert (said["modified_time"], said["name"]) == (time, "a")
        assert said["omitted"] == ([] if time else [f"modified_time: {text!r} is no time"])


@pytest.mark.parametrize(("text", "size"), SIZES)
async def test_a_size_is_a_whole_number_however_large(world: World, text: str, size: int) -> None:
    key = world.google.drive.put("a", b"x")
    world.google.spoiled['"size": "1"'] = f'"size": "{text}"'
    assert [each.size for each in await read_everywhere(world, key)] == [size] * 3


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: ascii(content[:12]))
async def test_content_is_given_to_the_byte(world: World, content: bytes) -> None:
    key = world.google.drive.put("a", content)
    given = await world.drive.download_file(DownloadFile(file_id=key))
    read = given.content.encode() if given.encoding == "utf-8" else base64.b64decode(given.content)
    assert (read, given.size) == (content, len(content))


async def read_cells(world: World, title: str, height: int) -> dict[str, Any]:
    """The cells of a sheet as a model gets them."""
    found: ValueRanges = await world.sheets.batch_get(
        BatchGet(spreadsheet_id="book", ranges=[f"'{title}'!A1:J{height}"])
    )
    return json.loads(found.model_dump_json())["value_ranges"][0]


@pytest.mark.parametrize("title", SHEETS)
@pytest.mark.parametrize("rows", ROWS, ids=lambda rows: ascii(rows)[:40])
async def test_what_is_read_by_default_can_be_written_back_by_default(
    world: World, rows: list[list[Any]], title: str
) -> None:
    world.google.sheets.put("book", title, rows)
    read = await read_cells(world, title, len(rows))
    cells = {(row, column): cell for row, line in enumerate(read["values"]) for column, cell in enumerate(line)}
    held = {place: cell for place, cell in world.google.sheets.books["book"][title].items() if cell not in ("", None)}
    assert {place: json.dumps(cell) for place, cell in cells.items() if cell not in ("", None)} == {
        place: json.dumps(read_text(cell) if isinstance(cell, str) else cell) for place, cell in held.items()
    }
    await world.sheets.update_values(
        UpdateValues.model_validate_json(
            json.dumps({"spreadsheet_id": "book", "range": read["range"], "values": read["values"]}), strict=True
        )
    )
    assert await read_cells(world, title, len(rows)) == read
