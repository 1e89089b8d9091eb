"""The database file: opened when first used, brought up to date, seeded with a first site."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Connection, event, select
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from remit.errors import RateLimitedError, ToolFailedError
from remit_cms.storage.schema import is_current
from remit_cms.storage.seed import add_site
from remit_cms.storage.tables import Site

SITE: Final = "local-site"
"""The first site of a new database, and the tenant that it belongs to."""

_BEGIN: Final = "remit_cms_begin"


def utc_now() -> datetime:
    """The time, for the rows."""
    return datetime.now(UTC)


def random_id(kind: str) -> str:
    """A new id that says what it names: ``page_5f0c63a1b2d4``."""
    return f"{kind}_{secrets.token_hex(6)}"


class Database:
    """One SQLite file (WAL, foreign keys on).

    Nothing happens before the first use, which makes the file and its folder, migrates it where it is not up to date,
    and gives a new file its first site. Belongs to the event loop that first used it.

    Args:
        path: the file.
        tenant: whose the first site is.
        busy_timeout: seconds to wait for another process that writes.
        clock: gives the time of rows.
        new_id: gives the id of a new row of a kind.
    """

    def __init__(
        self,
        path: Path,
        *,
        tenant: str = SITE,
        busy_timeout: float = 10.0,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[str], str] = random_id,
    ) -> None:
        self.path = path
        self.clock = clock
        self.new_id = new_id
        self._tenant = tenant
        self._busy_timeout = busy_timeout
        self._opening = asyncio.Lock()
        self._engine: AsyncEngine | None = None

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncSession]:
        """A session that sees one state of the database."""
        engine = await self._opened()
        with _damage_told(self.path):
            async with AsyncSession(engine, expire_on_commit=False) as session, session.begin():
                yield session

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncSession]:
        """A session that holds the write lock from its beginning. Commits at the end, rolls back on any error.

        Raises:
            RateLimitedError: another process held the lock for too long.
        """
        engine = await self._opened()
        try:
            with _damage_told(self.path):
                async with _session(engine, "IMMEDIATE") as session, session.begin():
                    yield session
        except OperationalError as error:
            if "database is locked" in str(error.orig):
                raise RateLimitedError(f"{self.path.name} is being written by somebody else; try again") from error
            raise

    async def close(self) -> None:
        """Close the connections. The next use opens them again."""
        async with self._opening:
            if self._engine is not None:
                await self._engine.dispose()
                self._engine = None

    async def _opened(self) -> AsyncEngine:
        if self._engine is None:
            async with self._opening:
                if self._engine is None:
                    self._engine = await self._open()
        return self._engine

    async def _open(self) -> AsyncEngine:
        await asyncio.to_thread(self.path.parent.mkdir, parents=True, exist_ok=True)
        engine = create_async_engine(
            URL.create("sqlite+aiosqlite", database=str(self.path)),
            connect_args={"timeout": self._busy_timeout},
        )
        event.listen(engine.sync_engine, "connect", _on_connect)
        event.listen(engine.sync_engine, "begin", _on_begin)
        try:
            with _damage_told(self.path):
                await self._bring_up_to_date(engine)
        except BaseException:
            await engine.dispose()
            raise
        return engine

    async def _bring_up_to_date(self, engine: AsyncEngine) -> None:
        async with engine.connect() as connection:
            if await connection.run_sync(is_current):
                return
        from remit_cms.storage.migrating import migrate  # noqa: PLC0415  (slow to import, and seldom needed)

        async with _session(engine, "IMMEDIATE") as session, session.begin():
            await (await session.connection()).run_sync(migrate)
            if await session.scalar(select(Site.key).limit(1)) is None:
                await add_site(session, self._tenant, SITE, clock=self.clock, new_id=self.new_id)


@contextmanager
def _damage_told(path: Path) -> Generator[None]:
    """One clear line for a file that is no database, or no whole one.

    Raises:
        ToolFailedError: naming the file.
    """
    try:
        yield
    except DatabaseError as error:
        if any(sign in str(error.orig) for sign in ("file is not a database", "malformed")):
            raise ToolFailedError(
                f"{path} is not a database, or it is damaged ({error.orig}); put a good copy of it there, "
                "or move it away to begin with an empty one"
            ) from error
        raise


def _session(engine: AsyncEngine, begin: str) -> AsyncSession:
    return AsyncSession(engine.execution_options(**{_BEGIN: begin}), expire_on_commit=False)


def _on_connect(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    """Take transactions into our own hands, and set what SQLite leaves off."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "foreign_keys = ON", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _on_begin(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get(_BEGIN, 'DEFERRED')}")
