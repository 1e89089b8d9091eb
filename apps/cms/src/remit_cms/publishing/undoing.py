"""Undoes edits: those of a page since a revision, those of a change set in the drafts, or its publication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import and_, delete, func, select, tuple_, update

from remit.errors import AlreadyExistsError, ConflictError
from remit_cms.storage.claims import IS_CLAIMED, find_claims
from remit_cms.storage.differences import compare_snapshots, list_fields
from remit_cms.storage.documents import draft_state
from remit_cms.storage.door import check_plan, close_set
from remit_cms.storage.layers import Layered, lay_edits, load_settled
from remit_cms.storage.live import Move, move_live
from remit_cms.storage.merging import apply_changes, find_beginning
from remit_cms.storage.parts import iterate_changed_parts, values_of
from remit_cms.storage.planning import Planned
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, apply_snapshot, build_snapshot, load_snapshot
from remit_cms.storage.tables import ChangeSet, Claim, Page, PageTranslation, Publication, Revision, TrashedPage
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import check_slugs_are_free
from remit_cms.storage.trash import check_restoring, move_to_trash, restore_page


@dataclass(frozen=True, slots=True)
class UndoStep:
    """A document whose publication is undone: what visitors see, and what they will see then; None is nothing.

    ``before`` is the revision that they saw before the publication. A document that was deleted with it has no page.
    """

    page: Page | None
    trashed: TrashedPage | None
    before: int | None
    live: Snapshot | None
    snapshot: Snapshot | None

    @property
    def title(self) -> str:
        """The title of the document."""
        found = self.page or self.trashed
        return "" if found is None else found.title

    @property
    def state(self) -> str:
        """The state of the document, for a preview."""
        return draft_state(self.page) if self.page else f"{self.trashed and self.trashed.revision} in the trash"


@dataclass(frozen=True, slots=True)
class DiscardOutcome:
    """The drafts that are as before the edits, and the new pages that are kept, which belong to no change set then."""

    drafts: list[Page]
    kept: list[Page]


async def discard_edits(edit: Edit, change_set: ChangeSet, pages: Sequence[Planned]) -> DiscardOutcome:
    """Take the edits of a change set out of the drafts, and close it. Those of others stay.

    Pages that the set has made or restored go to the trash if the conversation of the call did that. Pages of other
    conversations stay as drafts, since discarding needs no approval.

    Raises:
        ConflictError: the set has edits of others, or others have edited since what it made.
    """
    await _check_edits_are_own(edit, change_set, pages)
    close_set(edit, change_set, "discarded")
    await edit.session.flush()
    drafts: list[tuple[Page, Snapshot]] = []
    kept: list[Page] = []
    for each in pages:
        rest = await _lay_pending(edit, each.page)
        if rest.missing:
            raise ConflictError(
                f"Others have edited since what this change set made of page '{each.page.title}'. Single edits of it "
                "can be undone with cms_revertPage."
            )
        if rest.snapshot is not None:
            drafts.append((each.page, rest.snapshot))
        elif await _is_made_here(edit, change_set, each.page):
            await move_to_trash(edit, each.page, "delete_page", change_set)
        else:
            kept.append(each.page)
    await _release_slugs(edit, drafts)
    for page, snapshot in drafts:
        await write_back(edit, page, snapshot, "discard_change_set", in_set=False)
    of_kept = (Claim.change_set == change_set.id, Claim.page.in_([page.id for page in kept]))
    await edit.session.execute(delete(Claim).where(*of_kept))
    return DiscardOutcome([page for page, _ in drafts], kept)


async def _lay_pending(edit: Edit, page: Page) -> Layered:
    """The draft of a page that has what visitors see, or saw last, and all edits that wait."""
    return await _lay_over(edit, page, await load_settled(edit, page))


async def _check_edits_are_own(edit: Edit, change_set: ChangeSet, pages: Sequence[Planned]) -> None:
    by_page = {each.page.id: each.page for each in pages}
    query = (
        select(Revision.page, Revision.author)
        .join(Claim, IS_CLAIMED)
        .where(
            Claim.change_set == change_set.id,
            Claim.page.in_(by_page),
            Revision.author != edit.author,
        )
        .order_by(Revision.page, Revision.number)
        .limit(1)
    )
    found = (await edit.session.execute(query)).first()
    if found is not None:
        page, author = found
        raise ConflictError(
            f"The change set '{change_set.name}' has edits of {author} on page '{by_page[page].title}', and only "
            "edits of one's own are discarded. cms_revertPage undoes those of one page, and cms_deletePage deletes a "
            "page after approval."
        )


async def _is_made_here(edit: Edit, change_set: ChangeSet, page: Page) -> bool:
    """Whether the conversation of the call made or restored a page: it may have taken in what is older than its set."""
    if not edit.conversation or change_set.conversation != edit.conversation:
        return False
    query = select(func.min(Revision.created_at)).join(Claim, IS_CLAIMED)
    first = await edit.session.scalar(query.where(Claim.change_set == change_set.id, Claim.page == page.id))
    return first is not None and first >= change_set.created_at


async def find_undo_steps(scope: Scope, change_set: ChangeSet) -> list[UndoStep]:
    """The documents that a change set published, hid or deleted. Those that were deleted since are left out.

    Raises:
        ConflictError: the same places have something else for visitors since, or nothing is left of all that.
        AlreadyExistsError: another page has the slug of one that was deleted.
    """
    query = select(Publication).where(scope.target.row_filter(Publication), Publication.change_set == change_set.id)
    rows = {row.page: row for row in await scope.session.scalars(query)}
    steps = [
        UndoStep(None, each, *await _find_former(scope, each, rows)) for each in await _find_deleted(scope, change_set)
    ]
    for row in rows.values():
        page = await scope.session.get(Page, row.page)
        if page is not None:
            steps.append(await _find_step(scope, page, row))
    if not steps:
        raise ConflictError(f"Nothing of the change set '{change_set.name}' can be undone: its pages are deleted.")
    await _check_steps(scope, steps)
    return sorted(steps, key=lambda step: (step.title, step.state))


async def _find_deleted(scope: Scope, change_set: ChangeSet) -> Sequence[TrashedPage]:
    """The documents in the trash that a change set deleted."""
    query = (
        select(TrashedPage)
        .join(Claim, and_(Claim.page == TrashedPage.page, Claim.number == TrashedPage.revision))
        .where(scope.target.row_filter(TrashedPage), Claim.change_set == change_set.id)
    )
    return (await scope.session.scalars(query)).all()


async def _find_former(
    scope: Scope, trashed: TrashedPage, rows: Mapping[str, Publication]
) -> tuple[int | None, None, Snapshot | None]:
    """What visitors saw of a document before it was deleted, and that they see nothing of it."""
    row = rows.get(trashed.page)
    if row is None or row.before is None:
        return None, None, None
    return row.before, None, await load_snapshot(scope, trashed.page, row.before)


async def _find_step(scope: Scope, page: Page, row: Publication) -> UndoStep:
    former = await _find_state_before(scope, page, row)
    live = None if page.live is None else await load_snapshot(scope, page.id, page.live)
    if row.after is None:
        if live is not None:
            raise await _refusal(scope, page)
        return UndoStep(page, None, row.before, None, former)
    published = await load_snapshot(scope, page.id, row.after)
    if live is None or (former is None and compare_snapshots(live, published)):
        raise await _refusal(scope, page)
    if former is None:
        return UndoStep(page, None, None, live, None)
    now, then = values_of(live), values_of(published)
    changed = [*iterate_changed_parts(former, published)]
    if any(now.get(part) != then.get(part) for part in changed):
        raise await _refusal(scope, page)
    undone = apply_changes(live, published, former)
    if undone.missing:
        raise await _refusal(scope, page)
    return UndoStep(page, None, row.before, live, undone.snapshot)


async def _find_state_before(scope: Scope, page: Page, row: Publication) -> Snapshot | None:
    """What visitors saw of a document before a publication; that in which it begins before the first one."""
    if row.before is not None:
        return await load_snapshot(scope, page.id, row.before)
    earlier = select(Publication.number).where(Publication.page == page.id, Publication.number < row.number)
    return None if await scope.session.scalar(earlier.limit(1)) else find_beginning(page)


async def _refusal(scope: Scope, page: Page) -> ConflictError:
    query = select(Publication.author).where(Publication.page == page.id)
    author = await scope.session.scalar(query.order_by(Publication.number.desc()).limit(1))
    return ConflictError(
        f"{author} has since changed what visitors see of page '{page.title}': only what was published last can be "
        "undone."
    )


async def _check_steps(scope: Scope, steps: Sequence[UndoStep]) -> None:
    """Ask the claims of others, and the addresses, as for any publication, also those of what comes back."""
    for step in steps:
        if step.trashed is not None:
            await check_restoring(scope, step.trashed)
    await check_plan(scope, [Planned(step.page, (), step.live, step.snapshot) for step in steps if step.page])


@dataclass(frozen=True, slots=True)
class UndoOutcome:
    """The documents, and the titles of those whose drafts keep what was published.

    Some have ``later`` edits of it. Of others, the address that they had is ``taken`` by the draft of another page.
    """

    pages: list[Page]
    later: list[str]
    taken: list[str]


async def undo_publication(edit: Edit, change_set: ChangeSet, steps: Sequence[UndoStep]) -> UndoOutcome:
    """Move the live pointers back, close the change set, and say which drafts did not follow.

    A draft becomes what visitors see again, with the edits that wait. A page that was not live before keeps its draft.
    """
    close_set(edit, change_set, "reverted")
    await edit.session.flush()
    pages = [(step.page or await _restore(edit, step), step) for step in steps]
    drafts: dict[str, Snapshot] = {}
    later: list[str] = []
    for page, step in pages:
        if step.live is not None and step.snapshot is not None:
            rest = await _lay_over(edit, page, step.snapshot)
            if rest.missing or rest.snapshot is None:
                later.append(f"'{page.title}'")
            else:
                drafts[page.id] = rest.snapshot
    following = await _with_free_slugs(edit, drafts)
    await _release_slugs(edit, [(page, following[page.id]) for page, _ in pages if page.id in following])
    moves: list[Move] = []
    for page, step in pages:
        draft = following.get(page.id)
        if draft is not None:
            await write_back(edit, page, draft, "revert_change_set", in_set=False)
        moves.append(Move(page, step.snapshot, await _find_revision(edit, page, step, draft)))
    await move_live(edit, moves, change_set=change_set.id, is_undone=True)
    taken = [f"'{page.title}'" for page, _ in pages if page.id in drafts.keys() - following.keys()]
    return UndoOutcome([page for page, _ in pages], later, taken)


async def _restore(edit: Edit, step: UndoStep) -> Page:
    if step.trashed is None:
        raise ConflictError(f"'{step.title}' has been purged, and cannot come back.")
    return await restore_page(edit, step.trashed, step.trashed.slug, "revert_change_set", in_set=False)


async def _lay_over(edit: Edit, page: Page, base: Snapshot | None) -> Layered:
    claims = await find_claims(edit, [page.id])
    numbers = sorted({number for each in claims if not each.is_hiding for number in each.numbers})
    return await lay_edits(edit, page.id, base, numbers)


async def _find_revision(edit: Edit, page: Page, step: UndoStep, draft: Snapshot | None) -> int | None:
    """A revision that says what visitors will see: that of the draft, if it follows, or the one before."""
    if step.snapshot is None:
        return None
    if draft is not None and not compare_snapshots(draft, step.snapshot):
        return page.revision
    before = None if step.before is None else await load_snapshot(edit, page.id, step.before)
    return step.before if before is not None and not compare_snapshots(before, step.snapshot) else None


async def _with_free_slugs(edit: Edit, drafts: Mapping[str, Snapshot]) -> dict[str, Snapshot]:
    """Those of some drafts whose slugs no other page has that keeps its own: pages may have swapped theirs."""
    following = dict(drafts)
    while True:
        before = len(following)
        for page, snapshot in [*following.items()]:
            try:
                await check_slugs_are_free(edit, page, snapshot.texts, moving=following)
            except AlreadyExistsError:
                del following[page]
        if len(following) == before:
            return following


async def _release_slugs(edit: Edit, drafts: Sequence[tuple[Page, Snapshot]]) -> None:
    """Give up the slugs of drafts that are about to get other ones, since pages may have swapped theirs.

    The id of the page stands in for them: no slug at all could be what the draft gets, and pass for no change.
    """
    table = PageTranslation
    for page, snapshot in drafts:
        if snapshot.slug != page.slug:
            page.slug = page.id
        kept = [(locale, texts.slug) for locale, texts in snapshot.texts.items() if texts.slug is not None]
        others = (table.page == page.id, table.slug.is_not(None), tuple_(table.locale, table.slug).not_in(kept))
        await edit.session.execute(update(table).where(*others).values(slug=page.id))
    await edit.session.flush()


async def write_back(edit: Edit, page: Page, snapshot: Snapshot, action: str, *, in_set: bool = True) -> list[str]:
    """Make the draft what a snapshot says, as a new revision, unless it is like that. Return the fields that changed.

    Raises:
        AlreadyExistsError: another page has the slug by now.
        ConflictError: a section template is gone.
    """
    differences = compare_snapshots(await build_snapshot(edit, page), snapshot)
    if differences:
        await check_slugs_are_free(edit, page.id, snapshot.texts)
        await apply_snapshot(edit, page, snapshot)
        await save_revision(edit, page, action, *list_fields(differences), in_set=in_set, is_checked=in_set)
    return list_fields(differences)
