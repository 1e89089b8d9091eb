"""Moves sections, on their page or to another one."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import func, select, update

from remit_cms.models import Content
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
    """Put a section on another page, with its content in all languages. It and its items get ids of that page.

    So each of the two pages can be made what it was before by itself.
    """
    contents = (
        await edit.session.scalars(
            select(SectionContent).where(SectionContent.section == section.id).order_by(SectionContent.locale)
        )
    ).all()
    renamed = _number_items(page, section)
    count = await _count_sections(edit, page.id)
    moved = PageSection(
        id=edit.new_id("section"),
        page=page.id,
        definition=section.definition,
        sort_order=count,
        number=next_number(page),
        lists={slot: [*items.values()] for slot, items in renamed.items()},
    )
    edit.session.add(moved)
    await edit.session.flush()
    for each in contents:
        content = _rename_items(each.content, renamed)
        edit.session.add(SectionContent(section=moved.id, locale=each.locale, content=content))
    await remove_section(edit, section)
    await place_section(edit, moved, position)
    return moved


def _number_items(page: Page, section: PageSection) -> dict[str, dict[str, str]]:
    """The ids of items by slot, each with that which it gets on a page: the page may have an item of that id itself."""
    renamed: dict[str, dict[str, str]] = {}
    for slot, items in section.lists.items():
        renamed[slot] = {item: f"i{page.last_item + number}" for number, item in enumerate(items, 1)}
        page.last_item += len(items)
    return renamed


def _rename_items(content: Content, renamed: Mapping[str, Mapping[str, str]]) -> Content:
    result = dict(content)
    for slot, names in renamed.items():
        items = content.get(slot)
        if isinstance(items, dict):
            result[slot] = {names[item]: value for item, value in items.items() if item in names}
    return result


async def _count_sections(edit: Edit, page: str) -> int:
    query = select(func.count()).select_from(PageSection).where(PageSection.page == page)
    return await edit.session.scalar(query) or 0
