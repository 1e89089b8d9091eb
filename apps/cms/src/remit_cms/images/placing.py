"""The operations that put images into sections. A model reads each docstring before it calls."""

from __future__ import annotations

from remit import LeafContext
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.images.drafts import rewrite_drafts
from remit_cms.images.payloads import (
    AddImageToSection,
    ImageSectionReply,
    ReplaceImage,
    ReplacementReply,
    UpdateSectionImage,
)
from remit_cms.images.seen import check_token as check_image_token
from remit_cms.images.seen import show_image
from remit_cms.images.views import image_brief
from remit_cms.models import Content, pluralize
from remit_cms.sections.contents import note_written, section_brief, section_name, update_content
from remit_cms.storage.database import Database
from remit_cms.storage.images import find_drafts, find_image, image_slot
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import parse_structure
from remit_cms.storage.tables import SectionContent, SectionDefinition
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once
from remit_cms.templates.slots import SlotType


class Placing:
    """Puts images into sections."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def update_section_image(self, ctx: LeafContext, payload: UpdateSectionImage) -> ImageSectionReply:
        """Show an image in a section, in place of the one there. In all sections that show one: cms_replaceImage."""

        async def work(edit: Edit) -> ImageSectionReply:
            return await _put_image(edit, payload, payload.image_field)

        return await edit_once(self._database, ctx, payload, ImageSectionReply, work)

    async def add_image_to_section(self, ctx: LeafContext, payload: AddImageToSection) -> ImageSectionReply:
        """Show an image in a section that has none yet. To show another one: cms_updateSectionImage."""

        async def work(edit: Edit) -> ImageSectionReply:
            return await _put_image(edit, payload, payload.field_name, only_empty=True)

        return await edit_once(self._database, ctx, payload, ImageSectionReply, work)

    async def replace_image(self, ctx: LeafContext, payload: ReplaceImage) -> ReplacementReply:
        """Show another image wherever the drafts of the site show this one. For one section: cms_updateSectionImage."""

        async def work(edit: Edit) -> ReplacementReply:
            old = await find_image(edit, payload.old_image_description)
            check_image_token(old, payload.if_unchanged)
            new = await find_image(edit, payload.new_image_id)
            if old.id == new.id:
                raise InvalidArgumentsError("both are the same image; give two")
            count = len(await find_drafts(edit, old.id))
            pages = await rewrite_drafts(edit, old.id, "replace_image", lambda _: image_slot(new))
            on = f" on {pluralize(len(pages), 'page')}" if pages else ""
            return ReplacementReply(
                replaced=count,
                pages=[page.title for page in pages],
                message=f"'{new.name}' replaces '{old.name}' in {pluralize(count, 'section')}{on}",
            )

        return await edit_once(self._database, ctx, payload, ReplacementReply, work)


async def _put_image(
    edit: Edit, payload: UpdateSectionImage | AddImageToSection, field: str | None, *, only_empty: bool = False
) -> ImageSectionReply:
    section, page, definition = await edit.find_section(payload.page_section_id)
    await check_token(edit, page, payload.if_unchanged)
    image = await find_image(edit, payload.image_id)
    slot: Content = {"imageId": image.id, "focalX": image.focal_x, "focalY": image.focal_y}
    content = _place_in_list(definition, slot) if only_empty else None
    key = _find_field(definition, field) if content is None else ""
    locale = edit.resolve_locale(payload.locale_code)
    row = await edit.session.get(SectionContent, (section.id, locale))
    if only_empty and row is not None and row.content.get(key):
        raise ConflictError(
            f"Field '{key}' of section {definition.key} shows an image already. cms_updateSectionImage replaces it."
        )
    written = await update_content(edit, section, definition, content or {key: slot}, locale)
    changed = written.changed
    if changed:
        await save_revision(edit, page, "update_section_image", "sections")
        edit.add_change("section", section.id, page.revision, "content", name=section_name(definition, page))
    where = f"section {definition.key} of page '{page.title}' in {locale}"
    note_written(edit, page, section, written, locale)
    show_image(edit, image, "name")
    return ImageSectionReply(
        section=section_brief(section, page, definition),
        image=image_brief(image),
        new_items=written.new_items or None,
        changed=changed,
        token=give_token(payload, page),
        message=f"The {where} shows the image '{image.name}'{'' if changed else ' already'}",
    )


def _place_in_list(definition: SectionDefinition, image: Content) -> Content | None:
    """A new item of the template's list with an image, if no field of the section itself takes one."""
    slots = parse_structure(definition).slots
    fields = [(slot.key, field.key) for slot in slots for field in slot.fields if field.type is SlotType.IMAGE]
    if len(fields) != 1 or any(slot.type is SlotType.IMAGE for slot in slots):
        return None
    return {fields[0][0]: [{fields[0][1]: image}]}


def _find_field(definition: SectionDefinition, named: str | None) -> str:
    """The field of a template that takes an image.

    Raises:
        InvalidArgumentsError: it has no such field; names those that there are.
    """
    fields = [slot.key for slot in parse_structure(definition).slots if slot.type is SlotType.IMAGE]
    if named in fields:
        return named
    if named is None and len(fields) == 1:
        return fields[0]
    which = f"takes images in {', '.join(fields)}" if fields else "has no field for an image"
    if not fields and _place_in_list(definition, {}):
        which = "has a list of images; cms_updateListItem shows another one in an item of it"
    found = f"Field '{named}' is none: the" if named else "Which field? The"
    raise InvalidArgumentsError(f"{found} template {definition.key} {which}.")
