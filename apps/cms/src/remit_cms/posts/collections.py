"""The operations on entries. A model reads each docstring before it calls."""

from __future__ import annotations

from remit import LeafContext
from remit.tools import Preview
from remit_cms.posts.entries import name_entry, note_read, select_entries, show_entry
from remit_cms.posts.payloads import (
    CreateEntry,
    DeleteEntry,
    EntriesReply,
    EntryBrief,
    EntryDeletion,
    EntryReply,
    EntryView,
    EntryWriteReply,
    GetCollectionEntries,
    GetEntryContent,
    UpdateEntry,
)
from remit_cms.posts.writing import EntryWrites
from remit_cms.storage.database import Database
from remit_cms.storage.lists import Order, list_rows
from remit_cms.storage.readings import Reading, read_drafts
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.tokens import give_token
from remit_cms.storage.transactions import open_view
from remit_cms.templates.values import show_content, show_names


class Collections:
    """The entries of types."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writes = EntryWrites(database, "entry", brief=EntryBrief, reply=EntryWriteReply, deletion=EntryDeletion)

    async def get_collection_entries(self, ctx: LeafContext, payload: GetCollectionEntries) -> EntriesReply:
        """List the entries of a collection, without content unless includeContent is true. For posts: cms_getPosts."""
        async with open_view(self._database, ctx) as scope:
            collection = await scope.find_definition(payload.collection_id, Kind.ENTRY)
            code = scope.resolve_locale(payload.locale_code)
            locale = code if payload.include_content else None
            query, order = select_entries(scope, collection), Order((Page.slug, Page.id))
            found = await list_rows(scope, payload, query, order, "entries", collection.key)
            read = await read_drafts(scope, found.rows, code)
            views = [_view(page, each, locale) for page, each in zip(found.rows, read, strict=True)]
            found = found.fit(views)
            for page, each in zip(found.rows, read, strict=False) if locale else ():
                note_read(scope, page, each)
            entries_of = f"The collection '{collection.name}' has {found.total} {_plural(found.total)}"
            return EntriesReply(
                entries=views[: len(found.rows)],
                **found.summarize(entries_of),
            )

    async def get_entry_content(self, ctx: LeafContext, payload: GetEntryContent) -> EntryReply:
        """Read one entry of a collection with its content. For posts: cms_getPost. For pages: cms_getPage."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(payload.entry_id, Kind.ENTRY)
            read = await show_entry(scope, page, locale := scope.resolve_locale(payload.locale_code))
            return EntryReply(
                entry=_view(page, read, locale),
                token=give_token(payload, page),
                message=f"Entry '{page.title}' of {read.sections[0].section.definition} in {locale}",
            )

    async def create_entry(self, ctx: LeafContext, payload: CreateEntry) -> EntryWriteReply:
        """Create an entry that does not exist yet in a collection, as a draft. For posts: cms_createPost."""
        return await self._writes.create(ctx, payload, payload.collection_id, payload.content)

    async def update_entry(self, ctx: LeafContext, payload: UpdateEntry) -> EntryWriteReply:
        """Change title, slug or content of an entry; other fields and languages stay. For posts: cms_updatePost."""
        return await self._writes.update(ctx, payload, payload.entry_id, payload.content)

    async def delete_entry(self, ctx: LeafContext, payload: DeleteEntry) -> EntryDeletion:
        """Delete an entry of a collection, after approval. It is in the trash then. For pages: cms_deletePage."""
        return await self._writes.delete(ctx, payload, payload.entry_id)

    async def preview_deletion(self, ctx: LeafContext, payload: DeleteEntry) -> Preview:
        """The entry to delete, for the approver."""
        return await self._writes.preview_deletion(ctx, payload, payload.entry_id)


def _plural(number: int) -> str:
    return "entry" if number == 1 else "entries"


def _view(page: Page, read: Reading, locale: str | None) -> EntryView:
    (section,) = read.sections
    return EntryView(
        id=page.id,
        title=read.title,
        slug=name_entry(read),
        status=page.status,
        revision=page.revision,
        locale_code=locale,
        content=None if locale is None else show_content(section.structure, section.content),
        untranslated=None if locale is None else show_names(section.structure, section.untranslated) or None,
    )
