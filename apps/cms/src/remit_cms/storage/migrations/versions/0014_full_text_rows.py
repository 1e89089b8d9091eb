"""What full text on SQLite reads of each row that it found."""

from __future__ import annotations

from alembic import op

from remit.database import FullText

revision = "0014"
down_revision = "0013"

_FULL_TEXTS = (
    FullText("page_search", key="page", columns={"title": 4.0, "body": 1.0}),
    FullText("image_search", key="image", columns={"alt": 4.0, "caption": 2.0, "name": 1.0}),
)


def upgrade() -> None:
    """Add the table to those that were created before there was one."""
    for full_text in _FULL_TEXTS:
        full_text.create(op.get_bind())


def downgrade() -> None:
    """Keep the tables: a full text that has no use for them does not mind them."""
