"""The bytes that a model reads to look one section up, against those of the whole page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, Final

from apps.cms.tests.world import World
from figures.figure import Figure, at_most
from remit import App, Principal, Runtime
from remit.tools import Arguments
from remit_cms.sites.payloads import SeedSite
from remit_cms.storage.database import random_id

PAGE_BYTES: Final = 8_000
"""The size to which pages are continued: 2,000 tokens, of which a single field is worth a look of its own."""
_MIN_SECTIONS: Final = 3
_AT_ONCE: Final = 16
"""Sections that each such page has in any case."""
_ANN: Final = Principal("ann", "local-site", frozenset({"cms:*"}))


def figures(*, short: bool) -> Iterator[Figure]:
    """Measure the figure; ``short`` takes a fifth of the sections of one page."""
    with TemporaryDirectory() as folder:
        long, as_they_are = asyncio.run(_measure(Path(folder), short=short))
    how = (
        "cms_getPage without content and cms_getSectionContent of one section, against cms_getPage with content: mean "
        f"over the sections of the pages of the sample site with {_MIN_SECTIONS} or more, each continued with the "
        f"sections of the next ones to {PAGE_BYTES:,} bytes; of these pages as they are {mean(as_they_are):.2f}"
    )
    yield at_most("cms.granular_ratio", mean(long), "ratio", 0.25, len(long), how)


async def _measure(folder: Path, *, short: bool) -> tuple[list[float], list[float]]:
    """The ratios of all lookups on long pages, and on pages as they are."""
    world = World(folder)
    world.database.new_id = random_id
    try:
        await world.sites.seed_site(world.call(), SeedSite())
        reader = _Reader(world)
        listed = json.loads(await reader.read("cms_getPages"))["pages"]
        pages = [json.loads(await reader.read_whole(page["id"]))["page"] for page in listed]
        sections = [(number, section) for number, page in enumerate(pages) for section in page["sections"]]
        chosen = [number for number, page in enumerate(pages) if len(page["sections"]) >= _MIN_SECTIONS]
        long, as_they_are = list[float](), list[float]()
        for number in chosen[:1] if short else chosen:
            begin = next(place for place, (page, _) in enumerate(sections) if page == number)
            following = [section for _, section in (*sections[begin:], *sections[:begin])]
            title = f"{pages[number]['title']} and more"
            long += await reader.compare(await _write_page(world, reader, title, following), 5 if short else 1)
            as_they_are += await reader.compare(pages[number]["id"], 1)
        return long, as_they_are
    finally:
        await world.database.close()


async def _write_page(world: World, reader: _Reader, title: str, sections: Sequence[Any]) -> str:
    """A page of the first of these sections, as many as it takes: its id."""
    page = await world.page(title, *((section["sectionKey"], section["content"]) for section in sections[:_AT_ONCE]))
    for section in sections[_AT_ONCE:]:
        added = {"pageId": page.id, "definitionId": section["sectionKey"], "content": section["content"]}
        await reader.read("cms_addSectionToPage", **added)
        if len((await reader.read_whole(page.id)).encode()) >= PAGE_BYTES:
            break
    return page.id


class _Reader:
    """Calls tools as a model would."""

    def __init__(self, world: World) -> None:
        self._runtime = Runtime(App(name="cms", tools=world.tools, references=world.references))

    async def read(self, tool: str, /, **arguments: Any) -> str:
        """The reply of a tool, as it is sent."""
        result = await self._runtime.call_by_name(tool, Arguments(json.dumps(arguments), arguments), by=_ANN)
        if not json.loads(result.text)["success"]:
            raise RuntimeError(result.text)
        return result.text

    async def read_whole(self, page: str) -> str:
        """A page with its content."""
        return await self.read("cms_getPage", pageId=page, includeContent=True)

    async def compare(self, page: str, step: int) -> list[float]:
        """What a lookup of each section costs, or of every third with a step of 3, in parts of the whole page."""
        whole, light = await self.read_whole(page), await self.read("cms_getPage", pageId=page)
        sections = json.loads(whole)["page"]["sections"][::step]
        parts = [await self.read("cms_getSectionContent", pageSectionId=section["id"]) for section in sections]
        return [(len(light.encode()) + len(part.encode())) / len(whole.encode()) for part in parts]
