"""A transaction on one target: the rows that an operation may see and name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import ColumnElement, and_, func, or_, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import QueryableAttribute

from remit.errors import InvalidArgumentsError, NotFoundError
from remit.tools import Seen
from remit_cms.storage.keys import name_key
from remit_cms.storage.missing import DOCUMENT, ENTRY, PAGE, SECTION, Named, Sort, not_found
from remit_cms.storage.names import NameTrigram, trigrams_of
from remit_cms.storage.tables import (
    NAMED_KINDS,
    Environment,
    Kind,
    LivePath,
    Locale,
    Page,
    PageSection,
    PageTranslation,
    Redirect,
    Scoped,
    SectionDefinition,
    Site,
)
from remit_cms.templates.slots import Structure

EARLIER: Final = "earlier-"
"""Begins the kind of an object of which an earlier state was shown: what visitors see of it, or what it once was."""
_MAX_SIMILAR: Final = 50
"""So many names are compared letter by letter."""
_MAX_TRIGRAMS: Final = 200
_MAX_NAMED: Final = 500
_MAX_SUGGESTED: Final = 10
_SORTS: Final[Mapping[tuple[Kind, ...], Sort]] = {(Kind.PAGE,): PAGE, (Kind.ENTRY,): ENTRY}


@dataclass(frozen=True, slots=True)
class Target:
    """The site and environment of an operation. Rows of other targets do not exist for it."""

    site: str
    environment: str

    @property
    def row(self) -> dict[str, str]:
        """The columns by which a row belongs to this target."""
        return {"site": self.site, "environment": self.environment}

    def row_filter(self, table: type[Scoped]) -> ColumnElement[bool]:
        """The condition that a row belongs to this target."""
        return and_(table.site == self.site, table.environment == self.environment)

    def id_filter(
        self, table: type[Scoped], column: QueryableAttribute[str], ids: Iterable[str]
    ) -> ColumnElement[bool]:
        """The condition that a row belongs to this target and has one of these ids in a column."""
        # As an expression: SQLite takes a site for small, and would read all of its rows rather than those of the ids.
        return and_(column.in_([*ids]), table.site + "/" + table.environment == f"{self.site}/{self.environment}")


@dataclass(frozen=True, slots=True)
class Scope:
    """An open transaction on one target.

    Its methods find what a caller named, and suggest alternatives if there is none. Rows of other tenants are reported
    as not found in the same words.
    """

    session: AsyncSession
    target: Target
    locales: tuple[str, ...]
    """The site's locales, the default first."""
    seen: list[Seen] = field(default_factory=list[Seen])
    """What the caller is shown, for the journal."""

    def show(self, page: Page, *parts: str) -> None:
        """Tell the journal which parts of a page the caller is shown; all without parts."""
        self.seen.append(Seen(page.kind, page.id, str(page.revision), parts))

    def show_revision(self, page: Page, number: int, *parts: str) -> None:
        """Tell the journal that the caller is shown these parts of a page as a revision has them."""
        kind = page.kind if number == page.revision else EARLIER + page.kind
        self.seen.append(Seen(kind, page.id, str(number), parts))

    @property
    def default_locale(self) -> str:
        """The locale of content without an explicit one."""
        return self.locales[0]

    def fallback_chain(self, locale: str) -> tuple[str, ...]:
        """The locales whose texts stand in for a locale, itself first: de-AT, de, and the default last."""
        return make_fallback_chain(locale, self.locales)

    def format_address(self, locale: str, path: str) -> str:
        """The address of a page for visitors: ``/about``, or in another locale than the default ``/de/about``."""
        return f"/{path}" if locale == self.default_locale else f"/{locale}/{path}".rstrip("/")

    def split_address(self, path: str) -> tuple[str, str]:
        """The language of the address of a page, and the rest: ``/de/about`` is about in de."""
        return split_address(path, self.locales)

    def resolve_locale(self, code: str | None) -> str:
        """The locale with this code, or the default.

        Raises:
            InvalidArgumentsError: the site has no such locale.
        """
        if code is None or code in self.locales:
            return code or self.default_locale
        raise InvalidArgumentsError(f"No locale '{code}' on this site. Its locales: {', '.join(self.locales)}.")

    async def find_page(self, name: str) -> Page:
        """The page with this id or slug, or else the only one with this title, or with this name in another locale.

        Raises:
            NotFoundError: suggests similar pages.
            InvalidArgumentsError: names those that it may mean.
        """
        return await self.find_document(name, Kind.PAGE)

    async def find_document(self, name: str, *kinds: Kind) -> Page:
        """The document of these kinds, or of any, with this id or slug, or else the only one with this title.

        Without one it is that which visitors find at this address.

        Raises:
            NotFoundError: suggests similar ones.
            InvalidArgumentsError: names those that it may mean.
        """
        of_kind = Page.kind.in_(kinds or NAMED_KINDS)
        in_target = select(Page).where(self.target.row_filter(Page), of_kind)
        slug = slug_of(name)
        # Not one query with OR: SQLite would read all pages of the site.
        by_id_or_slug = union_all(
            in_target.where(Page.id == name), in_target.where(Page.slug == slug, Page.parent.is_(None))
        )
        found = (await self.session.scalars(select(Page).from_statement(by_id_or_slug))).all()
        if found:
            return min(found, key=lambda page: (page.id != name, page.locale != self.default_locale))
        others = await find_named(self, name, kinds) or await find_by_address(self, name, kinds)
        if len(others) == 1:
            return others[0]
        if others:
            raise InvalidArgumentsError(f"'{name}' may mean {list_pages(others)}; give the id or slug of one.")
        if kinds == (Kind.PAGE,):
            await check_is_no_entry(self, name)
        similar = await self.find_similar(name, *kinds)
        named = (Named(page.title, f"/{page.slug}", page.id, (page.slug,)) for page in similar)
        raise not_found(_SORTS.get(kinds, DOCUMENT), name, named)

    async def find_similar(self, name: str, *kinds: Kind) -> list[Page]:
        """The documents of these kinds, or of any, whose names share most trigrams with a name, then others."""
        chosen = and_(self.target.row_filter(Page), Page.kind.in_(kinds or NAMED_KINDS))
        trigrams = sorted(trigrams_of(name))[:_MAX_TRIGRAMS]
        shared = (
            select(NameTrigram.page, func.count().label("number"))
            .where(self.target.row_filter(NameTrigram), NameTrigram.trigram.in_(trigrams))
            .group_by(NameTrigram.page)
            .order_by(func.count().desc(), NameTrigram.page)
            .limit(2 * _MAX_SIMILAR)
            .subquery()
        )
        query = select(Page).join(shared, shared.c.page == Page.id).where(chosen)
        query = query.order_by(shared.c.number.desc(), Page.slug, Page.id).limit(_MAX_SIMILAR)
        found = [*await self.session.scalars(query)]
        if len(found) < _MAX_SIMILAR:
            others = select(Page).where(chosen, Page.id.not_in([page.id for page in found]))
            found += await self.session.scalars(others.order_by(Page.slug, Page.id).limit(_MAX_SIMILAR - len(found)))
        return found

    async def find_page_by_id(self, page_id: str) -> Page:
        """The page with exactly this id, for operations that cannot be undone.

        Raises:
            NotFoundError: names the id if a slug was given.
        """
        page = await self.find_page(page_id)
        if page.id != page_id:
            raise NotFoundError(
                f"No page has the id '{page_id}'. The page with that slug is '{page.title}', id {page.id}."
            )
        return page

    async def find_section(self, section_id: str, *kinds: Kind) -> tuple[PageSection, Page, SectionDefinition]:
        """The section with this id, its page, or its document of one of these kinds, and its template.

        Raises:
            NotFoundError: there is none.
        """
        query = (
            select(PageSection, Page, SectionDefinition)
            .join(Page, Page.id == PageSection.page)
            .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
            .where(PageSection.id == section_id, self.target.row_filter(Page), Page.kind.in_(kinds or (Kind.PAGE,)))
        )
        found = (await self.session.execute(query)).first()
        if found is None:
            raise not_found(SECTION, section_id)
        return found[0], found[1], found[2]

    async def find_definition(self, id_or_key: str, kind: Kind = Kind.PAGE) -> SectionDefinition:
        """The template of a section, or of documents of another kind, with this id or key.

        Raises:
            NotFoundError: names all keys.
        """
        in_target = and_(self.target.row_filter(SectionDefinition), SectionDefinition.kind == kind)
        query = select(SectionDefinition).where(
            in_target, or_(SectionDefinition.id == id_or_key, SectionDefinition.key == id_or_key)
        )
        found = (await self.session.scalars(query)).first()
        if found is not None:
            return found
        keys = (
            await self.session.scalars(select(SectionDefinition.key).where(in_target).order_by(SectionDefinition.key))
        ).all()
        if kind is Kind.ENTRY:
            raise NotFoundError(f"There is no collection '{id_or_key}'. Existing collections: {', '.join(keys)}.")
        raise NotFoundError(f"There is no section template '{id_or_key}'. Existing templates: {', '.join(keys)}.")

    async def load_structures(self, keys: Collection[str]) -> dict[str, Structure]:
        """The structures of the templates with these keys, by key. Those that are gone are left out."""
        chosen = and_(self.target.row_filter(SectionDefinition), SectionDefinition.key.in_(keys))
        rows = await self.session.scalars(select(SectionDefinition).where(chosen))
        return {row.key: parse_structure(row) for row in rows}


def split_address(path: str, locales: Sequence[str]) -> tuple[str, str]:
    """The language of an address, which it begins with unless that is the first of a site's languages, and the rest.

    Upper case is as good as lower case in the language.
    """
    first, _, rest = path.strip("/").partition("/")
    locale = next((code for code in locales if code.lower() == first.lower()), None)
    return (locales[0], path.strip("/")) if locale is None else (locale, rest)


def make_fallback_chain(locale: str, locales: Sequence[str]) -> tuple[str, ...]:
    """The languages whose texts stand in for one, of those that a site has, the default first."""
    parts = locale.split("-")
    shorter = ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return (*dict.fromkeys([locale, *(code for code in shorter if code in locales), locales[0]]),)


async def check_is_no_entry(scope: Scope, name: str) -> None:
    """Refuse the name of an entry where that of a page is given.

    Raises:
        NotFoundError: names the tools for entries.
    """
    by_slug = select(Page).where(scope.target.row_filter(Page), Page.kind == Kind.ENTRY, Page.slug == slug_of(name))
    found = [*await scope.session.scalars(by_slug), *await find_named(scope, name, (Kind.ENTRY,))]
    if found:
        noun, tool = ("a post", "Post") if found[0].slug.startswith("posts/") else ("an entry", "Entry")
        raise NotFoundError(
            f"There is no page '{name}': that is {noun}. cms_update{tool} changes and translates it, "
            f"cms_delete{tool} deletes it."
        )


async def find_named(scope: Scope, name: str, kinds: Sequence[Kind] = ()) -> list[Page]:
    """The documents with this slug or title in any language, or with an address such as ``/de/ueber-uns``."""
    of_kind, slug, title = Page.kind.in_(kinds or NAMED_KINDS), slug_of(name), name_key(name)
    original = select(Page).where(scope.target.row_filter(Page), of_kind)
    table = PageTranslation
    translated = select(Page).join(table, table.page == Page.id).where(scope.target.row_filter(table), of_kind)
    queries = [
        query.where(condition)
        for query, names in ((original, Page), (translated, table))
        for condition in (names.slug == slug, names.title_key == title)
    ]
    locale, rest = scope.split_address(slug)
    if rest != slug:
        in_chain = table.locale.in_(scope.fallback_chain(locale))
        others = select(table.page).where(in_chain, table.slug != rest)
        queries.append(translated.where(in_chain, table.slug == rest))
        queries.append(original.where(Page.slug == rest, Page.id.not_in(others)))
    rows = await scope.session.scalars(select(Page).from_statement(union_all(*queries).limit(_MAX_NAMED)))
    return [*{page.id: page for page in rows}.values()]


async def find_by_address(scope: Scope, name: str, kinds: Sequence[Kind] = ()) -> list[Page]:
    """The documents that visitors find at an address, or else those to which it redirects. Drafts may have others."""
    path = slug_of(name)
    locale, rest = scope.split_address(path)
    for table in (LivePath, Redirect):
        address = table.path == path if rest == path else and_(table.locale == locale, table.path == rest)
        query = select(Page).join(table, table.page == Page.id).where(scope.target.row_filter(table), address)
        rows = await scope.session.scalars(query.where(Page.kind.in_(kinds or NAMED_KINDS)).limit(_MAX_NAMED))
        if found := [*{page.id: page for page in rows}.values()]:
            return found
    return []


def list_pages(pages: Sequence[Page]) -> str:
    """Documents as an error names them, ten at most."""
    listed = [f"'{page.title}' (/{page.slug}, id {page.id})" for page in pages[:_MAX_SUGGESTED]]
    more = [f"{len(pages) - _MAX_SUGGESTED} more"] if len(pages) > _MAX_SUGGESTED else []
    return ", ".join([*listed, *more])


def slug_of(name: str) -> str:
    """The slug that a name of a page would be: ``/Old_prices`` is old-prices."""
    return re.sub(r"[\s_]+", "-", name.strip().strip("/")).lower()


def parse_structure(definition: SectionDefinition) -> Structure:
    """The structure of a section template."""
    return Structure.model_validate(definition.structure)


async def find_target(session: AsyncSession, tenant: str, run_target: str) -> Target:
    """The site and environment of a call: those that the target of its run names, such as ``bakery/main``.

    A target without an environment stands for the main one. Without a target it is that of the tenant's first site.

    Raises:
        NotFoundError: the tenant has no such site or environment.
    """
    site, _, environment = run_target.partition("/")
    query = select(Environment.site, Environment.name).join(Site, Site.key == Environment.site)
    query = query.where(Site.tenant == tenant)
    if site:
        query = query.where(Site.key == site)
    if environment:
        query = query.where(Environment.name == environment)
    query = query.order_by(Site.created_at, Site.key, Environment.is_default.desc(), Environment.name).limit(1)
    found = (await session.execute(query)).first()
    if found is None and site:
        raise NotFoundError(
            f"No site '{run_target}' belongs to the tenant '{tenant}'. Give the run a site of this tenant as its "
            "target, with or without an environment, such as local-site/main; or no target."
        )
    if found is None:
        raise NotFoundError(
            f"No site belongs to the tenant '{tenant}'. Give the user the tenant of a site in config.toml, or add a "
            "site for this one with cms_addSite."
        )
    return Target(site=found[0], environment=found[1])


async def load_locales(session: AsyncSession, site: str) -> tuple[str, ...]:
    """The locales of a site, the default first."""
    query = select(Locale.code).where(Locale.site == site).order_by(Locale.is_default.desc(), Locale.code)
    return tuple((await session.scalars(query)).all())
