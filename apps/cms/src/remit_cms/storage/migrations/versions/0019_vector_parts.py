"""A row for each vector, which Postgres compares itself where it has pgvector. All are computed anew."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, REAL
from sqlalchemy.exc import DBAPIError

revision = "0019"
down_revision = "0018"

_FLOATS: Final = sa.LargeBinary().with_variant(ARRAY(REAL, dimensions=1), "postgresql")
_PGVECTOR: Final = (
    "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace "
    "WHERE extname = 'vector'"
)


def upgrade() -> None:
    """Create the table anew, and have everything embedded."""
    part = sa.Column("part", sa.Integer, primary_key=True, autoincrement=False)
    _create([part], sa.Column("vector", _FLOATS))
    if op.get_bind().dialect.name == "postgresql":
        with suppress(DBAPIError):  # without pgvector or the right to install it, vectors are compared in memory
            _use_pgvector()


def downgrade() -> None:
    """Create the table of before. The extension stays: others may use it."""
    _create([], sa.Column("vector", sa.LargeBinary, nullable=False))


def _use_pgvector() -> None:
    connection = op.get_bind()
    with connection.begin_nested():
        op.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        schema = connection.scalar(sa.text(_PGVECTOR))
        # Out of line, a search would look up each vector in another table.
        op.execute(f"ALTER TABLE vectors ALTER vector TYPE {schema}.vector, ALTER vector SET STORAGE main")


def _create(part: Sequence[sa.Column[int]], vector: sa.Column[bytes]) -> None:
    op.execute("DELETE FROM embedded")
    op.drop_table("vectors")
    op.create_table(
        "vectors",
        sa.Column("site", sa.String(64), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("object", sa.String(64), primary_key=True),
        sa.Column("locale", sa.String(16), primary_key=True),
        *part,
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        vector,
        sa.ForeignKeyConstraint(
            ["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"
        ),
    )
    op.create_index("vectors_version", "vectors", ["site", "environment", "version"])
