"""Images, their contents and renditions, and the full-text index over them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from remit.database import FullText

_IMAGE_SEARCH = FullText("image_search", key="image", columns={"alt": 4.0, "caption": 2.0, "name": 1.0})

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "image_contents",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "images",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("site", sa.String(64), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(
            ["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"
        ),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), sa.ForeignKey("image_contents.digest", ondelete="RESTRICT"), nullable=False),
        *(
            sa.Column(name, kind, nullable=False)
            for name, kind in (
                ("media_type", sa.String(64)),
                ("size", sa.Integer),
                ("width", sa.Integer),
                ("height", sa.Integer),
                ("name", sa.String(255)),
                ("alt", sa.String(500)),
                ("caption", sa.String(500)),
                ("focal_x", sa.Integer),
                ("focal_y", sa.Integer),
                ("revision", sa.Integer),
                ("conversation", sa.Text),
                ("author", sa.String(200)),
                ("created_at", sa.DateTime(timezone=True)),
            )
        ),
    )
    op.create_index("images_source", "images", ["site", "environment", "source"], unique=True)
    op.create_index("images_conversation", "images", ["site", "environment", "conversation"])
    op.create_index("images_digest", "images", ["digest"])
    op.create_table(
        "image_renditions",
        sa.Column(
            "digest", sa.String(64), sa.ForeignKey("image_contents.digest", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("width", sa.Integer, primary_key=True),
        sa.Column("format", sa.String(8), primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    _IMAGE_SEARCH.create(op.get_bind())


def downgrade() -> None:
    """Drop the tables."""
    _IMAGE_SEARCH.drop(op.get_bind())
    for table in ("image_renditions", "images", "image_contents"):
        op.drop_table(table)
