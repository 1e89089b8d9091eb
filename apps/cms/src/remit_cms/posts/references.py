"""Finds the entries, and the documents of any kind, that an argument may mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import ColumnElement, Select, or_, select

from remit import LeafContext
from remit.tools import Candidate
from remit_cms.pages.references import PageReferences
from remit_cms.storage.database import Database
from remit_cms.storage.keys import name_key
from remit_cms.storage.scope import Scope, slug_of
from remit_cms.storage.tables import NAMED_KINDS, Kind, Page, PageTranslation
from remit_cms.storage.transactions import open_view
from remit_cms.storage.translations import PageTexts, load_texts

_MAX_LISTED: Final = 500


class EntryReferences:
    """Resolves references to entries, such as posts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The entries that a text may mean, by id, address, slug or title, or else all, to suggest similar ones."""
        async with open_view(self._database, ctx) as scope:
            entries = select(Page).where(scope.target.row_filter(Page), Page.kind == Kind.ENTRY)
            entries = entries.order_by(Page.slug, Page.id).limit(_MAX_LISTED)
            return await _find_named(scope, text) or await _describe(scope, entries, text)


class DocumentReferences:
    """Resolves references to pages, posts and other entries, and what else has revisions, such as the settings."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._documents = PageReferences(database, *NAMED_KINDS)

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The documents that a text may mean, as for pages and entries; or else similar ones, to suggest them."""
        documents = await self._documents.find_candidates(ctx, text)
        async with open_view(self._database, ctx) as scope:
            entries = await _find_named(scope, text)
        return [*{each.id: each for each in (*documents, *entries)}.values()]


async def _find_named(scope: Scope, text: str) -> list[Candidate]:
    """The entries with this id, address, slug or title."""
    tail, title = slug_of(text).rpartition("/")[2], name_key(text)

    def is_named(table: type[Page | PageTranslation]) -> ColumnElement[bool]:
        return or_(table.slug.endswith(f"/{tail}", autoescape=True), table.title_key == title)

    translated = select(PageTranslation.page).where(is_named(PageTranslation))
    entries = select(Page).where(scope.target.row_filter(Page), Page.kind == Kind.ENTRY)
    named = entries.where(or_(Page.id == text, is_named(Page), Page.id.in_(translated)))
    return await _describe(scope, named.order_by(Page.slug, Page.id).limit(_MAX_LISTED), text)


async def _describe(scope: Scope, query: Select[Page], text: str) -> list[Candidate]:
    rows = (await scope.session.scalars(query)).all()
    texts = await load_texts(scope, rows)
    return [Candidate(row.id, row.title, str(row.revision), _aliases(texts[row.id], text)) for row in rows]


def _aliases(texts: Mapping[str, PageTexts], text: str) -> tuple[str, ...]:
    """The addresses, slugs and titles of an entry, and the text as it was written if that means one of them."""
    addresses = [each.slug for each in texts.values() if each.slug]
    titles = [each.title for each in [*texts.values()][1:] if each.title]
    names = [name for each in addresses for name in (each, f"/{each}", each.rpartition("/")[2])]
    keys = {name_key(each.title) for each in texts.values() if each.title}
    written = (text.strip(),) if slug_of(text) in names or name_key(text) in keys else ()
    return tuple(dict.fromkeys((*names, *titles, *written)))
