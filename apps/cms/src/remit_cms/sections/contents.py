"""Reads and writes the content of sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, update

from remit.errors import InvalidArgumentsError
from remit_cms.models import ONE_TEXT, Content
from remit_cms.rich_text.remarks import describe_form_of_text
from remit_cms.sections.items import merge_items, without_ids
from remit_cms.sections.links import link_objects
from remit_cms.sections.payloads import SectionBrief, SectionInput, SectionView
from remit_cms.sections.remarks import Remarks, find_remarks
from remit_cms.storage.images import fill_images
from remit_cms.storage.parts import content_parts
from remit_cms.storage.readings import Reading, SectionReading, read_section
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.snapshots import build_snapshot, describe_section, next_number
from remit_cms.storage.tables import Page, PageSection, SectionContent, SectionDefinition
from remit_cms.storage.transactions import Edit
from remit_cms.templates.slots import Structure
from remit_cms.templates.values import check_content, rename_fields, show_content, show_names


@dataclass(frozen=True, slots=True)
class AddedSection:
    """A new section, with remarks on its content."""

    section: PageSection
    definition: SectionDefinition
    remarks: Remarks


@dataclass(frozen=True, slots=True)
class ContentUpdate:
    """The result of a content update.

    ``given`` are the fields that it named, but for lists, as they are stored; ``changed`` those that are different now,
    as callers read them.
    """

    given: list[str]
    changed: list[str]
    new_items: list[str]
    remarks: Remarks


def view_sections(read: Reading) -> list[SectionView]:
    """The sections of a draft in order, with their content."""
    return [view_section(each, read.chain, read.snapshot.slug) for each in read.sections]


def view_section(read: SectionReading, chain: Sequence[str], slug: str | None = None) -> SectionView:
    """A section with its content. In a draft, whose slug is given, it has a name by its number."""
    section = read.section
    return SectionView(
        id=section.id,
        ref=None if slug is None else _name_section(slug, section.number),
        section_key=section.definition,
        sort_order=section.sort_order,
        locale_code=chain[0],
        content=show_content(read.structure, read.content),
        untranslated=show_names(read.structure, read.untranslated) or None,
    )


async def list_sections(scope: Scope, page: Page) -> list[SectionView]:
    """The sections of a draft in order, without their content."""
    return [
        SectionView(id=each.id, section_key=each.definition, sort_order=each.sort_order)
        for each in (await build_snapshot(scope, page)).ordered_sections
    ]


async def load_section(scope: Scope, section: PageSection, definition: SectionDefinition, locale: str) -> SectionView:
    """One section of a draft with its content."""
    rows = await scope.session.scalars(select(SectionContent).where(SectionContent.section == section.id))
    state = describe_section(section, definition.key, {row.locale: row.content for row in rows})
    page, chain = await scope.session.get_one(Page, section.page), scope.fallback_chain(locale)
    return view_section(read_section(state, parse_structure(definition), chain), chain, page.slug)


async def add_section(
    edit: Edit, page: Page, section_input: SectionInput, locale: str, *, position: int | None = None
) -> AddedSection:
    """Add a section to a page: at its end, or before the section now at ``position``.

    Raises:
        NotFoundError: no such template.
        InvalidArgumentsError: the content does not fit the template.
    """
    definition = await edit.find_definition(section_input.definition_id)
    structure = parse_structure(definition)
    given = await link_objects(edit, structure, rename_fields(structure, section_input.content))
    check_content(definition.key, structure.shown, show_content(structure, given))
    given = await fill_images(edit, given, {})
    count = await edit.session.scalar(select(func.count()).select_from(PageSection).where(PageSection.page == page.id))
    order = min(position if position is not None else count or 0, count or 0)
    await edit.session.execute(
        update(PageSection)
        .where(PageSection.page == page.id, PageSection.sort_order >= order)
        .values(sort_order=PageSection.sort_order + 1)
    )
    section = PageSection(
        id=edit.new_id("section"), page=page.id, definition=definition.id, sort_order=order, number=next_number(page)
    )
    edit.session.add(section)
    await edit.session.flush()
    items = merge_items(page, section, structure, {}, without_ids(structure, given), {})
    content = _merge_content(items, given, structure)
    edit.session.add(SectionContent(section=section.id, locale=locale, content=content))
    await edit.session.flush()
    view = await load_section(edit, section, definition, locale)
    return AddedSection(section, definition, find_remarks(structure, view.content or {}, given))


async def update_content(
    edit: Edit,
    section: PageSection,
    definition: SectionDefinition,
    content: Content,
    locale: str,
    *,
    as_new: bool = False,
) -> ContentUpdate:
    """Update the content of a section in one locale; ``as_new`` adds all items of lists, also those that there are.

    Raises:
        InvalidArgumentsError: the content does not fit the template.
    """
    structure = parse_structure(definition)
    row = await edit.session.get(SectionContent, (section.id, locale))
    before = row.content if row is not None else {}
    _check_text_alone(structure, content, before)
    content = await link_objects(edit, structure, rename_fields(structure, content, before))
    check_content(definition.key, structure.shown, show_content(structure, content))
    page = await edit.session.get_one(Page, section.page)
    items = {item for order in section.lists.values() for item in order}
    shown = {} if as_new else (await load_section(edit, section, definition, locale)).content or {}
    content = await fill_images(edit, content, shown)
    after = _merge_content(merge_items(page, section, structure, before, content, shown), content, structure)
    if after != before:
        if row is None:
            row = SectionContent(section=section.id, locale=locale, content=after)
            edit.session.add(row)
        row.content = after
        await edit.session.flush()
    view = await load_section(edit, section, definition, locale)
    changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return ContentUpdate(
        [key for key in content if key not in {slot.key for slot in structure.lists}],
        [*show_names(structure, dict.fromkeys(changed))],
        [item for order in section.lists.values() for item in order if item not in items],
        find_remarks(structure, view.content or {}, content),
    )


def note_written(edit: Edit, page: Page, section: PageSection, update: ContentUpdate, locale: str) -> None:
    """Tell the journal that the author knows what it gave the fields of a section, also those that did not change."""
    if update.given:
        (place,) = content_parts([locale], section.id)
        edit.show(page, *(f"{place}/{key}" for key in update.given))


async def remove_section(edit: Edit, section: PageSection) -> None:
    """Remove a section; the sections below it move up."""
    page, order = section.page, section.sort_order
    await edit.session.delete(section)
    await edit.session.flush()
    await edit.session.execute(
        update(PageSection)
        .where(PageSection.page == page, PageSection.sort_order > order)
        .values(sort_order=PageSection.sort_order - 1)
    )


def section_brief(section: PageSection, page: Page, definition: SectionDefinition) -> SectionBrief:
    """A section as replies of writes name it."""
    return SectionBrief(id=section.id, ref=_name_section(page.slug, section.number), section_key=definition.key)


def section_name(definition: SectionDefinition, page: Page) -> str:
    """What people call a section."""
    return f"{definition.key} on {page.title}"


def _merge_content(old: Content, new: Content, structure: Structure) -> Content:
    """Merge shallowly: new values win, null empties a field. Lists are merged already."""
    lists = {slot.key for slot in structure.lists}
    merged = {**old, **{key: value for key, value in new.items() if key not in lists}}
    return {key: value for key, value in merged.items() if value is not None}


def _check_text_alone(structure: Structure, given: Content, before: Content) -> None:
    """Refuse a text that names no field and would take the place of a table, a list or another form of text.

    Raises:
        InvalidArgumentsError: names the field, what stands there, and the form to write.
    """
    if ONE_TEXT not in given:
        return
    for key in rename_fields(structure, {ONE_TEXT: given[ONE_TEXT]}):
        if form := describe_form_of_text(str(before.get(key) or "")):
            (name,) = show_names(structure, {key: None})
            raise InvalidArgumentsError(
                f"'{name}' has {form}, which a text alone would replace. To replace all of it write "
                f'{{"{name}": "the whole text"}}'
            )


def _name_section(slug: str, number: int) -> str | None:
    return f"{slug}/s{number}" if number else None
