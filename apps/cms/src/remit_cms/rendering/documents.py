"""What a page's document is made of: one state of the page, in one language, with its templates and images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.rendering.entries import Reader, find_entries, has_days, list_entries
from remit_cms.rendering.icon import icon_address
from remit_cms.rendering.values import format_values
from remit_cms.sections.links import Overlay, resolve_links, show_references
from remit_cms.settings.theme import theme_css
from remit_cms.settings.values import SiteSettings, load_settings
from remit_cms.storage.images import Image, iterate_image_slots, load_images
from remit_cms.storage.publication_times import load_publication_times
from remit_cms.storage.readings import Reading, SectionReading, read_state
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind
from remit_cms.templates.slots import Structure
from remit_cms.templates.values import iterate_items

_MORE: Final = 3
"""So many other entries of a collection are named below one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDocument:
    """A page, ready to render: its texts, and its sections as key of the template, structure and content.

    ``text_locale`` is the language of its texts, which stand in where the page has none in ``locale``. ``cover`` is its
    first slot with an image. Of an entry, ``date`` is the day on which it went live, ``more`` are others of its
    collection.
    """

    site: str
    tagline: str | None = None
    theme_css: str = ""
    locale: str
    text_locale: str
    icon: str = ""
    logo: Content | None = None
    cover: Content | None = None
    title: str
    meta_title: str
    meta_description: str | None
    indexing: bool
    sections: tuple[tuple[str, Structure, Content], ...]
    images: Mapping[str, Image]
    is_entry: bool = False
    date: Mapping[str, JsonValue] | None = None
    more: Sequence[JsonValue] = ()

    def hide(self) -> PageDocument:
        """The same document, which search engines may not list."""
        return replace(self, indexing=False)


WORDS: Final[Mapping[str, str]] = {
    "skip": "Skip to content",
    "main": "Main",
    "footer": "Footer",
    "languages": "Languages",
    "more": "See also",
    "trail": "You are here",
    "pages": "Pages",
    "newer": "Newer",
    "older": "Older",
}
"""The words that a page says itself, in English."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteLink:
    """A link of the site around a page. ``language`` is that of the other page.

    ``current`` is the page itself, ``holds_current`` one above it: a page with a list of the shown entry, or with an
    address above its own. ``below`` are the links of a menu that stand below this one.
    """

    label: str
    href: str
    current: bool = False
    holds_current: bool = False
    language: str = ""
    below: Sequence[SiteLink] = ()


def nest_links(links: Sequence[tuple[str, SiteLink]]) -> list[SiteLink]:
    """A menu of two levels: a link to a page whose address is below that of another page stands below its link.

    Each link comes with the address of its page in the language, empty for the home page and other servers.
    """
    nested = {path: [link for other, link in links if path and other.startswith(f"{path}/")] for path, _ in links}
    below = {id(link) for each in nested.values() for link in each}
    return [replace(link, below=tuple(nested[path])) for path, link in links if id(link) not in below]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What stands around a page on its site: addresses, the menu, the same page in other languages, feeds, a notice.

    ``alternates`` are those of ``languages`` in which the page is written; the first is for all other readers.
    ``words`` are the site's own, ``changed`` are the pages that a preview shows in place of live ones. ``trail`` is the
    way to the page from the home page, ``pager`` leads to other pages of the same list, ``data`` is for search engines.
    """

    home: str = ""
    address: str = ""
    origin: str = ""
    menu: Sequence[SiteLink] = ()
    footer: Sequence[SiteLink] = ()
    languages: Sequence[SiteLink] = ()
    alternates: Sequence[SiteLink] = ()
    feeds: Sequence[SiteLink] = ()
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)
    notice: str = ""
    changed: Sequence[SiteLink] = ()
    trail: Sequence[SiteLink] = ()
    pager: Sequence[SiteLink] = ()
    data: Content | None = None


async def load_page_document(
    scope: Scope,
    snapshot: Snapshot,
    locale: str,
    *,
    live: bool,
    settings: SiteSettings | None = None,
    overlay: Overlay | None = None,
    now: datetime | None = None,
) -> PageDocument:
    """A state of a page in a language, with the settings of its site. Sections whose template is gone are left out.

    ``now`` says which dates are to come; by default that of the clock.
    """
    settings = settings or await load_settings(scope, live=live, locale=locale)
    overlay = overlay or Overlay()
    zone, now = settings.time_zone or "UTC", now or datetime.now(UTC)
    reader = Reader(scope=scope, locale=locale, zone=zone, live=live, overlay=overlay, now=now)
    read = await read_state(scope, snapshot, locale)
    sections = [
        (each.section.definition, each.structure, await _load_content(reader, each)) for each in read.known_sections
    ]
    is_entry = snapshot.kind == Kind.ENTRY
    times = (await load_publication_times(scope, [snapshot.id])).get(snapshot.id) if is_entry else None
    contents = [content for _, _, content in sections]
    title, theme = read.title, settings.theme or {}
    slots = (slot for content in contents for slot in iterate_image_slots(content))
    return PageDocument(
        site=settings.name,
        tagline=settings.tagline,
        theme_css=theme_css(theme),
        locale=locale,
        text_locale=next(code for code in (*read.chain, snapshot.locale) if code in snapshot.languages),
        icon=icon_address(settings.name, theme),
        logo=settings.logo,
        cover=next(slots, None),
        title=title,
        meta_title=read.texts.meta_title or (title if title == settings.name else f"{title} · {settings.name}"),
        meta_description=read.texts.meta_description or _summary_of(snapshot, contents),
        indexing=snapshot.indexing,
        sections=tuple(sections),
        images=await load_images(scope, [*contents, {"logo": settings.logo}]),
        is_entry=is_entry,
        date=None if times is None else reader.format_day(times.first),
        more=await _find_more(reader, read),
    )


async def _find_more(reader: Reader, read: Reading) -> Sequence[JsonValue]:
    """Other entries of the collection of an entry, with their days if readers look for them."""
    if read.snapshot.kind != Kind.ENTRY or not read.known_sections:
        return ()
    section = read.known_sections[0]
    collection = section.section.definition
    found = await find_entries(reader, collection, _MORE, without=read.snapshot.id)
    if has_days(collection, section.structure):
        return found
    return [{**each, "date": None} for each in iterate_items(found)]


def _summary_of(snapshot: Snapshot, contents: Sequence[Content]) -> str | None:
    """The summary of a post, which search engines show if it has no text for them."""
    summary = contents[0].get("excerpt") if snapshot.kind == Kind.ENTRY and contents else None
    return summary if isinstance(summary, str) and summary.strip() else None


async def _load_content(reader: Reader, read: SectionReading) -> Content:
    """What a reader sees of a section, with addresses in place of references."""
    locale, structure = reader.locale, read.structure
    content = await show_references(
        reader.scope, structure, read.content, locale, live=reader.live, overlay=reader.overlay
    )
    resolved = await resolve_links(reader.scope, content, locale, live=reader.live, overlay=reader.overlay)
    return await list_entries(reader, structure, format_values(structure, resolved, locale))
