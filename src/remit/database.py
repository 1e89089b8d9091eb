"""An application's own SQLite file: opened on first use, migrated, one writer at a time.

For applications that keep their data beside the journal, with `remit.effects.once` in its transactions. Needs the extra
``sql``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

from remit.lazy_exports import require_extra

with require_extra(__name__, "sql"):
    from sqlalchemy import URL, Connection, DateTime, Dialect, TypeDecorator, event, inspect, text
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.exc import DatabaseError, OperationalError
    from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
    from sqlalchemy.pool import ConnectionPoolEntry

from remit.errors import RateLimitedError, ToolFailedError

if TYPE_CHECKING:  # Alembic takes its time to import, and is seldom needed
    from alembic.config import Config

__all__ = ["Schema", "SqliteFile", "UtcDateTime"]

_BEGIN_MODE_OPTION: Final = "remit_begin"
_PRAGMAS: Final = ("journal_mode = WAL", "foreign_keys = ON", "synchronous = FULL")


class UtcDateTime(TypeDecorator[datetime]):
    """A column type for times with a time zone. SQLite does not store zones, so values are written and read as UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a time to UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time with the zone UTC."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The tables that the code requires: a folder of Alembic migrations, and the newest revision.

    Args:
        migrations: the folder, with Alembic's ``env.py``.
        head: the newest revision. A test of the application compares it with the migrations themselves.
        seed: fills the database after migrations, in the same transaction.
    """

    migrations: Path
    head: str
    seed: Callable[[AsyncSession], Awaitable[None]] | None = None

    def is_current(self, connection: Connection) -> bool:
        """Whether a database is at the newest revision. Does not import Alembic."""
        if not inspect(connection).has_table("alembic_version"):
            return False
        return connection.scalar(text("SELECT version_num FROM alembic_version")) == self.head

    def alembic_config(self) -> Config:
        """Alembic's configuration with the folder of the migrations."""
        from alembic.config import Config  # noqa: PLC0415 - loaded only where there is something to migrate

        config = Config()
        config.set_main_option("script_location", str(self.migrations).replace("%", "%%"))
        return config

    def migrate(self, connection: Connection) -> None:
        """Run every migration that the database lacks, inside the caller's transaction."""
        from alembic import command  # noqa: PLC0415

        config = self.alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


_FILES: Final = WeakSet["SqliteFile"]()


def list_files() -> set[Path]:
    """The files in which applications of this process keep their data."""
    return {each.path for each in _FILES}


class SqliteFile:
    """One SQLite file (WAL, foreign keys on, every commit on the disk). Belongs to the event loop that first uses it.

    The first use creates the file and its folder, or migrates an existing file. The file is closed with the event loop
    at the latest, because an application is not told when its program ends.

    Args:
        path: the file. schema: its tables.
        busy_timeout: seconds to wait for another process that writes.
        functions: functions of one argument for its SQL, by name.
    """

    def __init__(
        self,
        path: Path,
        schema: Schema,
        *,
        busy_timeout: float = 10.0,
        functions: Mapping[str, Callable[[Any], Any]] | None = None,
    ) -> None:
        self.path = path
        _FILES.add(self)
        self._schema = schema
        self._busy_timeout = busy_timeout
        self._functions = functions or {}
        self._open_lock = asyncio.Lock()
        self._engine: AsyncEngine | None = None
        self._dispose_task: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def read_session(self) -> AsyncGenerator[AsyncSession]:
        """A session that sees one state of the database."""
        engine = await self._ensure_engine()
        with self._report_corruption():
            async with AsyncSession(engine, expire_on_commit=False) as session, session.begin():
                yield session

    @asynccontextmanager
    async def write_session(self) -> AsyncGenerator[AsyncSession]:
        """A session that holds the write lock from its beginning. Commits at the end, rolls back on any error.

        Raises:
            RateLimitedError: another process held the lock for too long.
        """
        engine = await self._ensure_engine()
        try:
            with self._report_corruption():
                async with _write_locked_session(engine) as session, session.begin():
                    yield session
        except OperationalError as error:
            if "database is locked" in str(error.orig):
                raise RateLimitedError(f"{self.path.name} is being written by another process; try again") from error
            raise

    async def close(self) -> None:
        """Close the connections. The next use opens them again."""
        async with self._open_lock:
            dispose_task, self._dispose_task = self._dispose_task, None
            if dispose_task is not None:
                dispose_task.cancel()
                await asyncio.wait([dispose_task])
            self._engine = None

    async def _ensure_engine(self) -> AsyncEngine:
        if self._engine is None:
            async with self._open_lock:
                if self._engine is None:
                    self._engine = await self._open_engine()
                    self._dispose_task = asyncio.create_task(
                        self._dispose_when_cancelled(self._engine), name=f"closes {self.path.name}"
                    )
        return self._engine

    async def _dispose_when_cancelled(self, engine: AsyncEngine) -> None:
        """Wait for cancellation, which the loop sends when it ends, and then close the connections."""
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            if self._engine is engine:
                self._engine = None
            await engine.dispose()

    async def _open_engine(self) -> AsyncEngine:
        await asyncio.to_thread(self.path.parent.mkdir, parents=True, exist_ok=True)
        url = URL.create("sqlite+aiosqlite", database=str(self.path))
        engine = create_async_engine(url, connect_args={"timeout": self._busy_timeout})
        event.listen(engine.sync_engine, "connect", self._on_connect)
        event.listen(engine.sync_engine, "begin", _on_begin)
        try:
            with self._report_corruption():
                await self._migrate_if_outdated(engine)
        except BaseException:
            await engine.dispose()
            raise
        return engine

    async def _migrate_if_outdated(self, engine: AsyncEngine) -> None:
        async with engine.connect() as connection:
            if await connection.run_sync(self._schema.is_current):
                return
        async with _write_locked_session(engine) as session, session.begin():
            await (await session.connection()).run_sync(self._schema.migrate)
            if self._schema.seed is not None:
                await self._schema.seed(session)

    def _on_connect(self, connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        """Disable the driver's implicit transactions and enable SQLite's durability and foreign keys."""
        connection.isolation_level = None
        for name, function in self._functions.items():
            connection.create_function(name, 1, function)
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @contextmanager
    def _report_corruption(self) -> Generator[None]:
        """Report a file that is damaged or not a database in one line.

        Raises:
            ToolFailedError: the message names the file.
        """
        try:
            yield
        except DatabaseError as error:
            if any(sign in str(error.orig) for sign in ("file is not a database", "malformed")):
                raise ToolFailedError(
                    f"{self.path} is not a database, or it is damaged ({error.orig}); put a good copy of it there, "
                    "or move it away to begin with an empty one"
                ) from error
            raise


def _write_locked_session(engine: AsyncEngine) -> AsyncSession:
    return AsyncSession(engine.execution_options(**{_BEGIN_MODE_OPTION: "IMMEDIATE"}), expire_on_commit=False)


def _on_begin(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get(_BEGIN_MODE_OPTION, 'DEFERRED')}")
