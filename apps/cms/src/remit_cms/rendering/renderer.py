"""Renders a page as an HTML document, and writes it where a browser can open it."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from jinja2 import FileSystemLoader
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup
from pydantic import JsonValue

from remit_cms.images.pictures import FORMATS
from remit_cms.images.renditions import Renditions, nearest_width
from remit_cms.models import Content
from remit_cms.navigation.items import Item, read_items
from remit_cms.rendering.directions import direction_of
from remit_cms.rendering.documents import PageDocument, SiteLink, Surroundings, load_page_document, nest_links
from remit_cms.rendering.scratch import write_atomically
from remit_cms.rich_text.html import render_rich_text
from remit_cms.singles.targets import find_pages
from remit_cms.storage.database import Database
from remit_cms.storage.documents import load_document
from remit_cms.storage.images import Image
from remit_cms.storage.scope import Target
from remit_cms.storage.snapshots import build_snapshot
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.transactions import open_view
from remit_cms.storage.translations import load_slugs
from remit_cms.templates.image_values import find_focal_point
from remit_cms.templates.slots import HEADING, Slot, SlotType, Structure
from remit_cms.templates.values import is_empty, iterate_items, url_scheme

_TEMPLATE_FOLDER: Final = Path(__file__).parent / "html"
_SHOWN: Final = (Kind.PAGE, Kind.ENTRY)


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSource:
    """Where a document has an image from: an address, and the sets of addresses of its renditions by media type.

    The focal point, by which it is cropped, is in tens of percent. The first one of a document is not lazy.
    """

    src: str
    srcsets: tuple[tuple[str, str], ...] = ()
    width: int
    height: int
    focal_x: int
    focal_y: int
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class RenderableField:
    """A filled slot, ready to render: rich text is safe HTML, the template escapes everything else.

    ``label`` is what visitors read before the value; empty where it says enough alone. A list has a ``heading``, and
    ``parts``, which are the slots of its items, without values.
    """

    key: str
    type: str
    value: object
    label: str = ""
    heading: str = ""
    parts: tuple[RenderableField, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderableSection:
    """A section, ready to render. ``fields`` are in the template's order."""

    key: str
    fields: tuple[RenderableField, ...]

    @property
    def content(self) -> dict[str, object]:
        """The values by slot key."""
        return {field.key: field.value for field in self.fields}


class PageRenderer:
    """Renders the pages of all sites.

    Args:
        database: the database with the pages.
        folder: documents go to ``<folder>/<site>/<environment>/<slug>.html``, and those of other locales than the
            default to a subfolder each.
        renditions: the copies of images that files contain.
    """

    def __init__(self, database: Database, folder: Path, renditions: Renditions | None = None) -> None:
        self._database = database
        self._folder = folder
        self._renditions = renditions or Renditions(database)
        self._jinja = SandboxedEnvironment(
            loader=FileSystemLoader(_TEMPLATE_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self._css = (_TEMPLATE_FOLDER / "site.css").read_text()

    async def render(self, target: Target, id_or_slug: str, locale: str | None = None) -> str:
        """The page with this id or slug as an HTML document that contains its images.

        Raises:
            NotFoundError: no such page.
            InvalidArgumentsError: the site has no such locale.
        """
        _, document, around = await self._load_draft(target, id_or_slug, locale)
        return self.render_document(document, await self._embed(target, document.images), around)

    async def write(self, target: Target, id_or_slug: str, locale: str | None = None) -> Path:
        """Write the page's document atomically, and return its path."""
        path, document, around = await self._load_draft(target, id_or_slug, locale)
        text = self.render_document(document, await self._embed(target, document.images), around)
        await asyncio.to_thread(write_atomically, path, text.encode(), clean=True)
        return path

    def render_document(
        self, document: PageDocument, pictures: Mapping[str, PictureSource], around: Surroundings | None = None
    ) -> str:
        """A page with the sources of its images by id, and what stands around it on its site."""
        first = str((document.cover or {}).get("imageId"))
        if first in pictures:
            pictures = {**pictures, first: replace(pictures[first], is_first=True)}
        blocks = [
            block
            for number, (key, structure, content) in enumerate(document.sections)
            for level in [1 if number == 0 and key == "hero" else 2]
            for block in [prepare_section(key, structure, content, pictures, level=level, locale=document.locale)]
            if not _calls_to_nothing(block, content)
        ]
        css = self._css + document.theme_css
        return self._jinja.get_template("page.html").render(
            policy=content_security_policy(css),
            style=Markup(css),  # noqa: S704 - our own file, and values that settings check
            document=document,
            direction_of=direction_of,
            logo=_find_picture(document.logo or {}, pictures),
            cover=_find_picture(document.cover or {}, pictures),
            around=around or Surroundings(),
            data=None if around is None or around.data is None else _write_data(around.data),
            blocks=blocks,
            opened=bool(blocks) and blocks[0].key == "hero",
        )

    def policy_of(self, document: PageDocument) -> str:
        """The content security policy of a document."""
        return content_security_policy(self._css + document.theme_css)

    async def _load_draft(
        self, target: Target, id_or_slug: str, locale: str | None
    ) -> tuple[Path, PageDocument, Surroundings]:
        async with open_view(self._database, target) as scope:
            page, code = await scope.find_document(id_or_slug, *_SHOWN), scope.resolve_locale(locale)
            document = await load_page_document(scope, await build_snapshot(scope, page), code, live=False)
            document = document if page.status == "published" else document.hide()
            navigation = await load_document(scope, Kind.NAVIGATION, live=False)
            items = [item for item in read_items(scope, navigation, code) if item.visible]
            linked = await find_pages(scope, {item.page for item in items if item.page})
            slugs = await load_slugs(scope, [page, *linked.values()], code)
            links = [(item, link) for item in items if (link := _to_link(item, page, slugs)) is not None]
            header = [(slugs.get(item.page or "", ""), link) for item, link in links if item.location != "footer"]
            around = Surroundings(
                menu=nest_links(header),
                footer=[link for item, link in links if item.location in ("footer", "both")],
            )
            folder = self._folder / target.site / target.environment
            path = (folder if code == scope.default_locale else folder / code) / f"{slugs[page.id]}.html"
            return path, document, around

    async def _embed(self, target: Target, images: Mapping[str, Image]) -> dict[str, PictureSource]:
        """Images as part of the document, since a file has no server to load them from."""
        sources: dict[str, PictureSource] = {}
        for key, image in images.items():
            content = await self._renditions.get(target, image.digest, nearest_width(image.width), "webp")
            src = f"data:{FORMATS['webp']};base64,{b64encode(content).decode()}"
            sources[key] = picture_source(image, src)
        return sources


def content_security_policy(css: str) -> str:
    """The policy of a document with this style sheet: it loads its own images, and runs nothing."""
    digest = b64encode(sha256(css.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data:; media-src 'self'; "
        "base-uri 'none'; form-action 'none'"
    )


def _to_link(item: Item, page: Page, slugs: Mapping[str, str]) -> SiteLink | None:
    """A link to a document beside this one, or to another server; None for one whose page was deleted."""
    up = "../" * page.slug.count("/")
    slug = slugs.get(item.page or "")
    href = item.url or (None if slug is None else f"{up}{slug}.html")
    return None if href is None else SiteLink(label=item.label, href=href, current=item.page == page.id)


def picture_source(image: Image, src: str, srcsets: tuple[tuple[str, str], ...] = ()) -> PictureSource:
    """The source of an image at an address, with the focal point of slots that have none of their own."""
    return PictureSource(
        src=src,
        srcsets=srcsets,
        width=image.width,
        height=image.height,
        focal_x=round(image.initial_focal_x, -1),
        focal_y=round(image.initial_focal_y, -1),
    )


def prepare_section(
    key: str,
    structure: Structure,
    content: Content,
    pictures: Mapping[str, PictureSource],
    *,
    level: int = 2,
    heading: str = HEADING,
    locale: str = "",
) -> RenderableSection:
    """Prepare the content of a section: render rich text, find the sources of images, and drop unsafe links.

    The field ``heading`` is a heading of ``level``. Those in texts and items are below it.
    """
    below = level if is_empty(content.get(heading)) else level + 1
    labels = structure.labels_in(locale)
    return RenderableSection(
        key,
        tuple(
            RenderableField(slot.key, slot.type.value, value, labels.get(slot.key, ""), *_describe_list(slot, locale))
            for slot in structure.slots
            if (value := _prepare_value(slot, content.get(slot.key), pictures, below)) is not None
        ),
    )


def _describe_list(slot: Slot, locale: str) -> tuple[str, tuple[RenderableField, ...]]:
    """The heading of a list, and the slots of its items, so that templates know what each value is."""
    labels = slot.item.labels_in(locale)
    parts = (RenderableField(each.key, each.type.value, None, labels.get(each.key, "")) for each in slot.fields)
    return slot.label_in(locale) if slot.fields else "", (*parts,)


def _write_data(data: Content) -> Markup:
    """Data as JSON within a document, where a browser would take a tag in a text for the end of them."""
    return Markup(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"))  # noqa: S704 - no tag begins in it


def _calls_to_nothing(section: RenderableSection, content: Content) -> bool:
    """Whether a call to action is but a heading, since visitors do not see the page that its button leads to."""
    return section.key == "call-to-action" and "cta" in content and section.content.keys() <= {HEADING}


def _prepare_value(slot: Slot, value: JsonValue, pictures: Mapping[str, PictureSource], level: int) -> object:
    if slot.type is SlotType.LIST:
        sections = [
            prepare_section(slot.key, slot.item, item, pictures, level=level, heading="title")
            for item in iterate_items(value)
        ]
        return [section.content for section in sections if section.fields] or None
    if slot.type is SlotType.COLLECTION_REF:
        return [_prepare_card(each, pictures) for each in iterate_items(value)] or None
    if slot.type is SlotType.RICH_TEXT:
        return render_rich_text(value, level) or None if isinstance(value, str) else None
    if isinstance(value, dict) and "imageId" in value:
        return {**value, "picture": _find_picture(value, pictures)}
    if isinstance(value, dict):
        scheme = url_scheme(str(value.get("url", "")))
        return {**value, "local": scheme == ""} if scheme is not None else None
    return value if isinstance(value, str) and value.strip() else None


def _prepare_card(card: Content, pictures: Mapping[str, PictureSource]) -> dict[str, object]:
    """An entry of a list, with the source of its picture."""
    image = card.get("image")
    shown = _find_picture(image, pictures) if isinstance(image, dict) else None
    return {**card, "image": {**image, "picture": shown} if shown and isinstance(image, dict) else None}


def _find_picture(slot: Content, pictures: Mapping[str, PictureSource]) -> PictureSource | None:
    """The source of the picture that a slot shows, cropped as the slot says."""
    picture, point = pictures.get(str(slot.get("imageId"))), find_focal_point(slot)
    if picture is None or point is None:
        return picture
    return replace(picture, focal_x=round(point[0], -1), focal_y=round(point[1], -1))
