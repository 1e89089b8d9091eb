"""The operations on sections. Each docstring is what a model reads before it calls."""

from __future__ import annotations

from sqlalchemy import select

from remit import LeafContext
from remit_cms.models import counted
from remit_cms.sections.contents import place, section_view, sections_of, still_empty, take_off, write
from remit_cms.sections.payloads import (
    AddSectionToPage,
    DeletePageSection,
    FieldsReply,
    FieldView,
    GetPageSections,
    GetSectionContent,
    GetSectionFields,
    SectionDeletion,
    SectionReply,
    SectionsReply,
    TemplatesReply,
    TemplateView,
    UpdateSectionContent,
)
from remit_cms.storage.access import Edit, editing, viewing
from remit_cms.storage.database import Database
from remit_cms.storage.revisions import check_revision, revise
from remit_cms.storage.scope import structure_of
from remit_cms.storage.tables import SectionDefinition
from remit_cms.templates.values import FORMS


class Sections:
    """Sections of pages, and the templates they follow."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_page_sections(self, ctx: LeafContext, payload: GetPageSections) -> SectionsReply:
        """List the sections of a page in order, without their content unless includeContent is true."""
        async with viewing(self._database, ctx) as scope:
            page = await scope.page(payload.page_id)
            locale = scope.locale(payload.locale_code) if payload.include_content else None
            sections = await sections_of(scope, page, locale=locale)
            return SectionsReply(
                sections=sections,
                total=len(sections),
                page_id=page.id,
                revision=page.revision,
                message=f"Page '{page.title}' has {counted(len(sections), 'section')}",
            )

    async def get_section_content(self, ctx: LeafContext, payload: GetSectionContent) -> SectionReply:
        """Read the content of one section. The cheap way to look something up: list the sections, then read one."""
        async with viewing(self._database, ctx) as scope:
            section, page, definition = await scope.section(payload.page_section_id)
            locale = scope.locale(payload.locale_code)
            return SectionReply(
                section=await section_view(scope, section, definition, locale),
                page_id=page.id,
                revision=page.revision,
                message=f"Section {definition.key} of page '{page.title}' in {locale}",
            )

    async def get_section_fields(self, ctx: LeafContext, payload: GetSectionFields) -> FieldsReply:
        """Tell which fields a section template has, of which type, and which of them are required."""
        async with viewing(self._database, ctx) as scope:
            definition = await scope.definition(payload.definition_id)
            fields = [
                FieldView(
                    key=slot.key,
                    type=slot.type.value,
                    label=slot.label,
                    required=slot.required,
                    write=FORMS[slot.type],
                    options=list(slot.options) or None,
                )
                for slot in structure_of(definition).slots
            ]
            return FieldsReply(
                definition=_template(definition),
                fields=fields,
                message=f"Section template {definition.key} has {counted(len(fields), 'field')}",
            )

    async def list_section_templates(self, ctx: LeafContext) -> TemplatesReply:
        """List the section templates of the site with their fields. A template's key serves as definitionId."""
        async with viewing(self._database, ctx) as scope:
            query = (
                select(SectionDefinition).where(scope.target.holds(SectionDefinition)).order_by(SectionDefinition.key)
            )
            templates = [
                _template(row, fields=[slot.key for slot in structure_of(row).slots])
                for row in await scope.session.scalars(query)
            ]
            return TemplatesReply(
                templates=templates, total=len(templates), message=counted(len(templates), "section template")
            )

    async def add_section_to_page(self, ctx: LeafContext, payload: AddSectionToPage) -> SectionReply:
        """Add one section to a page that exists, at its end or at a place. Other sections stay as they are."""

        async def work(edit: Edit) -> SectionReply:
            page = await edit.page(payload.page_id)
            check_revision(page, payload.expected_revision)
            locale = edit.locale(payload.locale_code)
            placed = await place(edit, page, payload, locale, at=payload.sort_order)
            await revise(edit, page, "add_section")
            return SectionReply(
                section=await section_view(edit, placed.section, placed.definition, locale),
                page_id=page.id,
                revision=page.revision,
                message=f"Added section {placed.definition.key} to page '{page.title}'." + still_empty(placed.lacks),
            )

        return await editing(self._database, ctx, payload, SectionReply, work)

    async def update_section_content(self, ctx: LeafContext, payload: UpdateSectionContent) -> SectionReply:
        """Change fields of one section. Fields that are not given, and other languages, stay as they are."""

        async def work(edit: Edit) -> SectionReply:
            section, page, definition = await edit.section(payload.page_section_id)
            check_revision(page, payload.expected_revision)
            locale = edit.locale(payload.locale_code)
            written = await write(edit, section, definition, payload.content, locale)
            named = f"section {definition.key} of page '{page.title}' in {locale}"
            if written.changed:
                await revise(edit, page, "update_section")
            return SectionReply(
                section=await section_view(edit, section, definition, locale),
                page_id=page.id,
                revision=page.revision,
                message=(f"Updated {named}." if written.changed else f"The {named} is like that already.")
                + still_empty(written.lacks),
            )

        return await editing(self._database, ctx, payload, SectionReply, work)

    async def delete_page_section(self, ctx: LeafContext, payload: DeletePageSection) -> SectionDeletion:
        """Delete a section from its page. Call it with confirmed false first: that asks a person."""
        if not payload.confirmed:
            return await self._ask_to_delete(ctx, payload)

        async def work(edit: Edit) -> SectionDeletion:
            section, page, definition = await edit.section(payload.page_section_id)
            check_revision(page, payload.expected_revision)
            await take_off(edit, section)
            await revise(edit, page, "delete_section")
            return SectionDeletion(
                page_section_id=payload.page_section_id,
                message=f"Deleted section {definition.key} from page '{page.title}'",
            )

        return await editing(self._database, ctx, payload, SectionDeletion, work)

    async def show_deletion(self, ctx: LeafContext, payload: DeletePageSection) -> str:
        """The section that would be deleted, for the person who is asked: its words, and the page it is on."""
        async with viewing(self._database, ctx) as scope:
            section, page, definition = await scope.section(payload.page_section_id)
            check_revision(page, payload.expected_revision)
            shown = await section_view(scope, section, definition, scope.default_locale)
            words = str((shown.content or {}).get("heading", ""))
            named = f"{definition.key} '{words}'" if words else definition.key
            return f"the section {named} from page '{page.title}' (/{page.slug})"

    async def _ask_to_delete(self, ctx: LeafContext, payload: DeletePageSection) -> SectionDeletion:
        return SectionDeletion(
            success=False,
            requires_confirmation=True,
            page_section_id=payload.page_section_id,
            message=f"This would delete {await self.show_deletion(ctx, payload)}. "
            "Nothing is deleted yet. Ask the person, and wait.",
        )


def _template(definition: SectionDefinition, *, fields: list[str] | None = None) -> TemplateView:
    return TemplateView(
        id=definition.id,
        key=definition.key,
        name=definition.name,
        description=definition.description,
        fields=fields,
    )
