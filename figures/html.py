"""Hostile texts in every field of the CMS, published and rendered: none of them may run, in no browser."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from xml.etree.ElementTree import fromstring

from apps.cms.tests.world import HOME, World
from figures.figure import Figure, no_violations
from remit.errors import RemitError
from remit_cms.images.payloads import UpdateImage
from remit_cms.models import Content
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import CreatePage, Meta, UpdatePage
from remit_cms.posts.payloads import CreatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import PublishChangeSet
from remit_cms.sections.payloads import SectionInput, UpdateSectionContent
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.site import Site
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from remit_cms.templates.slots import Slot, SlotType

_RUN: Final = "document.documentElement.dataset.ran=1"
"""What a text does if it runs: a mark in the document, which a browser shows."""
_RAN: Final = 'data-ran="1"'

HOSTILE: Final = (
    f"<script>{_RUN}</script>",
    f'"><img src=x onerror="{_RUN}">',
    f"' autofocus onfocus='{_RUN}",
    f"</style><script>{_RUN}</script>",
    f"</title></p></a></h1><script>{_RUN}</script>",
    f"<svg/onload={_RUN}>",
    f"<details open ontoggle={_RUN}>",
    f'<iframe srcdoc="<script>parent.{_RUN}</script>"></iframe>',
    f"[x](javascript:{_RUN}) ![x](javascript:{_RUN}) <javascript:{_RUN}>",
    f"javascript:{_RUN}",
    f"jAvAsCrIpT&colon;{_RUN}",
    f"<!--><script>{_RUN}</script>-->",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror={_RUN}&gt;'>",
    f"{{{{ '<script>{_RUN}</script>' | safe }}}}{{% raw %}}<script>{_RUN}</script>{{% endraw %}}",
    f"```html\n<script>{_RUN}</script>\n```\n<script>{_RUN}</script>",
    f"data:text/html,<script>{_RUN}</script>",
)
_ADDRESSES: Final = {"a": "href", "img": "src", "iframe": "src", "form": "action", "link": "href"}


def figures(*, short: bool) -> Iterator[Figure]:
    """Measure the figure; ``short`` takes two texts, and parses the documents without a browser."""
    yield asyncio.run(
        _measure((HOSTILE[0], HOSTILE[9]) if short else HOSTILE, None if short else shutil.which("chromium"))
    )


async def _measure(texts: tuple[str, ...], browser: str | None) -> Figure:
    with TemporaryDirectory() as folder:
        documents = await _render_all(Path(folder), texts)
        found = [f"{name}: {fault}" for name, text in documents.items() for fault in find_faults(text)]
        if browser is not None:
            if not _runs(browser, Path(folder), f"<html><head></head><script>{_RUN}</script></html>"):
                raise RuntimeError("the browser runs no script at all, so it would notice none")
            shown = {name: text for name, text in documents.items() if name.startswith(("/page", "/posts"))}
            found += [f"{name}: ran" for name, text in shown.items() if _runs(browser, Path(folder), text)]
    seen = "and the pages shown in Chromium without their policy" if browser else "without a browser"
    how = f"{len(texts)} texts in each field, {len(documents)} documents parsed {seen}"
    return no_violations("html.scripts_run", len(found), len(documents), "; ".join([how, *found[:5]]))


async def _render_all(folder: Path, texts: tuple[str, ...]) -> dict[str, str]:
    """The documents of a site that has each text in all its fields, and the page that says that there is none."""
    world, documents = World(folder), dict[str, str]()
    image = (await world.image("A loaf")).id
    for number, text in enumerate(texts):
        conversation = f"c{number}"
        await _edit_everything(world, conversation, text, f"page-{number}", image)
        await ChangeSets(world.database).publish_change_set(world.call(conversation=conversation), PublishChangeSet())
        site = Site(world.database, world.rendering, world.renditions, HOME, look_every=0.0)
        for path in (f"/page-{number}", f"/de/page-{number}", f"/posts/post-{number}", "/nothing"):
            response = await site.respond(path)
            policy = response.headers["content-security-policy"]
            if "default-src 'none'" not in policy or "script-src" in policy:
                documents[f"policy of {path}"] = "<script></script>"
            documents[f"{path} with text {number}"] = response.body.decode()
        for name, shown in await _read_feeds(site):
            documents[f"{name} with text {number}"] = shown
        documents[f"draft with text {number}"] = await world.rendering.render(HOME, f"page-{number}")
    await world.database.close()
    return documents


async def _read_feeds(site: Site) -> list[tuple[str, str]]:
    """What readers of feeds show: the texts of all entries, as HTML."""
    atom = fromstring((await site.respond("/posts/feed.xml")).body)  # noqa: S314 - made by the site
    items = json.loads((await site.respond("/posts/feed.json")).body)["items"]
    shown = [each.text or "" for each in atom.iter("{http://www.w3.org/2005/Atom}content")]
    return [("Atom feed", "".join(shown)), ("JSON feed", "".join(item["content_html"] for item in items))]


async def _edit_everything(world: World, conversation: str, text: str, slug: str, image: str) -> None:
    """Write a text into every field that takes one. An address that is refused is left out."""

    def call() -> Any:
        return world.call(conversation=conversation)

    short = text[:200]
    await world.images.update_image(call(), UpdateImage(image_id=image, alt_text=text, caption=text, name=short))
    sections = [
        SectionInput(definition_id=template.key, content=_fill(template.structure.slots, text, image))
        for template in BUILTIN_TEMPLATES
    ]
    page = (await world.pages.create_page(call(), CreatePage(title=short, slug=slug, sections=sections))).page
    meta = Meta(title=short, description=text[:500])
    await world.pages.update_page(call(), UpdatePage(page_id=page.id, meta=meta))
    for section in page.sections[:1]:
        await _try_to_update(world, call(), section.id, {"cta": {"text": "x", "url": text}})
        await _try_to_update(world, call(), section.id, {"image": {"alt": "x", "url": text}})
    await Settings(world.database).update_site_settings(call(), UpdateSiteSettings(name=short, tagline=short))
    item = AddNavigationItem(label=text[:100], href=page.id, location="both")
    await Navigation(world.database).add_navigation_item(call(), item)
    post = CreatePost(
        title=short, body=text, slug=slug.replace("page", "post"), excerpt=text, author=text, category=text
    )
    await Posts(world.database).create_post(call(), post)
    with suppress(RemitError, ValueError):
        item = AddNavigationItem(label=f"{slug} elsewhere", href=text, location="both")
        await Navigation(world.database).add_navigation_item(call(), item)


async def _try_to_update(world: World, call: Any, section: str, content: Content) -> None:
    with suppress(RemitError, ValueError):
        payload = UpdateSectionContent(page_section_id=section, content=content)
        await world.sections.update_section_content(call, payload)


def _fill(slots: tuple[Slot, ...], text: str, image: str) -> Content:
    """A section with the text in all its slots, and in its addresses as far as they take it."""
    quoted = re.sub(r"[\x00-\x20\\]", "+", text)
    values: Content = {}
    for slot in slots:
        match slot.type:
            case SlotType.TEXT | SlotType.RICH_TEXT:
                values[slot.key] = text
            case SlotType.IMAGE:
                values[slot.key] = {"imageId": image, "alt": text, "caption": text}
            case SlotType.MEDIA:
                values[slot.key] = {"url": f"/a?{quoted}", "caption": text}
            case SlotType.LINK:
                values[slot.key] = {"text": text[:200], "url": f"/a?{quoted}"}
            case SlotType.LIST:
                values[slot.key] = [_fill(slot.fields, text, image)]
            case _:
                pass
    return values


class _Parser(HTMLParser):
    """What a browser would run or load of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "iframe", "object", "embed", "base", "form", "svg", "math"):
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            address = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name.startswith("on") or name == "srcdoc":
                self.faults.append(f"{name} of <{tag}>")
            if name == _ADDRESSES.get(tag) and re.match(r"[a-z]+script:|data:text", address):
                self.faults.append(f"{name} of <{tag}> is {address[:20]}")
            if tag in ("img", "source", "video") and name in ("src", "srcset") and "//" in address.partition(",")[0]:
                self.faults.append(f"<{tag}> loads {address[:40]}")


def find_faults(document: str) -> list[str]:
    """What would run in a document, or be loaded from elsewhere."""
    parser = _Parser()
    parser.feed(document)
    return parser.faults


def _runs(browser: str, folder: Path, document: str) -> bool:
    """Whether a browser runs anything in a document, without the policy that would stop it."""
    path = folder / "document.html"
    path.write_text(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", document), "utf-8")
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    command += [
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND",
    ]
    command += [
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={folder / 'profile'}",
        "--timeout=10000",
        "--dump-dom",
        path.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if "</html>" not in done.stdout:
        raise RuntimeError(f"the browser showed nothing: {done.stderr[-500:]}")
    return _RAN in done.stdout.partition("<head")[0]
