"""Entries as they are stored: documents with one section, whose template is that of their collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, select

from remit.errors import AlreadyExistsError, InvalidArgumentsError
from remit.tools import Caller, Preview
from remit_cms.models import Content
from remit_cms.pages.slugs import resolve_address
from remit_cms.sections.contents import load_contents, note_written, update_content
from remit_cms.sections.remarks import Remarks
from remit_cms.storage.documents import make_document
from remit_cms.storage.door import delete_page
from remit_cms.storage.hiding import preview_hiding
from remit_cms.storage.parts import text_parts
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.stale_edits import find_read_parts, read_text_parts
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition
from remit_cms.storage.tokens import check_token
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import (
    PageTexts,
    check_slugs_are_free,
    load_texts,
    localize_texts,
    read_content,
    write_texts,
)


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry with the section that holds its content, and its collection."""

    page: Page
    section: PageSection
    collection: SectionDefinition


async def find_entry(scope: Scope, name: str) -> StoredEntry:
    """The entry with this id, address or title.

    Raises:
        NotFoundError: suggests similar ones.
    """
    page = await scope.find_document(name, Kind.ENTRY)
    query = (
        select(PageSection, SectionDefinition)
        .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
        .where(PageSection.page == page.id)
    )
    row = (await scope.session.execute(query)).one()
    return StoredEntry(page, row[0], row[1])


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An entry as a reader of a language sees it; the slug is without its collection."""

    title: str
    slug: str
    content: Content
    untranslated: dict[str, str]


async def show_entry(scope: Scope, entry: StoredEntry, locale: str) -> ShownEntry:
    """One entry as a reader of a language sees it, who is shown all of it."""
    await note_read(scope, entry, locale)
    (shown,) = await show_entries(scope, [entry], locale)
    return shown


async def note_read(scope: Scope, entry: StoredEntry, locale: str) -> None:
    """Tell the journal that a reader of a language is shown all of an entry."""
    page, chain = entry.page, scope.fallback_chain(locale)
    texts = (await load_texts(scope, [page]))[page.id]
    content = await find_read_parts(scope, page, locale)
    scope.show(page, *read_text_parts(texts, chain, page.locale), *content)


async def show_entries(scope: Scope, entries: Sequence[StoredEntry], locale: str) -> list[ShownEntry]:
    """Entries as a reader of a language sees them."""
    chain = scope.fallback_chain(locale)
    contents = await load_contents(scope, [entry.section.id for entry in entries], chain)
    texts = await load_texts(scope, [entry.page for entry in entries])
    return [
        ShownEntry(shown.title or "", (shown.slug or "").rpartition("/")[2], *content)
        for entry in entries
        for shown in [localize_texts(texts[entry.page.id], chain).texts]
        for content in [read_content(parse_structure(entry.collection), contents.get(entry.section.id, {}), chain)]
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryInput:
    """What a call writes of an entry: texts in a language, and fields by their keys or the names that callers read."""

    title: str | None
    slug: str | None
    content: Content
    locale_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEntry:
    """An entry after a write, as replies name it in the language of the write, and what the write has done."""

    page: Page
    title: str
    slug: str
    message: str
    changed: list[str] | None = None
    remarks: list[str] | None = None


async def create_entry(edit: Edit, collection_id: str, given: EntryInput, *, what: str) -> WrittenEntry:
    """Add an entry as a draft.

    Raises:
        NotFoundError: no such collection.
        AlreadyExistsError: an entry of the collection has the slug.
        InvalidArgumentsError: the content does not fit the collection, the slug is none, or the language is not the
            default one, in which title and address begin.
    """
    if edit.resolve_locale(given.locale_code) != edit.default_locale:
        raise InvalidArgumentsError(
            f"An entry or post begins in '{edit.default_locale}', the language of the site. Create it in that one, "
            f"then update it with localeCode '{given.locale_code}': title, slug and content have their translations."
        )
    title, collection = given.title or "", await edit.find_definition(collection_id, Kind.ENTRY)
    address = await _find_address(edit, collection, given.slug, title)
    await check_slugs_are_free(edit, "", {edit.default_locale: PageTexts(slug=address)})
    page = await make_document(edit, Kind.ENTRY, title, address, indexing=True)
    section = PageSection(id=edit.new_id("content"), page=page.id, definition=collection.id, sort_order=0)
    edit.session.add(section)
    await edit.session.flush()
    written = await update_content(edit, section, collection, given.content, edit.default_locale)
    await save_revision(edit, page, f"create_{what}")
    entry, message = StoredEntry(page, section, collection), f"Created {what} {{}}, as a draft"
    return await _describe(edit, entry, edit.default_locale, message, remarks=written.remarks.list() or None)


async def _describe(
    edit: Edit,
    entry: StoredEntry,
    locale: str,
    message: str,
    *,
    changed: list[str] | None = None,
    remarks: list[str] | None = None,
) -> WrittenEntry:
    """What a write has done; ``{}`` in the message stands for title and address of the entry."""
    texts = (await load_texts(edit, [entry.page]))[entry.page.id]
    shown = localize_texts(texts, edit.fallback_chain(locale)).texts
    title, address = shown.title or "", shown.slug or ""
    return WrittenEntry(
        page=entry.page,
        title=title,
        slug=address.rpartition("/")[2],
        message=message.replace("{}", f"'{title}' ({edit.format_address(locale, address)})"),
        changed=changed,
        remarks=remarks,
    )


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


async def update_entry(
    edit: Edit, name: str, given: EntryInput, if_unchanged: str | None, *, what: str
) -> WrittenEntry:
    """Change an entry. What is written counts as seen.

    Raises:
        ConflictError: the entry has another revision than the caller expects.
        AlreadyExistsError, InvalidArgumentsError: as of `create_entry`.
    """
    entry, code = await find_entry(edit, name), edit.resolve_locale(given.locale_code)
    page = entry.page
    await check_token(edit, page, if_unchanged)
    texts = (await load_texts(edit, [page]))[page.id]
    before, wanted = texts.get(code, PageTexts()), _read_texts(entry, given)
    after = before.model_copy(update=wanted)
    changed = [field for field in wanted if getattr(before, field) != getattr(after, field)]
    if changed:
        await check_slugs_are_free(edit, page.id, {**texts, code: after})
        await write_texts(edit, page, code, after)
    remarks, fields = Remarks(), list[str]()
    if given.content:
        written = await update_content(edit, entry.section, entry.collection, given.content, code)
        remarks, fields = written.remarks, written.changed
        note_written(edit, page, entry.section, written, code)
    if changed or fields:
        await save_revision(edit, page, f"update_{what}", *changed, *(["content"] if fields else []))
    if wanted:
        edit.show(page, *text_parts([code], *wanted))
    message = f"Updated {what} {{}}" if changed or fields else f"The {what} {{}} is like that already"
    return await _describe(edit, entry, code, message, changed=[*changed, *fields], remarks=remarks.list() or None)


def _read_texts(entry: StoredEntry, given: EntryInput) -> dict[str, str]:
    """The texts that an update gives an entry. The address of a single document is that of its type."""
    texts = {} if given.title is None else {"title": given.title}
    if given.slug is not None and not parse_structure(entry.collection).is_single:
        texts["slug"] = resolve_address(given.slug, entry.page.title, entry.collection.key, ())
    return texts


async def load_entries(scope: Scope, pages: Sequence[Page], collection: SectionDefinition) -> list[StoredEntry]:
    """Entries of one collection with the sections that hold their content."""
    query = select(PageSection).where(PageSection.page.in_([page.id for page in pages]))
    sections = {section.page: section for section in await scope.session.scalars(query)}
    return [StoredEntry(page, sections[page.id], collection) for page in pages]


def select_entries(scope: Scope, collection: SectionDefinition) -> Select[Page]:
    """All entries of a collection."""
    of_type = PageSection.definition == collection.id
    return select(Page).join(PageSection, PageSection.page == Page.id).where(scope.target.row_filter(Page), of_type)


async def delete_entry(edit: Edit, name: str, if_unchanged: str | None) -> tuple[Page, str]:
    """Move an entry to the trash, also from visitors. Returns it, and the id of the change set that undoes this.

    Raises:
        ConflictError: it has changed since the token was given.
    """
    entry = await find_entry(edit, name)
    await check_token(edit, entry.page, if_unchanged)
    return entry.page, await delete_page(edit, entry.page)


async def preview_deletion(scope: Scope, name: str, if_unchanged: str | None, what: str, caller: Caller) -> Preview:
    """The entry to delete, what links to it and who edits it, for the approver."""
    page = (await find_entry(scope, name)).page
    await check_token(scope, page, if_unchanged)
    live = "" if page.live is None else f", which visitors see at /{page.live_path}"
    return await preview_hiding(scope, page, f"the {what} '{page.title}' (/{page.slug}){live}", caller, deletes=True)
