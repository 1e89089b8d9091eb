"""The full-text index over pages, with an entry for each locale. Written in the transaction of the page itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from remit.database import FullText
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, iterate_searchable
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.translations import PageTexts, load_texts, localize_texts
from remit_cms.templates.values import iterate_texts

PAGE_SEARCH: Final = FullText("page_search", key="page", columns={"title": 4.0, "body": 1.0})

_LOCALE_WIDTH: Final = 16
"""Characters of the locale at the end of a key, after the page and ``@``, so that SQL can part them."""


class Found(NamedTuple):
    """The id of a page that a search found, in a locale. Scores of one search compare."""

    id: str
    locale: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found by a search, in a locale. ``score`` is its rank relative to the best hit, which has 1."""

    id: str
    title: str
    slug: str
    locale: str
    score: float
    kind: str


def searchable_texts(snapshot: Snapshot, locale: str) -> tuple[str, list[str]]:
    """The title and the other texts under which a page is found in a locale."""
    texts = snapshot.texts.get(locale, PageTexts())
    return texts.title or "", [*iterate_texts([*iterate_searchable(snapshot, locale)])]


async def index_page(session: AsyncSession, page: str, locale: str, title: str, words: Iterable[str]) -> None:
    """Index the texts of a page in one locale, replacing its earlier entry. Without any there is no entry."""
    body = "\n".join(words)
    if title or body:
        await PAGE_SEARCH.index(session, _key(page, locale), locale, title=title, body=body)
    else:
        await PAGE_SEARCH.remove(session, _key(page, locale))


async def unindex_page(scope: Scope, page: str) -> None:
    """Remove a page from the index."""
    for locale in scope.locales:
        await PAGE_SEARCH.remove(scope.session, _key(page, locale))


async def search_pages(
    scope: Scope, query: str, limit: int, locale: str | None = None, kinds: Sequence[str] = (Kind.PAGE.value,)
) -> list[Found]:
    """Pages that contain words of the query, words starting with them or of the same stem, best first, each once.

    With a locale, texts of others are searched only if they stand in for it.
    """
    searched = searched_locales(scope, locale)
    hits = PAGE_SEARCH.search(scope.session, query, searched)
    found_in = func.trim(func.substr(hits.c.key, func.length(hits.c.key) - _LOCALE_WIDTH + 1))
    statement = (
        select(Page.id, found_in.label("locale"), hits.c.score)
        .join(hits, func.substr(hits.c.key, 1, func.length(hits.c.key) - _LOCALE_WIDTH - 1) == Page.id)
        .where(scope.target.row_filter(Page), Page.kind.in_(kinds), found_in.in_(searched))
        .order_by(hits.c.score.desc(), Page.slug, found_in)
        .limit(limit * len(searched))
    )
    best: dict[str, Found] = {}
    for page, code, score in await scope.session.execute(statement):
        best.setdefault(page, Found(page, code, float(score)))
    return [*best.values()][:limit]


def searched_locales(scope: Scope, locale: str | None) -> tuple[str, ...]:
    """The locales whose texts are searched: all, or one and those that stand in for it."""
    return scope.locales if locale is None else scope.fallback_chain(locale)


async def load_hits(scope: Scope, found: Sequence[Found], locale: str | None = None) -> list[Hit]:
    """What was found, as a reader sees it; what is not on the site, or not any more, is left out."""
    query = select(Page).where(scope.target.id_filter(Page, Page.id, [each.id for each in found]))
    pages = {page.id: page for page in await scope.session.scalars(query)}
    texts = await load_texts(scope, pages.values())
    top = max((each.score for each in found), default=0.0)
    return [
        Hit(
            page.id,
            shown.title or "",
            shown.slug or "",
            each.locale,
            round(each.score / top, 2) if top > 0 else 1.0,
            page.kind,
        )
        for each in found
        if (page := pages.get(each.id))
        for shown in [localize_texts(texts[page.id], scope.fallback_chain(locale or each.locale)).texts]
    ]


def _key(page: str, locale: str) -> str:
    return f"{page}@{locale.ljust(_LOCALE_WIDTH)}"
