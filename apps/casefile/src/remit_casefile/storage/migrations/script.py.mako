"""${message}."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """To this version."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Back to the version before."""
    ${downgrades if downgrades else "pass"}
