"""Snapshots: the whole state of a page, as a revision stores it. Drafts are built from them and written to them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from pydantic import Field, JsonValue
from sqlalchemy import delete, select

from remit.errors import ConflictError, NotFoundError
from remit_cms.models import Content, View
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.tables import (
    Kind,
    Page,
    PageSection,
    PageTranslation,
    Revision,
    SectionContent,
    SectionDefinition,
)
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import PageTexts, load_texts, write_texts
from remit_cms.templates.slots import Structure


class SectionSnapshot(View):
    """A section: the key of its template, its place, its number on the page, and its lists and content by locale."""

    id: str
    definition: str
    sort_order: int
    number: int = Field(default=0, exclude_if=operator.not_)
    lists: dict[str, list[str]] = Field(default_factory=dict[str, list[str]], exclude_if=operator.not_)
    contents: dict[str, Content] = Field(default_factory=dict[str, Content])


class MetaSnapshot(View):
    """What search engines show of a page."""

    title: str | None = None
    description: str | None = None


class Snapshot(View):
    """A page in one revision. Fields that later versions add have defaults, and unknown ones are ignored."""

    id: str
    kind: str = Kind.PAGE
    locale: str
    parent: str | None = None
    slug: str
    title: str
    status: str = "draft"
    indexing: bool = True
    meta: MetaSnapshot = MetaSnapshot()
    translations: dict[str, PageTexts] = Field(default_factory=dict[str, PageTexts], exclude_if=operator.not_)
    sections: list[SectionSnapshot] = Field(default_factory=list[SectionSnapshot])
    last_section: int = Field(default=0, exclude_if=operator.not_)
    last_item: int = Field(default=0, exclude_if=operator.not_)

    @property
    def texts(self) -> dict[str, PageTexts]:
        """Title, slug and search engine texts by locale, the page's own first."""
        original = PageTexts(
            title=self.title, slug=self.slug, meta_title=self.meta.title, meta_description=self.meta.description
        )
        return {self.locale: original, **self.translations}

    @property
    def ordered_sections(self) -> list[SectionSnapshot]:
        """The sections in the order of the page."""
        return sorted(self.sections, key=lambda section: (section.sort_order, section.id))

    def with_contents(self, change: Callable[[str, Content], Content]) -> Snapshot:
        """The same state with other contents: what ``change`` makes of those of each section, given its id."""
        sections = [
            each.model_copy(
                update={"contents": {locale: change(each.id, content) for locale, content in each.contents.items()}}
            )
            for each in self.sections
        ]
        return self.model_copy(update={"sections": sections})

    @property
    def languages(self) -> frozenset[str]:
        """The locales in which the page has a title or content, its own among them."""
        titled = [code for code, texts in self.translations.items() if texts.title]
        filled = [code for section in self.sections for code, content in section.contents.items() if content]
        return frozenset([self.locale, *titled, *filled])


States: TypeAlias = Mapping[str, Snapshot | None]
"""Documents as visitors see them, by id; None for those of which they see nothing."""


async def build_snapshot(scope: Scope, page: Page) -> Snapshot:
    """The state of a page's draft."""
    (snapshot,) = await build_snapshots(scope, [page])
    return snapshot


async def build_snapshots(scope: Scope, pages: Sequence[Page]) -> list[Snapshot]:
    """The states of the drafts of pages, in the same order."""
    on_pages = PageSection.page.in_([page.id for page in pages])
    rows = (
        select(PageSection, SectionDefinition.key)
        .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
        .where(on_pages)
        .order_by(PageSection.sort_order, PageSection.id)
    )
    filled = select(SectionContent).join(PageSection, PageSection.id == SectionContent.section).where(on_pages)
    texts = await load_texts(scope, pages)
    contents: dict[str, dict[str, Content]] = {}
    for row in await scope.session.scalars(filled.order_by(SectionContent.locale)):
        contents.setdefault(row.section, {})[row.locale] = row.content
    sections: dict[str, list[SectionSnapshot]] = {}
    for section, key in (await scope.session.execute(rows)).all():
        sections.setdefault(section.page, []).append(describe_section(section, key, contents.get(section.id, {})))
    return [
        Snapshot(
            id=page.id,
            kind=page.kind,
            locale=page.locale,
            parent=page.parent,
            slug=page.slug,
            title=page.title,
            status=page.status,
            indexing=page.indexing,
            meta=MetaSnapshot(title=page.meta_title, description=page.meta_description),
            translations={locale: each for locale, each in texts[page.id].items() if locale != page.locale},
            sections=sections.get(page.id, []),
            last_section=page.last_section,
            last_item=page.last_item,
        )
        for page in pages
    ]


def describe_section(section: PageSection, template: str, contents: dict[str, Content]) -> SectionSnapshot:
    """The state of a section in a draft, with the key of its template."""
    return SectionSnapshot(
        id=section.id,
        definition=template,
        sort_order=section.sort_order,
        number=section.number,
        lists=section.lists,
        contents=contents,
    )


async def load_structures_of(scope: Scope, *states: Snapshot | None) -> dict[str, Structure]:
    """The types of the sections of some states as they are now, by key: they know what people call the fields."""
    return await scope.load_structures(
        {section.definition for each in states if each is not None for section in each.sections}
    )


async def load_live(scope: Scope, pages: Collection[str]) -> dict[str, Snapshot]:
    """What visitors see of documents, by id, without those of which they see nothing."""
    is_live = (Page.id == Revision.page) & (Page.live == Revision.number)
    query = select(Revision.page, Revision.snapshot).join(Page, is_live).where(Page.id.in_(pages))
    return {page: Snapshot.model_validate(snapshot) for page, snapshot in await scope.session.execute(query)}


async def load_snapshot(scope: Scope, page_id: str, number: int) -> Snapshot:
    """A revision of a page.

    Raises:
        NotFoundError: the page has no such revision.
    """
    query = select(Revision.snapshot).where(
        scope.target.row_filter(Revision), Revision.page == page_id, Revision.number == number
    )
    found = await scope.session.scalar(query)
    if found is None:
        page = await scope.session.get(Page, page_id)
        if page is None or Target(page.site, page.environment) != scope.target:
            raise NotFoundError(f"Page '{page_id}' has no revision {number}. cms_listRevisions lists them.")
        raise NotFoundError(f"Page '{page.title}' has no revision {number}; {page.revision} is its last.")
    return Snapshot.model_validate(found)


async def apply_snapshot(edit: Edit, page: Page, snapshot: Snapshot) -> None:
    """Make the draft of a page what a snapshot says. The caller checks the slugs and saves the revision.

    Raises:
        ConflictError: a section template is gone.
    """
    query = select(SectionDefinition.key, SectionDefinition.id).where(edit.target.row_filter(SectionDefinition))
    definitions = {row.key: row.id for row in (await edit.session.execute(query)).all()}
    missing = sorted({section.definition for section in snapshot.sections} - definitions.keys())
    if missing:
        raise ConflictError(f"The section template '{missing[0]}' of that revision does not exist any more.")
    page.indexing = snapshot.indexing
    await edit.session.execute(delete(PageTranslation).where(PageTranslation.page == page.id))
    for locale, texts in snapshot.texts.items():
        await write_texts(edit, page, locale, texts)
    numbered = select(PageSection.id, PageSection.number).where(PageSection.page == page.id)
    numbers = {row.id: row.number for row in await edit.session.execute(numbered)}
    await edit.session.execute(delete(PageSection).where(PageSection.page == page.id))
    reserve_numbers(page, snapshot)
    for section in snapshot.sections:
        edit.session.add(
            PageSection(
                id=section.id,
                page=page.id,
                definition=definitions[section.definition],
                sort_order=section.sort_order,
                number=section.number or numbers.get(section.id) or next_number(page),
                lists=section.lists,
            )
        )
    await edit.session.flush()
    for section in snapshot.sections:
        for locale, content in section.contents.items():
            edit.session.add(SectionContent(section=section.id, locale=locale, content=content))
    await edit.session.flush()


def reserve_numbers(page: Page, snapshot: Snapshot) -> None:
    """Let a page count on from the numbers of sections and the ids of items that a state of it has."""
    numbers = [section.number for section in snapshot.sections]
    items = [int(item[1:]) for section in snapshot.sections for order in section.lists.values() for item in order]
    page.last_section = max(page.last_section, snapshot.last_section, *numbers)
    page.last_item = max(page.last_item, snapshot.last_item, *items)


def next_number(page: Page) -> int:
    """The number of a new section of a page; 0 on documents of other kinds, whose sections have no names."""
    if page.kind != Kind.PAGE:
        return 0
    page.last_section += 1
    return page.last_section


def iterate_searchable(snapshot: Snapshot, locale: str) -> Iterator[JsonValue]:
    """The values of a snapshot whose texts are searched in a locale, including those for search engines."""
    if locale in snapshot.texts:
        yield snapshot.texts[locale].meta_title
        yield snapshot.texts[locale].meta_description
    for section in snapshot.sections:
        yield from section.contents.get(locale, {}).values()
