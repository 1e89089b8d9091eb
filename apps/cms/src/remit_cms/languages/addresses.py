"""The addresses of a site in a language that it gets or gives up, in all its environments."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, or_, select

from remit.errors import ConflictError
from remit_cms.models import name_some
from remit_cms.storage.scope import Scope, make_fallback_chain
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import (
    Kind,
    LivePath,
    Page,
    PageSection,
    PageTranslation,
    Redirect,
    Revision,
    SectionContent,
)
from remit_cms.storage.translations import localize_texts

_ADDRESSED = (Kind.PAGE.value, Kind.ENTRY.value)


@dataclass(frozen=True, slots=True)
class NewPath:
    """The address that a live page gets in a language."""

    environment: str
    page: str
    path: str


async def find_new_paths(scope: Scope, code: str) -> list[NewPath]:
    """The addresses of all live pages of a site in a language that it gets.

    Raises:
        ConflictError: two pages would have the same address, by texts left from when the site had the language.
    """
    chain = make_fallback_chain(code, [*scope.locales, code])
    query = (
        select(Page, Revision.snapshot)
        .join(Revision, (Revision.page == Page.id) & (Revision.number == Page.live))
        .where(Page.site == scope.target.site, Page.kind.in_(_ADDRESSED))
        .order_by(Page.environment, Page.id)
    )
    holders: dict[tuple[str, str], Page] = {}
    for page, stored in (await scope.session.execute(query)).all():
        path = localize_texts(Snapshot.model_validate(stored).texts, chain).texts.slug or ""
        other = holders.setdefault((page.environment, path), page)
        if other is not page:
            raise ConflictError(
                f"'{other.title}' and '{page.title}' would both be at /{code}/{path}. Give one of them another slug "
                "first."
            )
    return [NewPath(environment, page.id, path) for (environment, path), page in holders.items()]


async def check_prefix(scope: Scope, code: str) -> None:
    """Refuse a language whose code begins the address of a page, a draft or a redirect in the default language.

    Raises:
        ConflictError: names what is there.
    """
    prefix, site = code.lower(), scope.target.site
    found: list[str] = []
    for table, column in (
        (Page, Page.slug),
        (PageTranslation, PageTranslation.slug),
        (LivePath, LivePath.path),
        (Redirect, Redirect.path),
    ):
        begins = or_(func.lower(column) == prefix, func.lower(column).startswith(f"{prefix}/", autoescape=True))
        found += [f"/{each}" for each in await scope.session.scalars(select(column).where(table.site == site, begins))]
    if found:
        there = name_some(sorted({*found}))
        raise ConflictError(
            f"The language '{code}' has its addresses below /{prefix}, where the site has {there} already. Give that "
            "another address first."
        )


async def find_translated(scope: Scope, code: str) -> list[str]:
    """The titles of the documents that have texts in a language, as drafts or for visitors."""
    site = scope.target.site
    drafts = (
        select(Page.title)
        .join(PageSection, PageSection.page == Page.id)
        .join(SectionContent, SectionContent.section == PageSection.id)
        .where(Page.site == site, SectionContent.locale == code)
    )
    titles = (
        select(Page.title)
        .join(PageTranslation, PageTranslation.page == Page.id)
        .where(Page.site == site, PageTranslation.locale == code)
    )
    live = (
        select(Page.title, Revision.snapshot)
        .join(Revision, (Revision.page == Page.id) & (Revision.number == Page.live))
        .where(Page.site == site)
    )
    found = {*await scope.session.scalars(drafts), *await scope.session.scalars(titles)}
    for title, stored in (await scope.session.execute(live)).all():
        if code in Snapshot.model_validate(stored).languages:
            found.add(title)
    return sorted(found)
