"""Alembic migrations of the journal. A database that is up to date is opened without loading Alembic."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, inspect, text

from remit.errors import JournalFormatError
from remit.journal.sql.locks import LockKeys, acquire_locks
from remit.journal.sql.tables import HEAD_REVISION, VERSION_TABLE

_MIGRATION_LOCK: Final = threading.Lock()
"""Alembic keeps the migration that it runs in a module of its own."""


def migrate(engine: Engine) -> None:
    """Upgrade the journal's tables to the newest revision. Concurrent processes take turns.

    Finding that there is nothing to do waits for no writer.
    """
    with engine.connect().execution_options(remit_reads=True) as connection:
        if inspect(connection).has_table(VERSION_TABLE):
            revision = connection.execute(text(f"select version_num from {VERSION_TABLE}")).scalar()  # noqa: S608 - our name
            if revision == HEAD_REVISION:
                return
    _upgrade(engine)


def _upgrade(engine: Engine) -> None:
    from alembic import command  # noqa: PLC0415 - loaded only where there is something to migrate
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    with _MIGRATION_LOCK, engine.begin() as connection:
        acquire_locks(connection, [LockKeys(frozenset({VERSION_TABLE}))])
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise JournalFormatError(
                f"{engine.url.database} has a newer version; use a newer Remit ({error})"
            ) from error
