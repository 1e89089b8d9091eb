"""Items of lists, as they are stored: their ids and order once for all locales, their texts in each locale."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue
from sqlalchemy import select

from remit.errors import InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.storage.scope import parse_structure
from remit_cms.storage.tables import Page, PageSection, SectionContent, SectionDefinition
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import item_content
from remit_cms.templates.slots import Slot, SlotType, Structure
from remit_cms.templates.values import MAX_ITEMS, is_empty, iterate_items


def merge_items(
    page: Page, section: PageSection, structure: Structure, before: Content, given: Content, shown: Content
) -> Content:
    """The stored content of one locale with what is given of its lists. The ids of new items go to the section.

    An item is one that there is if it has its id, or without an id its title; others are added at the end. None is
    removed, and none moves.

    Args:
        page: the page, which counts its items.
        section: the section.
        structure: the form of its template.
        before: what is stored in the locale.
        given: the lists of items, and perhaps other slots.
        shown: the content as readers of the locale see it, which titles refer to.
    """
    after = dict(before)
    for slot in structure.lists:
        if slot.key not in given:
            continue
        if given[slot.key] is None and shown.get(slot.key):
            raise InvalidArgumentsError(
                f"'{slot.key}' is a list and is not emptied; cms_removeListItem removes an item."
            )
        for item in iterate_items(given[slot.key]):
            values: Content = {key: value for key, value in item.items() if key != "id"}
            found = None if item.get("id") is None else find_item(slot, shown, str(item["id"]))
            found = found or next(iter(_titled(slot, shown, _title_of(slot, values))), None)
            after = _with_item(after, slot.key, found or _add_id(page, section, slot, values), values)
    return after


def without_ids(structure: Structure, content: Content) -> Content:
    """The content with items that are all new: ids of another section's items mean nothing here."""
    lists: Content = {
        slot.key: [
            {key: value for key, value in item.items() if key != "id"} for item in iterate_items(content[slot.key])
        ]
        for slot in structure.lists
        if slot.key in content
    }
    return {**content, **lists}


def _add_id(page: Page, section: PageSection, slot: Slot, values: Content) -> str:
    """The id of a new item at the end of a list."""
    if all(is_empty(value) for value in values.values()):
        fields = ", ".join(field.key for field in slot.fields)
        raise InvalidArgumentsError(f"a new item of '{slot.key}' needs a value in one of its fields: {fields}")
    page.last_item += 1
    order = [*section.lists.get(slot.key, []), f"i{page.last_item}"]
    if len(order) > MAX_ITEMS:
        raise InvalidArgumentsError(f"the list '{slot.key}' has {MAX_ITEMS} items, as many as it may have")
    section.lists = {**section.lists, slot.key: order}
    return order[-1]


def _with_item(content: Content, slot: str, item: str, values: Content) -> Content:
    """The content of one locale with values of an item. Nothing is kept of an item or a list that has none."""
    items = content.get(slot)
    merged: Content = {**item_content(content, slot, item), **values}
    kept: Content = {key: value for key, value in merged.items() if value is not None}
    others = {key: each for key, each in (items if isinstance(items, dict) else {}).items() if key != item}
    found: Content = {**others, item: kept} if kept else others
    return {**content, slot: found} if found else {key: each for key, each in content.items() if key != slot}


def find_item(slot: Slot, shown: Content, name: str) -> str:
    """The item of a list with this id, or else the only one with this title.

    Raises:
        NotFoundError: there is none, or several have the title; names those that there are.
    """
    items = [*iterate_items(shown.get(slot.key))]
    found = [name] if any(item["id"] == name for item in items) else _titled(slot, shown, name)
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{item['id']} ({str(_title_of(slot, item) or '')[:60]})" for item in items[:20])
    said = f"Several items are called '{name}'" if found else f"There is no item '{name}'"
    raise NotFoundError(f"{said} in the list {slot.key}. " + (f"Its items: {known}." if items else "It is empty."))


def find_list(definition: SectionDefinition, key: str | None) -> Slot:
    """The list of a template with this key, or its only one.

    Raises:
        InvalidArgumentsError: it has none, or several.
    """
    lists = parse_structure(definition).lists
    found = [slot for slot in lists if key in (None, slot.key)]
    if len(found) == 1:
        return found[0]
    if not lists:
        raise InvalidArgumentsError(
            f"The template {definition.key} has no list; cms_updateSectionContent changes its fields."
        )
    names = ", ".join(slot.key for slot in lists)
    raise InvalidArgumentsError(f"Which list? The template {definition.key} has {names}; give one as listField.")


async def drop_item(edit: Edit, section: PageSection, slot: str, item: str) -> None:
    """Remove an item with its texts in all languages. Its id is not given again."""
    section.lists = {**section.lists, slot: [each for each in section.lists[slot] if each != item]}
    for row in await edit.session.scalars(select(SectionContent).where(SectionContent.section == section.id)):
        items = row.content.get(slot)
        if isinstance(items, dict) and item in items:
            row.content = {**row.content, slot: {key: value for key, value in items.items() if key != item}}
    await edit.session.flush()


def place_item(section: PageSection, slot: str, item: str, position: int | None) -> bool:
    """Put an item at a place in its list, or at the end, and return whether it stood elsewhere."""
    before = section.lists[slot]
    order = [each for each in before if each != item]
    order.insert(len(order) if position is None else position, item)
    section.lists = {**section.lists, slot: order}
    return order != before


def _title_of(slot: Slot, item: Content) -> JsonValue:
    """What people call an item: its first field, if that is a value without parts, or what it refers to."""
    value = item.get(slot.fields[0].key)
    return None if isinstance(value, dict) and slot.fields[0].type is not SlotType.REFERENCE else value


def _titled(slot: Slot, shown: Content, title: JsonValue) -> Sequence[str]:
    if is_empty(title):
        return []
    wanted = _fold(title)
    return [str(item["id"]) for item in iterate_items(shown.get(slot.key)) if _fold(_title_of(slot, item)) == wanted]


def _fold(title: JsonValue) -> JsonValue:
    return title.strip().casefold() if isinstance(title, str) else title
