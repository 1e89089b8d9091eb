"""Finds pages by similar names and by full text."""

from __future__ import annotations

from sqlalchemy import null, select

from remit import LeafContext
from remit_cms.models import pluralize
from remit_cms.pages.payloads import FindResource, Match, MatchesReply, SearchPages
from remit_cms.storage import full_text
from remit_cms.storage.database import Database
from remit_cms.storage.names import load_names
from remit_cms.storage.tables import Kind, Page, PageTranslation
from remit_cms.storage.transactions import open_view

_MIN_SCORE = 55


class Search:
    """Finds pages of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_resource(self, ctx: LeafContext, payload: FindResource) -> MatchesReply:
        """Find pages whose title or slug resembles the query, despite typing errors. Use it before guessing a slug."""
        async with open_view(self._database, ctx) as scope:
            is_page = (scope.target.row_filter(Page), Page.kind == Kind.PAGE)
            query = select(Page.id, Page.title, Page.slug, null()).where(*is_page).order_by(Page.slug)
            originals = await load_names(scope.session, query)
            table = PageTranslation
            query = select(table.page, table.title, table.slug, table.locale).join(Page).where(*is_page)
            translated = await load_names(scope.session, query.order_by(table.locale, table.page))
        ids, titles, slugs, locales = (one + other for one, other in zip(originals, translated, strict=True))
        from rapidfuzz import fuzz, process, utils  # noqa: PLC0415 - slow to import, seldom needed

        # A slug that is its title in other letters would be compared again, which takes the most time here.
        others = [
            "" if slug.replace("-", " ") == title.lower() else slug for title, slug in zip(titles, slugs, strict=True)
        ]
        found = process.extract(
            payload.query,
            titles + others,
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=4 * payload.limit,
            score_cutoff=_MIN_SCORE,
        )
        best: dict[str, Match] = {}
        for _, score, index in found:
            place = index % len(ids)
            page, original = ids[place], ids.index(ids[place])
            title, slug = titles[place] or titles[original], slugs[place] or slugs[original]
            locale = locales[place] or None
            match = Match(id=page, title=title, slug=slug, score=round(score / 100, 2), locale_code=locale)
            best.setdefault(page, match)
        return _matches_reply([*best.values()][: payload.limit])

    async def search_pages(self, ctx: LeafContext, payload: SearchPages) -> MatchesReply:
        """Search the titles and texts of pages for the words of a query, best match first."""
        async with open_view(self._database, ctx) as scope:
            locale = None if payload.locale_code is None else scope.resolve_locale(payload.locale_code)
            hits = await full_text.search_pages(scope, payload.query, payload.limit, locale)
            default = scope.default_locale
        matches = [
            Match(
                id=hit.id,
                title=hit.title,
                slug=hit.slug,
                score=hit.score,
                locale_code=None if hit.locale == default else hit.locale,
            )
            for hit in hits
        ]
        return _matches_reply(matches)


def _matches_reply(matches: list[Match]) -> MatchesReply:
    message = f"Found {pluralize(len(matches), 'matching page')}" if matches else "No page matches"
    return MatchesReply(matches=matches, message=message)
