"""The vectors of a site compared by Postgres, with the extension pgvector."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from sqlalchemy import text

from remit_cms.semantic.comparison import MAX_DISTANCE, MIN_LIKENESS, SCALE, Near
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Target

if TYPE_CHECKING:
    from remit_cms.semantic.floats import Floats

_LOG: Final = logging.getLogger(__name__)
_TYPE: Final = text(
    "SELECT quote_ident(nspname) FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid "
    "JOIN pg_namespace ON pg_namespace.oid = typnamespace "
    "WHERE attrelid = 'vectors'::regclass AND attname = 'vector' AND typname = 'vector'"
)
_MEND: Final = (
    "CREATE EXTENSION IF NOT EXISTS vector; "
    "ALTER TABLE cms.vectors ALTER vector TYPE vector, ALTER vector SET STORAGE main"
)
# A CASE, since vectors of two widths cannot be compared, and Postgres does not promise an order of conditions.
_NEAR: Final = """
WITH compared AS (
    SELECT object COLLATE "C" AS object, locale COLLATE "C" AS locale, CASE WHEN {schema}.vector_dims(vector) = :width
        THEN round((vector OPERATOR({schema}.<#>) :query) * -:scale) END AS likeness
    FROM vectors WHERE site = :site AND environment = :environment AND model = :model
        AND kind = ANY(:kinds) AND locale = ANY(:locales)
), best AS (
    SELECT DISTINCT ON (object) object, locale, likeness FROM compared
    WHERE likeness >= GREATEST(:least, (SELECT max(likeness) FROM compared) - :distance)
    ORDER BY object, likeness DESC, locale
)
SELECT object, locale FROM best ORDER BY likeness DESC, object LIMIT :limit
"""


class PgvectorComparison:
    """Compares in the database, which looks at each vector of the site.

    Args:
        database: the database.
        model: what made the vectors that are compared.
        schema: the schema of pgvector, as SQL names it. It need not be on the search path.
    """

    def __init__(self, database: Database, model: str, schema: str) -> None:
        self._database, self._model = database, model
        self._statement = text(_NEAR.format(schema=schema))

    async def find_near(
        self,
        target: Target,
        version: int,
        query: Floats,
        kinds: Collection[str],
        locales: Collection[str],
        limit: int,
    ) -> Sequence[Near]:
        """See `Comparison.find_near`."""
        chosen = {"model": self._model, "kinds": [*kinds], "locales": [*locales], "limit": limit}
        compared = {"query": str(query.tolist()), "width": query.size, "scale": SCALE}
        cut = {"least": MIN_LIKENESS, "distance": MAX_DISTANCE}
        where = {"site": target.site, "environment": target.environment}
        async with self._database.read() as session:
            rows = await session.execute(self._statement, {**where, **chosen, **compared, **cut})
            return [Near(row.object, row.locale) for row in rows]


async def find_pgvector(database: Database) -> str | None:
    """The schema of pgvector, as SQL names it, if the database keeps vectors in its type; else None, as on SQLite."""
    if database.file is not None:
        return None
    async with database.read() as session:
        schema = await session.scalar(_TYPE)
    if schema is None:
        _LOG.warning(
            "search by meaning compares vectors in the memory of each process, since its tables were made without "
            "pgvector; let an administrator install that and run `%s`, and start again",
            _MEND,
        )
    return schema
