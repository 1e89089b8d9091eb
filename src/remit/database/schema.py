"""The tables that an application requires, and their creation and migration."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from sqlalchemy import Connection, MetaData, inspect, text
from sqlalchemy.ext.asyncio import AsyncSession

from remit.core.call_checks import callback, check_arguments
from remit.core.checks import wrong_value
from remit.database.functions import SqlFunction
from remit.effects import EFFECTS_TABLE, effects_table
from remit.errors import SetupError

if TYPE_CHECKING:  # Alembic is slow to import and seldom needed
    from alembic.config import Config

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,47}")
_TAKEN_NAMES: Final = frozenset({"public", "dbos", "information_schema"})


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The required tables, given as SQLAlchemy metadata or a folder of Alembic migrations.

    With ``metadata``, missing tables are created, but existing tables are never changed: an application whose tables
    change needs migrations. In both cases, the table of `remit.effects` is created beside the application's tables.

    Args:
        name: the Postgres schema, which belongs to this application alone. A SQLite file needs none.
        migrations: the folder of migrations, with Alembic's ``env.py``.
        head: the newest revision. Test in the application that it matches the migrations.
        metadata: the tables, instead of migrations.
        seed: fills the database after migration, in the same transaction.
        functions: SQL functions by name.

    Raises:
        SetupError: the name is not a lower-case identifier or is reserved by Postgres, the journal or DBOS; or both or
            neither of metadata and migrations are given.
    """

    name: str
    migrations: Path | None = None
    head: str = ""
    metadata: MetaData | None = None
    seed: Annotated[Callable[[AsyncSession], Awaitable[None]], callback("session", is_async=True)] | None = None
    functions: Mapping[str, SqlFunction] = field(default_factory=dict[str, SqlFunction])

    def __post_init__(self) -> None:
        """Check the names, and what belongs together."""
        if (self.metadata is None) == (self.migrations is None) or (self.migrations is None) != (not self.head):
            raise SetupError(
                f"Schema({self.name!r}): give metadata=Base.metadata, or migrations=FOLDER and head=REVISION"
            )
        for name in (self.name, *self.functions):
            if not _NAME.fullmatch(name) or name.startswith("pg_") or name in _TAKEN_NAMES:
                raise wrong_value(
                    "Schema: name", name, "give a name of lower-case letters, digits and _, such as 'bakery'"
                )

    def is_current(self, connection: Connection) -> bool:
        """Whether a database has all tables at the newest revision. Does not import Alembic."""
        tables = set(inspect(connection).get_table_names())
        if self.metadata is not None:
            return tables.issuperset(self._own_tables()) and self._has_functions(connection)
        if not tables.issuperset(("alembic_version", EFFECTS_TABLE)):
            return False
        if connection.scalar(text("SELECT version_num FROM alembic_version")) != self.head:
            return False
        return self._has_functions(connection)

    def _own_tables(self) -> set[str]:
        own = set[str]() if self.metadata is None else {table.name for table in self.metadata.tables.values()}
        return {EFFECTS_TABLE, *own}

    def _has_functions(self, connection: Connection) -> bool:
        return connection.dialect.name == "sqlite" or not self._outdated_functions(connection)

    def alembic_config(self) -> Config:
        """Alembic's configuration with the folder of the migrations."""
        from alembic.config import Config  # noqa: PLC0415 - loaded only where there is something to migrate

        config = Config()
        config.set_main_option("script_location", str(self.migrations).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        return config

    def migrate(self, connection: Connection) -> None:
        """Create the schema, its functions and its missing tables in the caller's transaction.

        Raises:
            SetupError: the migrations do not include the database's revision.
        """
        if connection.dialect.name != "sqlite":
            self._create_schema(connection)
        if self.metadata is not None:
            self.metadata.create_all(connection)
        if self.migrations is not None:
            self._run_migrations(connection, self.migrations)
        effects_table(MetaData()).create(connection, checkfirst=True)

    def _run_migrations(self, connection: Connection, folder: Path) -> None:
        from alembic import command  # noqa: PLC0415
        from alembic.util import CommandError  # noqa: PLC0415

        if not (folder / "env.py").is_file():
            raise SetupError(f"Schema {self.name!r}: migrations is {folder}, which has no Alembic env.py")
        config = self.alembic_config()
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise SetupError(
                f"the tables of {self.name!r} cannot be migrated to {self.head}: {error}; "
                "if another version of the application has made them, use that"
            ) from error

    def _create_schema(self, connection: Connection) -> None:
        if connection.scalar(text("SELECT to_regnamespace(:name)"), {"name": self.name}) is None:
            connection.exec_driver_sql(f'CREATE SCHEMA "{self.name}"')
        for name in self._outdated_functions(connection):
            connection.exec_driver_sql(self.functions[name].definition(name))

    def _outdated_functions(self, connection: Connection) -> list[str]:
        """The functions that Postgres lacks or has with another body."""
        if not self.functions:
            return []
        query = text("SELECT proname, prosrc FROM pg_proc WHERE pronamespace = to_regnamespace(:name)")
        bodies = {row.proname: row.prosrc for row in connection.execute(query, {"name": self.name})}
        return [name for name, function in self.functions.items() if bodies.get(name) != function.body]
