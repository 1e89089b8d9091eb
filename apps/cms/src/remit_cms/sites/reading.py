"""Reads a whole site from the database, as a value that can be written elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import and_, func, select, true

from remit.errors import ConflictError
from remit_cms.models import Content, tidy_line
from remit_cms.sites.package import (
    DocumentPart,
    ImagePart,
    LanguagePart,
    LeftOut,
    RedirectPart,
    SitePackage,
    TemplatePart,
    first_problem,
)
from remit_cms.storage.change_sets import has_pending_edits
from remit_cms.storage.images import Image, ImageContent, in_library, iterate_image_slots
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.snapshots import MetaSnapshot, SectionSnapshot, Snapshot, build_snapshot, load_snapshot
from remit_cms.storage.tables import (
    NAMED_KINDS,
    ChangeSet,
    Kind,
    Locale,
    Page,
    Publication,
    Redirect,
    ScheduledAction,
    SectionDefinition,
    TrashedPage,
)
from remit_cms.storage.tables import Site as SiteRow
from remit_cms.storage.translations import PageTexts
from remit_cms.templates.fitting import fit_content


async def load_package(scope: Scope) -> tuple[SitePackage, dict[str, bytes]]:
    """The site and environment of a transaction, and the contents of its images by digest.

    Images that were deleted are left out of the drafts that name them: nothing shows them. Of two redirects from one
    address, which two change sets may have added, the second one is left out.

    Raises:
        ConflictError: it has something that no file of a site may hold, which an older CMS wrote.
    """
    target, session = scope.target, scope.session
    site = await session.get_one(SiteRow, target.site)
    names = {row.code: row.name for row in await session.scalars(select(Locale).where(Locale.site == target.site))}
    templates = select(SectionDefinition).where(
        target.row_filter(SectionDefinition), SectionDefinition.kind.in_(NAMED_KINDS)
    )
    uploaded = select(Image).where(in_library(target)).order_by(Image.created_at, Image.source)
    images = [*await session.scalars(uploaded)]
    shown = {each.id for each in images}
    order = (Page.created_at, Page.kind, Page.locale, Page.slug, Page.id)
    pages = [
        *await session.scalars(select(Page).where(target.row_filter(Page), Page.kind.in_(NAMED_KINDS)).order_by(*order))
    ]
    ids = {page.id for page in pages}
    dates = await _load_publication_dates(scope)
    moved = select(Redirect).where(target.row_filter(Redirect)).order_by(Redirect.locale, Redirect.path)
    parts = dict[str, Any](
        name=tidy_line(site.name),
        languages=[LanguagePart(code=code, name=names[code]) for code in scope.locales],
        templates=[
            TemplatePart(
                kind=Kind(row.kind),
                key=row.key,
                name=tidy_line(row.name),
                description=row.description,
                structure=parse_structure(row),
            )
            for row in await session.scalars(templates.order_by(SectionDefinition.key))
        ],
        images=[_read_image(image) for image in images],
        documents=[await _load_document(scope, page, dates.get(page.id), shown) for page in pages],
        redirects=[
            RedirectPart(locale=row.locale, path=row.path, page=row.page)
            for row in await session.scalars(moved)
            if row.page in ids
        ],
    )
    try:
        package = SitePackage(**parts)
    except ValidationError as error:
        raise ConflictError(f"The site cannot be exported: {first_problem(error)}") from error
    digests = {image.digest for image in images}
    rows = await session.scalars(select(ImageContent).where(ImageContent.digest.in_(digests)))
    return package, {row.digest: row.content for row in rows}


async def count_left_out(scope: Scope) -> LeftOut:
    """How much of a site `load_package` leaves out."""
    scheduled = (ScheduledAction, ScheduledAction.state == "scheduled")
    counts = [
        await scope.session.scalar(
            select(func.count()).select_from(table).where(scope.target.row_filter(table), condition)
        )
        for table, condition in (
            scheduled,
            (ChangeSet, and_(ChangeSet.state == "open", has_pending_edits())),
            (TrashedPage, true()),
        )
    ]
    actions, sets, deleted = (each or 0 for each in counts)
    return LeftOut(scheduled_actions=actions, change_sets=sets, deleted_pages=deleted)


async def _load_document(scope: Scope, page: Page, published: datetime | None, images: set[str]) -> DocumentPart:
    live = None if page.live is None else await load_snapshot(scope, page.id, page.live)
    return DocumentPart(
        draft=_tidy(await _read_shown(scope, await build_snapshot(scope, page)), page.status, images),
        live=None if live is None else _tidy(await _read_shown(scope, live), "published", images),
        created_at=page.created_at,
        updated_at=page.updated_at,
        published_at=published,
    )


async def _read_shown(scope: Scope, snapshot: Snapshot) -> Snapshot:
    """A state without texts in languages that the site has given up, and without fields that types no longer show."""
    structures = await scope.load_structures({each.definition for each in snapshot.sections})
    has_types = snapshot.kind in (Kind.PAGE, Kind.ENTRY)
    sections = [
        each.model_copy(
            update={
                "contents": {
                    code: fit_content(structures[each.definition], content) if has_types else content
                    for code, content in each.contents.items()
                    if code in scope.locales
                }
            }
        )
        for each in snapshot.sections
    ]
    translations = {code: texts for code, texts in snapshot.translations.items() if code in scope.locales}
    return snapshot.model_copy(update={"sections": sections, "translations": translations})


def _tidy(snapshot: Snapshot, status: str, images: set[str]) -> Snapshot:
    """A state with its sections in order, and without slots that show deleted images."""
    sections = snapshot.ordered_sections
    if snapshot.kind == Kind.REDIRECTS:
        sections = _drop_repeated(sections)
    meta = MetaSnapshot(title=_tidy_text(snapshot.meta.title), description=_tidy_text(snapshot.meta.description))
    return snapshot.model_copy(
        update={
            "title": tidy_line(snapshot.title),
            "meta": meta,
            "translations": {locale: _tidy_texts(texts) for locale, texts in snapshot.translations.items()},
            "status": "archived" if status == "archived" else "draft",
            "sections": [_tidy_section(each, number, images) for number, each in enumerate(sections)],
        }
    )


def _drop_repeated(redirects: Sequence[SectionSnapshot]) -> list[SectionSnapshot]:
    """The first redirect from each address."""
    first: dict[str, SectionSnapshot] = {}
    for each in redirects:
        path = next((str(content.get("path")) for content in each.contents.values()), each.id)
        first.setdefault(path, each)
    return [*first.values()]


def _tidy_texts(texts: PageTexts) -> PageTexts:
    fields = ("title", "meta_title", "meta_description")
    return texts.model_copy(update={field: _tidy_text(getattr(texts, field)) for field in fields})


def _tidy_text(text: str | None) -> str | None:
    return None if text is None else tidy_line(text)


def _read_image(image: Image) -> ImagePart:
    texts = {field: tidy_line(getattr(image, field)) for field in ("name", "alt", "caption")}
    initial = (image.initial_focal_x, image.initial_focal_y)
    point = None if initial == (image.focal_x, image.focal_y) else initial
    fields = {field: getattr(image, field) for field in ImagePart.model_fields if field != "initial_focal_point"}
    return ImagePart.model_validate({**fields, **texts, "initial_focal_point": point})


def _tidy_section(section: SectionSnapshot, number: int, images: set[str]) -> SectionSnapshot:
    contents = {locale: _tidy_content(each, {*section.lists}, images) for locale, each in section.contents.items()}
    return section.model_copy(update={"sort_order": number, "contents": contents})


def _tidy_content(content: Content, lists: set[str], images: set[str]) -> Content:
    tidy: Content = {}
    for key, value in content.items():
        if key in lists and isinstance(value, dict):
            tidy[key] = {
                item: _tidy_content(each, set(), images) for item, each in value.items() if isinstance(each, dict)
            }
        elif all(str(slot["imageId"]) in images for slot in iterate_image_slots({key: value})):
            tidy[key] = value
    return tidy


async def _load_publication_dates(scope: Scope) -> dict[str, datetime]:
    """When each document went live first."""
    query = select(Publication.page, func.min(Publication.created_at))
    query = query.where(scope.target.row_filter(Publication), Publication.after.is_not(None)).group_by(Publication.page)
    return {page: date for page, date in await scope.session.execute(query)}  # noqa: C416 - rows are no pairs
