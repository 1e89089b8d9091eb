"""The operations on items of lists in sections. A model reads each docstring before it calls."""

from __future__ import annotations

from dataclasses import dataclass

from remit import LeafContext
from remit_cms.models import Content, pluralize
from remit_cms.sections.contents import ContentUpdate, load_section, section_name, update_content
from remit_cms.sections.items import drop_item, find_item, find_list, place_item
from remit_cms.sections.payloads import (
    AddListItem,
    ItemPayload,
    ItemReply,
    MoveListItem,
    RemoveListItem,
    UpdateListItem,
)
from remit_cms.sections.remarks import Remarks
from remit_cms.storage.database import Database
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import parse_structure
from remit_cms.storage.stale_edits import find_read_parts
from remit_cms.storage.tables import Page, PageSection, SectionDefinition
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once
from remit_cms.templates.slots import Slot
from remit_cms.templates.values import empty_required_slots, iterate_items

_NONE = Remarks()


@dataclass(frozen=True, slots=True)
class _OpenList:
    """A list that an operation works on, and what readers of the locale see of its section."""

    payload: ItemPayload
    edit: Edit
    section: PageSection
    page: Page
    definition: SectionDefinition
    slot: Slot
    locale: str
    shown: Content


class ListItems:
    """The operations on items of lists."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_list_item(self, ctx: LeafContext, payload: AddListItem) -> ItemReply:
        """Add one item to the list of a section, such as a question of an FAQ. For a section: cms_addSectionToPage."""

        async def work(edit: Edit) -> ItemReply:
            found = await _open_list(edit, payload, payload.locale_code)
            item = {key: value for key, value in payload.item.items() if key != "id"}
            update = await _update(found, item, as_new=True)
            made = found.section.lists[found.slot.key][-1]
            place_item(found.section, found.slot.key, made, payload.position)
            return await _save(found, made, "Added item {} to", "add_list_item", update.remarks)

        return await edit_once(self._database, ctx, payload, ItemReply, work)

    async def update_list_item(self, ctx: LeafContext, payload: UpdateListItem) -> ItemReply:
        """Change one item of a list, such as one question of an FAQ. For other fields: cms_updateSectionContent."""

        async def work(edit: Edit) -> ItemReply:
            found = await _open_list(edit, payload, payload.locale_code)
            item = find_item(found.slot, found.shown, payload.item_id)
            update = await _update(found, {**payload.item, "id": item})
            message = "Updated item {} of" if update.changed else "Nothing to change in item {} of"
            return await _save(found, item, message, "update_list_item" if update.changed else "", update.remarks)

        return await edit_once(self._database, ctx, payload, ItemReply, work)

    async def move_list_item(self, ctx: LeafContext, payload: MoveListItem) -> ItemReply:
        """Move one item to another place in its list, in all languages. To move a whole section: cms_moveSection."""

        async def work(edit: Edit) -> ItemReply:
            found = await _open_list(edit, payload)
            item = find_item(found.slot, found.shown, payload.item_id)
            changed = place_item(found.section, found.slot.key, item, payload.position)
            message = "Moved item {} of" if changed else "Nothing to move: item {} stands there already in"
            return await _save(found, item, message, "move_list_item" if changed else "")

        return await edit_once(self._database, ctx, payload, ItemReply, work)

    async def remove_list_item(self, ctx: LeafContext, payload: RemoveListItem) -> ItemReply:
        """Remove one item from its list, in all languages, in the draft. For a whole section: cms_deletePageSection."""

        async def work(edit: Edit) -> ItemReply:
            found = await _open_list(edit, payload)
            item = find_item(found.slot, found.shown, payload.item_id)
            await drop_item(edit, found.section, found.slot.key, item)
            return await _save(found, item, "Removed item {} from", "remove_list_item")

        return await edit_once(self._database, ctx, payload, ItemReply, work)


async def _open_list(edit: Edit, payload: ItemPayload, locale_code: str | None = None) -> _OpenList:
    section, page, definition = await edit.find_section(payload.page_section_id)
    await check_token(edit, page, payload.if_unchanged)
    slot, locale = find_list(definition, payload.list_field), edit.resolve_locale(locale_code)
    view = await load_section(edit, section, definition, locale)
    return _OpenList(payload, edit, section, page, definition, slot, locale, view.content or {})


async def _update(found: _OpenList, item: Content, *, as_new: bool = False) -> ContentUpdate:
    content: Content = {found.slot.key: [item]}
    return await update_content(found.edit, found.section, found.definition, content, found.locale, as_new=as_new)


async def _save(found: _OpenList, item: str, message: str, action: str, remarks: Remarks = _NONE) -> ItemReply:
    """Save the page if there is an action, and tell of the item as it is now, with remarks on what was written."""
    edit, page, slot = found.edit, found.page, found.slot.key
    if action:
        await edit.session.flush()
        await save_revision(edit, page, action, "sections")
        name = section_name(found.definition, page)
        edit.add_change("section", found.section.id, page.revision, "content", name=name)
    view = await load_section(edit, found.section, found.definition, found.locale)
    items = [*iterate_items((view.content or {}).get(slot))]
    empty = empty_required_slots(parse_structure(found.definition).shown, view.content or {})
    empty = [each for each in empty if each == slot or each.startswith(f"{slot}.{item}.")]
    omissions = [(f"{slot}.{item}.{key.rpartition('.')[2]}", phrase) for key, phrase in remarks.omissions]
    described = Remarks(tuple(empty), tuple(omissions)).describe()
    where = f"section {found.definition.key} of page '{page.title}'"
    # The reply shows one item and nothing else of the section.
    (own, *stand_ins) = await find_read_parts(edit, page, found.locale, [found.section.id])
    of_item = [part for part in stand_ins if f"/{found.section.id}/{slot}/{item}/" in part]
    edit.show(page, f"{own}/{slot}/{item}", *of_item)
    return ItemReply(
        token=give_token(found.payload, page),
        item=next((each for each in items if each["id"] == item), None),
        item_ids=[str(each["id"]) for each in items],
        page_section_id=found.section.id,
        page_id=page.id,
        revision=page.revision,
        message=f"{message.format(item)} {where}, which has {pluralize(len(items), 'item')}"
        + (f".{described}" if described else ""),
    )
