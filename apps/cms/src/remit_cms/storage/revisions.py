"""Revisions: every write stores the whole state of the page and its author."""

from __future__ import annotations

from remit.errors import ConflictError
from remit_cms.storage import full_text
from remit_cms.storage.change_sets import check_stays, find_or_open_set
from remit_cms.storage.claims import LEAVING, REBUILT, add_claims, find_removal
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.images import derive_image
from remit_cms.storage.links import find_places, replace_links
from remit_cms.storage.names import index_names
from remit_cms.storage.parts import iterate_changed_parts
from remit_cms.storage.snapshots import Snapshot, build_snapshot, load_snapshot
from remit_cms.storage.stale_edits import check_not_stale
from remit_cms.storage.tables import Kind, Page, Revision
from remit_cms.storage.transactions import Edit
from remit_cms.storage.vectors import forget_vectors
from remit_cms.templates.references import ObjectRef


async def save_revision(
    edit: Edit, page: Page, action: str, *fields: str, in_set: bool = True, is_checked: bool = True
) -> None:
    """Store the page's current state as its next revision, index its texts, and tell which of its fields changed.

    Args:
        edit: the transaction.
        page: the page.
        action: the operation.
        fields: the fields that changed.
        in_set: whether the revision belongs to the change set of the conversation.
        is_checked: whether the author chose what is written; not so if it follows from a change elsewhere, or if a
            person was shown what it changes.

    Raises:
        ConflictError: another changed what is written, since the conversation saw it.
    """
    await edit.session.flush()
    before = await load_snapshot(edit, page.id, page.revision) if page.revision else None
    snapshot = await build_snapshot(edit, page)
    written = [] if before is None else [*iterate_changed_parts(before, snapshot)]
    if is_checked and before is not None:
        await check_stays(edit, page, before.title)
        await check_not_stale(edit, page, before, written)
    page.revision += 1
    edit.add_change(page.kind, page.id, page.revision, *fields, name=page.title)
    page.updated_at = edit.now
    await add_revision(edit, page, snapshot, action, in_set=in_set)
    if before is None or written:  # the conversation knows what it has just written: all of it, if the page is new
        edit.show(page, *written)
    page.status = await draft_status(edit, page, snapshot)
    await replace_links(edit, ObjectRef(page.kind, page.id), await find_places(edit, snapshot), live=False)
    await _index(edit, page, snapshot)
    await edit.session.flush()


async def _index(edit: Edit, page: Page, snapshot: Snapshot) -> None:
    """Let what is found of a page be what its draft says."""
    if page.kind == Kind.IMAGE:
        await derive_image(edit, snapshot)
        return
    await index_names(
        edit.session, page, (name for texts in snapshot.texts.values() for name in (texts.title, texts.slug))
    )
    for locale in edit.locales:
        title, words = full_text.searchable_texts(snapshot, locale)
        await full_text.index_page(edit.session, page.id, locale, title, words)


async def check_removal(edit: Edit, page: Page, section: str) -> None:
    """Refuse to remove a section, or an item of the navigation, before a person is asked.

    Raises:
        ConflictError: another changed it, since the conversation saw it.
    """
    before = await load_snapshot(edit, page.id, page.revision)
    rest = [each for each in before.sections if each.id != section]
    removed = [*iterate_changed_parts(before, before.model_copy(update={"sections": rest}))]
    try:
        await check_not_stale(edit, page, before, removed)
    except ConflictError as error:  # what a preview shows is not remembered, so that the next call would end here too
        raise ConflictError(f"{error.message} Read it again first.") from error


async def save_published(edit: Edit, page: Page, snapshot: Snapshot) -> int:
    """Store what visitors see of a page as a revision of its own, and return its number.

    The draft, which has other edits besides, is stored again after it, so that it stays the newest revision.
    """
    draft = await build_snapshot(edit, page)
    page.revision += 1
    published = page.revision
    await add_revision(edit, page, snapshot, REBUILT)
    if compare_snapshots(snapshot, draft):
        page.revision += 1
        await add_revision(edit, page, draft, REBUILT)
    return published


async def save_last_revision(edit: Edit, page: Page, action: str) -> None:
    """Store the page's last revision and unindex it. The caller deletes the page itself."""
    page.revision += 1
    edit.add_change(page.kind, page.id, page.revision, name=page.title)
    await edit.session.flush()
    await add_revision(edit, page, await build_snapshot(edit, page), action)
    await replace_links(edit, ObjectRef(page.kind, page.id), (), live=False)
    await full_text.unindex_page(edit, page.id)
    await forget_vectors(edit, page.kind, page.id)


async def draft_status(edit: Edit, page: Page, draft: Snapshot | None = None) -> str:
    """Whether visitors see the page: draft, archived, published, or changed if its draft has been edited since.

    What they see, but an open change set takes from them, is deleting or hiding.
    """
    if page.live is None:
        return page.status if page.status == "archived" else "draft"
    removal = await find_removal(edit, page.id)
    if removal is not None:
        return LEAVING[removal[0]]
    draft = draft or await build_snapshot(edit, page)
    return "changed" if compare_snapshots(await load_snapshot(edit, page.id, page.live), draft) else "published"


async def add_revision(edit: Edit, page: Page, snapshot: Snapshot, action: str, *, in_set: bool = False) -> None:
    """Store a state of a page under the number that it has now."""
    edit.session.add(
        Revision(
            **edit.target.row,
            page=page.id,
            number=page.revision,
            action=action,
            author=edit.author,
            run=edit.run,
            snapshot=snapshot.model_dump(mode="json", by_alias=True),
            created_at=edit.now,
        )
    )
    if in_set and edit.conversation:
        change_set = await find_or_open_set(edit)
        await add_claims(edit, change_set, page.id, [page.revision])
    await edit.session.flush()
