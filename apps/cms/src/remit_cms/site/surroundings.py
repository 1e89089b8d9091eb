"""What stands around a page on its site: the menu, the way to it, the same page in other languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import select

from remit_cms.navigation.items import read_items
from remit_cms.rendering.documents import SiteLink, Surroundings, nest_links
from remit_cms.site.lists import ListPage, collection_of, find_list, find_lists
from remit_cms.site.lookup import Address, Edition, ShownPage, find_page, show_live
from remit_cms.site.menus import link_items
from remit_cms.site.words import text_in
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Locale, Page
from remit_cms.storage.translations import localize_texts

_MENU_WITHOUT_NAVIGATION: Final = 6


async def load_surroundings(scope: Scope, shown: ShownPage | None, locale: str, edition: Edition) -> Surroundings:
    """The menu in a language, the same page in other languages, and in a preview what it changes."""
    found = await link_items(scope, locale, edition)
    own, collection = (shown.addresses.get(locale) if shown else None) or "", collection_of(shown)
    pages = [each.item.page for each in found if each.item.page]
    lists = await find_lists(scope, collection, pages, edition) if collection else []
    links = [
        (
            each.item,
            each.path,
            SiteLink(
                label=each.item.label,
                href=each.href,
                current=shown is not None and each.item.page == shown.page,
                holds_current=each.item.page in lists or bool(each.path and own.startswith(f"{each.path}/")),
            ),
        )
        for each in found
    ]
    menu = [(path, link) for item, path, link in links if item.location in ("header", "both")]
    listing = [link for item, _, link in links if item.page in lists and item.location != "footer"]
    has_menu = any(item.visible for item in read_items(scope, edition.navigation))
    languages = await _link_languages(scope, shown, locale, edition)
    written = frozenset[str]() if shown is None else shown.snapshot.languages
    return Surroundings(
        home=Address(locale, "").href(scope.default_locale, edition.prefix),
        menu=nest_links(menu) or ([] if has_menu else await _menu_of_pages(scope, shown, locale, edition)),
        footer=[link for item, _, link in links if item.location in ("footer", "both")],
        languages=languages,
        alternates=[link for link in languages if link.language in written],
        trail=await _load_trail(scope, shown, locale, edition, listing),
        changed=_link_pages(scope, edition.pages.values(), shown, locale, edition),
    )


async def _load_trail(
    scope: Scope, shown: ShownPage | None, locale: str, edition: Edition, lists: Sequence[SiteLink]
) -> list[SiteLink]:
    """The way from the home page to a page or entry below another page; empty for those that have none above them.

    Above an entry is the first page of the menu that lists it, or else the list of its collection.
    """
    if shown is None or locale not in shown.addresses:
        return []
    *above, _ = shown.addresses[locale].split("/")
    if shown.snapshot.kind == Kind.ENTRY:
        home = Address(locale, "").href(scope.default_locale, edition.prefix)
        found = [link for link in lists if link.href != home][:1]
        if not found and above and (listed := await find_list(scope, Address(locale, above[0]), edition)):
            found = _link_pages(scope, [listed.page], None, locale, edition)
    else:
        parents = [Address(locale, "/".join(above[: number + 1])) for number in range(len(above))]
        pages = [page for each in parents if (page := await find_page(scope, each, edition))]
        found = _link_pages(scope, pages, None, locale, edition)
    if not found:
        return []
    start = SiteLink(
        label=text_in(locale, "start"), href=Address(locale, "").href(scope.default_locale, edition.prefix)
    )
    own = _link_pages(scope, [shown], shown, locale, edition)
    return [start, *(replace(link, holds_current=False) for link in found), *own]


async def _link_languages(scope: Scope, shown: ShownPage | None, locale: str, edition: Edition) -> list[SiteLink]:
    """The page in all its languages; the home page if an address has no page."""
    homes = {code: Address(code, "") for code in scope.locales}
    addresses = (
        homes
        if shown is None
        else {code: edition.address(shown.page, code, path) for code, path in shown.addresses.items()}
    )
    names = select(Locale.code, Locale.name).where(Locale.site == scope.target.site)
    languages = {code: name for code, name in await scope.session.execute(names)}  # noqa: C416 - rows are no pairs
    return [
        SiteLink(
            label=languages.get(code, code),
            href=addresses[code].href(scope.default_locale, edition.prefix),
            current=code == locale,
            language=code,
        )
        for code in scope.locales
        if code in addresses
    ]


def link_pager(scope: Scope, listed: ListPage, locale: str, edition: Edition) -> list[SiteLink]:
    """Links to the pages of a list before and after one of them."""
    default, pages = scope.default_locale, listed.addresses(locale)
    around = (("newer", listed.number - 1), ("older", listed.number + 1))
    return [
        SiteLink(label=text_in(locale, word), href=pages[number - 1].href(default, edition.prefix))
        for word, number in around
        if 1 <= number <= listed.last
    ]


def _link_pages(
    scope: Scope, pages: Iterable[ShownPage], shown: ShownPage | None, locale: str, edition: Edition
) -> list[SiteLink]:
    """Links to pages, with their titles in a language."""
    return [
        SiteLink(
            label=localize_texts(each.snapshot.texts, scope.fallback_chain(locale)).texts.title or "",
            href=edition.address(each.page, locale, each.addresses[locale]).href(scope.default_locale, edition.prefix),
            current=shown is not None and each.page == shown.page,
        )
        for each in pages
        if locale in each.addresses
    ]


async def _menu_of_pages(scope: Scope, shown: ShownPage | None, locale: str, edition: Edition) -> list[SiteLink]:
    """The oldest live pages, until the site has a navigation."""
    pinned = edition.pages
    query = select(Page).where(scope.target.row_filter(Page), edition.is_shown, Page.kind == Kind.PAGE)
    query = query.order_by(Page.created_at, Page.id).limit(_MENU_WITHOUT_NAVIGATION)
    oldest = (await scope.session.scalars(query)).all()
    live = {each.page: each for each in await show_live(scope, [page for page in oldest if page.id not in pinned])}
    return _link_pages(scope, ((pinned.get(page.id) or live[page.id]) for page in oldest), shown, locale, edition)
