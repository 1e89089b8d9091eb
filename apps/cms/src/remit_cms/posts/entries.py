"""Entries as they are stored: documents with one section, whose template is that of their collection."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Select, select

from remit_cms.storage.readings import Reading, read_draft
from remit_cms.storage.scope import Scope
from remit_cms.storage.stale_edits import read_parts, read_text_parts
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition


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


async def show_entry(scope: Scope, page: Page, locale: str) -> Reading:
    """An entry as a reader of a language sees it, who is shown all of it."""
    read = await read_draft(scope, page, locale)
    note_read(scope, page, read)
    return read


def note_read(scope: Scope, page: Page, read: Reading) -> None:
    """Tell the journal that a reader is shown all of an entry."""
    texts = read_text_parts(read.snapshot.texts, read.chain, page.locale)
    scope.show(page, *texts, *read_parts(read.snapshot, read.chain))


def name_entry(read: Reading) -> str:
    """The slug of an entry without that of its type."""
    return read.slug.rpartition("/")[2]


def select_entries(scope: Scope, collection: SectionDefinition) -> Select[Page]:
    """All entries of a collection."""
    of_type = PageSection.definition == collection.id
    return select(Page).join(PageSection, PageSection.page == Page.id).where(scope.target.row_filter(Page), of_type)
