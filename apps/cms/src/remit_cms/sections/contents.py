"""Reads and writes what stands in sections."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import func, select

from remit_cms.models import Content
from remit_cms.sections.payloads import SectionInput, SectionView
from remit_cms.storage.access import Edit
from remit_cms.storage.scope import Scope, structure_of
from remit_cms.storage.tables import Page, PageSection, SectionContent, SectionDefinition
from remit_cms.templates.values import check_content, missing


async def sections_of(scope: Scope, page: Page, *, locale: str | None = None) -> list[SectionView]:
    """A page's sections in order; with their content if a locale is named."""
    query = (
        select(PageSection, SectionDefinition)
        .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
        .where(PageSection.page == page.id)
        .order_by(PageSection.sort_order, PageSection.id)
    )
    rows = (await scope.session.execute(query)).all()
    contents = await _contents(scope, [row[0].id for row in rows], locale) if locale else {}
    return [_view(row[0], row[1], scope, contents.get(row[0].id, {}), locale) for row in rows]


async def section_view(
    scope: Scope, section: PageSection, definition: SectionDefinition, locale: str
) -> SectionView:
    """One section with its content."""
    contents = await _contents(scope, [section.id], locale)
    return _view(section, definition, scope, contents.get(section.id, {}), locale)


async def place(edit: Edit, page: Page, given: SectionInput, locale: str, *, at: int | None = None) -> str:
    """Add a section to a page, at the end or before the section that now stands ``at`` a place.

    Returns a remark on what is still to be filled in, or nothing.

    Raises:
        NotFoundError: no such template.
        InvalidError: the content is not what the template takes.
    """
    raise NotImplementedError
