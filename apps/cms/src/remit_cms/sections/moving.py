"""Moves sections, on their page or to another one."""

from __future__ import annotations

from sqlalchemy import func, select, update

from remit_cms.sections.contents import remove_section
from remit_cms.storage.snapshots import next_number
from remit_cms.storage.tables import Page, PageSection, SectionContent
from remit_cms.storage.transactions import Edit


async def place_section(edit: Edit, section: PageSection, position: int | None) -> bool:
    """Put a section at a place on its page, or at its end, and return whether it stood elsewhere."""
    last = await _count_sections(edit, section.page) - 1
    before, after = section.sort_order, last if position is None else min(position, last)
    if after == before:
        return False
    step, passed = (-1, (before + 1, after)) if after > before else (1, (after, before - 1))
    await edit.session.execute(
        update(PageSection)
        .where(PageSection.page == section.page, PageSection.sort_order.between(*passed))
        .values(sort_order=PageSection.sort_order + step)
    )
    section.sort_order = after
    await edit.session.flush()
    return True


async def transfer_section(edit: Edit, section: PageSection, page: Page, position: int | None) -> PageSection:
    """Put a section on another page, with its content in all languages. It gets a new id there.

    So each of the two pages can be made what it was before by itself.
    """
    contents = (
        await edit.session.scalars(
            select(SectionContent).where(SectionContent.section == section.id).order_by(SectionContent.locale)
        )
    ).all()
    former = await edit.session.get_one(Page, section.page)
    page.last_item = max(page.last_item, former.last_item)
    count = await _count_sections(edit, page.id)
    moved = PageSection(
        id=edit.new_id("section"),
        page=page.id,
        definition=section.definition,
        sort_order=count,
        number=next_number(page),
        lists=section.lists,
    )
    edit.session.add(moved)
    await edit.session.flush()
    for each in contents:
        edit.session.add(SectionContent(section=moved.id, locale=each.locale, content=each.content))
    await remove_section(edit, section)
    await place_section(edit, moved, position)
    return moved


async def _count_sections(edit: Edit, page: str) -> int:
    query = select(func.count()).select_from(PageSection).where(PageSection.page == page)
    return await edit.session.scalar(query) or 0
