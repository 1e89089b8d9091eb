"""The full-text index over pages, with an entry for each locale. Written in the transaction of the page itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from remit.database import FullText
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.translations import load_texts, localize_texts

PAGE_SEARCH: Final = FullText("page_search", key="page", columns={"title": 4.0, "body": 1.0})

_LOCALE_WIDTH: Final = 16
"""Characters of the locale at the end of a key, after the page and ``@``, so that SQL can part them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found by a search, in a locale. ``score`` is its rank relative to the best hit, which has 1."""

    id: str
    title: str
    slug: str
    locale: str
    score: float


async def index_page(session: AsyncSession, page: str, locale: str, title: str, words: Iterable[str]) -> None:
    """Index the texts of a page in one locale, replacing its earlier entry. Without any there is no entry."""
    body = "\n".join(words)
    if title or body:
        await PAGE_SEARCH.index(session, _key(page, locale), title=title, body=body)
    else:
        await PAGE_SEARCH.remove(session, _key(page, locale))


async def unindex_page(scope: Scope, page: str) -> None:
    """Remove a page from the index."""
    for locale in scope.locales:
        await PAGE_SEARCH.remove(scope.session, _key(page, locale))


async def search_pages(scope: Scope, query: str, limit: int, locale: str | None = None) -> list[Hit]:
    """Pages that contain words of the query, or words starting with them, best first, each once.

    With a locale, texts of others are searched only if they stand in for it.
    """
    hits = PAGE_SEARCH.search(scope.session, query)
    found_in = func.trim(func.substr(hits.c.key, func.length(hits.c.key) - _LOCALE_WIDTH + 1))
    searched = scope.locales if locale is None else scope.fallback_chain(locale)
    statement = (
        select(Page, found_in.label("locale"), hits.c.score)
        .join(hits, func.substr(hits.c.key, 1, func.length(hits.c.key) - _LOCALE_WIDTH - 1) == Page.id)
        .where(scope.target.row_filter(Page), Page.kind == Kind.PAGE, found_in.in_(searched))
        .order_by(hits.c.score.desc(), Page.slug, found_in)
        .limit(limit * len(searched))
    )
    best: dict[str, tuple[Page, str, float]] = {}
    for page, code, score in await scope.session.execute(statement):
        best.setdefault(page.id, (page, code, float(score)))
    found = [*best.values()][:limit]
    texts = await load_texts(scope, [page for page, _, _ in found])
    top = max((score for _, _, score in found), default=0.0)
    return [
        Hit(page.id, shown.title or "", shown.slug or "", code, round(score / top, 2) if top > 0 else 1.0)
        for page, code, score in found
        for shown in [localize_texts(texts[page.id], scope.fallback_chain(locale or code)).texts]
    ]


def _key(page: str, locale: str) -> str:
    return f"{page}@{locale.ljust(_LOCALE_WIDTH)}"
