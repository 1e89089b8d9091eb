"""The feeds of a site: the newest live entries of a collection in a language, as Atom (RFC 4287) and JSON Feed 1.1."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

from pydantic import JsonValue
from sqlalchemy import select

from remit_cms.models import Content
from remit_cms.rendering.documents import SiteLink
from remit_cms.rendering.values import format_values
from remit_cms.rich_text.html import render_rich_text
from remit_cms.sections.links import resolve_links, show_references
from remit_cms.settings.values import read_settings
from remit_cms.site.lists import name_collection
from remit_cms.site.lookup import Address, Edition, show_live
from remit_cms.storage.publication_times import publication_times
from remit_cms.storage.readings import read_states
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition, Site
from remit_cms.templates.slots import Slot, SlotType
from remit_cms.templates.values import iterate_items

MEDIA_TYPES: Final = {"feed.xml": "application/atom+xml", "feed.json": "application/feed+json"}
"""The feeds of each collection, by name: ``/posts/feed.xml``."""

_MAX_ENTRIES: Final = 50
_PATH: Final = re.compile(r"([a-z0-9-]{1,64})/(feed\.(?:xml|json))")
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ROOT_RELATIVE: Final = re.compile(r'(<a href=")/(?!/)')


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An entry of a feed. ``html`` is its text, which is safe to show."""

    id: str
    title: str
    href: str
    published: datetime
    updated: datetime
    html: str
    summary: str
    author: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed: where it is, where its site is, and its entries, the newest first."""

    title: str
    subtitle: str
    site: str
    url: str
    home: str
    locale: str
    updated: datetime
    entries: Sequence[FeedEntry]


async def render_feed(scope: Scope, address: Address, url: str, edition: Edition) -> str | None:
    """The text of the feed at an address; None without a collection with live entries. ``url`` is that of the site."""
    found = _PATH.fullmatch(address.path)
    if found is None:
        return None
    # The name of a collection is public with its first entry, which a person has approved.
    collection = (await _find_listed(scope)).get(found[1])
    if collection is None:
        return None
    feed = await _load_feed(scope, collection, address, url, edition)
    return _to_atom(feed) if found[2] == "feed.xml" else _to_json(feed)


async def link_feeds(scope: Scope, locale: str) -> list[SiteLink]:
    """The Atom feeds of the collections that have live entries, for the heads of pages."""
    default, collections = scope.default_locale, await _find_listed(scope)
    return [
        SiteLink(label=name_collection(each, locale), href=Address(locale, f"{key}/feed.xml").href(default))
        for key, each in collections.items()
    ]


async def list_feeds(scope: Scope) -> list[Address]:
    """All feeds of the collections that have live entries."""
    collections = await _find_listed(scope)
    return [Address(locale, f"{key}/{name}") for key in collections for locale in scope.locales for name in MEDIA_TYPES]


async def find_collections(scope: Scope) -> dict[str, SectionDefinition]:
    """The types that have live entries, by key."""
    live = select(PageSection.definition).join(Page, Page.id == PageSection.page).where(Page.live.is_not(None))
    query = select(SectionDefinition).where(
        scope.target.row_filter(SectionDefinition), SectionDefinition.kind == Kind.ENTRY, SectionDefinition.id.in_(live)
    )
    rows = await scope.session.scalars(query.order_by(SectionDefinition.key))
    return {row.key: row for row in rows}


async def _find_listed(scope: Scope) -> dict[str, SectionDefinition]:
    """The same without those of single documents, which have no feed."""
    found = await find_collections(scope)
    return {key: row for key, row in found.items() if not parse_structure(row).is_single}


async def _load_feed(scope: Scope, collection: SectionDefinition, address: Address, url: str, edition: Edition) -> Feed:
    moves = publication_times(scope)
    query = (
        select(Page, moves.c.first, moves.c.last)
        .join(PageSection, PageSection.page == Page.id)
        .join(moves, moves.c.page == Page.id)
        .where(scope.target.row_filter(Page), Page.live.is_not(None), PageSection.definition == collection.id)
        .order_by(moves.c.first.desc(), Page.id)
        .limit(_MAX_ENTRIES)
    )
    rows = (await scope.session.execute(query)).all()
    entries, overlay = list[FeedEntry](), edition.overlay(scope.locales)
    structure, live = parse_structure(collection), await show_live(scope, [row[0] for row in rows])
    read = await read_states(scope, [each.snapshot for each in live], address.locale)
    for shown, state, (page, first, last) in zip(live, read, rows, strict=True):
        content = await show_references(scope, structure, state.content, address.locale, live=True, overlay=overlay)
        content = await resolve_links(scope, content, address.locale, live=True, overlay=overlay)
        href = Address(address.locale, shown.addresses[address.locale]).href(scope.default_locale)
        entries.append(
            FeedEntry(
                id=f"tag:{urlsplit(url).hostname},{page.created_at:%Y-%m-%d}:{page.id}",
                title=state.title,
                href=f"{url}{href}",
                published=first,
                updated=last,
                html=_render(collection, content, address.locale, url),
                summary=_text(content, "excerpt"),
                author=_text(content, "author"),
                tags=tuple(filter(None, (_text(content, "category"), *_text(content, "tags").split(", ")))),
            )
        )
    settings = await read_settings(scope, edition.settings, address.locale)
    made = (await scope.session.get_one(Site, scope.target.site)).created_at
    return Feed(
        title=f"{settings.name} · {name_collection(collection, address.locale)}",
        subtitle=settings.tagline or "",
        site=settings.name,
        url=f"{url}{address.href(scope.default_locale)}",
        home=f"{url}{Address(address.locale, '').href(scope.default_locale)}",
        locale=address.locale,
        updated=max((entry.updated for entry in entries), default=made),
        entries=entries,
    )


def _render(collection: SectionDefinition, content: Content, locale: str, url: str) -> str:
    """The texts of an entry, with whole addresses, since readers show them elsewhere.

    Of a post that is its formatted text, since a feed has places of their own for the rest.
    """
    structure = parse_structure(collection)
    shown = format_values(structure, content, locale)
    labels = structure.labels_in(locale)
    slots = [slot for slot in structure.slots if collection.key != "posts" or slot.type is SlotType.RICH_TEXT]
    texts = (
        _render_list(slot, shown.get(slot.key), locale)
        if slot.type is SlotType.LIST
        else _render_value(slot, shown.get(slot.key), labels.get(slot.key, ""))
        for slot in slots
    )
    return with_whole_addresses("".join(texts), url)


def _render_list(slot: Slot, value: JsonValue, locale: str) -> str:
    """The items of a list below its label."""
    labels = slot.item.labels_in(locale) if len(slot.fields) > 1 else {}
    items = (
        "".join(_render_value(each, item.get(each.key), labels.get(each.key, "")) for each in slot.fields)
        for item in iterate_items(value)
    )
    listed = "".join(f"<li>{item}</li>" for item in items if item)
    return f"<p>{escape(slot.label_in(locale))}:</p><ul>{listed}</ul>" if listed else ""


def _render_value(slot: Slot, value: JsonValue, label: str) -> str:
    before = f"{escape(label)}: " if label else ""
    if slot.type is SlotType.REFERENCE and isinstance(value, dict):
        return f"<p>{before}<a href={quoteattr(str(value['url']))}>{escape(str(value['text']))}</a></p>"
    if isinstance(value, dict):
        value = value.get("text") if slot.type is SlotType.DATE else None
    if not isinstance(value, str) or not value.strip():
        return ""
    if slot.type is SlotType.RICH_TEXT:
        return render_rich_text(value)
    return f"<p>{escape(f'{label}: {value}' if label else value)}</p>"


def with_whole_addresses(html: str, url: str) -> str:
    """Formatted text that is shown elsewhere, with the address of the site before those of its pages."""
    return _ROOT_RELATIVE.sub(lambda found: f"{found[1]}{url}/", html)


def _text(content: Mapping[str, object], key: str) -> str:
    value = content.get(key)
    return value.strip() if isinstance(value, str) else ""


def _to_atom(feed: Feed) -> str:
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang={_quote(feed.locale)}>',
        _element("id", feed.url),
        _element("title", feed.title),
        _element("subtitle", feed.subtitle) if feed.subtitle else "",
        _element("updated", _format(feed.updated)),
        f"<author>{_element('name', feed.site)}</author>",
        f'<link rel="self" type="application/atom+xml" href={_quote(feed.url)}/>',
        f'<link rel="alternate" type="text/html" href={_quote(feed.home)}/>',
        *(_atom_entry(entry) for entry in feed.entries),
        "</feed>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _atom_entry(entry: FeedEntry) -> str:
    return "".join(
        [
            "<entry>",
            _element("id", entry.id),
            _element("title", entry.title),
            f'<link rel="alternate" type="text/html" href={_quote(entry.href)}/>',
            _element("published", _format(entry.published)),
            _element("updated", _format(entry.updated)),
            f"<author>{_element('name', entry.author)}</author>" if entry.author else "",
            *(f"<category term={_quote(tag)}/>" for tag in entry.tags),
            _element("summary", entry.summary) if entry.summary else "",
            f'<content type="html">{_escape(entry.html)}</content>' if entry.html else "",
            "</entry>",
        ]
    )


def _to_json(feed: Feed) -> str:
    items = [
        {
            "id": entry.id,
            "url": entry.href,
            "title": entry.title,
            "content_html": entry.html,
            **({"summary": entry.summary} if entry.summary else {}),
            "date_published": _format(entry.published),
            "date_modified": _format(entry.updated),
            **({"authors": [{"name": entry.author}]} if entry.author else {}),
            **({"tags": [*entry.tags]} if entry.tags else {}),
        }
        for entry in feed.entries
    ]
    about = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.home,
        "feed_url": feed.url,
        "language": feed.locale,
        "authors": [{"name": feed.site}],
    }
    return json.dumps({**about, "items": items}, ensure_ascii=False, indent=1) + "\n"


def _element(name: str, text: str) -> str:
    return f"<{name}>{_escape(text)}</{name}>"


def _escape(text: str) -> str:
    """A text as XML, without the characters that XML cannot hold."""
    return escape(_NOT_IN_XML.sub("", text))


def _quote(text: str) -> str:
    return quoteattr(_NOT_IN_XML.sub("", text))


def _format(time: datetime) -> str:
    return time.isoformat(timespec="seconds")
