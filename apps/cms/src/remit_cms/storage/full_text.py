"""The full-text index over pages. Written in the transaction of the page itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from remit.database import FullText
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Page

PAGE_SEARCH: Final = FullText("page_search", key="page", columns={"title": 4.0, "body": 1.0})


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found by a search. ``score`` is its rank relative to the best hit, which has 1."""

    id: str
    title: str
    slug: str
    score: float


async def index_page(session: AsyncSession, page: str, title: str, words: Iterable[str]) -> None:
    """Index a page, replacing its earlier entry."""
    await PAGE_SEARCH.index(session, page, title=title, body="\n".join(words))


async def unindex_page(session: AsyncSession, page: str) -> None:
    """Remove a page from the index."""
    await PAGE_SEARCH.remove(session, page)


async def search_pages(scope: Scope, query: str, limit: int) -> list[Hit]:
    """Pages that contain words of the query, or words starting with them, best first."""
    hits = PAGE_SEARCH.search(scope.session, query)
    statement = (
        select(Page.id, Page.title, Page.slug, hits.c.score)
        .join(hits, hits.c.key == Page.id)
        .where(scope.target.row_filter(Page), Page.kind == Kind.PAGE)
        .order_by(hits.c.score.desc(), Page.slug)
        .limit(limit)
    )
    rows = (await scope.session.execute(statement)).all()
    best = max((float(row.score) for row in rows), default=0.0)
    return [Hit(row.id, row.title, row.slug, round(float(row.score) / best, 2) if best > 0 else 1.0) for row in rows]
