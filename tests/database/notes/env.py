"""What Alembic runs for each migration of the notes."""

from alembic import context

from tests.database.tables import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
