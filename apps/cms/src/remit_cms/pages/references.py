"""Finds the pages that an argument may mean."""

from __future__ import annotations

from typing import Final

from sqlalchemy import func, or_, select

from remit import LeafContext
from remit.tools import Candidate
from remit_cms.storage.database import Database
from remit_cms.storage.tables import Page
from remit_cms.storage.transactions import open_view

_MAX_LISTED: Final = 500


class PageReferences:
    """Resolves references to pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The pages that a text may mean, by id, slug or title, or else all, to suggest similar ones.

        A slug stands for the page at the root, in the default locale if there are several.
        """
        slug = text.strip("/")
        async with open_view(self._database, ctx) as scope:
            pages = select(Page).where(scope.target.row_filter(Page))
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
                (page.slug, f"/{page.slug}") if slugs.get(page.slug) == page.id else (),
            )
            for page in rows
        ]
