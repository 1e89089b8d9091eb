"""The trash: deleted pages, which can be restored from their last revision until they are purged."""

from __future__ import annotations

from sqlalchemy import delete, func, select

from remit.errors import AlreadyExistsError, InvalidArgumentsError, NotFoundError
from remit_cms.storage.claims import add_claims, find_claims, take_over
from remit_cms.storage.documents import describe_document, make_document
from remit_cms.storage.images import drop_image, purge_image
from remit_cms.storage.missing import TRASHED, not_found
from remit_cms.storage.revisions import save_last_revision, save_revision
from remit_cms.storage.scope import Scope, Target, find_named
from remit_cms.storage.snapshots import Snapshot, apply_snapshot, load_snapshot
from remit_cms.storage.tables import (
    ChangeSet,
    Claim,
    Kind,
    Page,
    Publication,
    Redirect,
    Revision,
    TrashedPage,
)
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import check_slugs_are_free


async def move_to_trash(edit: Edit, page: Page, action: str, change_set: ChangeSet) -> None:
    """Take a page that is not live from editors. Its revisions and redirects stay."""
    await save_last_revision(edit, page, action)
    await add_claims(edit, change_set, page.id, [page.revision])
    edit.session.add(
        TrashedPage(
            **edit.target.row,
            page=page.id,
            kind=page.kind,
            title=page.title,
            slug=page.slug,
            revision=page.revision,
            author=edit.author,
            deleted_at=edit.now,
        )
    )
    await edit.session.delete(page)
    if page.kind == Kind.IMAGE:
        await drop_image(edit, page.id)
    await edit.session.flush()


async def find_trashed_page(scope: Scope, page_id: str) -> TrashedPage:
    """The page with this id in the trash.

    Raises:
        NotFoundError: there is none.
    """
    query = select(TrashedPage).where(scope.target.row_filter(TrashedPage), TrashedPage.page == page_id)
    found = (await scope.session.scalars(query)).first()
    if found is None:
        await check_is_deleted(scope, page_id)
        raise not_found(TRASHED, page_id)
    return found


async def check_is_deleted(scope: Scope, name: str) -> None:
    """Say of a page that it is not in the trash, for a caller who takes it for deleted.

    Raises:
        NotFoundError: there is such a page.
    """
    page = await scope.session.get(Page, name) or next(iter(await find_named(scope, name)), None)
    if page is not None and Target(page.site, page.environment) == scope.target:
        what = describe_document(page, page.slug, "The ")
        raise NotFoundError(f"{what} is not in the trash: it is not deleted. cms_deletePage deletes a page.")


async def restore_page(
    edit: Edit, trashed: TrashedPage, slug: str, action: str = "restore_page", *, in_set: bool = True
) -> Page:
    """Make the draft of a deleted page again, with its id, at its last state. It is not live.

    A translated slug that another page has by now is left out, so that the language falls back.

    Raises:
        AlreadyExistsError: another page has the slug.
    """
    snapshot = await load_snapshot(edit, trashed.page, trashed.revision)
    if in_set:
        await _end_claims(edit, trashed)
    if snapshot.kind == Kind.IMAGE and slug != trashed.slug:
        raise InvalidArgumentsError(f"The image '{trashed.title}' has no address of its own: omit slug.")
    snapshot = await _find_restored(edit, snapshot, slug)
    kind, locale = Kind(snapshot.kind), snapshot.locale
    page = await make_document(edit, kind, snapshot.title, slug, document=trashed.page, locale=locale)
    page.parent, page.revision = snapshot.parent, trashed.revision
    await edit.session.delete(trashed)
    await edit.session.flush()
    await apply_snapshot(edit, page, snapshot)
    await save_revision(edit, page, action, in_set=in_set and page.kind != Kind.IMAGE, is_checked=False)
    if page.kind == Kind.IMAGE:  # it is in use at once, as after its upload: no page shows it
        page.live, page.status = page.revision, "published"
        await edit.session.flush()
    return page


async def _end_claims(edit: Edit, trashed: TrashedPage) -> None:
    """Let the edits that waited belong to the deletion: who restores the page has all of them in one edit."""
    query = (
        select(ChangeSet)
        .join(Claim, Claim.change_set == ChangeSet.id)
        .where(edit.target.row_filter(ChangeSet), Claim.page == trashed.page, Claim.number == trashed.revision)
    )
    deletion = (await edit.session.scalars(query)).first()
    if deletion is not None:
        await take_over(edit, deletion, await find_claims(edit, [trashed.page]))


async def check_restoring(scope: Scope, trashed: TrashedPage) -> None:
    """Check that a deleted page can have its slug again.

    Raises:
        AlreadyExistsError: another page has the slug.
    """
    await _find_restored(scope, await load_snapshot(scope, trashed.page, trashed.revision), trashed.slug)


async def _find_restored(scope: Scope, snapshot: Snapshot, slug: str) -> Snapshot:
    """The state of a deleted page under a slug, without the translated slugs that other pages have."""
    snapshot = snapshot.model_copy(update={"slug": slug})
    original = {snapshot.locale: snapshot.texts[snapshot.locale]}
    try:
        await check_slugs_are_free(scope, snapshot.id, original)
    except AlreadyExistsError as error:
        raise AlreadyExistsError(
            f"{error.message} cms_restorePage brings '{snapshot.title}' back under another slug: "
            f'{{"pageId": "{snapshot.id}", "slug": "..."}}.'
        ) from error
    translations = dict(snapshot.translations)
    for locale, texts in snapshot.translations.items():
        try:
            await check_slugs_are_free(scope, snapshot.id, {**original, locale: texts})
        except AlreadyExistsError:
            translations[locale] = texts.model_copy(update={"slug": None})
    restored = snapshot.model_copy(update={"translations": translations})
    await check_slugs_are_free(scope, snapshot.id, restored.texts)
    return restored


async def purge_page(edit: Edit, trashed: TrashedPage) -> int:
    """Delete all that is known of a page in the trash, and return how many revisions that were."""
    count = await count_revisions(edit, trashed.page)
    for table in (Revision, Publication, Redirect, Claim):
        await edit.session.execute(delete(table).where(table.page == trashed.page))
    await edit.session.delete(trashed)
    if trashed.kind == Kind.IMAGE:
        await purge_image(edit, trashed.page)
    await edit.session.flush()
    return count


async def count_revisions(scope: Scope, page_id: str) -> int:
    """How many revisions a page has."""
    query = select(func.count()).select_from(Revision).where(Revision.page == page_id)
    return await scope.session.scalar(query) or 0
