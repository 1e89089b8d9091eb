"""The template of redirects that the owner of a site makes."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

_KEY = "redirect-item"


def upgrade() -> None:
    """Add the template in each environment, unless something there has its key."""
    columns = ("id", "site", "environment", "key", "name", "description", "structure", "kind")
    definitions = sa.table(
        "section_definitions", *(sa.column(name, sa.JSON if name == "structure" else sa.String) for name in columns)
    )
    taken = sa.select(definitions.c.site, definitions.c.environment).where(definitions.c.key == _KEY)
    has_one = {(row.site, row.environment) for row in op.get_bind().execute(taken)}
    for site, environment in op.get_bind().execute(sa.text("SELECT site, name FROM environments")).all():
        if (site, environment) not in has_one:
            op.get_bind().execute(
                definitions.insert().values(
                    id=f"template_{secrets.token_hex(6)}",
                    site=site,
                    environment=environment,
                    key=_KEY,
                    name="Redirect",
                    description="An address without a page, and where it leads.",
                    structure={"rows": []},
                    kind="redirects",
                )
            )


def downgrade() -> None:
    """Delete the redirects and their template."""
    for table in ("pages", "section_definitions"):
        op.execute(sa.text(f"DELETE FROM {table} WHERE kind = 'redirects'"))  # noqa: S608 - names above
