"""Finds pages by similar names and by full text."""

from __future__ import annotations

from sqlalchemy import select

from remit import LeafContext
from remit_cms.models import pluralize
from remit_cms.pages.payloads import FindResource, Match, MatchesReply, SearchPages
from remit_cms.storage import full_text
from remit_cms.storage.database import Database
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.transactions import open_view

_MIN_SCORE = 55


class Search:
    """Finds pages of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_resource(self, ctx: LeafContext, payload: FindResource) -> MatchesReply:
        """Find pages whose title or slug resembles the query, despite typing errors. Use it before guessing a slug."""
        async with open_view(self._database, ctx) as scope:
            query = (
                select(Page.id, Page.title, Page.slug)
                .where(scope.target.row_filter(Page), Page.kind == Kind.PAGE)
                .order_by(Page.slug)
            )
            rows = (await scope.session.execute(query)).all()
        names = [name for row in rows for name in (row.title, row.slug)]
        from rapidfuzz import fuzz, process, utils  # noqa: PLC0415 - slow to import, seldom needed

        found = process.extract(
            payload.query,
            names,
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=2 * payload.limit,
            score_cutoff=_MIN_SCORE,
        )
        best: dict[int, Match] = {}
        for _, score, index in found:
            row = rows[index // 2]
            best.setdefault(index // 2, Match(id=row.id, title=row.title, slug=row.slug, score=round(score / 100, 2)))
        return _matches_reply([*best.values()][: payload.limit])

    async def search_pages(self, ctx: LeafContext, payload: SearchPages) -> MatchesReply:
        """Search the titles and texts of pages for the words of a query, best match first."""
        async with open_view(self._database, ctx) as scope:
            hits = await full_text.search_pages(scope, payload.query, payload.limit)
        return _matches_reply([Match(id=hit.id, title=hit.title, slug=hit.slug, score=hit.score) for hit in hits])


def _matches_reply(matches: list[Match]) -> MatchesReply:
    message = f"Found {pluralize(len(matches), 'matching page')}" if matches else "No page matches"
    return MatchesReply(matches=matches, message=message)
