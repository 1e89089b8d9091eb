"""Files, cells and web pages of strangers: what the applications read of each, against what is there."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.fake.serving import serving
from apps.casefile.tests.google.world import World
from apps.cms.tests.world import World as CmsWorld
from figures.ssrf import ListedHits
from figures.ssrf_world import Internet, Page
from remit_casefile.google.drive_sync import DriveSync
from remit_casefile.google.payloads.drive import DownloadFile, FileView
from remit_casefile.google.payloads.sheets import BatchGet, UpdateValues
from remit_cms.web.payloads import FetchContent, FetchedPage
from remit_cms.web.research import Research
from tests.strangers import files
from tests.strangers.pages import PAGES, StrangePage

_TIME: Final = "2026-01-01T12:34:{:02d}Z"


async def read_files(step: int) -> AsyncIterator[tuple[str, bool]]:
    """Files of a drive that is synced, their contents, and cells that are read and written back."""
    async with serving(FakeGoogle()) as google:
        world = World(google)
        expected: dict[str, tuple[str, object]] = {}
        for name in files.NAMES[::step]:
            expected[google.drive.put(name, b"x")] = ("name", files.read_text(name))
        for kind in files.KINDS[::step]:
            expected[google.drive.put("a", b"x", kind)] = ("mime_type", kind)
        for number, (text, time) in enumerate(files.TIMES[::step]):
            google.spoiled[json.dumps(_TIME.format(number))] = json.dumps(text)
            expected[google.drive.put("a", b"x", modifiedTime=_TIME.format(number))] = ("modified_time", time)
        try:
            synced = await DriveSync(world.drive, schedule=world.patience).sync()
            views: dict[str, FileView] = {each.id: each for each in synced.files}
        except Exception:  # noqa: BLE001 - a violation, whatever it is
            views = {}
        for key, (field, value) in expected.items():
            view: dict[str, Any] = json.loads(views[key].model_dump_json()) if key in views else {}
            is_said = field != "modified_time" or bool(view.get("omitted")) == (value is None)
            yield "files", bool(view) and view[field] == value and is_said
        for content in files.CONTENTS[::step]:
            key = google.drive.put("a", content)
            given = await world.drive.download_file(DownloadFile(file_id=key))
            read = given.content.encode() if given.encoding == "utf-8" else base64.b64decode(given.content)
            yield "contents", read == content
        for number, title in enumerate(files.SHEETS):
            for rows in files.ROWS[number % step :: step]:
                google.sheets.books.clear()
                google.sheets.put("book", title, rows)
                try:
                    yield "cells", await _is_written_back(world, title, len(rows))
                except Exception:  # noqa: BLE001 - as above
                    yield "cells", False
        await world.transport.close()


async def _is_written_back(world: World, title: str, height: int) -> bool:
    """Whether cells are read as they are, and are the same when what was read is written."""

    def list_cells() -> dict[Any, str]:
        grid = world.google.sheets.books["book"][title]
        texts = {place: files.read_text(cell) if isinstance(cell, str) else cell for place, cell in grid.items()}
        return {place: json.dumps(cell) for place, cell in texts.items() if cell not in ("", None)}

    before = list_cells()
    request = BatchGet(spreadsheet_id="book", ranges=[f"'{title}'!A1:J{height}"])
    (read,) = json.loads((await world.sheets.batch_get(request)).model_dump_json())["value_ranges"]
    cells = {(row, column): cell for row, line in enumerate(read["values"]) for column, cell in enumerate(line)}
    written = {"spreadsheet_id": "book", "range": read["range"], "values": read["values"]}
    await world.sheets.update_values(UpdateValues.model_validate_json(json.dumps(written), strict=True))
    given = {place: json.dumps(cell) for place, cell in cells.items() if cell not in ("", None)}
    return given == before == list_cells()


async def read_pages(step: int) -> AsyncIterator[tuple[str, bool]]:
    """Web pages, as the CMS fetches them."""
    with TemporaryDirectory() as folder:
        ctx = CmsWorld(Path(folder)).call()
        async with Internet() as internet:
            research = Research(internet.http(), ListedHits([]))
            for page in PAGES[::step]:
                headers = {**({"content-type": page.kind} if page.kind else {}), **page.headers}
                internet.pages["/page"] = Page(page.body, headers=headers)
                payload = FetchContent(urls=["http://mill.example/page"], text_max_characters=50_000)
                (found,) = (await research.fetch_content(ctx, payload)).pages
                yield "web pages", _is_shown(page, found)


def _is_shown(page: StrangePage, found: FetchedPage) -> bool:
    text, error = found.text or "", found.error or ""
    is_whole = all(each in text for each in page.texts) and not any(each in text for each in page.hidden)
    is_said = page.omits in " ".join(found.omitted or ())
    return (
        is_whole and is_said and page.says in error and bool(error) == bool(page.says) and found.is_cut == page.is_cut
    )
