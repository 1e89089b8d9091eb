"""Entries, settings and navigation: documents of other kinds beside pages, with templates of their own."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0002"

_POST_FIELDS = (
    ("body", "richText", "Text", True),
    ("excerpt", "text", "Summary", False),
    ("cover", "image", "Picture", False),
    ("author", "text", "Author", False),
    ("category", "text", "Category", False),
    ("tags", "text", "Tags", False),
)
_TEMPLATES = (
    ("settings", "site-settings", "Site settings", "The settings of the site.", ()),
    ("navigation", "navigation-item", "Item of the navigation", "A link in the header or footer.", ()),
    ("entry", "posts", "Posts", "Articles with a date, such as news or a blog.", _POST_FIELDS),
)


def upgrade() -> None:
    """Tell the kinds of documents apart, and add the templates of the new ones."""
    for table in ("pages", "section_definitions"):
        op.add_column(table, sa.Column("kind", sa.String(16), nullable=False, server_default="page"))
    names = ("id", "site", "environment", "key", "name", "description", "structure", "kind")
    columns = (sa.column(name, sa.JSON if name == "structure" else sa.String) for name in names)
    definitions = sa.table("section_definitions", *columns)
    for site, environment in op.get_bind().execute(sa.text("SELECT site, name FROM environments")).all():
        for kind, key, name, description, fields in _TEMPLATES:
            slots = [
                {"key": field, "type": type_, "label": label, **({"required": True} if required else {})}
                for field, type_, label, required in fields
            ]
            op.get_bind().execute(
                definitions.insert().values(
                    id=f"template_{secrets.token_hex(6)}",
                    site=site,
                    environment=environment,
                    key=key,
                    name=name,
                    description=description,
                    structure={"rows": [{"slots": [slot]} for slot in slots]},
                    kind=kind,
                )
            )


def downgrade() -> None:
    """Delete the documents of the new kinds."""
    for table in ("pages", "section_definitions"):
        op.execute(sa.text(f"DELETE FROM {table} WHERE kind <> 'page'"))  # noqa: S608 - names above
        op.drop_column(table, "kind")
