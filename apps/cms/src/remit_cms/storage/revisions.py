"""Revisions: every write stores the whole state of the page and its author."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue
from sqlalchemy import select

from remit.errors import ConflictError
from remit_cms.storage import full_text
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Page, PageSection, Revision, SectionContent, SectionDefinition
from remit_cms.storage.transactions import Edit
from remit_cms.templates.values import iterate_texts


def check_revision(page: Page, expected: int | None) -> None:
    """Reject a write that was meant for an older revision of the page.

    Raises:
        ConflictError: names the current revision.
    """
    if expected is not None and expected != page.revision:
        raise ConflictError(
            f"Page '{page.title}' is at revision {page.revision}, not {expected}: it changed since you read it. "
            f"Read it again, then write with expectedRevision {page.revision}."
        )


async def save_revision(edit: Edit, page: Page, action: str, *fields: str) -> None:
    """Store the page's current state as its next revision, index its texts, and tell which of its fields changed."""
    page.revision += 1
    edit.add_change("page", page.id, page.revision, *fields)
    page.updated_at = edit.now
    snapshot = await _add_revision(edit, page, action)
    await full_text.index_page(edit.session, page.id, page.title, iterate_texts([*_searchable_values(snapshot)]))


async def save_last_revision(edit: Edit, page: Page, action: str) -> None:
    """Store the page's last revision and unindex it. The caller deletes the page itself."""
    page.revision += 1
    edit.add_change("page", page.id, page.revision)
    await _add_revision(edit, page, action)
    await full_text.unindex_page(edit.session, page.id)


async def _add_revision(edit: Edit, page: Page, action: str) -> dict[str, JsonValue]:
    await edit.session.flush()
    snapshot = await _build_snapshot(edit, page)
    edit.session.add(
        Revision(
            site=page.site,
            environment=page.environment,
            page=page.id,
            number=page.revision,
            action=action,
            author=edit.author,
            run=edit.run,
            snapshot=snapshot,
            created_at=edit.now,
        )
    )
    await edit.session.flush()
    return snapshot


async def _build_snapshot(scope: Scope, page: Page) -> dict[str, JsonValue]:
    sections = (
        select(PageSection, SectionDefinition.key)
        .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
        .where(PageSection.page == page.id)
        .order_by(PageSection.sort_order, PageSection.id)
    )
    contents = (
        select(SectionContent)
        .join(PageSection, PageSection.id == SectionContent.section)
        .where(PageSection.page == page.id)
        .order_by(SectionContent.locale)
    )
    by_section: dict[str, dict[str, JsonValue]] = {}
    for row in await scope.session.scalars(contents):
        by_section.setdefault(row.section, {})[row.locale] = cast("JsonValue", row.content)
    return {
        "id": page.id,
        "locale": page.locale,
        "parent": page.parent,
        "slug": page.slug,
        "title": page.title,
        "status": page.status,
        "indexing": page.indexing,
        "meta": {"title": page.meta_title, "description": page.meta_description},
        "sections": [
            {
                "id": section.id,
                "definition": key,
                "sortOrder": section.sort_order,
                "contents": by_section.get(section.id, {}),
            }
            for section, key in (await scope.session.execute(sections)).all()
        ],
    }


def _searchable_values(snapshot: dict[str, JsonValue]) -> Sequence[JsonValue]:
    """The texts of a snapshot, including those for search engines."""
    sections = cast("list[dict[str, JsonValue]]", snapshot["sections"])
    return [snapshot["meta"], *(section["contents"] for section in sections)]
