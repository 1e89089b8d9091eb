"""The database file: opened on first use, migrated, and seeded with a first site."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from remit.database import Schema, SqliteFile
from remit_cms.storage.seed import add_site
from remit_cms.storage.tables import Site

MIGRATIONS: Final = Path(__file__).parent / "migrations"
HEAD_REVISION: Final = "0001"
"""The newest migration. A test compares it with the migrations themselves."""

FIRST_SITE: Final = "local-site"
"""The first site of a new database, and the tenant that it belongs to."""


def utc_now() -> datetime:
    """The current time, for rows."""
    return datetime.now(UTC)


def random_id(kind: str) -> str:
    """A new id with a prefix for its kind: ``page_5f0c63a1b2d4``."""
    return f"{kind}_{secrets.token_hex(6)}"


class Database(SqliteFile):
    """The SQLite file of the CMS. A new file gets its first site.

    Args:
        path: the file.
        tenant: the owner of the first site.
        busy_timeout: seconds to wait for another writing process.
        clock: returns the time for rows.
        new_id: returns an id for a new row of a kind.
    """

    def __init__(
        self,
        path: Path,
        *,
        tenant: str = FIRST_SITE,
        busy_timeout: float = 10.0,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[str], str] = random_id,
    ) -> None:
        super().__init__(
            path, Schema(migrations=MIGRATIONS, head=HEAD_REVISION, seed=self._seed), busy_timeout=busy_timeout
        )
        self.clock = clock
        self.new_id = new_id
        self._tenant = tenant

    async def _seed(self, session: AsyncSession) -> None:
        if await session.scalar(select(Site.key).limit(1)) is None:
            await add_site(session, self._tenant, FIRST_SITE, clock=self.clock, new_id=self.new_id)
