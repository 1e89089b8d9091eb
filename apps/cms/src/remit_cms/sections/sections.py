"""The operations on sections. A model reads each docstring before it calls."""

from __future__ import annotations

from sqlalchemy import select

from remit import LeafContext
from remit.tools import Preview
from remit_cms.callers import say_how_to_confirm
from remit_cms.models import pluralize
from remit_cms.sections.contents import (
    add_section,
    load_section,
    note_written,
    remove_section,
    section_brief,
    section_name,
    update_content,
)
from remit_cms.sections.listing import ListItems
from remit_cms.sections.moving import place_section, transfer_section
from remit_cms.sections.payloads import (
    AddSectionToPage,
    DeletePageSection,
    FieldsReply,
    FieldView,
    GetPageSections,
    GetSectionContent,
    GetSectionFields,
    MoveSection,
    SectionDeletion,
    SectionReply,
    SectionsReply,
    SectionWriteReply,
    TemplatesReply,
    TemplateView,
    UpdateSectionContent,
)
from remit_cms.sections.slices import shown_ids, shown_parts, slice_sections
from remit_cms.storage.database import Database
from remit_cms.storage.documents import draft_state, make_preview
from remit_cms.storage.readings import read_draft
from remit_cms.storage.revisions import check_removal, save_revision
from remit_cms.storage.scope import parse_structure
from remit_cms.storage.stale_edits import find_read_parts, read_parts
from remit_cms.storage.tables import Kind, SectionDefinition
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_trial, open_view
from remit_cms.templates.values import describe_format


class Sections:
    """The operations on sections and their templates."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.items = ListItems(database)

    async def get_page_sections(self, ctx: LeafContext, payload: GetPageSections) -> SectionsReply:
        """List the sections of a page in order, with includeContent their content. For one: cms_getSectionContent."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_page(payload.page_id)
            locale, with_content = scope.resolve_locale(payload.locale_code), payload.include_content
            read = await read_draft(scope, page, locale)
            shown = slice_sections(scope, read, payload.cursor, with_content=with_content)
            content = read_parts(read.snapshot, read.chain, shown_ids(shown)) if with_content else ()
            scope.show(page, *shown_parts(shown, content))
            return SectionsReply(
                token=give_token(payload, page),
                sections=[*shown.rows],
                page_id=page.id,
                revision=page.revision,
                **shown.summarize(f"Page '{page.title}' has {pluralize(shown.total, 'section')}"),
            )

    async def get_section_content(self, ctx: LeafContext, payload: GetSectionContent) -> SectionReply:
        """Read the content of one section. For which sections a page has: cms_getPageSections."""
        async with open_view(self._database, ctx) as scope:
            section, page, definition = await scope.find_section(payload.page_section_id)
            locale = scope.resolve_locale(payload.locale_code)
            scope.show(page, *await find_read_parts(scope, page, locale, [section.id]))
            return SectionReply(
                token=give_token(payload, page),
                section=await load_section(scope, section, definition, locale),
                page_id=page.id,
                revision=page.revision,
                message=f"Section {definition.key} of page '{page.title}' in {locale}",
            )

    async def get_section_fields(self, ctx: LeafContext, payload: GetSectionFields) -> FieldsReply:
        """List the fields of a section template with their types. For the texts of a section: cms_getSectionContent."""
        async with open_view(self._database, ctx) as scope:
            definition = await scope.find_definition(payload.definition_id)
            fields = [
                FieldView(
                    key=slot.key,
                    type=slot.type.value,
                    label=slot.label,
                    required=slot.required,
                    write=describe_format(slot),
                    options=list(slot.options) or None,
                )
                for slot in parse_structure(definition).shown.slots
            ]
            return FieldsReply(
                definition=_template_view(definition),
                fields=fields,
                message=f"Section template {definition.key} has {pluralize(len(fields), 'field')}",
            )

    async def list_section_templates(self, ctx: LeafContext) -> TemplatesReply:
        """List section templates with fields. A key is a definitionId. For sections of a page: cms_getPageSections."""
        async with open_view(self._database, ctx) as scope:
            query = (
                select(SectionDefinition)
                .where(scope.target.row_filter(SectionDefinition), SectionDefinition.kind == Kind.PAGE)
                .order_by(SectionDefinition.key)
            )
            templates = [
                _template_view(row, fields=[slot.key for slot in parse_structure(row).shown.slots])
                for row in await scope.session.scalars(query)
            ]
            return TemplatesReply(
                templates=templates, total=len(templates), message=pluralize(len(templates), "section template")
            )

    async def add_section_to_page(self, ctx: LeafContext, payload: AddSectionToPage) -> SectionWriteReply:
        """Add one section to an existing page, at its end. For another place, then: cms_moveSection."""

        async def work(edit: Edit) -> SectionWriteReply:
            page = await edit.find_page(payload.page_id)
            await check_token(edit, page, payload.if_unchanged)
            locale = edit.resolve_locale(payload.locale_code)
            added = await add_section(edit, page, payload, locale, position=payload.sort_order)
            await save_revision(edit, page, "add_section", "sections")
            edit.add_change("section", added.section.id, page.revision, name=section_name(added.definition, page))
            return SectionWriteReply(
                section=section_brief(added.section, page, added.definition),
                new_items=[item for order in added.section.lists.values() for item in order] or None,
                remarks=added.remarks.list() or None,
                token=give_token(payload, page),
                message=f"Added section {added.definition.key} to page '{page.title}'",
            )

        return await edit_once(self._database, ctx, payload, SectionWriteReply, work)

    async def update_section_content(self, ctx: LeafContext, payload: UpdateSectionContent) -> SectionWriteReply:
        """Change or translate texts of one section; other fields and languages stay. For titles: cms_updatePage."""

        async def work(edit: Edit) -> SectionWriteReply:
            section, page, definition = await edit.find_section(payload.page_section_id)
            await check_token(edit, page, payload.if_unchanged)
            locale = edit.resolve_locale(payload.locale_code)
            written = await update_content(edit, section, definition, payload.content, locale)
            label = f"section {definition.key} of page '{page.title}' in {locale}"
            if written.changed:
                await save_revision(edit, page, "update_section", "sections")
                edit.add_change("section", section.id, page.revision, "content", name=section_name(definition, page))
            note_written(edit, page, section, written, locale)
            return SectionWriteReply(
                section=section_brief(section, page, definition),
                new_items=written.new_items or None,
                changed=written.changed,
                remarks=written.remarks.list() or None,
                token=give_token(payload, page),
                message=f"Updated {label}" if written.changed else f"The {label} is like that already",
            )

        return await edit_once(self._database, ctx, payload, SectionWriteReply, work)

    async def move_section(self, ctx: LeafContext, payload: MoveSection) -> SectionWriteReply:
        """Move a section to another place on its page, or to another page. For an item of a list: cms_moveListItem."""

        async def work(edit: Edit) -> SectionWriteReply:
            section, page, definition = await edit.find_section(payload.page_section_id)
            await check_token(edit, page, payload.if_unchanged)
            target = page if payload.new_page_id is None else await edit.find_page(payload.new_page_id)
            moved = True
            if target.id == page.id:
                moved = await place_section(edit, section, payload.sort_order)
            else:
                left = section.id
                section = await transfer_section(edit, section, target, payload.sort_order)
                await save_revision(edit, page, "move_section", "sections")
                edit.add_change("section", left, page.revision, name=section_name(definition, page))
            if moved:
                await save_revision(edit, target, "move_section", "sections")
                name = section_name(definition, target)
                edit.add_change("section", section.id, target.revision, "sortOrder", name=name)
            return SectionWriteReply(
                section=section_brief(section, target, definition),
                changed=["sortOrder"] if moved else [],
                token=give_token(payload, target),
                message=f"Section {definition.key} of page '{target.title}' "
                + (f"is at place {section.sort_order} now" if moved else "stands there already"),
            )

        return await edit_once(self._database, ctx, payload, SectionWriteReply, work)

    async def delete_page_section(self, ctx: LeafContext, payload: DeletePageSection) -> SectionDeletion:
        """Delete a section, after the person confirms it. For one item of its list: cms_removeListItem."""
        if not payload.confirmed:
            return await self._request_confirmation(ctx, payload)

        async def work(edit: Edit) -> SectionDeletion:
            section, page, definition = await edit.find_section(payload.page_section_id)
            await check_token(edit, page, payload.if_unchanged)
            await remove_section(edit, section)
            await save_revision(edit, page, "delete_section", "sections")
            edit.add_change("section", payload.page_section_id, page.revision, name=section_name(definition, page))
            return SectionDeletion(
                page_section_id=payload.page_section_id,
                token=give_token(payload, page),
                message=f"Deleted section {definition.key} from page '{page.title}'",
            )

        return await edit_once(self._database, ctx, payload, SectionDeletion, work)

    async def preview_deletion(self, ctx: LeafContext, payload: DeletePageSection) -> Preview:
        """The section to delete, for the approver: its texts, and its page at its present revision."""
        async with open_trial(self._database, ctx) as scope:
            section, page, definition = await scope.find_section(payload.page_section_id)
            await check_token(scope, page, payload.if_unchanged)
            await check_removal(scope, page, section.id)
            view = await load_section(scope, section, definition, scope.default_locale)
            heading = str((view.content or {}).get("heading", ""))
            label = f"{definition.key} '{heading}'" if heading else definition.key
            summary = f"the section {label} from page '{page.title}' (/{page.slug})"
            return make_preview(summary, section.id, draft_state(page))

    async def _request_confirmation(self, ctx: LeafContext, payload: DeletePageSection) -> SectionDeletion:
        preview = await self.preview_deletion(ctx, payload)
        async with open_view(self._database, ctx) as scope:
            _, page, _ = await scope.find_section(payload.page_section_id)
            token = give_token(payload, page)
        return SectionDeletion(
            success=False,
            requires_confirmation=True,
            page_section_id=payload.page_section_id,
            token=token,
            message=f"This would delete {preview.summary}. {say_how_to_confirm(ctx)}",
        )


def _template_view(definition: SectionDefinition, *, fields: list[str] | None = None) -> TemplateView:
    return TemplateView(
        id=definition.id,
        key=definition.key,
        name=definition.name,
        description=definition.description,
        fields=fields,
    )
