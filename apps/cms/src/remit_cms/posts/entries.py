"""Entries as they are stored: documents with one section, whose template is that of their collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, select

from remit_cms.models import Content
from remit_cms.sections.contents import load_contents
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.stale_edits import find_read_parts, read_text_parts
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition
from remit_cms.storage.translations import load_texts, localize_texts, read_content


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


async def load_entries(scope: Scope, pages: Sequence[Page], collection: SectionDefinition) -> list[StoredEntry]:
    """Entries of one collection with the sections that hold their content."""
    query = select(PageSection).where(PageSection.page.in_([page.id for page in pages]))
    sections = {section.page: section for section in await scope.session.scalars(query)}
    return [StoredEntry(page, sections[page.id], collection) for page in pages]


def select_entries(scope: Scope, collection: SectionDefinition) -> Select[Page]:
    """All entries of a collection."""
    of_type = PageSection.definition == collection.id
    return select(Page).join(PageSection, PageSection.page == Page.id).where(scope.target.row_filter(Page), of_type)
