"""The lists of collections: each has one at its key, such as ``/breads``, unless a page of the site shows it whole."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue
from sqlalchemy import func, select

from remit_cms.models import Content
from remit_cms.navigation.items import read_items
from remit_cms.rendering.entries import has_days
from remit_cms.site.lookup import (
    Address,
    Edition,
    ShownPage,
    find_live_href,
    find_page,
    find_redirect,
    list_pages,
    show_live,
)
from remit_cms.site.words import text_in
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition
from remit_cms.storage.translations import PageTexts

_PAGE_LENGTH: Final = 24
_PATH: Final = re.compile(r"([a-z0-9-]{1,64})(?:/page/([1-9][0-9]{0,3}))?")
_POSTS: Final = ("posts", "Posts")
"""Key and name of the collection that each site has, whose name is one of the site's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """A generated page that lists a collection with a number of entries."""

    page: ShownPage
    collection: str
    count: int
    number: int

    @property
    def last(self) -> int:
        """The number of its last page."""
        return -(-self.count // _PAGE_LENGTH)

    def addresses(self, locale: str) -> list[Address]:
        """All pages of the list in a language."""
        return [Address(locale, _path(self.collection, number)) for number in range(1, self.last + 1)]


async def find_list(scope: Scope, address: Address, edition: Edition) -> ListPage | None:
    """The page of a list at an address; None if there is no collection of that key with entries that visitors see."""
    found = _PATH.fullmatch(address.path)
    counts = await _count_entries(scope, edition, found[1]) if found else {}
    if found is None or found[1] not in counts or found[2] == "1":
        return None
    listed = _make_list(scope, *counts[found[1]], number=int(found[2] or 1))
    return None if listed.number > listed.last else listed


async def find_content(
    scope: Scope, address: Address, edition: Edition, site_url: str
) -> ShownPage | ListPage | str | None:
    """What an address shows: a page, the page of a list, or another address, to which it leads."""
    shown = await find_page(scope, address, edition)
    if shown is not None:
        return shown
    new = await find_redirect(scope, address, edition, site_url)
    if new is not None:
        return new
    listed = await find_list(scope, address, edition)
    if listed is None:
        return None
    whole = (await _find_whole(scope, [listed], edition)).get(listed.collection)
    return listed if whole is None else await find_live_href(scope, whole, address.locale, edition)


async def load_lists(scope: Scope, edition: Edition) -> list[ListPage]:
    """The first pages of all lists that no page of the site shows whole."""
    counts = await _count_entries(scope, edition)
    made = [_make_list(scope, collection, count) for collection, count in counts.values()]
    whole = await _find_whole(scope, made, edition)
    return [each for each in made if each.collection not in whole]


async def list_shown(scope: Scope, edition: Edition) -> list[tuple[ShownPage, str]]:
    """All live pages and the first pages of all lists, each with the day on which it was published last."""
    pages, days = await list_pages(scope), dict[str, str]()
    for page, day in pages:
        collection = collection_of(page)
        days[collection] = max(day, days.get(collection, ""))
    lists = [each.page for each in await load_lists(scope, edition)]
    return [*pages, *((each, days[each.snapshot.slug]) for each in lists)]


async def find_lists(scope: Scope, collection: str, pages: Collection[str], edition: Edition) -> list[str]:
    """Those of some pages that list entries of a collection."""
    states = await _load_states(scope, pages, edition)
    return [page for page, snapshot in states.items() if any(_limits(snapshot, collection))]


async def _find_whole(scope: Scope, lists: Sequence[ListPage], edition: Edition) -> dict[str, str]:
    """By collection, the first page of the menu that lists all of its entries; those without one are left out."""
    items = read_items(scope, edition.navigation) if lists else []
    pages = [item.page for item in items if item.page and item.visible]
    states = await _load_states(scope, pages, edition)
    found: dict[str, str] = {}
    for listed in lists:
        for page in pages:
            if max(_limits(states.get(page), listed.collection), default=0) >= listed.count:
                found.setdefault(listed.collection, page)
    return found


async def _load_states(scope: Scope, pages: Collection[str], edition: Edition) -> dict[str, Snapshot]:
    """Some pages as they are shown, by id."""
    pinned = {page: edition.pages[page].snapshot for page in pages if page in edition.pages}
    live = (Page.id.in_({*pages} - pinned.keys()), edition.is_shown)
    rows = await scope.session.scalars(select(Page).where(scope.target.row_filter(Page), *live))
    return pinned | {each.page: each.snapshot for each in await show_live(scope, [*rows])}


def collection_of(shown: ShownPage | None) -> str:
    """The collection of an entry; empty for pages."""
    is_entry = shown is not None and shown.snapshot.kind == Kind.ENTRY and shown.snapshot.sections
    return shown.snapshot.sections[0].definition if shown is not None and is_entry else ""


def name_collection(collection: SectionDefinition, locale: str) -> str:
    """The name of a collection in a language."""
    is_posts = (collection.key, collection.name) == _POSTS
    usual = text_in(locale, "posts") if is_posts else collection.name
    return parse_structure(collection).name_in(locale, usual)


def _limits(snapshot: Snapshot | None, collection: str) -> Iterator[int]:
    """How many entries of a collection the lists of a page show."""
    for section in snapshot.sections if snapshot else ():
        for content in section.contents.values():
            for value in content.values():
                if isinstance(value, dict) and value.get("collectionId") == collection:
                    limit = value.get("limit")
                    yield limit if isinstance(limit, int) else 10


async def _count_entries(scope: Scope, edition: Edition, key: str = "") -> dict[str, tuple[SectionDefinition, int]]:
    """The collections with the numbers of their entries that are shown, by key. Single documents have no list."""
    definition = SectionDefinition
    query = (
        select(definition, func.count())
        .join(PageSection, PageSection.definition == definition.id)
        .join(Page, Page.id == PageSection.page)
        .where(scope.target.row_filter(Page), Page.kind == Kind.ENTRY, edition.is_shown)
        .group_by(definition.id)
        .order_by(definition.key)
    )
    rows = await scope.session.execute(query.where(definition.key == key) if key else query)
    return {row[0].key: (row[0], row[1]) for row in rows if not parse_structure(row[0]).is_single}


def _make_list(scope: Scope, collection: SectionDefinition, count: int, *, number: int = 1) -> ListPage:
    key, structure = collection.key, parse_structure(collection)
    entries: dict[str, JsonValue] = {
        "collectionId": key,
        "limit": _PAGE_LENGTH,
        "offset": (number - 1) * _PAGE_LENGTH,
    }
    default, path = scope.default_locale, _path(key, number)
    titles = {code: name_collection(collection, code) for code in scope.locales}
    dates = "shown" if has_days(key, structure) else "hidden"
    content: Content = {"entries": entries, "dates": dates}
    section = SectionSnapshot(id="list", definition="entry-list", sort_order=0, contents={default: content})
    snapshot = Snapshot(
        id="",
        locale=default,
        slug=path,
        title=titles[default],
        translations={code: PageTexts(title=title) for code, title in titles.items() if code != default},
        sections=[section],
    )
    page = ShownPage("", snapshot, dict.fromkeys(scope.locales, path))
    return ListPage(page=page, collection=key, count=count, number=number)


def _path(key: str, number: int) -> str:
    return key if number == 1 else f"{key}/page/{number}"
