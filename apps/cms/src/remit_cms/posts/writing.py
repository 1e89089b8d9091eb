"""The writes of entries, which are called entries of a type, or posts."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from remit import LeafContext
from remit.errors import AlreadyExistsError, InvalidArgumentsError
from remit.tools import Preview
from remit_cms.models import Content, WritePayload, WriteReply
from remit_cms.pages.slugs import resolve_address
from remit_cms.pages.texts import change_texts, load_name, show_texts
from remit_cms.posts.entries import StoredEntry, find_entry, select_entries
from remit_cms.posts.payloads import CreateEntry, CreatePost, EntryBrief, UpdateEntry, UpdatePost
from remit_cms.sections.contents import note_written, update_content
from remit_cms.sections.remarks import Remarks
from remit_cms.storage.database import Database
from remit_cms.storage.documents import load_title, make_document
from remit_cms.storage.door import delete_page
from remit_cms.storage.hiding import preview_hiding
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import parse_structure
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.translations import PageTexts, check_slugs_are_free, load_texts

R = TypeVar("R", bound=WriteReply)
D = TypeVar("D", bound=WriteReply)


class EntryWrites(Generic[R, D]):
    """The writes of entries, in drafts.

    Args:
        database: the database with the entries.
        noun: what an entry is called. Replies have it under this name, and the id of one that is gone.
        brief: how replies name an entry.
        reply: the reply to a write.
        deletion: the reply to a deletion.
    """

    def __init__(
        self, database: Database, noun: str, *, brief: type[EntryBrief], reply: type[R], deletion: type[D]
    ) -> None:
        self._database, self._noun = database, noun
        self._brief, self._reply, self._deletion = brief, reply, deletion

    async def create(
        self, ctx: LeafContext, payload: CreateEntry | CreatePost, collection_id: str, content: Content
    ) -> R:
        """Add an entry as a draft.

        Raises:
            NotFoundError: no such collection.
            AlreadyExistsError: an entry of the collection has the slug.
            InvalidArgumentsError: the content does not fit the collection, the slug is none, or the language is not the
                default one, in which title and address begin.
        """

        async def work(edit: Edit) -> R:
            entry = await _add_entry(edit, payload, collection_id)
            written = await update_content(edit, entry.section, entry.collection, content, edit.default_locale)
            await save_revision(edit, entry.page, f"create_{self._noun}")
            done, remarks = f"Created {self._noun} {{}}, as a draft", written.remarks
            return await self._describe(edit, payload, entry.page, edit.default_locale, done, remarks=remarks)

        return await edit_once(self._database, ctx, payload, self._reply, work)

    async def update(self, ctx: LeafContext, payload: UpdateEntry | UpdatePost, name: str, content: Content) -> R:
        """Change an entry. What is written counts as seen.

        Raises:
            ConflictError: the entry has another revision than the caller expects.
            AlreadyExistsError, InvalidArgumentsError: as of `create`.
        """

        async def work(edit: Edit) -> R:
            entry, locale = await find_entry(edit, name), edit.resolve_locale(payload.locale_code)
            await check_token(edit, entry.page, payload.if_unchanged)
            given, texts = _read_texts(entry, payload), (await load_texts(edit, [entry.page]))[entry.page.id]
            before, after = texts.get(locale), await change_texts(edit, entry.page, texts, locale, given)
            changed = [field for field in given if getattr(before, field, None) != getattr(after, field)]
            fields, remarks = await _change_content(edit, entry, content, locale) if content else ([], Remarks())
            done = f"The {self._noun} {{}} is like that already"
            if changed or fields:
                content_field = ["content"] if fields else []
                await save_revision(edit, entry.page, f"update_{self._noun}", *changed, *content_field)
                done = f"Updated {self._noun} {{}}"
            show_texts(edit, entry.page, locale, given)
            names = [*changed, *fields]
            return await self._describe(edit, payload, entry.page, locale, done, changed=names, remarks=remarks)

        return await edit_once(self._database, ctx, payload, self._reply, work)

    async def delete(self, ctx: LeafContext, payload: WritePayload, name: str) -> D:
        """Move an entry to the trash, also from visitors.

        Raises:
            ConflictError: it has changed since the token was given.
        """

        async def work(edit: Edit) -> D:
            page = await edit.find_document(name, Kind.ENTRY)
            await check_token(edit, page, payload.if_unchanged)
            gone: dict[str, Any] = {f"{self._noun}_id": page.id, "change_set_id": await delete_page(edit, page)}
            message = f"Deleted {self._noun} '{page.title}' (/{page.slug})"
            return self._deletion(**gone, token=give_token(payload, page), message=message)

        return await edit_once(self._database, ctx, payload, self._deletion, work)

    async def preview_deletion(self, ctx: LeafContext, payload: WritePayload, name: str) -> Preview:
        """The entry to delete, what links to it and who edits it, for the approver."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(name, Kind.ENTRY)
            await check_token(scope, page, payload.if_unchanged)
            live = "" if page.live is None else ", which visitors see"
            named = f"the {self._noun} '{await load_title(scope, page)}' (/{page.live_path or page.slug}){live}"
            return await preview_hiding(scope, page, named, ctx.caller, deletes=True)

    async def _describe(
        self,
        edit: Edit,
        payload: CreateEntry | CreatePost | UpdateEntry | UpdatePost,
        page: Page,
        locale: str,
        message: str,
        *,
        remarks: Remarks,
        changed: list[str] | None = None,
    ) -> R:
        """The reply to a write; ``{}`` in the message stands for title and address of the entry."""
        name = await load_name(edit, page, locale)
        brief = self._brief(id=page.id, title=name.title, slug=name.slug.rpartition("/")[2], status=page.status)
        named: dict[str, Any] = {self._noun: brief}
        return self._reply(
            **named,
            changed=changed,
            remarks=remarks.list() or None,
            token=give_token(payload, page),
            message=message.replace("{}", name.written),
        )


async def _add_entry(edit: Edit, payload: CreateEntry | CreatePost, collection_id: str) -> StoredEntry:
    """A new entry without content. The caller saves its revision."""
    if edit.resolve_locale(payload.locale_code) != edit.default_locale:
        raise InvalidArgumentsError(
            f"An entry or post begins in '{edit.default_locale}', the language of the site. Create it in that one, "
            f"then update it with localeCode '{payload.locale_code}': title, slug and content have their translations."
        )
    collection = await edit.find_definition(collection_id, Kind.ENTRY)
    address = await _find_address(edit, collection, payload.slug, payload.title)
    await check_slugs_are_free(edit, "", {edit.default_locale: PageTexts(slug=address)})
    page = await make_document(edit, Kind.ENTRY, payload.title, address, indexing=True)
    section = PageSection(id=edit.new_id("content"), page=page.id, definition=collection.id, sort_order=0)
    edit.session.add(section)
    await edit.session.flush()
    return StoredEntry(page, section, collection)


async def _find_address(edit: Edit, collection: SectionDefinition, slug: str | None, title: str) -> str:
    """The address of a new entry; that of a single document is the key of its type."""
    if not parse_structure(collection).is_single:
        return resolve_address(slug, title, collection.key, ())
    if (found := (await edit.session.scalars(select_entries(edit, collection))).first()) is not None:
        raise AlreadyExistsError(
            f"There is one '{collection.name}' on a site, and it is there: '{found.title}' (/{found.slug}). "
            "cms_updateEntry changes it."
        )
    return collection.key


def _read_texts(entry: StoredEntry, payload: UpdateEntry | UpdatePost) -> dict[str, str]:
    """The texts that an update gives an entry. The address of a single document is that of its type."""
    texts = {} if payload.title is None else {"title": payload.title}
    if payload.slug is not None and not parse_structure(entry.collection).is_single:
        texts["slug"] = resolve_address(payload.slug, entry.page.title, entry.collection.key, ())
    return texts


async def _change_content(edit: Edit, entry: StoredEntry, content: Content, locale: str) -> tuple[list[str], Remarks]:
    """Change fields of an entry in a language; return those that are different now, and remarks on what is given."""
    written = await update_content(edit, entry.section, entry.collection, content, locale)
    note_written(edit, entry.page, entry.section, written, locale)
    return written.changed, written.remarks
