"""The full-text index over pages (SQLite FTS5). Written in the transaction of the page itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from remit_cms.storage.scope import Scope

_WORD: Final = re.compile(r"\w+")
_MAX_WORDS: Final = 20
_SEARCH_QUERY: Final = text(
    """
    SELECT pages.id, pages.title, pages.slug, -bm25(page_search, 0.0, 4.0, 1.0) AS score
    FROM page_search JOIN pages ON pages.id = page_search.page
    WHERE page_search MATCH :words AND pages.site = :site AND pages.environment = :environment
    ORDER BY score DESC, pages.slug LIMIT :limit
    """
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found by a search. ``score`` is its rank relative to the best hit, which has 1."""

    id: str
    title: str
    slug: str
    score: float


async def index_page(session: AsyncSession, page: str, title: str, words: Iterable[str]) -> None:
    """Index a page, replacing its earlier entry."""
    await unindex_page(session, page)
    await session.execute(
        text("INSERT INTO page_search (rowid, page, title, body) VALUES (:row, :page, :title, :body)"),
        {"row": _row_id(page), "page": page, "title": title, "body": "\n".join(words)},
    )


async def unindex_page(session: AsyncSession, page: str) -> None:
    """Remove a page from the index."""
    await session.execute(text("DELETE FROM page_search WHERE rowid = :row"), {"row": _row_id(page)})


async def search_pages(scope: Scope, query: str, limit: int) -> list[Hit]:
    """Pages that contain words of the query, or words starting with them, best first."""
    words = _WORD.findall(query)[:_MAX_WORDS]
    if not words:
        return []
    parameters = {
        "words": " OR ".join(f'"{word}"*' for word in words),
        "site": scope.target.site,
        "environment": scope.target.environment,
        "limit": limit,
    }
    rows = (await scope.session.execute(_SEARCH_QUERY, parameters)).all()
    best = max((float(row.score) for row in rows), default=0.0)
    return [Hit(row.id, row.title, row.slug, round(float(row.score) / best, 2) if best > 0 else 1.0) for row in rows]


def _row_id(page: str) -> int:
    """The index addresses rows by number: 63 bits of a digest of the page id."""
    return int.from_bytes(sha256(page.encode()).digest()[:8]) >> 1
