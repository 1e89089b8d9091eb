"""A site of many pages, written as rows: through the tools it would take half an hour."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import insert, select

from remit_cms.storage.database import FIRST_SITE, Database
from remit_cms.storage.full_text import index_page
from remit_cms.storage.names import index_names
from remit_cms.storage.seed import DEFAULT_ENVIRONMENT
from remit_cms.storage.tables import (
    LivePath,
    Page,
    PageSection,
    Publication,
    Revision,
    SectionContent,
    SectionDefinition,
)

SECTIONS: Final = 5
_DAY: Final = datetime(2026, 1, 1, tzinfo=UTC)
_SCOPE: Final = {"site": FIRST_SITE, "environment": DEFAULT_ENVIRONMENT}
_SYLLABLES: Final = [first + second for first in "bcdfghklmnprst" for second in "aeiou"]
WORDS: Final = [f"{one}{other}" for one in _SYLLABLES for other in _SYLLABLES[::4]]


def title_of(number: int) -> str:
    """The title of a page: three words and its number."""
    chosen = random.Random(number)
    return f"{' '.join(chosen.choices(WORDS, k=3))} {number}".capitalize()


def slug_of(number: int) -> str:
    """The slug of a page."""
    return title_of(number).lower().replace(" ", "-")


async def add_pages(database: Database, pages: int) -> None:
    """Add live pages with five sections of text each, as if they had been written and published."""
    async with database.write() as session:
        template = await session.scalar(
            select(SectionDefinition.id).where(SectionDefinition.key == "text", SectionDefinition.site == FIRST_SITE)
        )
        rows: dict[Any, list[dict[str, Any]]] = {}
        texts: list[tuple[str, str, list[str]]] = []
        for number in range(pages):
            for table, row in _rows_of(number, str(template)):
                rows.setdefault(table, []).append(row)
            texts.append((f"page{number}", title_of(number), _texts_of(number)))
        for table, each in rows.items():
            await session.execute(insert(table), each)
        for page, title, words in texts:
            await index_page(session, page, "en", title, words)
            await index_names(session, Page(id=page, **_SCOPE), [title, title.lower().replace(" ", "-")])


def _rows_of(number: int, template: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    page, title, slug = f"page{number}", title_of(number), slug_of(number)
    contents = [{"heading": f"Part {place + 1}", "content": text} for place, text in enumerate(_texts_of(number))]
    sections = [
        {"id": f"s{number}x{place}", "definition": "text", "sortOrder": place, "contents": {"en": content}}
        for place, content in enumerate(contents)
    ]
    snapshot = {"id": page, "locale": "en", "slug": slug, "title": title, "sections": sections}
    made = {"author": "ann", "run": "made", "created_at": _DAY}
    texts = {"slug": slug, "title": title, "locale": "en"}
    state = {"status": "published", "indexing": True, "revision": 1, "live": 1, "live_path": slug}
    yield Page, {"id": page, **_SCOPE, **texts, **state, "created_at": _DAY, "updated_at": _DAY}
    for place, content in enumerate(contents):
        section = sections[place]["id"]
        yield PageSection, {"id": section, "page": page, "definition": template, "sort_order": place}
        yield SectionContent, {"section": section, "locale": "en", "content": content}
    yield Revision, {**_SCOPE, "page": page, "number": 1, "action": "create_page", "snapshot": snapshot, **made}
    yield Publication, {**_SCOPE, "page": page, "number": 1, "before": None, "after": 1, **made}
    for locale in ("en", "de"):
        yield LivePath, {**_SCOPE, "locale": locale, "path": slug, "page": page}


def _texts_of(number: int) -> list[str]:
    chosen = random.Random(number + 1_000_000)
    return [" ".join(chosen.choices(WORDS, k=40)) for _ in range(SECTIONS)]
