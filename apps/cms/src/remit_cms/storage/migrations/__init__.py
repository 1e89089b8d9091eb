"""The migrations, for Alembic."""
