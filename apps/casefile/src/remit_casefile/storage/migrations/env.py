"""What Alembic runs for each migration: on the connection, and in the transaction, that it was given."""

from alembic import context

from remit_casefile.storage.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
