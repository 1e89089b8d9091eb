"""Finds what an address of a site shows: a live page, a page that moved, or a revision that a preview pins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from remit_cms.navigation.items import load_items
from remit_cms.rendering.documents import SiteLink, Surroundings
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Environment, Kind, LivePath, Locale, Page, Publication, Redirect, Revision
from remit_cms.storage.translations import localize_texts

SHOWN_KINDS: Final = (Kind.PAGE, Kind.ENTRY)
"""The documents that have an address."""

HOME_SLUGS: Final = ("home", "index", "start")
"""The page that an address without a path shows is the live one with the first of these slugs, or else the oldest."""

_MENU_WITHOUT_NAVIGATION: Final = 6


@dataclass(frozen=True, slots=True)
class Address:
    """A path of the site, split into its language and the rest: ``/de/about`` is about in de."""

    locale: str
    path: str

    def href(self, default_locale: str, prefix: str = "") -> str:
        """The path as a link has it."""
        parts = [part for part in ("" if self.locale == default_locale else self.locale, self.path) if part]
        return f"{prefix}/{'/'.join(parts)}"


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page as an address shows it, with its addresses by language."""

    page: str
    snapshot: Snapshot
    addresses: Mapping[str, str]


def parse_address(scope: Scope, path: str) -> Address:
    """The language and the rest of a path."""
    first, _, rest = path.strip("/").partition("/")
    if first in scope.locales:
        return Address(first, rest)
    return Address(scope.default_locale, path.strip("/"))


async def find_page(scope: Scope, address: Address, pinned: Mapping[str, ShownPage]) -> ShownPage | None:
    """The page at an address: one of those that a preview pins, by id, or a live one."""
    for each in pinned.values():
        if each.addresses.get(address.locale) == address.path:
            return each
    if not address.path:
        return await find_home(scope)
    at_address = (LivePath.locale == address.locale, LivePath.path == address.path)
    query = select(Page).join(LivePath, LivePath.page == Page.id)
    query = query.where(scope.target.row_filter(LivePath), *at_address, Page.kind.in_(SHOWN_KINDS))
    page = (await scope.session.scalars(query)).first()
    return None if page is None or page.id in pinned else (await show_live(scope, [page]))[0]


async def find_home(scope: Scope) -> ShownPage | None:
    """The page at the address without a path."""
    live = select(Page).where(scope.target.row_filter(Page), Page.live.is_not(None), Page.kind == Kind.PAGE)
    named = {page.live_path: page for page in await scope.session.scalars(live.where(Page.live_path.in_(HOME_SLUGS)))}
    page = next((named[slug] for slug in HOME_SLUGS if slug in named), None)
    page = page or (await scope.session.scalars(live.order_by(Page.created_at, Page.id).limit(1))).first()
    return None if page is None else (await show_live(scope, [page]))[0]


async def find_redirect(scope: Scope, address: Address) -> Address | None:
    """Where a page went that was live at an address."""
    query = (
        select(LivePath.path)
        .join(Redirect, (Redirect.page == LivePath.page) & (Redirect.locale == LivePath.locale))
        .where(scope.target.row_filter(Redirect), Redirect.locale == address.locale, Redirect.path == address.path)
    )
    path = await scope.session.scalar(query.limit(1))
    return None if path is None else Address(address.locale, path)


async def list_pages(scope: Scope) -> list[tuple[ShownPage, str]]:
    """All live pages, oldest first, each with the day on which it was published last."""
    query = (
        select(Page, Publication.created_at)
        .join(Publication, (Publication.page == Page.id) & (Publication.after == Page.live))
        .where(scope.target.row_filter(Page), Page.live.is_not(None), Page.kind.in_(SHOWN_KINDS))
        .order_by(Page.created_at, Page.id, Publication.number)
    )
    days = {page.id: (page, f"{day:%Y-%m-%d}") for page, day in (await scope.session.execute(query)).all()}
    shown = await show_live(scope, [page for page, _ in days.values()])
    return [(each, day) for each, (_, day) in zip(shown, days.values(), strict=True)]


async def list_redirects(scope: Scope) -> list[tuple[Address, Address]]:
    """All addresses that moved, with where to."""
    query = select(Redirect).where(scope.target.row_filter(Redirect)).order_by(Redirect.locale, Redirect.path)
    old = [Address(row.locale, row.path) for row in await scope.session.scalars(query)]
    return [(each, new) for each in old if (new := await find_redirect(scope, each)) is not None]


async def load_version(session: AsyncSession, target: Target) -> int | None:
    """A number that is another one after anything was changed that visitors see."""
    where = (Environment.site == target.site, Environment.name == target.environment)
    return await session.scalar(select(Environment.version).where(*where))


async def load_surroundings(
    scope: Scope, shown: ShownPage | None, locale: str, pinned: Mapping[str, ShownPage], prefix: str = ""
) -> Surroundings:
    """The menu in a language, and the same page in other languages.

    For previews, ``pinned`` are the pages that stand in for live ones, by id, and ``prefix`` begins each address.
    """
    items = [item for item in await load_items(scope, live=True, locale=locale) if item.visible]
    paths = await _load_paths(scope, [item.page.id for item in items if item.page])
    paths |= {each.page: {**each.addresses} for each in pinned.values()}
    links: list[tuple[str, SiteLink]] = []
    for item in items:
        path = paths.get(item.page.id, {}).get(locale) if item.page else None
        href = item.url or (None if path is None else Address(locale, path).href(scope.default_locale, prefix))
        if href is not None:
            current = shown is not None and item.wanted == shown.page
            links.append((item.location, SiteLink(label=item.label, href=href, current=current)))
    return Surroundings(
        home=Address(locale, "").href(scope.default_locale, prefix),
        menu=[link for location, link in links if location in ("header", "both")]
        or ([] if items else await _menu_of_pages(scope, shown, locale, pinned, prefix)),
        footer=[link for location, link in links if location in ("footer", "both")],
        languages=[] if shown is None else await _link_languages(scope, shown, locale, prefix),
    )


async def _link_languages(scope: Scope, shown: ShownPage, locale: str, prefix: str) -> list[SiteLink]:
    names = select(Locale.code, Locale.name).where(Locale.site == scope.target.site)
    languages = {code: name for code, name in await scope.session.execute(names)}  # noqa: C416 - rows are no pairs
    return [
        SiteLink(
            label=languages.get(code, code),
            href=Address(code, shown.addresses[code]).href(scope.default_locale, prefix),
            current=code == locale,
            language=code,
        )
        for code in scope.locales
        if code in shown.addresses
    ]


async def _menu_of_pages(
    scope: Scope, shown: ShownPage | None, locale: str, pinned: Mapping[str, ShownPage], prefix: str
) -> list[SiteLink]:
    """The oldest live pages, until the site has a navigation."""
    listed = or_(Page.live.is_not(None), Page.id.in_(pinned))
    query = select(Page).where(scope.target.row_filter(Page), listed, Page.kind == Kind.PAGE)
    query = query.order_by(Page.created_at, Page.id).limit(_MENU_WITHOUT_NAVIGATION)
    oldest = (await scope.session.scalars(query)).all()
    live = {each.page: each for each in await show_live(scope, [page for page in oldest if page.id not in pinned])}
    return [
        SiteLink(
            label=localize_texts(each.snapshot.texts, scope.fallback_chain(locale)).texts.title or "",
            href=Address(locale, each.addresses[locale]).href(scope.default_locale, prefix),
            current=shown is not None and each.page == shown.page,
        )
        for each in ((pinned.get(page.id) or live[page.id]) for page in oldest)
        if locale in each.addresses
    ]


async def show_live(scope: Scope, pages: list[Page]) -> list[ShownPage]:
    """Live pages at their live revisions, in the order in which they are given."""
    ids = [page.id for page in pages]
    query = select(Revision.page, Revision.snapshot).join(
        Page, (Page.id == Revision.page) & (Page.live == Revision.number)
    )
    found = {page: snapshot for page, snapshot in await scope.session.execute(query.where(Page.id.in_(ids)))}  # noqa: C416
    paths = await _load_paths(scope, ids)
    return [ShownPage(each, Snapshot.model_validate(found[each]), paths.get(each, {})) for each in ids]


async def _load_paths(scope: Scope, pages: Iterable[str]) -> dict[str, dict[str, str]]:
    """The addresses of live pages, by page and language."""
    found: dict[str, dict[str, str]] = {}
    query = select(LivePath).where(scope.target.row_filter(LivePath), LivePath.page.in_([*pages]))
    for row in sorted(await scope.session.scalars(query), key=lambda row: scope.locales.index(row.locale)):
        found.setdefault(row.page, {})[row.locale] = row.path
    return found
