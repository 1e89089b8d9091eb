"""The focal points of slots that have none of their own: those that their images have at the migration."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

_AXES = ("x", "y")


def upgrade() -> None:
    """Add the columns with what visitors see."""
    for axis in _AXES:
        op.add_column("images", sa.Column(f"initial_focal_{axis}", sa.Integer, nullable=False, server_default="50"))
    images = sa.table(
        "images", *(sa.column(f"{each}focal_{axis}", sa.Integer) for each in ("", "initial_") for axis in _AXES)
    )
    op.execute(images.update().values({f"initial_focal_{axis}": images.c[f"focal_{axis}"] for axis in _AXES}))


def downgrade() -> None:
    """Drop the columns. All slots show the focal point that their image has then."""
    for axis in _AXES:
        op.drop_column("images", f"initial_focal_{axis}")
