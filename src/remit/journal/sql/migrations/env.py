"""Alembic's entry point: runs the migrations on the connection that `upgrade` opened."""

from __future__ import annotations

from alembic import context

from remit.journal.sql.tables import METADATA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], target_metadata=METADATA, version_table=VERSION_TABLE
)
context.run_migrations()
