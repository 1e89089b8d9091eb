"""Change sets: which revisions belong together, and which of them may go live."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from sqlalchemy import ColumnElement, and_, func, select

from remit.errors import ConflictError
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.missing import CHANGE_SET, not_found
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import load_snapshot
from remit_cms.storage.tables import ChangeSet, ChangeSetRevision, Page, Publication, Revision, ScheduledAction
from remit_cms.storage.transactions import Edit


async def find_open_set(scope: Scope, conversation: str) -> ChangeSet | None:
    """The open change set of a conversation."""
    query = select(ChangeSet).where(
        scope.target.row_filter(ChangeSet), ChangeSet.conversation == conversation, ChangeSet.state == "open"
    )
    return (await scope.session.scalars(query)).first()


async def find_last_published(scope: Scope, conversation: str) -> ChangeSet | None:
    """The change set of a conversation that was published last, and is not reverted."""
    query = (
        select(ChangeSet)
        .join(Publication, Publication.change_set == ChangeSet.id)
        .where(
            scope.target.row_filter(ChangeSet),
            ChangeSet.conversation == conversation,
            ChangeSet.state == "published",
        )
        .order_by(Publication.created_at.desc(), ChangeSet.created_at.desc(), ChangeSet.id)
        .limit(1)
    )
    return (await scope.session.scalars(query)).first()


async def find_set(scope: Scope, set_id: str) -> ChangeSet:
    """The change set with this id.

    Raises:
        NotFoundError: there is none.
    """
    query = select(ChangeSet).where(scope.target.row_filter(ChangeSet), ChangeSet.id == set_id)
    found = (await scope.session.scalars(query)).first()
    if found is None:
        raise not_found(CHANGE_SET, set_id)
    return found


async def open_set(edit: Edit, name: str, conversation: str | None) -> ChangeSet:
    """Open a change set."""
    change_set = ChangeSet(
        id=edit.new_id("set"),
        site=edit.target.site,
        environment=edit.target.environment,
        name=name,
        conversation=conversation,
        state="open",
        author=edit.author,
        created_at=edit.now,
    )
    edit.session.add(change_set)
    await edit.session.flush()
    return change_set


async def find_or_open_set(edit: Edit) -> ChangeSet:
    """The open change set of the conversation that writes. Its first write opens it, under a name of its own."""
    found = await find_open_set(edit, edit.conversation)
    if found is not None:
        return found
    name = f"Edits by {edit.author[:150]}, {edit.now:%Y-%m-%d %H:%M}"
    alike = and_(edit.target.row_filter(ChangeSet), ChangeSet.name.startswith(name, autoescape=True))
    taken = {*await edit.session.scalars(select(ChangeSet.name).where(alike))}
    numbered = (f"{name} ({number})" for number in count(2))
    free = name if name not in taken else next(each for each in numbered if each not in taken)
    return await open_set(edit, free, edit.conversation)


async def describe_state(scope: Scope, change_set: ChangeSet) -> str:
    """The state of a change set, for tokens: what publishing it or undoing that would move, and from where."""
    if change_set.state == "open":
        pages = await unpublished_pages(scope, change_set)
        moves = [f"{each.page.id}@{each.last} over {each.page.live}" for each in pages]
    else:
        query = (
            select(Page.id, Page.live, Page.revision)
            .join(Publication, Publication.page == Page.id)
            .where(scope.target.row_filter(Page), Publication.change_set == change_set.id)
            .order_by(Page.id)
            .distinct()
        )
        moves = [f"{page}@{live} of {number}" for page, live, number in (await scope.session.execute(query)).all()]
    return f"{change_set.state} {sha256(', '.join(moves).encode()).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class SetPage:
    """A page with unpublished revisions of a change set, of which ``first`` and ``last`` are the ends."""

    page: Page
    first: int
    last: int


def has_unpublished_edits() -> ColumnElement[bool]:
    """The condition that a change set has unpublished revisions of pages that are not deleted."""
    query = select(ChangeSetRevision.page).join(Page, Page.id == ChangeSetRevision.page)
    newer = ChangeSetRevision.number > func.coalesce(Page.live, 0)
    return query.where(ChangeSetRevision.change_set == ChangeSet.id, newer).exists()


async def unpublished_pages(scope: Scope, change_set: ChangeSet) -> list[SetPage]:
    """The pages that have unpublished revisions of a change set, by slug. Deleted pages have none."""
    first, last = func.min(ChangeSetRevision.number), func.max(ChangeSetRevision.number)
    query = (
        select(ChangeSetRevision.page, first, last)
        .join(Page, Page.id == ChangeSetRevision.page)
        .where(
            scope.target.row_filter(Page),
            ChangeSetRevision.change_set == change_set.id,
            ChangeSetRevision.number > func.coalesce(Page.live, 0),
        )
        .group_by(ChangeSetRevision.page)
    )
    rows = {page: (start, end) for page, start, end in (await scope.session.execute(query)).all()}
    pages = await scope.session.scalars(select(Page).where(Page.id.in_(rows)).order_by(Page.slug, Page.id))
    return [SetPage(page, *rows[page.id]) for page in pages]


async def find_foreign_edits(scope: Scope, change_set: ChangeSet, page: Page, last: int) -> str:
    """Whose edits would go live with revision ``last`` that are not of the change set; empty if there are none.

    The revisions before ``last`` are followed back to the live one, or to one that is the same as the live one: what
    was undone in between does not count.
    """
    members = ChangeSetRevision
    query = (
        select(Revision.number, Revision.author, members.change_set, ChangeSet.name)
        .outerjoin(members, and_(members.page == Revision.page, members.number == Revision.number))
        .outerjoin(ChangeSet, ChangeSet.id == members.change_set)
        .where(
            scope.target.row_filter(Revision),
            Revision.page == page.id,
            Revision.number > (page.live or 0),
            Revision.number <= last,
        )
        .order_by(Revision.number.desc())
    )
    rows = (await scope.session.execute(query)).all()
    foreign = next((row for row in rows if row.change_set != change_set.id), None)
    if foreign is None:
        return ""
    if page.live is not None:
        live = await load_snapshot(scope, page.id, page.live)
        for number in range(last, foreign.number - 1, -1):
            if not compare_snapshots(live, await load_snapshot(scope, page.id, number)):
                return ""
    group = f"the change set '{foreign.name}'" if foreign.change_set else "no change set"
    return f"unpublished edits by {foreign.author} that belong to {group}, up to revision {foreign.number}"


async def check_not_scheduled(scope: Scope, *set_ids: str) -> None:
    """Refuse to change which edits a change set has while its publication is scheduled.

    Raises:
        ConflictError: names the scheduled action.
    """
    query = select(ScheduledAction).where(
        scope.target.row_filter(ScheduledAction),
        ScheduledAction.object_id.in_(set_ids),
        ScheduledAction.state == "scheduled",
    )
    found = (await scope.session.scalars(query.order_by(ScheduledAction.at).limit(1))).first()
    if found is not None:
        raise ConflictError(
            f"The change set '{found.title}' is to be published at {found.at:%Y-%m-%dT%H:%MZ} as it was approved. "
            f"Cancel that first: cms_cancelScheduledAction, {found.id}."
        )


async def adopt_edits(edit: Edit, change_set: ChangeSet, page: Page) -> int:
    """Make all unpublished revisions of a page those of a change set, and return how many there are.

    Raises:
        ConflictError: the publication of this change set is scheduled, or of one that has some of them.
    """
    numbers = range((page.live or 0) + 1, page.revision + 1)
    members = select(ChangeSetRevision.change_set).where(
        ChangeSetRevision.page == page.id, ChangeSetRevision.number.in_(numbers)
    )
    holders = [*await edit.session.scalars(members)]
    if holders != [change_set.id] * len(numbers):
        await check_not_scheduled(edit, change_set.id, *holders)
    for number in numbers:
        await edit.session.merge(ChangeSetRevision(page=page.id, number=number, change_set=change_set.id))
    await edit.session.flush()
    return len(numbers)
