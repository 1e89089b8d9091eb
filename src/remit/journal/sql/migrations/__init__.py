"""Alembic migrations of the journal. A database that is up to date is opened without loading Alembic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, select, text

from remit.database.migration_lock import MIGRATION_LOCK
from remit.errors import JournalFormatError
from remit.journal.sql.locks import LockKeys, acquire_locks
from remit.journal.sql.signatures import Signer
from remit.journal.sql.signing import open_signer, sign_again, sign_conversations, sign_first
from remit.journal.sql.tables import CONVERSATIONS, HEAD_REVISION, KEY, VERSION_TABLE


def migrate(engine: Engine, key_file: Path | None = None) -> None:
    """Upgrade the journal's tables to the newest revision, and find its signer. Concurrent processes take turns.

    Finding that there is nothing to do waits for no writer.

    Raises:
        JournalError: the key of the journal is missing or another one.
    """
    with engine.connect().execution_options(remit_reads=True) as connection:
        if inspect(connection).has_table(VERSION_TABLE) and _read_revision(connection) == HEAD_REVISION:
            open_signer(connection, key_file).attach(engine)
            return

    def make_signer(connection: Connection) -> Signer:
        is_signed = connection.scalar(select(KEY.c.signature)) is not None  # another process may have come first
        signer = (open_signer if is_signed else sign_first)(connection, key_file)
        sign_conversations(connection, signer, select(CONVERSATIONS).where(CONVERSATIONS.c.signature.is_(None)))
        return signer

    _upgrade(engine, make_signer)


def accept_rows(engine: Engine, key_file: Path | None = None) -> None:
    """Accept every row of a journal as it is: sign all with its key, or with a new one if that is lost."""
    _upgrade(engine, lambda connection: sign_again(connection, key_file))


def _read_revision(connection: Connection) -> str:
    return str(connection.execute(text(f"select version_num from {VERSION_TABLE}")).scalar())  # noqa: S608 - our name


def _upgrade(engine: Engine, make_signer: Callable[[Connection], Signer]) -> None:
    from alembic import command  # noqa: PLC0415 - loaded only where there is something to migrate
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    with MIGRATION_LOCK, engine.begin() as connection:
        acquire_locks(connection, [LockKeys(frozenset({VERSION_TABLE}))])
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise JournalFormatError(
                f"{engine.url.database} has a newer version; use a newer Remit ({error})"
            ) from error
        signer = make_signer(connection)
    signer.attach(engine)
