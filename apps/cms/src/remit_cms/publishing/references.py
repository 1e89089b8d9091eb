"""Finds the deleted pages and the change sets that an argument may mean."""

from __future__ import annotations

from typing import Final

from sqlalchemy import select

from remit import LeafContext
from remit.tools import Candidate
from remit_cms.storage.database import Database
from remit_cms.storage.tables import ChangeSet, TrashedPage
from remit_cms.storage.transactions import open_view
from remit_cms.storage.trash import check_is_deleted

_MAX_LISTED: Final = 500


class DeletedPageReferences:
    """Resolves references to pages in the trash."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The pages in the trash, by id, slug or title, the last deleted first.

        Raises:
            NotFoundError: none is in the trash, and the text means a page that is not.
        """
        async with open_view(self._database, ctx) as scope:
            query = select(TrashedPage).where(scope.target.row_filter(TrashedPage))
            order = (TrashedPage.deleted_at.desc(), TrashedPage.page)
            rows = await scope.session.scalars(query.order_by(*order).limit(_MAX_LISTED))
            found = [Candidate(row.page, row.title, str(row.revision), (row.slug, f"/{row.slug}")) for row in rows]
            names = {name.casefold() for each in found for name in (each.id, each.name, *each.aliases)}
            if text.strip().casefold() not in names:
                await check_is_deleted(scope, text)
            return found


class ChangeSetReferences:
    """Resolves references to change sets."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, _text: str) -> list[Candidate]:
        """The change sets, by id or name, the newest first."""
        async with open_view(self._database, ctx) as scope:
            query = select(ChangeSet).where(scope.target.row_filter(ChangeSet))
            order = (ChangeSet.created_at.desc(), ChangeSet.id)
            rows = await scope.session.scalars(query.order_by(*order).limit(_MAX_LISTED))
            return [Candidate(row.id, row.name, row.state) for row in rows]
