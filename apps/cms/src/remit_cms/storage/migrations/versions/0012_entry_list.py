"""The template of sections that list entries, in sites of earlier."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from remit_cms.storage.database import random_id

revision = "0012"
down_revision = "0011"

_STRUCTURE = {
    "rows": [
        {"slots": [{"key": "heading", "type": "text", "label": "Heading"}]},
        {"slots": [{"key": "content", "type": "richText", "label": "Text"}]},
        {"slots": [{"key": "entries", "type": "collectionRef", "label": "Posts of", "required": True}]},
        {"slots": [{"key": "dates", "type": "option", "label": "Dates are", "options": ["shown", "hidden"]}]},
    ]
}
_TEMPLATES = sa.table(
    "section_definitions",
    sa.column("id"),
    sa.column("site"),
    sa.column("environment"),
    sa.column("key"),
    sa.column("name"),
    sa.column("description"),
    sa.column("kind"),
    sa.column("structure", sa.JSON),
)


def upgrade() -> None:
    """Add the template to each environment, unless it has something with that key."""
    environments = sa.table("environments", sa.column("site"), sa.column("name"))
    connection = op.get_bind()
    taken = sa.select(_TEMPLATES.c.site, _TEMPLATES.c.environment).where(_TEMPLATES.c.key == "entry-list")
    having = {tuple(row) for row in connection.execute(taken)}
    for site, environment in connection.execute(sa.select(environments.c.site, environments.c.name)).all():
        if (site, environment) not in having:
            row = {
                "id": random_id("template"),
                "site": site,
                "environment": environment,
                "key": "entry-list",
                "name": "List of posts",
                "description": "The newest posts, or entries of another collection, each with a link to it.",
                "kind": "page",
                "structure": _STRUCTURE,
            }
            connection.execute(_TEMPLATES.insert().values(row))


def downgrade() -> None:
    """Remove the template where no section has it."""
    sections = sa.table("page_sections", sa.column("definition"))
    used = sa.select(sections.c.definition)
    own = sa.and_(_TEMPLATES.c.key == "entry-list", _TEMPLATES.c.kind == "page", _TEMPLATES.c.id.not_in(used))
    op.get_bind().execute(_TEMPLATES.delete().where(own))
