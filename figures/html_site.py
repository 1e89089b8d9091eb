"""A site with a hostile text in each field that visitors see, and the documents that it answers with."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from xml.etree.ElementTree import fromstring

from apps.cms.tests.world import HOME, PREVIEW_KEY, START, World
from remit.errors import RemitError
from remit_cms.images.payloads import UpdateImage
from remit_cms.models import Content
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem, UpdateNavigationItem
from remit_cms.pages.payloads import CreatePage, Meta, TranslatePage, UpdatePage
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry, CreatePost, UpdateEntry, UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import PublishChangeSet
from remit_cms.sections.payloads import SectionInput, UpdateSectionContent
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.settings.theme import THEME_VARIABLES
from remit_cms.site import Site
from remit_cms.site.payloads import CreatePreviewLink
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from remit_cms.templates.slots import Slot, SlotType
from remit_cms.types.payloads import DefineType, FieldInput
from remit_cms.types.types import Types
from remit_cms.viewing.previewing import Previews

_URL: Final = "https://bakery.example"
_POLICY_FAULT: Final = "<script></script>"
"""Stands for a document whose policy allows scripts."""
_FIELD_TYPES: Final = ("text", "richText", "image", "media", "link", "date", "number", "yesNo")


async def render_all(folder: Path, texts: tuple[str, ...]) -> dict[str, str]:
    """The documents of a site that has each text in all its fields, by their addresses and the number of the text."""
    world, documents = World(folder), dict[str, str]()
    try:
        image = (await world.image("A loaf")).id
        site = Site(
            world.database,
            world.rendering,
            world.renditions,
            HOME,
            url=_URL,
            preview_key=await PREVIEW_KEY.resolve(),
            clock=START.timestamp,
        )
        for number, text in enumerate(texts):
            author = _Author(world, text, number, image)
            await author.edit_everything()
            preview = await author.make_preview()
            shown = await _respond(site, {"/preview": preview, "/preview/de": f"{preview}de/{author.slug}"})
            await ChangeSets(world.database).publish_change_set(author.call(), PublishChangeSet())
            paths = (author.slug, f"de/{author.slug}", author.post, f"de/{author.post}", author.entry, "nothing")
            shown |= await _respond(site, {f"/{path}": f"/{path}" for path in paths})
            shown |= await _read_feeds(site)
            shown["draft"] = await world.rendering.render(HOME, author.slug)
            documents |= {f"{name} with text {number}": document for name, document in shown.items()}
    finally:
        await world.database.close()
    return documents


async def _respond(site: Site, paths: dict[str, str]) -> dict[str, str]:
    """The documents at some addresses, and one that is a fault for each policy that allows scripts."""
    documents = dict[str, str]()
    for name, path in paths.items():
        response = await site.respond(path)
        if response.status != (404 if path == "/nothing" else 200):
            raise RuntimeError(f"{path} answered with status {response.status}")
        policy = response.headers["content-security-policy"]
        if "default-src 'none'" not in policy or "script-src" in policy:
            documents[f"policy of {name}"] = _POLICY_FAULT
        documents[name] = response.body.decode()
    return documents


async def _read_feeds(site: Site) -> dict[str, str]:
    """What readers of feeds show: the texts of all entries, as HTML."""
    atom = fromstring((await site.respond("/posts/feed.xml")).body)  # noqa: S314 - made by the site
    items = json.loads((await site.respond("/posts/feed.json")).body)["items"]
    shown = [each.text or "" for each in atom.iter("{http://www.w3.org/2005/Atom}content")]
    return {"Atom feed": "".join(shown), "JSON feed": "".join(item["content_html"] for item in items)}


class _Author:
    """Writes one text into every field that takes it, in both languages. An address that is refused is left out."""

    def __init__(self, world: World, text: str, number: int, image: str) -> None:
        self.world, self.text, self.image, self.number = world, text, image, number
        self.slug, self.post, self.entry = f"page-{number}", f"posts/post-{number}", f"kind-{number}/entry-{number}"

    def call(self) -> Any:
        """A call in the conversation whose change set has all these edits."""
        return self.world.call(conversation=f"c{self.number}")

    async def edit_everything(self) -> None:
        """Write the text into every field."""
        update = UpdateImage(
            image_id=self.image, alt_text=self.text, caption=self.text, name=self.text[:200].replace("/", "-")
        )
        await self.world.images.update_image(self.call(), update)
        await self._write_page()
        await self._write_post()
        await self._write_entry()
        await self._write_navigation()
        await self._write_settings()

    async def make_preview(self) -> str:
        """The path of a preview of these edits, whose bar names each of them."""
        payload = CreatePreviewLink(change_set_id=f"set_{self.number + 1}")
        reply = await Previews(self.world.database, PREVIEW_KEY).create_preview_link(self.call(), payload)
        return urlsplit(reply.url).path

    async def _write_page(self) -> None:
        text, short = self.text, self.text[:200]
        sections = [
            SectionInput(definition_id=template.key, content=self._fill(template.structure.slots))
            for template in BUILTIN_TEMPLATES
        ]
        created = CreatePage(title=short, slug=self.slug, sections=sections)
        made = await self.world.pages.create_page(self.call(), created)
        page = made.page
        meta = Meta(title=short, description=text[:500])
        await self.world.pages.update_page(self.call(), UpdatePage(page_id=page.id, meta=meta))
        german = TranslatePage(page_id=page.id, locale_code="de", title=short, slug=self.slug, meta=meta)
        await self.world.pages.translate_page(self.call(), german)
        for section, template in zip(made.sections or [], BUILTIN_TEMPLATES, strict=True):
            await self._try_to_update(section.id, self._fill(template.structure.slots), "de")
            for slot in template.structure.slots:
                if slot.type in (SlotType.LINK, SlotType.IMAGE, SlotType.MEDIA):
                    named = {"text": "x"} if slot.type is SlotType.LINK else {"caption": text[:500]}
                    named |= {"alt": "x"} if slot.type is SlotType.IMAGE else {}
                    await self._try_to_update(section.id, {slot.key: {**named, "url": text}})

    async def _write_post(self) -> None:
        text, short = self.text, self.text[:200]
        words: dict[str, Any] = {"body": text, "excerpt": text, "author": text, "category": text}
        words["tags"] = [text.replace(",", " ")[:50]]
        posts = Posts(self.world.database)
        await posts.create_post(self.call(), CreatePost(title=short, slug=f"post-{self.number}", **words))
        german = UpdatePost(post_slug=self.post, title=short, locale_code="de", **words)
        await posts.update_post(self.call(), german)
        cover: Content = {"cover": {"imageId": self.image, "alt": text, "caption": text}}
        collections = Collections(self.world.database)
        await collections.update_entry(self.call(), UpdateEntry(entry_id=self.post, content=cover))

    async def _write_entry(self) -> None:
        """An entry of a collection of its own, which no template shows, with a field of each type."""
        collections, short = Collections(self.world.database), self.text[:200]
        fields = [FieldInput(key=each, type=each, label=self.text) for each in _FIELD_TYPES]
        collection = DefineType(name=short, key=f"kind-{self.number}", fields=fields)
        await Types(self.world.database).define_type(self.call(), collection)
        slots = tuple(Slot(key=each, type=SlotType(each), label=each) for each in _FIELD_TYPES)
        entry = CreateEntry(
            collection_id=f"kind-{self.number}", title=short, slug=f"entry-{self.number}", content=self._fill(slots)
        )
        await collections.create_entry(self.call(), entry)

    async def _write_navigation(self) -> None:
        navigation = Navigation(self.world.database)
        item = AddNavigationItem(label=self.text[:100], href=self.slug, location="both")
        added = await navigation.add_navigation_item(self.call(), item)
        german = UpdateNavigationItem(label=added.id, new_label=self.text[:100], locale_code="de")
        await navigation.update_navigation_item(self.call(), german)
        with suppress(RemitError, ValueError):
            item = AddNavigationItem(label=f"{self.slug} elsewhere", href=self.text, location="both")
            await navigation.add_navigation_item(self.call(), item)

    async def _write_settings(self) -> None:
        """Names in both languages, and a theme that no operation accepts: an older version may have stored it."""
        settings, short = Settings(self.world.database), self.text[:200]
        for locale in ("en", "de"):
            named = UpdateSiteSettings(name=short, tagline=short, locale_code=locale)
            await settings.update_site_settings(self.call(), named)
        theme = UpdateSiteSettings.model_construct(theme=dict.fromkeys(THEME_VARIABLES, self.text))
        await settings.update_site_settings(self.call(), theme)

    async def _try_to_update(self, section: str, content: Content, locale: str | None = None) -> None:
        with suppress(RemitError, ValueError):
            payload = UpdateSectionContent(page_section_id=section, content=content, locale_code=locale)
            await self.world.sections.update_section_content(self.call(), payload)

    def _fill(self, slots: tuple[Slot, ...]) -> Content:
        """A section with the text in all its slots, and in its addresses as far as they take it."""
        text, quoted = self.text, re.sub(r"[\x00-\x20\\]", "+", self.text)
        values: Content = {}
        for slot in slots:
            match slot.type:
                case SlotType.TEXT | SlotType.RICH_TEXT:
                    values[slot.key] = text
                case SlotType.IMAGE:
                    values[slot.key] = {"imageId": self.image, "alt": text, "caption": text}
                case SlotType.MEDIA:
                    values[slot.key] = {"url": f"/a?{quoted}", "caption": text}
                case SlotType.LINK:
                    values[slot.key] = {"text": text[:200], "url": f"/a?{quoted}"}
                case SlotType.LIST:
                    values[slot.key] = [self._fill(slot.fields)]
                case SlotType.DATE:
                    values[slot.key] = "2026-05-31T19:00"
                case SlotType.NUMBER:
                    values[slot.key] = 4.5
                case SlotType.YES_NO:
                    values[slot.key] = True
                case SlotType.COLLECTION_REF:
                    values[slot.key] = {"collectionId": "posts", "limit": 3}
                case _:
                    pass
        return values
