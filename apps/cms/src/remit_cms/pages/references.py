"""Finds the pages and sections that an argument may mean."""

from __future__ import annotations

from typing import Final

from sqlalchemy import func, or_, select

from remit import LeafContext
from remit.tools import Candidate
from remit_cms.storage.database import Database
from remit_cms.storage.scope import slug_of
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition
from remit_cms.storage.transactions import open_view

_MAX_LISTED: Final = 500


class PageReferences:
    """Resolves references to pages, or to documents of other kinds.

    Args:
        database: the database with the documents.
        kinds: the kinds of documents that may be meant.
    """

    def __init__(self, database: Database, *kinds: Kind) -> None:
        self._database, self._kinds = database, kinds or (Kind.PAGE,)

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The pages that a text may mean, by id, slug or title, or else all, to suggest similar ones.

        A slug stands for the page at the root, in the default locale if there are several.
        """
        slug = slug_of(text)
        async with open_view(self._database, ctx) as scope:
            pages = select(Page).where(scope.target.row_filter(Page), Page.kind.in_(self._kinds))
            named = or_(Page.id == text, Page.slug == slug, func.lower(Page.title) == text.strip().lower())
            pages = pages.order_by(Page.locale != scope.default_locale, Page.slug, Page.id).limit(_MAX_LISTED)
            rows = (await scope.session.scalars(pages.where(named))).all()
            rows = rows or (await scope.session.scalars(pages)).all()
        slugs = {page.slug: page.id for page in reversed(rows) if page.parent is None}
        return [
            Candidate(
                page.id,
                page.title,
                str(page.revision),
                (page.slug, f"/{page.slug}", *((text.strip(),) if slug_of(text) == page.slug else ()))
                if slugs.get(page.slug) == page.id
                else (),
            )
            for page in rows
        ]


class SectionReferences:
    """Resolves references to sections."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The sections that a text may mean: by id, template, or page and template; or else all, to suggest some."""
        key = text.strip().rpartition("/")[2]
        async with open_view(self._database, ctx) as scope:
            sections = (
                select(PageSection.id, SectionDefinition.key, Page.slug, Page.title, Page.revision, Page.id)
                .join(Page, Page.id == PageSection.page)
                .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
                .where(scope.target.row_filter(Page), Page.kind == Kind.PAGE)
                .order_by(Page.slug, Page.id, PageSection.sort_order, PageSection.id)
                .limit(_MAX_LISTED)
            )
            named = or_(PageSection.id == text, SectionDefinition.key == key)
            rows = (await scope.session.execute(sections.where(named))).all()
            rows = rows or (await scope.session.execute(sections)).all()
        return [
            Candidate(
                section,
                f"{key} on {title}",
                str(revision),
                (key, *(f"{name}/{key}" for name in dict.fromkeys((slug, f"/{slug}", title, page)))),
            )
            for section, key, slug, title, revision, page in rows
        ]
