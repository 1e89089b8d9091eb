"""When documents went live: first, and last."""

from __future__ import annotations

from sqlalchemy import Subquery, func, select

from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Publication


def publication_times(scope: Scope) -> Subquery:
    """A table of the documents that ever went live: ``page``, and when that was ``first`` and ``last``."""
    time = Publication.created_at
    query = select(Publication.page, func.min(time).label("first"), func.max(time).label("last"))
    published = (scope.target.row_filter(Publication), Publication.after.is_not(None))
    return query.where(*published).group_by(Publication.page).subquery()
