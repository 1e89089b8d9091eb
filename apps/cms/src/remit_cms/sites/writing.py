"""Writes a whole site into an empty one: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import delete, select, update

from remit.errors import ConflictError
from remit_cms.sites.package import DocumentPart, SitePackage
from remit_cms.sites.renaming import Renaming
from remit_cms.storage.change_sets import find_free_name, open_set
from remit_cms.storage.claims import add_claims
from remit_cms.storage.counterparts import add_counterparts
from remit_cms.storage.documents import make_document
from remit_cms.storage.image_documents import add_image
from remit_cms.storage.images import Image
from remit_cms.storage.live import Move, make_publication, move_live
from remit_cms.storage.revisions import add_revision, save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import apply_snapshot, load_snapshot, reserve_numbers
from remit_cms.storage.tables import (
    Kind,
    Locale,
    Page,
    Publication,
    Redirect,
    SectionDefinition,
    TrashedPage,
)
from remit_cms.storage.tables import Site as SiteRow
from remit_cms.storage.transactions import Edit
from remit_cms.templates.references import ObjectRef


async def check_is_empty(scope: Scope) -> None:
    """Refuse to write into a site that has something.

    Raises:
        ConflictError: it has pages, images, or pages in the trash.
    """
    for table, what in ((Page, "pages, entries, settings or a navigation"), (Image, "images"), (TrashedPage, "trash")):
        if await scope.session.scalar(select(1).select_from(table).where(scope.target.row_filter(table)).limit(1)):
            target = f"{scope.target.site}/{scope.target.environment}"
            raise ConflictError(
                f"The site '{target}' has {what}. A whole site is written into an empty one only: add one with "
                "cms_addSite, and name it as the target of this call."
            )


async def check_languages(scope: Scope, package: SitePackage) -> None:
    """Refuse a site with other languages, if other environments use those that this one has.

    Raises:
        ConflictError: names both.
    """
    codes = tuple(each.code for each in package.languages)
    same = codes[0] == scope.default_locale and {*codes} == {*scope.locales}
    if not same and not await is_unused(scope):
        raise ConflictError(
            f"The site in the file has the languages {', '.join(codes)}, and this one has {', '.join(scope.locales)}, "
            "which its other environments use. Add a site for it with cms_addSite."
        )


async def is_unused(scope: Scope) -> bool:
    """Whether no environment of the site has a page."""
    return await scope.session.scalar(select(Page.id).where(Page.site == scope.target.site).limit(1)) is None


async def write_package(edit: Edit, package: SitePackage, contents: Mapping[str, bytes], action: str) -> None:
    """Write a site, with ids of its own.

    Raises:
        ConflictError: there is something already.
    """
    await check_is_empty(edit)
    await check_languages(edit, package)
    if await is_unused(edit):
        edit = await _take_over_name(edit, package)
    await _write_templates(edit, package)
    ids = _make_renaming(edit, package)
    await _write_images(edit, package, contents, ids)
    pages = await _write_pages(edit, package, ids)
    for part in package.documents:
        await _write_states(edit, part, pages[part.draft.id], ids, action)
    live = [part for part in package.documents if part.live is not None]
    if live:
        change_set = await open_set(edit, await find_free_name(edit, "Import of the site"), None, "published")
        for part in live:
            await add_claims(edit, change_set, pages[part.draft.id].id, [1])
        states = {part.draft.id: await load_snapshot(edit, pages[part.draft.id].id, 1) for part in live}
        moves = [Move(pages[part.draft.id], states[part.draft.id], 1) for part in live]
        await move_live(edit, moves, change_set=change_set.id)
    for part in package.documents:
        page = pages[part.draft.id]
        page.created_at, page.updated_at = part.created_at, part.updated_at
        if part.live is None and part.draft.status == "archived":
            page.status = "archived"
        if part.published_at is not None:
            await _date_publications(edit, page, part)
    await _note_counterparts(edit, ids)
    for each in package.redirects:
        page = pages[each.page]
        edit.session.add(Redirect(**edit.target.row, locale=each.locale, path=each.path, page=page.id))
    await edit.session.flush()
    # One change stands for all: these pages are new, so no conversation remembers one of them.
    edit.changes.clear()
    edit.add_change("site", edit.target.site, 1, "content", name=package.name)


def _make_renaming(edit: Edit, package: SitePackage) -> Renaming:
    """The ids that the objects of a package get."""
    documents = {ObjectRef(each.draft.kind, each.draft.id): edit.new_id(each.draft.kind) for each in package.documents}
    return Renaming(edit.new_id, documents, {each.id: edit.new_id("image") for each in package.images})


async def _note_counterparts(edit: Edit, ids: Renaming) -> None:
    """Say of which objects of another environment of this site the new ones are copies."""
    known = select(Page.id).where(Page.site == edit.target.site, Page.id.in_(ids.documents))
    copied = {*await edit.session.scalars(known)}
    sections = [(section, new) for (document, section), new in ids.sections.items() if document in copied]
    await add_counterparts(edit, [*((each, ids.documents[each]) for each in sorted(copied)), *sections])


async def _take_over_name(edit: Edit, package: SitePackage) -> Edit:
    """Give the site name and languages of the package; the transaction has these languages then."""
    await edit.count_visible_change()
    (await edit.session.get_one(SiteRow, edit.target.site)).name = package.name
    await edit.session.execute(delete(Locale).where(Locale.site == edit.target.site))
    for number, each in enumerate(package.languages):
        edit.session.add(Locale(site=edit.target.site, code=each.code, name=each.name, is_default=number == 0))
    await edit.session.flush()
    return replace(edit, locales=(package.languages[0].code, *sorted(each.code for each in package.languages[1:])))


async def _write_templates(edit: Edit, package: SitePackage) -> None:
    """Make the templates those of the package; those that only this site has stay."""
    of_target = select(SectionDefinition).where(edit.target.row_filter(SectionDefinition))
    existing = {row.key: row for row in await edit.session.scalars(of_target)}
    for each in package.templates:
        row = existing.get(each.key)
        if row is None:
            row = SectionDefinition(**edit.target.row, id=edit.new_id("template"), key=each.key)
            edit.session.add(row)
        row.kind, row.name, row.description = each.kind.value, each.name, each.description
        row.structure = each.structure.model_dump(mode="json", exclude_defaults=True)
    await edit.session.flush()


async def _write_images(edit: Edit, package: SitePackage, contents: Mapping[str, bytes], ids: Renaming) -> None:
    for each in package.images:
        initial_x, initial_y = each.initial_focal_point or (each.focal_x, each.focal_y)
        values = each.model_dump(by_alias=False, exclude={"id", "initial_focal_point"})
        points = {"initial_focal_x": initial_x, "initial_focal_y": initial_y}
        await add_image(edit, contents[each.digest], **values, **points, id=ids.images[each.id])


async def _write_pages(edit: Edit, package: SitePackage, ids: Renaming) -> dict[str, Page]:
    """The rows of all documents."""
    drafts = {part.draft.id: ids.rename(part.draft) for part in package.documents}
    return {
        name: await make_document(edit, Kind(each.kind), each.title, each.slug, document=each.id, locale=each.locale)
        for name, each in drafts.items()
    }


async def _date_publications(edit: Edit, page: Page, part: DocumentPart) -> None:
    """Let a document have been live since it was, also one that visitors do not see any more."""
    if part.live is None:
        for before, after in ((None, page.revision), (page.revision, None)):
            edit.session.add(await make_publication(edit, page, before, after))
            await edit.session.flush()
    dated = update(Publication).where(Publication.page == page.id)
    await edit.session.execute(dated.values(created_at=part.published_at))


async def _write_states(edit: Edit, part: DocumentPart, page: Page, ids: Renaming, action: str) -> None:
    """The live state as the first revision, and the draft as the next one if it is another."""
    draft = ids.rename(part.draft)
    if part.live is not None and (live := ids.rename(part.live)) != draft:
        page.revision = 1
        await add_revision(edit, page, live, action)
        reserve_numbers(page, live)
    await apply_snapshot(edit, page, draft)
    await save_revision(edit, page, action, in_set=False, is_checked=False)
