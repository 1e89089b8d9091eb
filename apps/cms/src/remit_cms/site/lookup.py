"""Finds what an address of a site shows: a live page, a page that moved, or a revision that a preview pins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from remit_cms.redirects.items import SiteRedirect, read_redirects
from remit_cms.sections.links import Overlay, find_addresses
from remit_cms.singles.hosts import is_on_site
from remit_cms.storage.documents import load_document
from remit_cms.storage.home import home_of
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.singles import SINGLES
from remit_cms.storage.snapshots import Snapshot, load_live
from remit_cms.storage.tables import Environment, Kind, LivePath, Page, Publication, Redirect
from remit_cms.storage.translations import slugs_by_locale
from remit_cms.templates.references import KINDS, ObjectRef

SHOWN_KINDS: Final = (Kind.PAGE, Kind.ENTRY)
"""The documents that have an address."""

HOME_SLUGS: Final = ("home", "index", "start")
"""Without a home page in the settings, it is the page with the first of these slugs."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """Which state of a site is shown: what is live, or a preview of it with other revisions of some documents.

    ``pages`` are those that a preview shows in place of live ones, by id, ``prefix`` is what its addresses begin with.
    ``redirects`` are those of the owner, where they are not the live ones or are known already.
    ``home`` is the page whose address has no path; while there is none, the page ``stand_in`` is shown there too.
    ``changed`` are the kinds of documents around all pages that a preview changes, such as the settings, ``hidden`` the
    titles of pages that it hides, by id. A preview ``is_live`` if visitors see the same, as after its publication.
    ``at`` is the time at which visitors would see what it shows; None for no time to come.
    """

    prefix: str = ""
    pages: Mapping[str, ShownPage] = field(default_factory=dict[str, ShownPage])
    settings: Snapshot | None = None
    navigation: Snapshot | None = None
    redirects: Snapshot | None = None
    home: ShownPage | None = None
    stand_in: ShownPage | None = None
    changed: Sequence[Kind] = ()
    hidden: Mapping[str, str] = field(default_factory=dict[str, str])
    is_live: bool = False
    at: datetime | None = None

    @property
    def is_shown(self) -> ColumnElement[bool]:
        """The condition that a page is shown."""
        return Overlay(snapshots=self._states, hidden=self.hidden).is_shown

    @property
    def _states(self) -> dict[str, Snapshot]:
        return {page: each.snapshot for page, each in self.pages.items()}

    def is_home(self, page: str) -> bool:
        """Whether a page is the one whose address has no path."""
        return self.home is not None and self.home.page == page

    def address(self, page: str, locale: str, path: str) -> Address:
        """The one address that the site gives a page."""
        return Address(locale, "" if self.is_home(page) else path)

    def overlay(self, locales: Iterable[str]) -> Overlay:
        """What differs from the live addresses."""
        paths = {page: each.addresses for page, each in self.pages.items()}
        paths |= {self.home.page: dict.fromkeys(locales, "")} if self.home else {}
        return Overlay(self.prefix, paths, self._states, self.hidden)


async def load_edition(
    scope: Scope, pinned: Collection[Snapshot] = (), prefix: str = "", *, hidden: Collection[str] = ()
) -> Edition:
    """What is live, or with some revisions in place of it and without the pages that are hidden."""
    revisions = {each.kind: each for each in pinned}
    pages = {
        each.id: ShownPage(each.id, each, slugs_by_locale(scope, each.texts))
        for each in pinned
        if each.kind in SHOWN_KINDS
    }
    settings, navigation = [
        revisions.get(kind) or await load_document(scope, kind, live=True) for kind in (Kind.SETTINGS, Kind.NAVIGATION)
    ]
    titles = select(Page).where(scope.target.id_filter(Page, Page.id, hidden)).order_by(Page.slug, Page.id)
    edition = Edition(
        prefix=prefix,
        pages=pages,
        settings=settings,
        navigation=navigation,
        redirects=revisions.get(Kind.REDIRECTS),
        changed=[each.kind for each in SINGLES.values() if each.kind in revisions],
        hidden={page.id: page.title for page in await scope.session.scalars(titles)} if hidden else {},
    )
    home = await _find_chosen_home(scope, edition, home_of(settings)) or await _find_named_home(scope, edition)
    return replace(edition, home=home, stand_in=await _find_oldest(scope, edition) if home is None else None)


async def find_preview_path(scope: Scope, shown: Snapshot) -> str:
    """The path of a document in a preview of it; that of the home page for documents that have none."""
    edition = await load_edition(scope, [shown])
    page = edition.pages.get(shown.id)
    return "" if page is None or edition.is_home(shown.id) else page.addresses[scope.default_locale]


async def _find_chosen_home(scope: Scope, edition: Edition, wanted: str | None) -> ShownPage | None:
    """The page that settings name, if it is shown."""
    if wanted is None or wanted in edition.pages:
        return edition.pages.get(wanted or "")
    chosen = (Page.id == wanted, edition.is_shown, Page.kind == Kind.PAGE)
    found = await scope.session.scalars(select(Page).where(scope.target.row_filter(Page), *chosen))
    shown = await show_live(scope, [*found])
    return shown[0] if shown else None


async def _find_named_home(scope: Scope, edition: Edition) -> ShownPage | None:
    """The page with one of the usual slugs."""
    pinned = {each.page: each for each in edition.pages.values() if each.snapshot.kind == Kind.PAGE}
    named = {each.addresses[scope.default_locale]: each for each in pinned.values()}
    live = select(Page).where(scope.target.row_filter(Page), Page.kind == Kind.PAGE, edition.is_shown)
    rows = {page.live_path: page for page in await scope.session.scalars(live.where(Page.live_path.in_(HOME_SLUGS)))}
    for slug in HOME_SLUGS:
        if slug in named:
            return named[slug]
        if slug in rows and rows[slug].id not in pinned:
            return (await show_live(scope, [rows[slug]]))[0]
    return None


async def _find_oldest(scope: Scope, edition: Edition) -> ShownPage | None:
    """The oldest page."""
    pinned = {each.page: each for each in edition.pages.values() if each.snapshot.kind == Kind.PAGE}
    query = select(Page).where(scope.target.row_filter(Page), Page.kind == Kind.PAGE, edition.is_shown)
    oldest = (await scope.session.scalars(query.order_by(Page.created_at, Page.id).limit(1))).first()
    if oldest is None:
        return next(iter(pinned.values()), None)
    return pinned.get(oldest.id) or (await show_live(scope, [oldest]))[0]


def parse_address(scope: Scope, path: str) -> Address:
    """The language and the rest of a path."""
    return Address(*scope.split_address(path))


async def find_page(scope: Scope, address: Address, edition: Edition) -> ShownPage | None:
    """The page at an address."""
    if not address.path:
        return edition.home or edition.stand_in
    for each in edition.pages.values():
        if each.addresses.get(address.locale) == address.path:
            return each
    at_address = (LivePath.locale == address.locale, LivePath.path == address.path)
    query = select(Page).join(LivePath, LivePath.page == Page.id)
    query = query.where(scope.target.row_filter(LivePath), *at_address, Page.kind.in_(SHOWN_KINDS))
    page = (await scope.session.scalars(query)).first()
    is_elsewhere = page is None or page.id in edition.pages or page.id in edition.hidden
    return None if page is None or is_elsewhere else (await show_live(scope, [page]))[0]


async def find_redirect(scope: Scope, address: Address, edition: Edition, site_url: str) -> str | None:
    """Where an address leads that has no page: as the owner of the site says, or to the page that was live there.

    Args:
        scope: the transaction.
        address: the address.
        edition: the state of the site.
        site_url: the address of the site, to which no redirect leads that names no page: it might never end.
    """
    path = scope.format_address(address.locale, address.path.lower())
    for each in await _load_own(scope, edition):
        if each.path == path and (href := await _find_href(scope, each, edition, site_url)):
            return href
    query = select(Redirect.page).where(scope.target.row_filter(Redirect), Redirect.path == address.path)
    moved = await scope.session.scalar(query.where(Redirect.locale == address.locale))
    return None if moved is None else await find_live_href(scope, moved, address.locale, edition)


async def _load_own(scope: Scope, edition: Edition) -> list[SiteRedirect]:
    document = edition.redirects or await load_document(scope, Kind.REDIRECTS, live=True)
    return read_redirects(scope, document)


async def _find_href(scope: Scope, redirect: SiteRedirect, edition: Edition, site_url: str) -> str | None:
    if redirect.target is not None:
        return await find_live_href(scope, redirect.target.id, redirect.locale, edition)
    return None if redirect.url is None or is_on_site(redirect.url, site_url) else redirect.url


async def find_live_href(scope: Scope, page: str, locale: str, edition: Edition) -> str | None:
    """The address of a page that is shown."""
    names, overlay = {ObjectRef(kind, page) for kind in KINDS}, edition.overlay(scope.locales)
    return next(iter((await find_addresses(scope, names, locale, live=True, overlay=overlay)).values()), None)


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


async def list_redirects(scope: Scope, edition: Edition, site_url: str) -> list[tuple[str, str]]:
    """All addresses without a page that lead somewhere, with where to."""
    edition = replace(edition, redirects=edition.redirects or await load_document(scope, Kind.REDIRECTS, live=True))
    query = select(Redirect).where(scope.target.row_filter(Redirect)).order_by(Redirect.locale, Redirect.path)
    old = [parse_address(scope, each.path) for each in await _load_own(scope, edition)]
    old += [Address(row.locale, row.path) for row in await scope.session.scalars(query)]
    return [
        (each.href(scope.default_locale), href)
        for each in dict.fromkeys(old)
        if await find_page(scope, each, edition) is None
        and (href := await find_redirect(scope, each, edition, site_url)) is not None
    ]


async def load_version(session: AsyncSession, target: Target) -> int | None:
    """A number that is another one after anything was changed that visitors see."""
    where = (Environment.site == target.site, Environment.name == target.environment)
    return await session.scalar(select(Environment.version).where(*where))


async def show_live(scope: Scope, pages: list[Page]) -> list[ShownPage]:
    """Live pages at their live revisions, in the order in which they are given."""
    ids = [page.id for page in pages]
    live, paths = await load_live(scope, ids), await load_paths(scope, ids)
    return [ShownPage(each, live[each], paths.get(each, {})) for each in ids]


async def load_paths(scope: Scope, pages: Iterable[str]) -> dict[str, dict[str, str]]:
    """The addresses of live pages, by page and language."""
    found: dict[str, dict[str, str]] = {}
    query = select(LivePath).where(scope.target.row_filter(LivePath), LivePath.page.in_([*pages]))
    for row in sorted(await scope.session.scalars(query), key=lambda row: scope.locales.index(row.locale)):
        found.setdefault(row.page, {})[row.locale] = row.path
    return found
