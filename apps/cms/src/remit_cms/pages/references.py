"""Finds the pages and sections that an argument may mean."""

from __future__ import annotations

from typing import Final

from sqlalchemy import or_, select

from remit import LeafContext
from remit.tools import Candidate
from remit_cms.storage.database import Database
from remit_cms.storage.scope import name_filter, pages_translated_as, slug_of
from remit_cms.storage.tables import Kind, Page, PageSection, SectionDefinition
from remit_cms.storage.transactions import open_view
from remit_cms.storage.translations import PageTexts, load_texts

_MAX_LISTED: Final = 500


class PageReferences:
    """Resolves references to pages, or to documents of other kinds.

    Args:
        database: the database with the documents.
        kinds: the kinds of documents that may be meant.
    """

    def __init__(self, database: Database, *kinds: Kind) -> None:
        self._database, self._kinds = database, kinds or (Kind.PAGE,)

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The pages that a text may mean, by id, slug or title, or else all, to suggest similar ones.

        A slug stands for the page at the root, in the default locale if there are several.
        """
        async with open_view(self._database, ctx) as scope:
            pages = select(Page).where(scope.target.row_filter(Page), Page.kind.in_(self._kinds))
            named = or_(Page.id == text, name_filter(Page, text), Page.id.in_(pages_translated_as(scope, text)))
            pages = pages.order_by(Page.locale != scope.default_locale, Page.slug, Page.id).limit(_MAX_LISTED)
            rows = (await scope.session.scalars(pages.where(named))).all()
            rows = rows or (await scope.session.scalars(pages)).all()
            texts = await load_texts(scope, rows)
        slugs = {page.slug: page.id for page in reversed(rows) if page.parent is None}
        return [
            Candidate(
                page.id,
                page.title,
                str(page.revision),
                (
                    *_aliases(page.slug, text, own=slugs.get(page.slug) == page.id),
                    *_translations(page, texts, slugs, text),
                ),
            )
            for page in rows
        ]


class SectionReferences:
    """Resolves references to sections."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The sections that a text may mean: by id, template, or page and template; or else all, to suggest some."""
        key = text.strip().rpartition("/")[2]
        async with open_view(self._database, ctx) as scope:
            sections = (
                select(PageSection.id, SectionDefinition.key, Page.slug, Page.title, Page.revision, Page.id)
                .join(Page, Page.id == PageSection.page)
                .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
                .where(scope.target.row_filter(Page), Page.kind == Kind.PAGE)
                .order_by(Page.slug, Page.id, PageSection.sort_order, PageSection.id)
                .limit(_MAX_LISTED)
            )
            named = or_(PageSection.id == text, SectionDefinition.key == key)
            rows = (await scope.session.execute(sections.where(named))).all()
            rows = rows or (await scope.session.execute(sections)).all()
        return [
            Candidate(
                section,
                f"{key} on {title}",
                str(revision),
                (key, *(f"{name}/{key}" for name in dict.fromkeys((slug, f"/{slug}", title, page)))),
            )
            for section, key, slug, title, revision, page in rows
        ]


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
            aliases.append(each.title)
    return (*dict.fromkeys(aliases),)
