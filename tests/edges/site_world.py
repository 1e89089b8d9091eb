"""Two sites of the CMS, served over HTTP: the sample, and one that is written from right to left with all templates.

Both have a type of their own and something that is scheduled, with a preview of the site as it will be then.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import uvicorn

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.site.visitor import KEY
from apps.cms.tests.world import HOME, PREVIEW_KEY, START, World
from remit import LeafContext
from remit_cms.images.payloads import UploadImage
from remit_cms.models import Content
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import CreatePage, MovePage
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.scheduling.payloads import ExpirePage
from remit_cms.sections.payloads import SectionInput
from remit_cms.site import Site
from remit_cms.site.payloads import CreatePreviewLink
from remit_cms.sites.payloads import AddSite, SeedSite
from remit_cms.storage.scope import Target
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from remit_cms.templates.slots import Slot, SlotType
from remit_cms.types.payloads import DefineType
from remit_cms.types.types import Types
from remit_cms.viewing.previewing import Previews
from tests.cli.kit import PATIENCE

_RIGHT: Final = Target("right", "main")
_MARKDOWN: Final = """
# First

Bread, **fresh**, see https://a.example/b--c or post@a.example. ![A loaf](/loaf.png)[^1]

| Loaf | Price |
|:-----|------:|
| Rye  | 6.20  |

### Second

1. one
   - two

> quoted

`code` ~~gone~~

---

[^1]: A note.
"""


_EVENTS: Final = {
    "name": "Events",
    "fields": [
        {"key": "date", "type": "date", "required": True},
        {"key": "place", "type": "text"},
        {"key": "bookingNeeded", "type": "yesNo"},
        {"key": "text", "type": "richText"},
    ],
}
_EVENT: Final = {"date": "2126-06-14T15:00", "place": "Market square", "bookingNeeded": True, "text": _MARKDOWN}


@dataclass(frozen=True, slots=True)
class Served:
    """The addresses of sites by name, and of their previews."""

    urls: dict[str, str]
    previews: list[str] = field(default_factory=list[str])


@contextmanager
def serve_sites(folder: Path) -> Generator[Served]:
    """Both sites, while they are served in a thread."""
    sockets = {name: socket.create_server(("127.0.0.1", 0)) for name in ("sample", "right")}
    urls = {name: f"http://127.0.0.1:{each.getsockname()[1]}" for name, each in sockets.items()}
    served = Served(urls)
    servers: list[uvicorn.Server] = []
    ready = threading.Event()

    async def serve() -> None:
        world = World(folder)
        try:
            await _build(world)
            for name, target in (("sample", HOME), ("right", _RIGHT)):
                await _add_event(world, target)
                served.previews.append(f"{urls[name]}{await _plan(world, target)}")
                site = Site(
                    world.database,
                    world.rendering,
                    world.renditions,
                    target,
                    url=urls[name],
                    preview_key=KEY,
                    clock=START.timestamp,
                )
                servers.append(uvicorn.Server(uvicorn.Config(site, log_level="warning", access_log=False)))
            ready.set()
            await asyncio.gather(
                *(each.serve([socket]) for each, socket in zip(servers, sockets.values(), strict=True))
            )
        finally:
            ready.set()
            await world.database.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        assert len(servers) == len(sockets), "the sites were not built"
        yield served
    finally:
        for server in servers:
            server.should_exit = True
        thread.join()
        for each in sockets.values():
            each.close()


async def _build(world: World) -> None:
    await world.sites.seed_site(world.call(), SeedSite())
    await world.sites.add_site(
        world.call(), AddSite(key="right", name="\u05de\u05d0\u05e4\u05d9\u05d9\u05d4", languages=["he", "en"])
    )
    file = await world.files.add(picture_file(size=(1200, 800)), name="loaf.png")
    upload = UploadImage(file=file, alt_text="A loaf", caption="Rye")
    image = (await world.images.upload_image(world.call(target="right/main"), upload)).image.id
    sections = [(each.key, _fill(each.structure.slots, image)) for each in BUILTIN_TEMPLATES]
    page = await _publish(world, "All", sections)
    below = await _publish(world, "Below", [("text", {"content": _MARKDOWN})])
    call = world.call(target="right/main")
    await world.pages.move_page(call, MovePage(page_id=below, parent_id=page))
    for title in ("All", "Below"):
        item = AddNavigationItem(label=title, href=title)
        await Navigation(world.database).add_navigation_item(world.call(target="right/main"), item)
    for each in (below, "Navigation"):
        await Publishing(world.database).publish_page(world.call(target="right/main"), PublishPage(page_id=each))


async def _add_event(world: World, target: Target) -> None:
    """A type of one's own with an entry."""

    def call() -> LeafContext:
        return world.call(target=f"{target.site}/{target.environment}")

    await Types(world.database).define_type(call(), DefineType.model_validate(_EVENTS))
    given = CreateEntry.model_validate({"collectionId": "events", "title": "Fair", "content": _EVENT})
    made = await Collections(world.database).create_entry(call(), given)
    await Publishing(world.database).publish_page(call(), PublishPage(page_id=made.entry.id))


async def _plan(world: World, target: Target) -> str:
    """Let the entry go away at a time; the path of a preview of the site as it will be then."""

    def call() -> LeafContext:
        return world.call(target=f"{target.site}/{target.environment}")

    at = "2126-06-15T00:00"
    await world.scheduling.expire_page(call(), ExpirePage(page_id="events/fair", at=at))
    link = CreatePreviewLink(at=at, hours=720)
    reply = await Previews(world.database, PREVIEW_KEY).create_preview_link(call(), link)
    return reply.url.removeprefix(PREVIEW_KEY.url)


async def _publish(world: World, title: str, sections: list[tuple[str, Content]]) -> str:
    given = [SectionInput(definition_id=key, content=content) for key, content in sections]
    made = await world.pages.create_page(world.call(target="right/main"), CreatePage(title=title, sections=given))
    await Publishing(world.database).publish_page(world.call(target="right/main"), PublishPage(page_id=made.page.id))
    return made.page.id


def _fill(slots: tuple[Slot, ...], image: str) -> Content:  # noqa: PLR0912 - one branch for each kind
    """A section with something in each of its fields."""
    content: Content = {}
    for slot in slots:
        match slot.type:
            case SlotType.TEXT:
                content[slot.key] = slot.label
            case SlotType.RICH_TEXT:
                content[slot.key] = _MARKDOWN
            case SlotType.LINK:
                content[slot.key] = {"text": slot.label, "url": "/all"}
            case SlotType.MEDIA:
                content[slot.key] = {"url": "/film.mp4", "caption": slot.label}
            case SlotType.COLLECTION_REF:
                content[slot.key] = {"collectionId": "posts"}
            case SlotType.REFERENCE:
                content[slot.key] = {"url": "/all"}
            case SlotType.IMAGE:
                content[slot.key] = {"imageId": image}
            case SlotType.OPTION:
                content[slot.key] = slot.options[0]
            case SlotType.DATE:
                content[slot.key] = "2026-05-31T19:00"
            case SlotType.NUMBER:
                content[slot.key] = 4.5
            case SlotType.YES_NO:
                content[slot.key] = True
            case SlotType.LIST:
                content[slot.key] = [_fill(slot.fields, image), _fill(slot.fields, image)]
    return content
