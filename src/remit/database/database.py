"""A database of an application: opened on first use, migrated, one writer at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Final, Self, TypeVar
from weakref import WeakSet, WeakValueDictionary

from pydantic import PositiveFloat, TypeAdapter
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from remit.call.callee import LeafContext
from remit.core.argument_types import UNCHECKED
from remit.core.call_checks import check_arguments
from remit.core.checks import check_functions, check_instance, wrong_value
from remit.core.files import check_data_file, create_folder
from remit.database.backends import WRITES, Backend, Postgres, Sqlite
from remit.database.migration_lock import take_turn_to_migrate
from remit.database.schema import Schema
from remit.database.urls import AFTER_FORK, ensure_private_database, parse_url
from remit.effects import once
from remit.errors import RateLimitedError, RemitError, SetupError

T = TypeVar("T")

_DATABASES: Final = WeakSet["Database"]()


def list_files() -> set[Path]:
    """List the files in which applications of this process keep their data."""
    return {each.file for each in _DATABASES if each.file is not None}


@check_arguments()
class Database:
    """An application's data in a SQLite file or a Postgres schema. It belongs to one event loop at a time.

    Nothing is opened before the first use, which creates or migrates the tables; concurrent processes take turns.
    Connections are closed with the event loop at the latest, because an application is not notified when its program
    ends.

    Args:
        location: the path of a file, or a URL: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/DATABASE``; or a
            function that returns one of these and is called each time the database is opened.
        schema: the tables.
        busy_timeout: seconds to wait for another writer.

    Raises:
        SetupError: the location is invalid.
    """

    def __init__(
        self,
        location: Annotated[Path | str | Callable[[], Path | str], UNCHECKED],
        schema: Schema,
        *,
        busy_timeout: PositiveFloat = 10.0,
    ) -> None:
        self._schema = schema
        self._busy_timeout = busy_timeout
        self._locate = location if callable(location) else lambda: location
        self._backend = self._make_backend()
        _DATABASES.add(self)
        self._open_lock = asyncio.Lock()
        self._engine: AsyncEngine | None = None
        self._process = os.getpid()
        self._sessions = dict[asyncio.Task[Any] | None, AsyncSession]()
        self._written = WeakValueDictionary[int, LeafContext]()  # the calls that used `once`, by identity
        self._dispose_task: asyncio.Task[None] | None = None

    @property
    def file(self) -> Path | None:
        """The file, or None in Postgres."""
        return self._backend.file

    def _make_backend(self) -> Backend:
        location = self._locate()
        file = _file_of(location)
        if file is not None:
            return Sqlite(file, self._schema, self._busy_timeout)
        url = parse_url(str(location), f"the data of {self._schema.name}")
        return Postgres(url, self._schema, self._busy_timeout)

    def __repr__(self) -> str:
        """Show the location without the password."""
        return f"{type(self).__name__}({self._backend.name})"

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncSession]:
        """A read-only session that sees one snapshot of the database.

        Inside a `write` of the same task, it is the session of the write, so reads see its changes.

        Raises:
            ExternalError: the database cannot be reached. It is retryable.
        """
        writing = self._sessions.get(asyncio.current_task())
        if writing is not None:
            yield writing
            return
        engine = await self._ensure_engine()
        with self._translate_errors():
            async with AsyncSession(engine, expire_on_commit=False) as session, session.begin():
                yield session

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncSession]:
        """A session with exclusive write access. It commits at the end and rolls back on any error.

        If the connection is lost during the commit, the outcome is unknown; with `remit.effects.once` the write can be
        repeated.

        Raises:
            RateLimitedError: another writer took too long. It is retryable.
            ExternalError: the database cannot be reached. It is retryable.
            ConflictError: a constraint of the database refuses the write.
            InvalidArgumentsError: a column cannot hold a value.
            SetupError: the task is already writing, so this would wait for itself.
        """
        writer = asyncio.current_task()
        if writer in self._sessions:
            raise SetupError(
                f"{self._backend.name}: write() inside write() would wait for itself; pass the outer session on"
            )
        engine = await self._ensure_engine()
        with self._translate_errors():
            async with _write_session(engine) as session:
                self._sessions[writer] = session
                try:
                    async with session.begin():
                        yield session
                finally:
                    del self._sessions[writer]

    async def once(
        self,
        ctx: LeafContext,
        result_type: type[T] | TypeAdapter[T],
        write: Callable[[AsyncSession], Awaitable[T]],
    ) -> T:
        """Write once for a keyed call. A repetition of the call changes nothing and returns the same result.

        The key, the result and the write are committed in one transaction; see `remit.effects.once`.

        Args:
            ctx: the context of the call, whose key is used within its tenant.
            result_type: the pydantic model or `TypeAdapter` that stores and loads the result.
            write: does the work with the given session, and returns the result.

        Raises:
            SetupError: the body has already used it. RemitError: as for `write` and `remit.effects.once`.
        """
        try:
            key = f"{ctx.caller.principal.tenant}/{ctx.key}"
        except AttributeError:
            raise wrong_value("Database.once: ctx", ctx, "give the context of the call") from None
        check_functions("Database.once", write=write)
        # Each attempt has its own context, so it may repeat the write of the previous attempt.
        if self._written.get(id(ctx)) is ctx:
            raise SetupError(
                "Database.once was already used in this call, so a second write would count as a repetition of the "
                "first; do both in one function"
            )
        async with self.write() as session:
            result = await once(session, key, result_type, lambda: write(session))
        with suppress(TypeError):  # a stand-in of a test that cannot be referenced weakly
            self._written[id(ctx)] = ctx
        return result

    async def __aenter__(self) -> Self:
        """Do nothing: connections are opened on first use."""
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close the connections; see `close`."""
        await self.close()

    async def close(self) -> None:
        """Close the connections. The next use opens them again."""
        async with self._open_lock:
            dispose_task, self._dispose_task = self._dispose_task, None
            if dispose_task is not None and self._process == os.getpid():
                dispose_task.cancel()
                await asyncio.wait([dispose_task])
            self._engine = None

    async def _ensure_engine(self) -> AsyncEngine:
        if self._engine is not None and self._process != os.getpid():
            raise SetupError(f"{self._backend.name} {AFTER_FORK}")
        if self._engine is None:
            async with self._open_lock:
                if self._engine is None:
                    self._engine, self._process = await self._open_engine(), os.getpid()
                    self._dispose_task = asyncio.create_task(
                        self._dispose_when_cancelled(self._engine), name=f"closes {self._backend.name}"
                    )
        return self._engine

    async def _dispose_when_cancelled(self, engine: AsyncEngine) -> None:
        """Wait until the ending loop cancels this task, and then close the connections."""
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            if self._engine is engine:
                self._engine = None
            await engine.dispose()

    async def _open_engine(self) -> AsyncEngine:
        backend = self._backend = self._make_backend()
        check_data_file(backend.file, backend.name)
        if backend.file is not None:
            await asyncio.to_thread(self._prepare_file, backend.file)
        engine = backend.open_engine()
        try:
            with self._translate_errors():
                await self._migrate_if_outdated(engine)
        except BaseException:
            await engine.dispose()
            raise
        return engine

    def _prepare_file(self, file: Path) -> None:
        try:
            create_folder(file.parent)
            ensure_private_database(file)
        except OSError as error:
            raise SetupError(f"{file} cannot be used: {error.strerror}") from error

    async def _migrate_if_outdated(self, engine: AsyncEngine) -> None:
        async with engine.connect() as connection:
            if await connection.run_sync(self._schema.is_current):
                return
        async with take_turn_to_migrate(), _write_session(engine) as session, session.begin():
            await (await session.connection()).run_sync(self._schema.migrate)
            if self._schema.seed is not None:
                await self._schema.seed(session)

    @contextmanager
    def _translate_errors(self) -> Generator[None]:
        """Translate database errors to Remit's. A bug in the application remains unchanged."""
        try:
            yield
        except PoolTimeoutError as error:
            raise RateLimitedError("all connections to the database are in use; try again") from error
        except StatementError as error:
            found = error.orig if isinstance(error.orig, RemitError) else None
            if isinstance(error, DBAPIError):
                found = found or self._backend.to_remit_error(error)
            if found is None:
                raise
            raise found from error


def _file_of(location: Path | str) -> Path | None:
    """The SQLite file at a location, or None."""
    if isinstance(location, Path):
        return location
    check_instance("Database: location", location, str, "give the path of a file, or a URL")
    url: URL = parse_url(location, "the data of an application")
    if url.get_backend_name() != "sqlite":
        return None
    if not url.database or url.database == ":memory:" or url.query:
        raise SetupError("Database: location names no file; write sqlite:///FILE, or give its path")
    return Path(url.database)


def _write_session(engine: AsyncEngine) -> AsyncSession:
    return AsyncSession(engine.execution_options(**{WRITES: True}), expire_on_commit=False)
