"""Undoes edits: those of a page since a revision, those of a change set in the drafts, or its publication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import and_, delete, func, or_, select, tuple_, update

from remit.errors import AlreadyExistsError, ConflictError
from remit_cms.storage.change_sets import SetPage
from remit_cms.storage.differences import compare_snapshots, list_fields
from remit_cms.storage.live import Move, move_live
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, apply_snapshot, build_snapshot, load_snapshot
from remit_cms.storage.tables import ChangeSet, ChangeSetRevision, Page, PageTranslation, Publication, Revision
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import check_slugs_are_free
from remit_cms.storage.trash import move_to_trash


@dataclass(frozen=True, slots=True)
class UndoStep:
    """A page whose publication is undone: what visitors see, and what they saw before, which is None for nothing."""

    page: Page
    before: int | None
    live: Snapshot
    snapshot: Snapshot | None


@dataclass(frozen=True, slots=True)
class DiscardOutcome:
    """The drafts that are as before the edits, and the new pages that are kept, which belong to no change set then."""

    drafts: list[Page]
    kept: list[Page]


async def discard_edits(edit: Edit, change_set: ChangeSet, pages: Sequence[SetPage]) -> DiscardOutcome:
    """Take the edits of a change set out of the drafts.

    Pages that the set has made or restored go to the trash if the conversation of the call did that. Pages of other
    conversations stay as drafts, since discarding needs no approval.

    Raises:
        ConflictError: the set has edits of others, or one of the pages has been edited since, outside of the set.
    """
    await _check_edits_are_own(edit, change_set, pages)
    drafts: list[tuple[Page, Snapshot]] = []
    kept: list[Page] = []
    for each in pages:
        await _check_later_edits(edit, change_set, each)
        before = await edit.session.get(Revision, (each.page.id, each.first - 1))
        if before is not None and before.action != "delete_page":
            drafts.append((each.page, Snapshot.model_validate(before.snapshot)))
        elif await _is_made_here(edit, change_set, each):
            await move_to_trash(edit, each.page, "delete_page", in_set=False)
        else:
            kept.append(each.page)
    await _release_slugs(edit, drafts)
    for page, snapshot in drafts:
        await write_back(edit, page, snapshot, "discard_change_set", in_set=False)
    of_kept = (ChangeSetRevision.change_set == change_set.id, ChangeSetRevision.page.in_([page.id for page in kept]))
    await edit.session.execute(delete(ChangeSetRevision).where(*of_kept))
    return DiscardOutcome([page for page, _ in drafts], kept)


async def _check_edits_are_own(edit: Edit, change_set: ChangeSet, pages: Sequence[SetPage]) -> None:
    members, by_page = ChangeSetRevision, {each.page.id: each for each in pages}
    query = (
        select(Revision.page, Revision.author)
        .join(members, and_(members.page == Revision.page, members.number == Revision.number))
        .where(
            members.change_set == change_set.id,
            or_(*(and_(members.page == page, members.number >= each.first) for page, each in by_page.items())),
            Revision.author != edit.author,
        )
        .order_by(Revision.page, Revision.number)
        .limit(1)
    )
    found = (await edit.session.execute(query)).first() if by_page else None
    if found is not None:
        page, author = found
        raise ConflictError(
            f"The change set '{change_set.name}' has edits of {author} on page '{by_page[page].page.title}', and only "
            "edits of one's own are discarded. cms_revertPage undoes those of one page, and cms_deletePage deletes a "
            "page after approval."
        )


async def _is_made_here(edit: Edit, change_set: ChangeSet, each: SetPage) -> bool:
    """Whether the conversation of the call made or restored a page: it may have taken in what is older than its set."""
    if not edit.conversation or change_set.conversation != edit.conversation:
        return False
    first = await edit.session.get_one(Revision, (each.page.id, each.first))
    return first.created_at >= change_set.created_at


async def _check_later_edits(scope: Scope, change_set: ChangeSet, each: SetPage) -> None:
    members = ChangeSetRevision
    query = (
        select(Revision.number, Revision.author, func.coalesce(members.change_set, "") != change_set.id)
        .outerjoin(members, and_(members.page == Revision.page, members.number == Revision.number))
        .where(Revision.page == each.page.id, Revision.number > each.first)
        .order_by(Revision.number)
    )
    rows = (await scope.session.execute(query)).all()
    for is_foreign, edits in groupby(rows, key=lambda row: bool(row[2])):
        (first, author, _), *rest = edits
        last = rest[-1][0] if rest else first
        # Edits of others that were undone before the next edit of the set, or since, change nothing.
        if is_foreign and compare_snapshots(
            await load_snapshot(scope, each.page.id, first - 1), await load_snapshot(scope, each.page.id, last)
        ):
            raise ConflictError(
                f"{author} has edited page '{each.page.title}' since, outside of this change set. Single edits of it "
                "can be undone with cms_revertPage."
            )


async def find_undo_steps(scope: Scope, change_set: ChangeSet) -> list[UndoStep]:
    """The pages that a change set published. Those in the trash are left out, since visitors do not see them.

    Raises:
        ConflictError: visitors see something else of one of them by now.
    """
    query = (
        select(Publication, Page)
        .join(Page, Page.id == Publication.page)
        .where(scope.target.row_filter(Publication), Publication.change_set == change_set.id)
        .order_by(Page.slug, Page.id)
    )
    steps: list[UndoStep] = []
    for publication, page in (await scope.session.execute(query)).all():
        if publication.after is None:
            continue
        published = await load_snapshot(scope, page.id, publication.after)
        live = None if page.live is None else await load_snapshot(scope, page.id, page.live)
        # What was published since and reverted again is not in the way, though it has newer publications.
        if live is None or compare_snapshots(live, published):
            author = await _find_last_publisher(scope, page)
            raise ConflictError(
                f"{author} has since changed what visitors see of page '{page.title}': "
                "only what was published last can be undone."
            )
        before = publication.before
        snapshot = None if before is None else await load_snapshot(scope, page.id, before)
        steps.append(UndoStep(page, before, live, snapshot))
    return steps


async def _find_last_publisher(scope: Scope, page: Page) -> str | None:
    """Who published or hid a page last."""
    query = select(Publication.author).where(Publication.page == page.id)
    return await scope.session.scalar(query.order_by(Publication.number.desc()).limit(1))


@dataclass(frozen=True, slots=True)
class UndoOutcome:
    """The titles of the pages whose drafts keep what was published.

    Some were edited ``later``. Of others, the address that they had is ``taken`` by the draft of another page by now.
    """

    later: list[str]
    taken: list[str]


async def undo_publication(edit: Edit, change_set: ChangeSet, steps: Sequence[UndoStep]) -> UndoOutcome:
    """Move the live pointers back, and say which drafts did not follow.

    A draft without later edits becomes what visitors see again. A page that was not live before keeps its draft.
    """
    edited = [step for step in steps if compare_snapshots(step.live, await build_snapshot(edit, step.page))]
    later = {step.page.id for step in edited}
    drafts = {step.page.id: step.snapshot for step in steps if step.snapshot and step.page.id not in later}
    following = await _with_free_slugs(edit, drafts)
    await _release_slugs(edit, [(step.page, following[step.page.id]) for step in steps if step.page.id in following])
    moves: list[Move] = []
    for step in steps:
        draft = following.get(step.page.id)
        if draft is not None:
            await write_back(edit, step.page, draft, "revert_change_set", in_set=False)
        moves.append(Move(step.page, step.before if draft is None else step.page.revision))
    await move_live(edit, moves, change_set=change_set.id)
    taken = [step for step in steps if step.page.id in drafts.keys() - following.keys()]
    return UndoOutcome([f"'{step.page.title}'" for step in edited], [f"'{step.page.title}'" for step in taken])


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


async def write_back(edit: Edit, page: Page, snapshot: Snapshot, action: str, *, in_set: bool = True) -> bool:
    """Make the draft what a snapshot says, as a new revision. Return whether that changed anything.

    Raises:
        AlreadyExistsError: another page has the slug by now.
        ConflictError: a section template is gone.
    """
    differences = compare_snapshots(await build_snapshot(edit, page), snapshot)
    if differences:
        await check_slugs_are_free(edit, page.id, snapshot.texts)
        await apply_snapshot(edit, page, snapshot)
        await save_revision(edit, page, action, *list_fields(differences), in_set=in_set, is_checked=in_set)
    return bool(differences)
