"""Creates the tables of a new journal with Alembic. An existing journal is opened without loading it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from remit.database.migration_lock import MIGRATION_LOCK
from remit.database.urls import describe_location
from remit.errors import JournalFormatError
from remit.journal.sql.locks import LockKeys, acquire_locks
from remit.journal.sql.signing import create_signer, open_signer, sign_again
from remit.journal.sql.tables import HEAD_REVISION, METADATA, VERSION_TABLE


def migrate(engine: Engine, key_file: Path | None = None) -> None:
    """Create the tables of a new journal, and find the signer. Concurrent processes take turns.

    Opening an existing journal signs no rows and does not wait for writers.

    Raises:
        JournalFormatError: the tables are those of another version.
        JournalError: the journal's key is missing or wrong.
    """
    with engine.connect().execution_options(remit_reads=True) as connection:
        signer = open_signer(connection, key_file) if _has_tables(connection) else None
    if signer is None:
        with MIGRATION_LOCK, engine.begin() as connection:
            acquire_locks(connection, [LockKeys(frozenset({VERSION_TABLE}))])
            if _has_tables(connection):  # another process has created them
                signer = open_signer(connection, key_file)
            else:
                _create_tables(connection)
                signer = create_signer(connection, key_file)
    signer.attach(engine)


def accept_rows(engine: Engine, key_file: Path | None = None) -> None:
    """Accept every row of a journal as it is: sign all rows with its key, or with a new key if that is lost."""
    with engine.begin() as connection:
        acquire_locks(connection, [LockKeys(frozenset({VERSION_TABLE}))])
        if not _has_tables(connection):
            _create_tables(connection)
        signer = sign_again(connection, key_file)
    signer.attach(engine)


def _has_tables(connection: Connection) -> bool:
    """Whether the tables exist, in the form that this version knows."""
    inspector, revisions = inspect(connection), list[str]()
    if inspector.has_table(VERSION_TABLE):
        query = text(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608 - our own name
        revisions = [str(each) for each in connection.scalars(query)]
    if revisions == [HEAD_REVISION]:
        return True
    if not revisions and not METADATA.tables.keys() & set(inspector.get_table_names()):
        return False
    raise JournalFormatError(
        f"the journal {describe_location(connection.engine.url)} was written by another version of Remit, with "
        f"tables of {', '.join(revisions) or 'no revision'}; this one reads {HEAD_REVISION}; use the one that wrote it"
    )


def _create_tables(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - loaded only to create tables
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
