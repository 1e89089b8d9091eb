"""The database: opened on first use, migrated, and seeded with a first site."""

from __future__ import annotations

import secrets
import string
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from remit import database
from remit.database import Schema
from remit_cms.storage.scope import Target
from remit_cms.storage.seed import add_site
from remit_cms.storage.tables import Site

MIGRATIONS: Final = Path(__file__).parent / "migrations"
HEAD_REVISION: Final = "0001_first"
"""The newest migration. A test compares it with the migrations themselves."""

FIRST_SITE: Final = "local-site"
"""The first site of a new database, and the tenant that it belongs to."""


def utc_now() -> datetime:
    """The current time, for rows."""
    return datetime.now(UTC)


def random_id(_kind: str) -> str:
    """A new id of 8 letters and digits, short for models: ``k7fm2xqd``. It has a digit, so that it is no word."""
    while True:
        made = secrets.choice(_LETTERS) + "".join(secrets.choice(_LETTERS + string.digits) for _ in range(7))
        if not made.isalpha():
            return made


_LETTERS: Final = "abcdefghjkmnpqrstvwxyz"


class Schedules(Protocol):
    """What schedules calls: `remit.engines.RunSchedules`."""

    def find_run(self, key: str) -> str:
        """The id of the run of a call that is scheduled under a key."""
        ...

    async def add(self, key: str, tool: str, arguments: Mapping[str, object], *, at: datetime) -> str:
        """Schedule a call, once for each key."""
        ...

    async def cancel(self, run: str) -> None:
        """Withdraw a scheduled call."""
        ...


class Database(database.Database):
    """The data of the CMS. A new database gets its first site.

    Args:
        location: a file of SQLite, or the URL of a database in Postgres.
        tenant: the owner of the first site.
        busy_timeout: seconds to wait for another writer.
        clock: returns the time for rows.
        new_id: returns an id for a new row of a kind.
        fill: fills the first site, in the transaction that makes it; without it, the site is empty.
        schedules: schedules the calls that follow edits; without it, none follow.
    """

    def __init__(
        self,
        location: Path | str,
        *,
        tenant: str = FIRST_SITE,
        busy_timeout: float = 10.0,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[str], str] = random_id,
        fill: Callable[[Database, AsyncSession], Awaitable[None]] | None = None,
        schedules: Schedules | None = None,
    ) -> None:
        schema = Schema(name="cms", migrations=MIGRATIONS, head=HEAD_REVISION, seed=self._seed)
        super().__init__(location, schema, busy_timeout=busy_timeout)
        self.clock = clock
        self.new_id = new_id
        self.schedules = schedules
        self._tenant, self._fill = tenant, fill
        self._listeners = list[Callable[[Target], None]]()

    def on_edit(self, listener: Callable[[Target], None]) -> None:
        """Call a function with the target of each edit of this process, after it was committed."""
        self._listeners.append(listener)

    def tell_edited(self, target: Target) -> None:
        """Call the listeners."""
        for listener in self._listeners:
            listener(target)

    async def _seed(self, session: AsyncSession) -> None:
        if await session.scalar(select(Site.key).limit(1)) is None:
            await add_site(session, self._tenant, FIRST_SITE, clock=self.clock, new_id=self.new_id)
            if self._fill is not None:
                await self._fill(self, session)
