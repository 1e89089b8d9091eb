"""The operations on types. A model reads each docstring before it calls."""

from __future__ import annotations

from hashlib import sha256

from sqlalchemy import func, select

from remit import LeafContext
from remit.errors import AlreadyExistsError, InvalidArgumentsError
from remit.tools import Change, Preview
from remit_cms.models import pluralize
from remit_cms.pages.slugs import resolve_slug
from remit_cms.storage.claims import tell_action
from remit_cms.storage.database import Database
from remit_cms.storage.documents import make_preview
from remit_cms.storage.links import rename_places
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.tables import Kind, SectionDefinition
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.templates.slots import Structure
from remit_cms.types.building import build_structure, change_structure, translate_structure
from remit_cms.types.describing import describe_changes, describe_fields, describe_new
from remit_cms.types.finding import check_may_change, count_entries, find_type, kind_of, list_types, view_type
from remit_cms.types.payloads import (
    ChangeType,
    DefineType,
    DeleteType,
    ListTypes,
    TypeDeletion,
    TypeReply,
    TypesReply,
)
from remit_cms.types.uses import Use, check_content_fits, check_unused, compare_visible, find_due, load_uses

_MAX_KEY = 30
_MAX_CHANGES = 500
"""How many places on live pages a question shows; the fields that it shows before say what happens on all of them."""
"""Most documents that a question about a type shows."""


class Types:
    """The types of a site: what its entries, sections and single documents consist of."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_types(self, ctx: LeafContext, payload: ListTypes) -> TypesReply:
        """List the types of the site with their fields. For templates of sections: cms_listSectionTemplates."""
        async with open_view(self._database, ctx) as scope:
            counts = await count_entries(scope)
            found = [view_type(row, counts.get(row.id, 0)) for row in await list_types(scope, payload.kind)]
            return TypesReply(types=found, total=len(found), message=pluralize(len(found), "type"))

    async def define_type(self, ctx: LeafContext, payload: DefineType) -> TypeReply:
        """Make a type that does not exist yet, after approval, such as for what a site lists. Then: cms_createEntry."""

        async def work(edit: Edit) -> TypeReply:
            key, structure = await _plan_type(edit, payload)
            row = SectionDefinition(
                **edit.target.row,
                id=edit.new_id("type"),
                key=key,
                name=payload.name,
                description="",
                structure=structure.model_dump(mode="json", exclude_defaults=True),
                kind=(Kind.PAGE if payload.kind == "section" else Kind.ENTRY).value,
            )
            edit.session.add(row)
            await edit.session.flush()
            edit.add_change("type", row.id, 1, name=row.name)
            return TypeReply(type=view_type(row), message=f"Made the type '{row.name}' ({key}){_next_step(row)}")

        return await edit_once(self._database, ctx, payload, TypeReply, work)

    async def preview_definition(self, ctx: LeafContext, payload: DefineType) -> Preview:
        """The new type with its fields, for the approver."""
        async with open_view(self._database, ctx) as scope:
            key, structure = await _plan_type(scope, payload)
            return make_preview(
                describe_new(payload.name, key, payload.kind, structure), changes=describe_fields(structure)
            )

    async def change_type(self, ctx: LeafContext, payload: ChangeType) -> TypeReply:
        """Add, rename, change or remove fields of a type, after approval. For values of one entry: cms_updateEntry."""

        async def work(edit: Edit) -> TypeReply:
            row, name, old, new, uses = await _plan_change(edit, payload)
            if old == new and name == row.name:
                return TypeReply(type=view_type(row), message=f"The type '{row.name}' is like that already")
            row.structure, row.name = new.model_dump(mode="json", exclude_defaults=True), name
            await edit.session.flush()
            documents = {each.page for each in uses}
            if old.shown_keys != new.shown_keys:
                await rename_places(edit, documents)
            edit.add_change("type", row.id, 1, "fields", name=row.name)
            await edit.count_visible_change()
            used = f"{pluralize(len(documents), 'document')} {'uses' if len(documents) == 1 else 'use'}"
            return TypeReply(type=view_type(row), message=f"Changed the type '{row.name}', which {used}")

        return await edit_once(self._database, ctx, payload, TypeReply, work)

    async def preview_change(self, ctx: LeafContext, payload: ChangeType) -> Preview:
        """What changes of the type and of the live pages with content of it, for the approver."""
        async with open_view(self._database, ctx) as scope:
            row, name, old, new, uses = await _plan_change(scope, payload)
            seen = compare_visible(scope, old, new, uses)
            changes = [*describe_changes(old, new, uses), *_compare_names(row.name, name, old, new)]
            pages = len({each.page for each in uses if each.is_live})
            summary = f"the type '{row.name}' ({row.key}), of which {pluralize(pages, 'live page')}"
            summary += f" {'has' if pages == 1 else 'have'} content; {_count_seen(seen)}"
            due = [await tell_action(scope, each) for each in await find_due(scope, row, old, new)]
            summary += "".join(
                f"; {each}, which will be refused then, since its approver saw something else" for each in due
            )
            state = sha256(repr((row.structure, seen, due)).encode()).hexdigest()
            return make_preview(summary, row.id, state, changes=[*changes, *seen[:_MAX_CHANGES]])

    async def delete_type(self, ctx: LeafContext, payload: DeleteType) -> TypeDeletion:
        """Delete a type that nothing uses, after approval. To remove a field of it: cms_changeType."""

        async def work(edit: Edit) -> TypeDeletion:
            row = await _find_unused(edit, payload)
            await edit.session.delete(row)
            await edit.session.flush()
            edit.add_change("type", row.id, 1, name=row.name)
            return TypeDeletion(type_id=row.id, message=f"Deleted the type '{row.name}' ({row.key})")

        return await edit_once(self._database, ctx, payload, TypeDeletion, work)

    async def preview_deletion(self, ctx: LeafContext, payload: DeleteType) -> Preview:
        """The type to delete, for the approver."""
        async with open_view(self._database, ctx) as scope:
            row = await _find_unused(scope, payload)
            gone = [Change(each.where, each.after, "") for each in describe_fields(parse_structure(row))]
            return make_preview(f"the type '{row.name}' ({row.key}), which nothing uses", row.id, changes=gone)


async def _plan_type(scope: Scope, payload: DefineType) -> tuple[str, Structure]:
    """The key and the form of a new type.

    Raises:
        AlreadyExistsError: the site has a type or template with the key.
        InvalidArgumentsError: the key is none, or the fields do not fit together.
    """
    key = resolve_slug(payload.key, payload.name, scope.locales)
    if len(key) > _MAX_KEY:
        raise InvalidArgumentsError(f"'{key}' is too long: the key of a type has {_MAX_KEY} characters at most.")
    taken = (scope.target.row_filter(SectionDefinition), SectionDefinition.key == key)
    if await scope.session.scalar(select(func.count()).select_from(SectionDefinition).where(*taken)):
        raise AlreadyExistsError(f"There is a type or template '{key}' already. cms_changeType changes its fields.")
    return key, build_structure(payload)


async def _plan_change(
    scope: Scope, payload: ChangeType
) -> tuple[SectionDefinition, str, Structure, Structure, list[Use]]:
    """A type, its name then, its form before and after, and the content that there is of it.

    Raises:
        NotFoundError: there is no such type.
        InvalidArgumentsError: it has no such field, or the fields do not fit together.
        ConflictError: existing content does not follow the change.
    """
    row, locale = await find_type(scope, payload.type_id), scope.resolve_locale(payload.locale_code)
    old = parse_structure(row)
    is_translation = locale != scope.default_locale
    new = translate_structure(old, payload, locale) if is_translation else change_structure(old, payload)
    check_may_change(row, old, new)
    uses = await load_uses(scope, row)
    check_content_fits(row, old, new, uses)
    name = row.name if payload.name is None or is_translation else payload.name
    return row, name, old, new, uses


async def _find_unused(scope: Scope, payload: DeleteType) -> SectionDefinition:
    row = await find_type(scope, payload.type_id)
    await check_unused(scope, row)
    return row


def _compare_names(former: str, name: str, old: Structure, new: Structure) -> list[Change]:
    """The names of the type, in each language that differs."""
    pairs = [("name", former, name)]
    pairs += [(f"name ({code})", old.names.get(code, ""), each) for code, each in new.names.items()]
    return [Change(where, before, after) for where, before, after in pairs if before != after]


def _count_seen(seen: list[Change]) -> str:
    if not seen:
        return "visitors see no difference on them"
    more = f", of which {_MAX_CHANGES} are shown" if len(seen) > _MAX_CHANGES else ""
    return f"visitors see a difference at once in {pluralize(len(seen), 'place')}{more}"


def _next_step(row: SectionDefinition) -> str:
    match kind_of(row):
        case "section":
            return f". cms_addSectionToPage with definitionId '{row.key}' puts one on a page."
        case "single":
            return f". cms_createEntry with collectionId '{row.key}' writes it; its address is /{row.key}."
        case _:
            return f". cms_createEntry with collectionId '{row.key}' makes entries; their list is at /{row.key}."
