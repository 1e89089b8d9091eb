"""Change sets: which revisions belong together, and which of them may go live."""

from __future__ import annotations

from hashlib import sha256
from itertools import count

from sqlalchemy import ColumnElement, and_, func, select

from remit.errors import ConflictError
from remit_cms.storage.claims import PENDING, describe_removal, find_claims, find_removal, tell_action
from remit_cms.storage.missing import CHANGE_SET, not_found
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, Claim, Page, Publication, ScheduledAction
from remit_cms.storage.transactions import Edit
from remit_cms.storage.zones import find_zone


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
        .outerjoin(Publication, Publication.change_set == ChangeSet.id)
        .where(
            scope.target.row_filter(ChangeSet),
            ChangeSet.conversation == conversation,
            ChangeSet.state == "published",
        )
        .order_by(
            func.coalesce(Publication.created_at, ChangeSet.created_at).desc(),
            ChangeSet.created_at.desc(),
            ChangeSet.id,
        )
        .limit(1)
    )
    return (await scope.session.scalars(query)).first()


async def find_scheduled(scope: Scope, conversation: str) -> ScheduledAction | None:
    """What is scheduled next of what a conversation edited."""
    query = (
        select(ScheduledAction)
        .join(ChangeSet, ChangeSet.id == ScheduledAction.change_set)
        .where(
            scope.target.row_filter(ChangeSet),
            ChangeSet.conversation == conversation,
            ScheduledAction.state == "scheduled",
        )
    )
    return (await scope.session.scalars(query.order_by(ScheduledAction.at).limit(1))).first()


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


async def open_set(edit: Edit, name: str, conversation: str | None, state: str = "open") -> ChangeSet:
    """Make a change set, which is open unless it is for what is done or scheduled right away."""
    change_set = ChangeSet(
        **edit.target.row,
        id=edit.new_id("set"),
        name=name,
        conversation=conversation,
        state=state,
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
    made = edit.now.astimezone(await find_zone(edit))
    name = f"Edits by {edit.author[:150]}, {made:%Y-%m-%d %H:%M}"
    return await open_set(edit, await find_free_name(edit, name), edit.conversation)


async def find_free_name(edit: Edit, name: str) -> str:
    """A name for a change set that no other has: the given one, or that with a number."""
    alike = and_(edit.target.row_filter(ChangeSet), ChangeSet.name.startswith(name, autoescape=True))
    taken = {*await edit.session.scalars(select(ChangeSet.name).where(alike))}
    numbered = (f"{name} ({number})" for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)


async def describe_state(scope: Scope, change_set: ChangeSet) -> str:
    """The state of a change set, for tokens: what publishing it or undoing that would move, and from where."""
    if change_set.state in PENDING:
        pages = await find_pages_of(scope, change_set.id)
        claims = [each for each in await find_claims(scope, [*pages]) if each.change_set is change_set]
        moves = [f"{each.page}@{each.numbers[-1]} over {pages[each.page].live}" for each in claims]
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


def has_pending_edits() -> ColumnElement[bool]:
    """The condition that a change set has claims on documents that are not deleted."""
    query = select(Claim.page).join(Page, Page.id == Claim.page)
    return query.where(Claim.change_set == ChangeSet.id, ChangeSet.state.in_(PENDING)).exists()


async def find_pages_of(scope: Scope, change_set: str) -> dict[str, Page]:
    """The documents on which a change set has claims, by slug. Deleted ones are left out."""
    query = (
        select(Page)
        .where(scope.target.row_filter(Page), Page.id.in_(select(Claim.page).filter_by(change_set=change_set)))
        .order_by(Page.slug, Page.id)
    )
    return {page.id: page for page in await scope.session.scalars(query)}


async def check_stays(edit: Edit, page: Page, title: str) -> None:
    """Refuse to edit what the conversation that edits has let go: the edit would go with it.

    Raises:
        ConflictError: says how to keep it.
    """
    own = await find_open_set(edit, edit.conversation) if edit.conversation else None
    found = None if own is None else await find_removal(edit, page.id, own)
    if found is not None:
        raise ConflictError(
            f"'{title}' is not edited: {describe_removal(*found)}, of this conversation. cms_removeWithChangeSet "
            f"with pageId {page.id} and removal none keeps it."
        )


async def describe_fate(scope: Scope, page: Page) -> str:
    """A remark for editors on what a change set is to make of a document; empty if it stays."""
    found = await find_removal(scope, page.id)
    return "" if found is None else f"; {describe_removal(*found)} by {found[1].author}"


async def check_not_scheduled(scope: Scope, change_set: ChangeSet) -> None:
    """Refuse to change a change set while its publication is scheduled.

    Raises:
        ConflictError: names the scheduled action.
    """
    query = select(ScheduledAction).where(
        scope.target.row_filter(ScheduledAction),
        ScheduledAction.change_set == change_set.id,
        ScheduledAction.state == "scheduled",
    )
    found = (await scope.session.scalars(query.limit(1))).first()
    if found is not None:
        told = await tell_action(scope, found)
        raise ConflictError(f"{told} as it was approved. Cancel that first: cms_cancelScheduledAction, {found.id}.")


async def check_is_open(scope: Scope, change_set: ChangeSet) -> None:
    """Refuse a change set that is not open; one that is scheduled with what to do about it."""
    await check_not_scheduled(scope, change_set)
    check_state(change_set, "open")


def check_state(change_set: ChangeSet, state: str) -> None:
    """Refuse a change set in another state.

    Raises:
        ConflictError: names both.
    """
    if change_set.state != state:
        raise ConflictError(f"The change set '{change_set.name}' is {change_set.state}, not {state}.")
