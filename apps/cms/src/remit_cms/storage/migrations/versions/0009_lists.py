"""Lists of items in sections, and numbers of sections within their page."""

from __future__ import annotations

import json
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_LISTS: Final[dict[str, dict[str, Any]]] = {
    "faq": {
        "key": "questions",
        "type": "list",
        "label": "Questions",
        "fields": [
            {"key": "question", "type": "text", "label": "Question", "required": True},
            {"key": "answer", "type": "richText", "label": "Answer"},
        ],
    },
    "features": {
        "key": "features",
        "type": "list",
        "label": "Features",
        "fields": [
            {"key": "title", "type": "text", "label": "Title", "required": True},
            {"key": "text", "type": "richText", "label": "Text"},
        ],
    },
}


def upgrade() -> None:
    """Add the columns, number the sections by their place, and give templates with numbered fields a list besides."""
    op.add_column("pages", sa.Column("last_section", sa.Integer, nullable=False, server_default="0"))
    op.add_column("pages", sa.Column("last_item", sa.Integer, nullable=False, server_default="0"))
    op.add_column("page_sections", sa.Column("number", sa.Integer, nullable=False, server_default="0"))
    op.add_column("page_sections", sa.Column("lists", sa.JSON, nullable=False, server_default="{}"))
    connection = op.get_bind()
    pages = sa.table("pages", sa.column("id"), sa.column("kind"), sa.column("last_section"))
    sections = sa.table(
        "page_sections", sa.column("id"), sa.column("page"), sa.column("sort_order"), sa.column("number")
    )
    rows = connection.execute(
        sa.select(sections.c.id, sections.c.page)
        .join(pages, pages.c.id == sections.c.page)
        .where(pages.c.kind == "page")
        .order_by(sections.c.page, sections.c.sort_order, sections.c.id)
    )
    counts: dict[str, int] = {}
    for section, page in rows.all():
        counts[page] = counts.get(page, 0) + 1
        connection.execute(sections.update().where(sections.c.id == section).values(number=counts[page]))
    for page, count in counts.items():
        connection.execute(pages.update().where(pages.c.id == page).values(last_section=count))
    _add_lists(connection)


def _add_lists(connection: sa.Connection) -> None:
    """Numbered fields stay, and are no longer required."""
    templates = sa.table("section_definitions", sa.column("id"), sa.column("key"), sa.column("structure", sa.JSON))
    found = connection.execute(
        sa.select(templates.c.id, templates.c.key, templates.c.structure).where(templates.c.key.in_([*_LISTS]))
    )
    for template, key, structure in found.all():
        form: dict[str, Any] = json.loads(structure) if isinstance(structure, str) else structure
        slots = [slot for row in form["rows"] for slot in row["slots"]]
        if f"{key.removesuffix('s')}1" not in str([slot["key"] for slot in slots]):
            continue
        for slot in slots:
            if any(character.isdigit() for character in slot["key"]):
                slot.pop("required", None)
        form["rows"].append({"slots": [_LISTS[key]]})
        connection.execute(templates.update().where(templates.c.id == template).values(structure=form))


def downgrade() -> None:
    """Drop the columns. Items of lists are lost."""
    op.drop_column("page_sections", "lists")
    op.drop_column("page_sections", "number")
    op.drop_column("pages", "last_item")
    op.drop_column("pages", "last_section")
