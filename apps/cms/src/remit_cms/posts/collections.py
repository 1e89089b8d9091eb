"""The operations on entries. A model reads each docstring before it calls."""

from __future__ import annotations

from sqlalchemy import and_, func, select

from remit import LeafContext
from remit.tools import Preview
from remit_cms.posts.entries import (
    ShownEntry,
    StoredEntry,
    create_entry,
    delete_entry,
    find_entry,
    note_read,
    preview_deletion,
    show_entries,
    show_entry,
    update_entry,
)
from remit_cms.posts.payloads import (
    CreateEntry,
    DeleteEntry,
    EntriesReply,
    EntryDeletion,
    EntryReply,
    EntryView,
    GetCollectionEntries,
    GetEntryContent,
    UpdateEntry,
)
from remit_cms.storage.database import Database
from remit_cms.storage.lists import count_fitting
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.tables import Kind, Page, PageSection
from remit_cms.storage.tokens import give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.templates.values import show_content


class Collections:
    """The entries of types."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_collection_entries(self, ctx: LeafContext, payload: GetCollectionEntries) -> EntriesReply:
        """List the entries of a collection, without content unless includeContent is true. For posts: cms_getPosts."""
        async with open_view(self._database, ctx) as scope:
            collection = await scope.find_definition(payload.collection_id, Kind.ENTRY)
            locale = scope.resolve_locale(payload.locale_code)
            chosen = and_(scope.target.row_filter(Page), PageSection.definition == collection.id)
            query = select(Page, PageSection).join(PageSection, PageSection.page == Page.id).where(chosen)
            joined = select(func.count()).select_from(Page).join(PageSection, PageSection.page == Page.id)
            total = await scope.session.scalar(joined.where(chosen)) or 0
            if payload.cursor is not None:
                query = query.where(Page.slug > payload.cursor)
            rows = (await scope.session.execute(query.order_by(Page.slug).limit(payload.limit + 1))).all()
            entries = [StoredEntry(page, section, collection) for page, section in rows[: payload.limit]]
            shown = await show_entries(scope, entries, locale if payload.include_content else scope.default_locale)
            for entry in entries if payload.include_content else ():
                await note_read(scope, entry, locale)
            pairs = zip(entries, shown, strict=True)
            views = [_view(entry, each, locale if payload.include_content else None) for entry, each in pairs]
            fitting = count_fitting(views)
            next_cursor = entries[fitting - 1].page.slug if len(rows) > fitting else None
            message = f"The collection '{collection.name}' has {total} {'entry' if total == 1 else 'entries'}"
            if fitting < len(views):
                message += f". The rest of them begins at cursor '{next_cursor}'."
            return EntriesReply(entries=views[:fitting], total=total, next_cursor=next_cursor, message=message)

    async def get_entry_content(self, ctx: LeafContext, payload: GetEntryContent) -> EntryReply:
        """Read one entry of a collection with its content. For posts: cms_getPost. For pages: cms_getPage."""
        async with open_view(self._database, ctx) as scope:
            entry = await find_entry(scope, payload.entry_id)
            locale = scope.resolve_locale(payload.locale_code)
            message = f"Entry '{entry.page.title}' of {entry.collection.key} in {locale}"
            return await _reply(scope, entry, payload, message)

    async def create_entry(self, ctx: LeafContext, payload: CreateEntry) -> EntryReply:
        """Create an entry that does not exist yet in a collection, as a draft. For posts: cms_createPost."""

        async def work(edit: Edit) -> EntryReply:
            given = (payload.title, payload.slug, payload.content, payload.locale_code)
            entry, remark = await create_entry(edit, payload.collection_id, *given, what="entry")
            message = f"Created entry '{entry.page.title}' (/{entry.page.slug}), as a draft.{remark}"
            return await _reply(edit, entry, payload, message)

        return await edit_once(self._database, ctx, payload, EntryReply, work)

    async def update_entry(self, ctx: LeafContext, payload: UpdateEntry) -> EntryReply:
        """Change title, slug or content of an entry; other fields and languages stay. For posts: cms_updatePost."""

        async def work(edit: Edit) -> EntryReply:
            entry = await find_entry(edit, payload.entry_id)
            changed, remark = await update_entry(
                edit,
                entry,
                payload.content,
                what="entry",
                title=payload.title,
                slug=payload.slug,
                locale=payload.locale_code,
                if_unchanged=payload.if_unchanged,
            )
            label = f"entry '{entry.page.title}' (/{entry.page.slug})"
            message = f"Updated {label}" if changed else f"The {label} is like that already"
            message += f".{remark}" if remark else ""
            return await _reply(edit, entry, payload, message)

        return await edit_once(self._database, ctx, payload, EntryReply, work)

    async def delete_entry(self, ctx: LeafContext, payload: DeleteEntry) -> EntryDeletion:
        """Delete an entry of a collection, after approval. It is in the trash then. For pages: cms_deletePage."""

        async def work(edit: Edit) -> EntryDeletion:
            page, set_id = await delete_entry(edit, payload.entry_id, payload.if_unchanged)
            message = f"Deleted entry '{page.title}' (/{page.slug})"
            return EntryDeletion(
                entry_id=page.id, change_set_id=set_id, token=give_token(payload, page), message=message
            )

        return await edit_once(self._database, ctx, payload, EntryDeletion, work)

    async def preview_deletion(self, ctx: LeafContext, payload: DeleteEntry) -> Preview:
        """The entry to delete, for the approver."""
        async with open_view(self._database, ctx) as scope:
            return await preview_deletion(scope, payload.entry_id, payload.if_unchanged, "entry", ctx.caller)


async def _reply(
    scope: Scope, entry: StoredEntry, payload: GetEntryContent | CreateEntry | UpdateEntry, message: str
) -> EntryReply:
    locale = scope.resolve_locale(payload.locale_code)
    shown = await show_entry(scope, entry, locale)
    return EntryReply(entry=_view(entry, shown, locale), token=give_token(payload, entry.page), message=message)


def _view(entry: StoredEntry, shown: ShownEntry, locale: str | None) -> EntryView:
    structure = parse_structure(entry.collection)
    return EntryView(
        id=entry.page.id,
        title=shown.title,
        slug=shown.slug,
        status=entry.page.status,
        revision=entry.page.revision,
        locale_code=locale,
        content=None if locale is None else show_content(structure, shown.content),
        untranslated=None if locale is None else show_content(structure, shown.untranslated) or None,
    )
