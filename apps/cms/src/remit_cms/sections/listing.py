"""The operations on items of lists in sections. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remit import LeafContext
from remit_cms.models import Content, pluralize
from remit_cms.sections.contents import ContentUpdate, load_section, section_brief, section_name, update_content
from remit_cms.sections.items import drop_item, find_item, find_list, place_item
from remit_cms.sections.payloads import (
    AddListItem,
    ItemPayload,
    ItemWriteReply,
    MoveListItem,
    RemoveListItem,
    UpdateListItem,
)
from remit_cms.sections.remarks import Remarks
from remit_cms.storage.database import Database
from remit_cms.storage.parts import content_parts
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import parse_structure
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition
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

    async def add_list_item(self, ctx: LeafContext, payload: AddListItem) -> ItemWriteReply:
        """Add one item to the list of a section, such as a question of an FAQ. For a section: cms_addSectionToPage."""

        async def work(edit: Edit) -> ItemWriteReply:
            found = await _open_list(edit, payload, payload.locale_code)
            item = {key: value for key, value in payload.item.items() if key != "id"}
            update = await _update(found, item, as_new=True)
            made = found.section.lists[found.slot.key][-1]
            place_item(found.section, found.slot.key, made, payload.position)
            return await _save(found, made, "Added item {} to", "add_list_item", remarks=update.remarks)

        return await edit_once(self._database, ctx, payload, ItemWriteReply, work)

    async def update_list_item(self, ctx: LeafContext, payload: UpdateListItem) -> ItemWriteReply:
        """Change one item of a list, such as one question of an FAQ. For other fields: cms_updateSectionContent."""

        async def work(edit: Edit) -> ItemWriteReply:
            found = await _open_list(edit, payload, payload.locale_code)
            item = find_item(found.slot, found.shown, payload.item_id)
            update = await _update(found, {**payload.item, "id": item})
            action = "update_list_item" if update.changed else ""
            message = "Updated item {} of" if action else "Nothing to change in item {} of"
            given = [field.key for field in found.slot.fields if field.key in payload.item]
            return await _save(found, item, message, action, given=given, remarks=update.remarks)

        return await edit_once(self._database, ctx, payload, ItemWriteReply, work)

    async def move_list_item(self, ctx: LeafContext, payload: MoveListItem) -> ItemWriteReply:
        """Move one item to another place in its list, in all languages. To move a whole section: cms_moveSection."""

        async def work(edit: Edit) -> ItemWriteReply:
            found = await _open_list(edit, payload)
            item = find_item(found.slot, found.shown, payload.item_id)
            changed = place_item(found.section, found.slot.key, item, payload.position)
            message = "Moved item {} of" if changed else "Nothing to move: item {} stands there already in"
            action, fields = ("move_list_item", ["position"]) if changed else ("", [])
            return await _save(found, item, message, action, changed=fields)

        return await edit_once(self._database, ctx, payload, ItemWriteReply, work)

    async def remove_list_item(self, ctx: LeafContext, payload: RemoveListItem) -> ItemWriteReply:
        """Remove one item from its list, in all languages, in the draft. For a whole section: cms_deletePageSection."""

        async def work(edit: Edit) -> ItemWriteReply:
            found = await _open_list(edit, payload)
            item = find_item(found.slot, found.shown, payload.item_id)
            await drop_item(edit, found.section, found.slot.key, item)
            return await _save(found, item, "Removed item {} from", "remove_list_item")

        return await edit_once(self._database, ctx, payload, ItemWriteReply, work)


async def _open_list(edit: Edit, payload: ItemPayload, locale_code: str | None = None) -> _OpenList:
    section, page, definition = await edit.find_section(payload.page_section_id, Kind.PAGE, Kind.ENTRY)
    await check_token(edit, page, payload.if_unchanged)
    slot, locale = find_list(definition, payload.list_field), edit.resolve_locale(locale_code)
    view = await load_section(edit, section, definition, locale)
    return _OpenList(payload, edit, section, page, definition, slot, locale, view.content or {})


async def _update(found: _OpenList, item: Content, *, as_new: bool = False) -> ContentUpdate:
    content: Content = {found.slot.key: [item]}
    return await update_content(found.edit, found.section, found.definition, content, found.locale, as_new=as_new)


async def _save(
    found: _OpenList,
    item: str,
    message: str,
    action: str,
    *,
    changed: list[str] | None = None,
    given: Sequence[str] | None = None,
    remarks: Remarks = _NONE,
) -> ItemWriteReply:
    """Save the page if there is an action, and reply with remarks on what was written.

    Which fields changed is found out if these are ``given``.
    """
    edit, page, slot = found.edit, found.page, found.slot.key
    if action:
        await edit.session.flush()
        await save_revision(edit, page, action, "sections")
        name = section_name(found.definition, page)
        edit.add_change("section", found.section.id, page.revision, "content", name=name)
    view = await load_section(edit, found.section, found.definition, found.locale)
    before, items = [
        {str(each["id"]): each for each in iterate_items(content.get(slot))}
        for content in (found.shown, view.content or {})
    ]
    empty = empty_required_slots(parse_structure(found.definition).shown, view.content or {})
    empty = [each for each in empty if each == slot or each.startswith(f"{slot}.{item}.")]
    omissions = [(f"{slot}.{item}.{key.rpartition('.')[2]}", phrase) for key, phrase in remarks.omissions]
    if given is not None:
        old, new = before[item], items[item]
        changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        (place,) = content_parts([found.locale], found.section.id)
        if given:
            edit.show(page, *(f"{place}/{slot}/{item}/{key}" for key in given))
    where = f"section {found.definition.key} of page '{page.title}'"
    return ItemWriteReply(
        item_id=item,
        section=section_brief(found.section, page, found.definition),
        changed=changed,
        remarks=Remarks(tuple(empty), tuple(omissions)).list() or None,
        token=give_token(found.payload, page),
        message=f"{message.format(item)} {where}, which has {pluralize(len(items), 'item')}",
    )
