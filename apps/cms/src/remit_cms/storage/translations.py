"""Texts by locale: the one fallback chain of a site, and what it makes of the texts of pages and sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue
from sqlalchemy import or_, select

from remit.errors import AlreadyExistsError
from remit_cms.models import Content, View
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Page, PageTranslation
from remit_cms.storage.transactions import Edit
from remit_cms.templates.fitting import fill_defaults, fit_content
from remit_cms.templates.slots import Structure
from remit_cms.templates.values import is_empty


class PageTexts(View):
    """The texts of a page in one locale. Those that are missing fall back."""

    title: str | None = None
    slug: str | None = None
    meta_title: str | None = None
    meta_description: str | None = None


TEXT_FIELDS: Final = tuple(PageTexts.model_fields)


class LocalizedTexts(NamedTuple):
    """The texts of a page as a reader of a locale sees them, and for each that fell back, the locale it is in."""

    texts: PageTexts
    untranslated: dict[str, str]


class LocalizedContent(NamedTuple):
    """The content of a section as a reader of a locale sees it, and for each slot that fell back, its locale."""

    content: Content
    untranslated: dict[str, str]


def localize_texts(texts: Mapping[str, PageTexts], chain: Sequence[str]) -> LocalizedTexts:
    """What a reader sees, of a page's texts by locale; ``chain`` begins with the reader's locale."""
    found: dict[str, str] = {}
    sources: dict[str, str] = {}
    for field in TEXT_FIELDS:
        for locale in (*chain, *texts):
            value: str | None = getattr(texts.get(locale), field, None)
            if value is not None:
                found[field] = value
                if locale != chain[0]:
                    sources[field] = locale
                break
    return LocalizedTexts(PageTexts(**found), sources)


def localize_content(
    contents: Mapping[str, Content], chain: Sequence[str], lists: Mapping[str, list[str]] | None = None
) -> LocalizedContent:
    """What a reader sees, of a section's content by locale; ``chain`` begins with the reader's locale.

    Items of lists fall back field by field; an item without any texts for the reader has its id alone.
    """
    merged: Content = {}
    sources: dict[str, str] = {}
    for locale in reversed(chain):
        for key, value in contents.get(locale, {}).items():
            if key not in (lists or {}):
                merged[key], sources[key] = value, locale
    for key, order in (lists or {}).items():
        items: list[JsonValue] = []
        for item in order:
            by_locale = {locale: item_content(contents.get(locale, {}), key, item) for locale in chain}
            shown, untranslated = localize_content(by_locale, chain)
            items.append({"id": item, **shown})
            sources |= {f"{key}.{item}.{field}": locale for field, locale in untranslated.items()}
        if items:
            merged[key] = items
    return LocalizedContent(merged, {key: locale for key, locale in sources.items() if locale != chain[0]})


def read_content(
    structure: Structure,
    contents: Mapping[str, Content],
    chain: Sequence[str],
    lists: Mapping[str, list[str]] | None = None,
) -> LocalizedContent:
    """What a reader sees of the stored content of a section, or of an entry, as its type is now."""
    # Each language is fitted by itself: a value that does not fit falls back like one that is missing.
    fitted = {locale: fit_content(structure, content) for locale, content in contents.items() if locale in chain}
    shown, untranslated = localize_content(fitted, chain, lists)
    return LocalizedContent(fill_defaults(structure, shown), untranslated)


def list_visible(
    structure: Structure,
    contents: Mapping[str, Content],
    chain: Sequence[str],
    lists: Mapping[str, list[str]] | None = None,
) -> list[tuple[str, str, JsonValue]]:
    """What visitors read of stored content through its type: key, label, if any, and value of each field, in order."""
    content, labels = read_content(structure, contents, chain, lists).content, structure.labels_in(chain[0])
    shown = [(slot.key, labels.get(slot.key, ""), content.get(slot.key)) for slot in structure.slots]
    return [(key, label, value) for key, label, value in shown if not is_empty(value)]


def item_content(content: Content, slot: str, item: str) -> Content:
    """What the stored content of one locale has for an item of a list."""
    items = content.get(slot)
    found = items.get(item) if isinstance(items, dict) else None
    return found if isinstance(found, dict) else {}


def original_texts(page: Page) -> PageTexts:
    """The texts of a page's draft in its own locale."""
    return PageTexts(
        title=page.title, slug=page.slug, meta_title=page.meta_title, meta_description=page.meta_description
    )


async def load_texts(scope: Scope, pages: Iterable[Page]) -> dict[str, dict[str, PageTexts]]:
    """The texts of the drafts of pages, by page and locale, the page's own locale first."""
    found = {page.id: {page.locale: original_texts(page)} for page in pages}
    query = select(PageTranslation).where(PageTranslation.page.in_(found)).order_by(PageTranslation.locale)
    for row in await scope.session.scalars(query):
        found[row.page].setdefault(row.locale, PageTexts(**{field: getattr(row, field) for field in TEXT_FIELDS}))
    return found


async def write_texts(edit: Edit, page: Page, locale: str, texts: PageTexts) -> None:
    """Set the texts of a page's draft in one locale. Those of other locales are not touched."""
    row: Page | PageTranslation | None = page
    if locale != page.locale:
        row = await edit.session.get(PageTranslation, (page.id, locale))
        if row is None:
            row = PageTranslation(site=page.site, environment=page.environment, page=page.id, locale=locale)
            edit.session.add(row)
    for field in TEXT_FIELDS:
        setattr(row, field, getattr(texts, field))
    await edit.session.flush()


def slugs_by_locale(scope: Scope, texts: Mapping[str, PageTexts]) -> dict[str, str]:
    """The slug under which a page is found in each locale of the site."""
    return {locale: localize_texts(texts, scope.fallback_chain(locale)).texts.slug or "" for locale in scope.locales}


async def load_slugs(scope: Scope, pages: Iterable[Page], locale: str) -> dict[str, str]:
    """The slugs under which the drafts of pages are found in a locale, by page id."""
    texts = await load_texts(scope, pages)
    return {page: slugs_by_locale(scope, each)[locale] for page, each in texts.items()}


async def check_slugs_are_free(
    scope: Scope, page_id: str, texts: Mapping[str, PageTexts], *, moving: Iterable[str] = ()
) -> None:
    """Reject the slugs of a page if in some locale another page is found under the same one.

    ``moving`` are pages that are about to get other slugs.

    Raises:
        AlreadyExistsError: names that page.
    """
    wanted = slugs_by_locale(scope, texts)
    own = {each.slug for each in texts.values() if each.slug}
    translated = select(PageTranslation.page).where(
        scope.target.row_filter(PageTranslation), PageTranslation.slug.in_(own)
    )
    query = select(Page).where(
        scope.target.row_filter(Page),
        Page.parent.is_(None),
        Page.id.not_in({page_id, *moving}),
        or_(Page.slug.in_(own), Page.id.in_(translated)),
    )
    others = (await scope.session.scalars(query.order_by(Page.slug, Page.id))).all()
    by_page = await load_texts(scope, others)
    for other in others:
        taken = slugs_by_locale(scope, by_page[other.id])
        for locale, slug in wanted.items():
            if taken[locale] == slug:
                where = "" if locale == scope.default_locale else f" in {locale}"
                raise AlreadyExistsError(
                    f"There is a page with this slug already{where}: '{other.title}', id {other.id}."
                )
