"""Finds pages and entries by similar names, by full text and by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from remit import LeafContext
from remit_cms.models import describe_matches
from remit_cms.pages.payloads import FindResource, Match, MatchesReply, SearchPages
from remit_cms.pages.stop_words import leave_out_stop_words
from remit_cms.semantic.fusion import fuse
from remit_cms.semantic.index import SemanticIndex
from remit_cms.storage import full_text
from remit_cms.storage.database import Database
from remit_cms.storage.tables import Kind
from remit_cms.storage.transactions import open_view
from remit_cms.storage.translations import load_texts, localize_texts

_MIN_SCORE = 55
_MOST_FUSED = 20
"""So many pages are found by words, and by meaning, before the two are joined."""
_FOUND = {None: (Kind.PAGE, Kind.ENTRY), "page": (Kind.PAGE,), "post": (Kind.ENTRY,), "entry": (Kind.ENTRY,)}
"""What is found, by the type of resource that is looked for."""
_KINDS = (Kind.PAGE.value, Kind.ENTRY.value)


class Search:
    """Finds pages and entries of a site.

    Args:
        database: the database with the pages.
        index: finds them by meaning, beside their words; None searches their words alone.
    """

    def __init__(self, database: Database, index: SemanticIndex | None = None) -> None:
        self._database, self._index = database, index

    async def find_resource(self, ctx: LeafContext, payload: FindResource) -> MatchesReply:
        """Find pages and posts whose title or slug resembles the query. For words in their texts: cms_searchPages."""
        from rapidfuzz import fuzz, process, utils  # noqa: PLC0415 - slow to import, seldom needed

        async with open_view(self._database, ctx) as scope:
            pages = await scope.find_similar(payload.query, *_FOUND[payload.resource_type])
            texts = await load_texts(scope, pages)
        names = [
            (name, page, locale)
            for page in pages
            for locale, each in texts[page.id].items()
            for name in (each.title, each.slug)
            if name
        ]
        found = process.extract(
            payload.query,
            [name for name, _, _ in names],
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=None,
            score_cutoff=_MIN_SCORE,
        )
        best: dict[str, Match] = {}
        for _, score, index in found:
            _, page, locale = names[index]
            shown = localize_texts(texts[page.id], (locale, page.locale)).texts
            code = None if locale == page.locale else locale
            title, slug = shown.title or "", shown.slug or ""
            best.setdefault(
                page.id,
                Match(
                    id=page.id,
                    title=title,
                    slug=slug,
                    score=round(score / 100, 2),
                    locale_code=code,
                    kind=_shown_kind(page.kind),
                ),
            )
        return _matches_reply([*best.values()][: payload.limit], payload.limit)

    async def search_pages(self, ctx: LeafContext, payload: SearchPages) -> MatchesReply:
        """Search pages and posts by what they say, best match first. By title or slug: cms_findResource."""
        async with open_view(self._database, ctx) as scope:
            target, default = scope.target, scope.default_locale
            locale = None if payload.locale_code is None else scope.resolve_locale(payload.locale_code)
            locales = full_text.searched_locales(scope, locale)
            words = leave_out_stop_words(payload.query, scope.locales)
            if self._index is None:
                named = (words or payload.query, payload.limit, locale, _KINDS)
                found = await full_text.search_pages(scope, *named)
                return _matches_reply(
                    _to_matches(await full_text.load_hits(scope, found, locale), default), payload.limit
                )
            most = max(payload.limit, _MOST_FUSED)
            found = await full_text.search_pages(scope, words, most, locale, _KINDS) if words else []
        near = await self._index.search(target, payload.query, _KINDS, locales, _MOST_FUSED)
        async with open_view(self._database, target) as scope:
            if not found and not near:  # a question of stop words alone that is like nothing
                found = await full_text.search_pages(scope, payload.query, most, locale, _KINDS)
            fused = fuse([(each.id, each.locale) for each in found], [(each.id, each.locale) for each in near])
            best = [full_text.Found(*each) for each in fused][: payload.limit]
            return _matches_reply(_to_matches(await full_text.load_hits(scope, best, locale), default), payload.limit)


def _shown_kind(kind: str) -> str | None:
    return None if kind == Kind.PAGE else kind


def _to_matches(hits: Sequence[full_text.Hit], default: str) -> list[Match]:
    return [
        Match(
            id=hit.id,
            title=hit.title,
            slug=hit.slug,
            score=hit.score,
            locale_code=None if hit.locale == default else hit.locale,
            kind=_shown_kind(hit.kind),
        )
        for hit in hits
    ]


def _matches_reply(matches: list[Match], limit: int) -> MatchesReply:
    return MatchesReply(matches=matches, message=describe_matches(len(matches), limit, "page"))
