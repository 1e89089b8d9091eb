"""Brings a database up to date with Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def configuration() -> Config:
    """Alembic's configuration: where the migrations are."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def migrate(connection: Connection) -> None:
    """Run every migration that the database lacks, inside the caller's transaction."""
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
