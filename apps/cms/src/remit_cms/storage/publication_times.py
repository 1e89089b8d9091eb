"""When documents went live: first, and last."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Subquery, func, select

from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Publication


def publication_times(scope: Scope) -> Subquery:
    """A table of the documents that ever went live: ``page``, and when that was ``first`` and ``last``."""
    time = Publication.created_at
    query = select(Publication.page, func.min(time).label("first"), func.max(time).label("last"))
    published = (scope.target.row_filter(Publication), Publication.after.is_not(None))
    return query.where(*published).group_by(Publication.page).subquery()


class PublicationTimes(NamedTuple):
    """When a document went live first, and last."""

    first: datetime
    last: datetime


async def load_publication_times(scope: Scope, pages: Sequence[str]) -> dict[str, PublicationTimes]:
    """The times of some documents by id, without those that never went live."""
    times = publication_times(scope)
    rows = await scope.session.execute(select(times).where(times.c.page.in_(pages)))
    return {row.page: PublicationTimes(row.first, row.last) for row in rows}
