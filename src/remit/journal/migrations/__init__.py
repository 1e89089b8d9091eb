"""Alembic migrations of the journal. A database that is up to date is opened without loading Alembic."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, inspect, text

from remit.journal.tables import HEAD, VERSION_TABLE


def migrate(engine: Engine) -> None:
    """Bring the journal's tables to the newest revision; two processes at once do it one after the other."""
    with engine.connect() as connection:
        if inspect(connection).has_table(VERSION_TABLE):
            at = connection.execute(text(f"select version_num from {VERSION_TABLE}")).scalar()  # noqa: S608 - our name
            if at == HEAD:
                return
    _upgrade(engine)


def _upgrade(engine: Engine) -> None:
    from alembic import command  # noqa: PLC0415 - loaded only where there is something to migrate
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
