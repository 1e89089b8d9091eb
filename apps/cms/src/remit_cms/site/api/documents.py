"""Pages and entries as the API gives them: live revisions in one language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, select

from remit.errors import NotFoundError
from remit_cms.models import ListPayload
from remit_cms.sections.links import find_addresses, find_titles, has_references, place_references
from remit_cms.site.api.models import DocumentList, DocumentSummary, EntryDocument, Meta, PageDocument, Section
from remit_cms.site.api.requests import Query
from remit_cms.site.api.values import Values
from remit_cms.site.lists import collection_of
from remit_cms.site.lookup import Edition, ShownPage, show_live
from remit_cms.storage.images import load_images
from remit_cms.storage.lists import Order, list_rows
from remit_cms.storage.publication_times import load_publication_times, publication_times
from remit_cms.storage.readings import SectionReading, read_states
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition
from remit_cms.storage.translations import localize_texts
from remit_cms.templates.references import iterate_references, replace_references
from remit_cms.templates.values import show_names

_PAGE = "page"
"""The type of pages."""
_MAX_BYTES = 1_000_000
"""A part of a list ends before an item that would make it longer, but has one at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A visitor of the API: the live state of the site at ``url``, read in a language."""

    scope: Scope
    edition: Edition
    url: str
    locale: str

    @property
    def chain(self) -> tuple[str, ...]:
        """The languages whose texts stand in for that of the reader."""
        return self.scope.fallback_chain(self.locale)


@dataclass(frozen=True, slots=True)
class _Live:
    """A live document, with the times at which it went live first and last."""

    shown: ShownPage
    first: datetime
    last: datetime
    revision: int


async def list_documents(reader: Reader, listed: str | None, query: Query) -> DocumentList:
    """A part of the list of the entries of a collection, or of all pages for None, the newest first.

    Raises:
        InvalidArgumentsError: the cursor is not one of this list.
    """
    times = publication_times(reader.scope)
    pages = _live_pages(reader.scope).join(times, times.c.page == Page.id).where(_filter_type(listed))
    order = Order((times.c.first, Page.id), is_falling=True)
    payload = ListPayload(limit=query.limit, cursor=query.cursor)
    found = await list_rows(reader.scope, payload, pages, order, "api", listed)
    items = await _show(reader, found.rows, with_content=query.content)
    shown = found.fit(items, _MAX_BYTES)
    return DocumentList(items=items[: len(shown.rows)], total=shown.total, next_cursor=shown.next_cursor)


async def find_document(reader: Reader, listed: str | None, document: str) -> DocumentSummary:
    """The live entry of a collection, or for None the live page, with this id.

    Raises:
        NotFoundError: visitors see none.
    """
    return await _find_one(reader, and_(_filter_type(listed), Page.id == document))


async def show_document(reader: Reader, shown: ShownPage) -> DocumentSummary:
    """A document that visitors find, with its content."""
    return await _find_one(reader, Page.id == shown.page)


async def _find_one(reader: Reader, chosen: ColumnElement[bool]) -> DocumentSummary:
    query = _live_pages(reader.scope).where(chosen)
    found = (await reader.scope.session.scalars(query)).all()
    if not found:
        raise NotFoundError("Visitors see no such page or entry.")
    return (await _show(reader, found, with_content=True))[0]


def _live_pages(scope: Scope) -> Select[Page]:
    return select(Page).where(scope.target.row_filter(Page), Page.live.is_not(None))


def _filter_type(listed: str | None) -> ColumnElement[bool]:
    if listed is None:
        return Page.kind == Kind.PAGE
    of_type = select(PageSection.page).join(SectionDefinition, SectionDefinition.id == PageSection.definition)
    return and_(Page.kind == Kind.ENTRY, Page.id.in_(of_type.where(SectionDefinition.key == listed)))


async def _load(scope: Scope, pages: Sequence[Page]) -> list[_Live]:
    times = await load_publication_times(scope, [page.id for page in pages])
    shown = await show_live(scope, [*pages])
    return [_Live(each, *times[page.id], page.live or 0) for each, page in zip(shown, pages, strict=True)]


async def _show(reader: Reader, pages: Sequence[Page], *, with_content: bool) -> list[DocumentSummary]:
    documents = await _load(reader.scope, pages)
    if not with_content:
        return [_summarize(reader, each) for each in documents]
    sections = await _read_sections(reader, [each.shown for each in documents])
    return [
        PageDocument(**dict(_summarize(reader, each)), sections=own)
        if each.shown.snapshot.kind == Kind.PAGE
        else _make_entry(reader, each, own)
        for each, own in zip(documents, sections, strict=True)
    ]


def _make_entry(reader: Reader, live: _Live, sections: Sequence[Section]) -> EntryDocument:
    """An entry, whose only section has its fields. Those of a type that is gone are empty."""
    summary = _summarize(reader, live)
    for section in sections:
        summary.untranslated.update(section.untranslated)
    return EntryDocument(**dict(summary), fields=sections[0].fields if sections else {})


def _summarize(reader: Reader, live: _Live) -> DocumentSummary:
    scope, shown = reader.scope, live.shown
    texts, untranslated = localize_texts(shown.snapshot.texts, reader.chain)
    addresses = {
        code: reader.edition.address(shown.page, code, path).href(scope.default_locale)
        for code, path in shown.addresses.items()
    }
    return DocumentSummary(
        id=shown.page,
        type=collection_of(shown) or _PAGE,
        title=texts.title or "",
        path=addresses[reader.locale],
        url=f"{reader.url}{addresses[reader.locale]}",
        locale=reader.locale,
        languages={code: f"{reader.url}{path}" for code, path in addresses.items()},
        untranslated={**untranslated},
        meta=Meta(title=texts.meta_title, description=texts.meta_description, indexing=shown.snapshot.indexing),
        published_at=live.first,
        updated_at=live.last,
        revision=live.revision,
    )


async def _read_sections(reader: Reader, documents: Sequence[ShownPage]) -> list[list[Section]]:
    """The sections of documents, with one look for all types, addresses and images."""
    scope = reader.scope
    read = await read_states(scope, [each.snapshot for each in documents], reader.locale)
    contents = [section.content for each in read for section in each.known_sections]
    references = {reference for content in contents for reference in iterate_references({**content})}
    overlay = reader.edition.overlay(scope.locales)
    addresses = await find_addresses(scope, references, reader.locale, live=True, overlay=overlay) if references else {}
    with_titles = any(has_references(section.structure) for each in read for section in each.known_sections)
    titles = await find_titles(scope, addresses, reader.locale, live=True, overlay=overlay) if with_titles else {}
    values = Values(reader.url, await load_images(scope, contents))

    def show(section: SectionReading) -> Section:
        structure = section.structure
        placed = place_references(structure, section.content, addresses, titles)
        content = {slot: replace_references(value, addresses) for slot, value in placed.items()}
        untranslated = show_names(structure, section.untranslated)
        fields = values.read_fields(structure, content)
        return Section(id=section.section.id, type=section.section.definition, fields=fields, untranslated=untranslated)

    return [[show(section) for section in each.known_sections] for each in read]
