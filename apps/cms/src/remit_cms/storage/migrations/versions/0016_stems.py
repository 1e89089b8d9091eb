"""The stems of words in full text: of each page in its locale, and of each image in the default locale of its site."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from remit.database import FullText

revision = "0016"
down_revision = "0015"

_PAGE_SEARCH = FullText("page_search", key="page", columns={"title": 4.0, "body": 1.0})
_IMAGE_SEARCH = FullText("image_search", key="image", columns={"alt": 4.0, "caption": 2.0, "name": 1.0})


def upgrade() -> None:
    """Index the stems of what is indexed. The key of a page ends with its locale."""
    images = sa.table("images", sa.column("id"), sa.column("site"))
    locales = sa.table("locales", sa.column("site"), sa.column("code"), sa.column("is_default", sa.Boolean))
    query = sa.select(images.c.id, locales.c.code).join(locales, locales.c.site == images.c.site)
    rows = op.get_bind().execute(query.where(locales.c.is_default))
    defaults: dict[str, str] = {row.id: row.code for row in rows}
    _PAGE_SEARCH.add_stems(op.get_bind(), lambda key: key.rpartition("@")[2].strip())
    _IMAGE_SEARCH.add_stems(op.get_bind(), lambda key: defaults.get(key, ""))


def downgrade() -> None:
    """Keep the stems: a search that does not know of them does not find them."""
