"""Finds the documents and sections that an argument may mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import ColumnElement, Row, or_, select

from remit import LeafContext
from remit.tools import Candidate
from remit_cms.storage.database import Database
from remit_cms.storage.keys import name_key
from remit_cms.storage.scope import Scope, check_is_no_entry, find_by_address, find_named, slug_of
from remit_cms.storage.tables import (
    NAMED_KINDS,
    Kind,
    Page,
    PageSection,
    PageTranslation,
    SectionContent,
    SectionDefinition,
)
from remit_cms.storage.transactions import open_view
from remit_cms.storage.translations import PageTexts, load_texts

_MAX_LISTED: Final = 500
_NUMBERED: Final = re.compile(r"s\d{1,6}")


class DocumentReferences:
    """Resolves references to documents of some kinds, or of any that has a name.

    Args:
        database: the database with the documents.
        kinds: the kinds of documents that may be meant.
    """

    def __init__(self, database: Database, *kinds: Kind) -> None:
        self._database, self._kinds = database, kinds or NAMED_KINDS

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The documents that a text may mean, by id, slug or title, or the address of visitors, or else similar ones.

        The slug of an entry may be written without that of its type. The slug of a page stands for the page at the
        root, in the default locale if there are several.
        """
        async with open_view(self._database, ctx) as scope:
            by_id = select(Page).where(scope.target.row_filter(Page), Page.id == text, Page.kind.in_(self._kinds))
            named = [*await scope.session.scalars(by_id), *await find_named(scope, text, self._kinds)]
            addressed = [] if named else await find_by_address(scope, text, self._kinds)
            entries = await _find_entries(scope, text) if Kind.ENTRY in self._kinds else ()
            rows = [*{page.id: page for page in (*named, *addressed, *entries)}.values()]
            if not rows and self._kinds == (Kind.PAGE,):
                await check_is_no_entry(scope, text)
            rows = rows or await scope.find_similar(text, *self._kinds)
            rows = sorted(rows, key=lambda page: (page.locale != scope.default_locale, page.slug, page.id))
            texts = await load_texts(scope, rows)
        slugs = {page.slug: page.id for page in reversed(rows) if page.parent is None}
        aliases = {
            page.id: (
                *_aliases(page.slug, text, own=slugs.get(page.slug) == page.id),
                *((text.strip(),) if page.title_key == name_key(text) or page in addressed else ()),
                *_translations(page, texts, slugs, text),
                *(_short_aliases(texts[page.id], text) if page.kind == Kind.ENTRY else ()),
            )
            for page in rows
        }
        return [
            Candidate(page.id, page.title, str(page.revision), (*dict.fromkeys(aliases[page.id]),), noun_of(page))
            for page in rows
        ]


def noun_of(page: Page) -> str:
    """What people call a document: page, post, entry, image, or the one of its kind, such as settings."""
    return "post" if page.kind == Kind.ENTRY and page.slug.startswith("posts/") else str(page.kind)


async def _find_entries(scope: Scope, text: str) -> Sequence[Page]:
    """The entries that have a text as the last part of their address in some language."""
    tail = slug_of(text).rpartition("/")[2]

    def is_named(table: type[Page | PageTranslation]) -> ColumnElement[bool]:
        return table.slug.endswith(f"/{tail}", autoescape=True)

    translated = select(PageTranslation.page).where(is_named(PageTranslation))
    entries = select(Page).where(scope.target.row_filter(Page), Page.kind == Kind.ENTRY)
    named = entries.where(or_(is_named(Page), Page.id.in_(translated)))
    return (await scope.session.scalars(named.order_by(Page.slug, Page.id).limit(_MAX_LISTED))).all()


class SectionReferences:
    """Resolves references to sections of pages, or of documents of other kinds.

    Args:
        database: the database with the sections.
        kinds: the kinds of documents that may be meant.
    """

    def __init__(self, database: Database, *kinds: Kind) -> None:
        self._database, self._kinds = database, kinds or (Kind.PAGE,)

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The sections that a text may mean: by id, template, or page and template or heading; or else others."""
        head, _, key = text.strip().rpartition("/")
        number = int(key[1:]) if _NUMBERED.fullmatch(key) else 0
        rows: Sequence[Row[str, str, int, Page]] = []
        async with open_view(self._database, ctx) as scope:
            sections = (
                select(PageSection.id, SectionDefinition.key, PageSection.number, Page)
                .join(Page, Page.id == PageSection.page)
                .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
                .where(scope.target.row_filter(Page), Page.kind.in_(self._kinds))
                .order_by(Page.slug, Page.id, PageSection.sort_order, PageSection.id)
                .limit(_MAX_LISTED)
            )
            numbered = (PageSection.number == number,) if number else ()
            alike = or_(PageSection.id.in_([text, key]), SectionDefinition.key == key, *numbered)
            on_page = Page.id.in_([head, *(page.id for page in await self._find_pages(scope, head))])
            tried = (sections.where(alike, on_page), sections.where(on_page)) if head else ()
            for query in (*tried, sections.where(alike), sections):
                rows = (await scope.session.execute(query)).all()
                if rows:
                    break
            headings = await _load_headings(scope, [row[0] for row in rows])
        return [
            Candidate(
                section,
                f"{key} on {page.title}",
                str(page.revision),
                (
                    key,
                    *(
                        f"{name}/{part}"
                        for name in dict.fromkeys((page.slug, f"/{page.slug}", *_tails(page), page.title, page.id))
                        for part in (key, section, *((f"s{number}",) if number else ()), *headings.get(section, ()))
                    ),
                    *headings.get(section, ()),
                    *((f"s{number}",) if number else ()),
                ),
                "section",
            )
            for section, key, number, page in rows
        ]

    async def _find_pages(self, scope: Scope, name: str) -> Sequence[Page]:
        """The documents that a name before that of a section may mean."""
        if not name:
            return ()
        entries = await _find_entries(scope, name) if Kind.ENTRY in self._kinds else ()
        named = await find_named(scope, name, self._kinds) or await find_by_address(scope, name, self._kinds)
        return [*named, *entries]


def _tails(page: Page) -> tuple[str, ...]:
    """The slug of an entry without that of its type."""
    return (page.slug.rpartition("/")[2],) if page.kind == Kind.ENTRY else ()


async def _load_headings(scope: Scope, sections: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The headings of sections in all languages."""
    found: dict[str, tuple[str, ...]] = {}
    query = select(SectionContent.section, SectionContent.content).where(SectionContent.section.in_(sections))
    for section, content in await scope.session.execute(query):
        heading = content.get("heading")
        if isinstance(heading, str) and heading:
            found[section] = (*found.get(section, ()), heading)
    return found


def _aliases(slug: str, text: str, *, own: bool) -> tuple[str, ...]:
    """The ways to write a slug, the one that was used included; none if it stands for another page."""
    return (slug, f"/{slug}", *((text.strip(),) if slug_of(text) == slug else ())) if own else ()


def _translations(
    page: Page, texts: dict[str, dict[str, PageTexts]], slugs: dict[str, str], text: str
) -> tuple[str, ...]:
    """The names of a page in other locales than its own."""
    aliases: list[str] = []
    for locale, each in texts[page.id].items():
        if locale == page.locale:
            continue
        if each.slug:
            own = slugs.get(each.slug, page.id) == page.id
            aliases += (*_aliases(each.slug, text, own=own), f"{locale}/{each.slug}", f"/{locale}/{each.slug}")
        if each.title:
            aliases += (each.title, *((text.strip(),) if name_key(each.title) == name_key(text) else ()))
    return (*aliases,)


def _short_aliases(texts: Mapping[str, PageTexts], text: str) -> tuple[str, ...]:
    """The slugs of an entry without that of its type, and the text as it was written if that means one of them."""
    tails = [each.slug.rpartition("/")[2] for each in texts.values() if each.slug]
    return (*tails, *((text.strip(),) if slug_of(text) in tails else ()))
