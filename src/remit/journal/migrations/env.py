"""What Alembic runs: the migrations, on the connection that `upgrade` opened."""

from __future__ import annotations

from alembic import context

from remit.journal.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"], target_metadata=METADATA, version_table="remit_version"
)
context.run_migrations()
