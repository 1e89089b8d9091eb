"""The operations on change sets. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypeAlias

from sqlalchemy import func, select

from remit import LeafContext
from remit.errors import AlreadyExistsError, ConflictError, NotFoundError
from remit.tools import Caller, Preview
from remit_cms.checks.checking import remark_on
from remit_cms.models import Payload, name_some, pluralize
from remit_cms.publishing.changes import (
    compare_planned,
    compare_states,
    describe_loss,
    describe_removals,
    describe_types,
    name_set,
    show_changes,
    sort_by_weight,
    title_of,
)
from remit_cms.publishing.payloads import (
    AddToChangeSet,
    ChangeSetBrief,
    ChangeSetMoveReply,
    ChangeSetReply,
    ChangeSetsReply,
    ChangeSetView,
    CreateChangeSet,
    DiscardChangeSet,
    GetChangeSet,
    ListChangeSets,
    PageChanges,
    PublishChangeSet,
    RevertChangeSet,
)
from remit_cms.publishing.publishing import page_state
from remit_cms.publishing.undoing import discard_edits, find_undo_steps, undo_publication
from remit_cms.redirects.items import describe_overruled
from remit_cms.storage.change_sets import (
    check_is_open,
    check_state,
    describe_state,
    find_last_published,
    find_open_set,
    find_scheduled,
    find_set,
    has_pending_edits,
    open_set,
)
from remit_cms.storage.claims import PENDING, REMOVALS, find_claims, take_over, tell_action
from remit_cms.storage.database import Database
from remit_cms.storage.differences import PathDifference, compare_paths
from remit_cms.storage.documents import draft_state, make_preview
from remit_cms.storage.door import check_plan, describe_claims, go_live
from remit_cms.storage.lists import Order, list_items, list_rows
from remit_cms.storage.outlook import pin_plan
from remit_cms.storage.planning import Planned, plan_set
from remit_cms.storage.removals import withdraw_removals
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import load_structures_of
from remit_cms.storage.stale_edits import show_comparison
from remit_cms.storage.tables import ChangeSet, Kind, Page
from remit_cms.storage.tokens import asks_for_token, check_object_token, give_object_token
from remit_cms.storage.transactions import Edit, edit_once, open_view

_GuardedSet: TypeAlias = AddToChangeSet | PublishChangeSet | DiscardChangeSet | RevertChangeSet

_NEWEST: Final = Order((ChangeSet.created_at, ChangeSet.id), is_falling=True)


class ChangeSets:
    """Edits that are published together."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_change_sets(self, ctx: LeafContext, payload: ListChangeSets) -> ChangeSetsReply:
        """List the change sets with edits not published yet, newest first. For the edits in one: cms_getChangeSet."""
        async with open_view(self._database, ctx) as scope:
            chosen = [scope.target.row_filter(ChangeSet)]
            if not payload.include_closed:
                # The set of a conversation that only deleted pages is open, and has nothing to publish.
                chosen += [has_pending_edits()]
            query = select(ChangeSet).where(*chosen)
            found = await list_rows(scope, payload, query, _NEWEST, "change sets", payload.include_closed)
            found = found.fit(map(brief, found.rows))
            message = pluralize(found.total, "change set")
            if not payload.include_closed:
                message = await _describe_closed(scope, pluralize(found.total, "open change set"))
            return ChangeSetsReply(
                change_sets=[*map(brief, found.rows)],
                **found.summarize(message),
            )

    async def get_change_set(self, ctx: LeafContext, payload: GetChangeSet) -> ChangeSetReply:
        """Show what publishing a change set would change for visitors. For one page: cms_compareRevisions."""
        async with open_view(self._database, ctx) as scope:
            change_set = await find_chosen_set(scope, ctx, payload.change_set_id)
            edited = await _find_pending(scope, change_set)
            found = list_items(scope, payload.cursor, edited, lambda each: each.page.id, "pages of", change_set.id)
            structures = await load_structures_of(scope, *(state for each in found.rows for state in each.states))
            compared = [compare_paths(*each.states, structures) for each in found.rows]
            pages = [*map(_page_changes, found.rows, compared)]
            found = found.fit(pages)
            for each, differences in zip(found.rows, compared, strict=False):
                if each.revision is not None:
                    show_comparison(scope, each.page, each.revision, differences)
            view = ChangeSetView(**brief(change_set).model_dump(), pages=pages[: len(found.rows)])
            message = f"The change set '{change_set.name}' is {change_set.state}, with edits of {_count(edited)}"
            return ChangeSetReply(
                change_set=view,
                token=await _give_token(scope, change_set, payload),
                **found.summarize(message),
            )

    async def create_change_set(self, ctx: LeafContext, payload: CreateChangeSet) -> ChangeSetMoveReply:
        """Make a change set of all unpublished edits of some pages. The edits of a conversation have one already."""

        async def work(edit: Edit) -> ChangeSetMoveReply:
            if payload.name in [each.name for each in await _open_sets(edit)]:
                raise AlreadyExistsError(f"There is an open change set '{payload.name}' already. Give another name.")
            return await _adopt(edit, await open_set(edit, payload.name, None), payload)

        return await edit_once(self._database, ctx, payload, ChangeSetMoveReply, work)

    async def add_to_change_set(self, ctx: LeafContext, payload: AddToChangeSet) -> ChangeSetMoveReply:
        """Add all unpublished edits of some pages to a change set, also those of other people and change sets."""

        async def work(edit: Edit) -> ChangeSetMoveReply:
            change_set = await _find_unchanged_set(edit, ctx, payload)
            await check_is_open(edit, change_set)
            return await _adopt(edit, change_set, payload)

        return await edit_once(self._database, ctx, payload, ChangeSetMoveReply, work)

    async def publish_change_set(self, ctx: LeafContext, payload: PublishChangeSet) -> ChangeSetMoveReply:
        """Show all edits of a change set to visitors at once, after one approval. For one page: cms_publishPage."""

        async def work(edit: Edit) -> ChangeSetMoveReply:
            change_set = await _find_unchanged_set(edit, ctx, payload)
            pages = await find_publishable(edit, change_set)
            overruled = await describe_overruled(edit, [each.move for each in pages])
            await go_live(edit, change_set, pages)
            message = f"Published the change set '{change_set.name}': {_describe_done(pages)}{overruled}"
            left = [each.page for each in pages if not each.deletes]
            return await _move_reply(edit, change_set, left, payload, message)

        return await edit_once(self._database, ctx, payload, ChangeSetMoveReply, work)

    async def preview_publication(self, ctx: LeafContext, payload: PublishChangeSet) -> Preview:
        """The whole difference for visitors, for the approver."""
        async with open_view(self._database, ctx) as scope:
            change_set = await _find_unchanged_set(scope, ctx, payload)
            pages = await find_publishable(scope, change_set)
            return await describe_publication(scope, change_set, pages, ctx.caller)

    async def discard_change_set(self, ctx: LeafContext, payload: DiscardChangeSet) -> ChangeSetMoveReply:
        """Undo unpublished edits of a change set in the drafts. For what visitors see: cms_revertChangeSet."""

        async def work(edit: Edit) -> ChangeSetMoveReply:
            change_set = await _find_unchanged_set(edit, ctx, payload)
            await check_is_open(edit, change_set)
            stay = await withdraw_removals(edit, change_set)
            pages = await _find_pending(edit, change_set)
            message = (
                f"Discarded the change set '{change_set.name}': {', '.join(_list_titles(pages)) or 'it had no edits'}"
            )
            message += "".join(f"; '{page.title}' stays" for page in stay)
            discarded = await discard_edits(edit, change_set, pages)
            if discarded.kept:
                titles = ", ".join(f"'{page.title}'" for page in discarded.kept)
                message += f". New pages of other conversations stay as drafts: {titles}. cms_deletePage deletes one"
            left = [*discarded.drafts, *discarded.kept]
            return await _move_reply(edit, change_set, left, payload, message)

        return await edit_once(self._database, ctx, payload, ChangeSetMoveReply, work)

    async def revert_change_set(self, ctx: LeafContext, payload: RevertChangeSet) -> ChangeSetMoveReply:
        """Undo the publication of a change set, after approval. For edits not published yet: cms_discardChangeSet."""

        async def work(edit: Edit) -> ChangeSetMoveReply:
            change_set = await _find_published(edit, ctx, payload)
            steps = await find_undo_steps(edit, change_set)
            undone = await undo_publication(edit, change_set, steps)
            remark = ""
            if undone.later:
                remark += f" The drafts of {', '.join(undone.later)} keep later edits, and what was reverted."
            if undone.taken:
                titles = ", ".join(undone.taken)
                remark += f" The drafts of {titles} keep what was reverted, since other drafts have their addresses."
            message = f"Reverted the change set '{change_set.name}'.{remark}"
            return await _move_reply(edit, change_set, undone.pages, payload, message)

        return await edit_once(self._database, ctx, payload, ChangeSetMoveReply, work)

    async def preview_reversion(self, ctx: LeafContext, payload: RevertChangeSet) -> Preview:
        """What visitors would see again, for the approver."""
        async with open_view(self._database, ctx) as scope:
            change_set = await _find_published(scope, ctx, payload)
            steps = await find_undo_steps(scope, change_set)
            changes = [
                change
                for step in sort_by_weight(steps)
                for change in await compare_states(scope, step.live, step.snapshot, f"{step.title}: ")
            ]
            titles = ", ".join(f"'{step.title}'" for step in steps)
            state = (f"{step.before} before {step.state}" for step in steps)
            summary = f"the publication of the change set '{change_set.name}' ({titles})"
            shown = await show_changes(scope, changes)
            names = {"changeSetId": name_set(change_set, [step.title for step in steps])}
            return make_preview(summary, change_set.id, *state, changes=shown, names=names)


async def _describe_closed(scope: Scope, message: str) -> str:
    """A message about open change sets that says how many others there are."""
    counted = select(ChangeSet.state, func.count()).where(scope.target.row_filter(ChangeSet))
    query = counted.where(ChangeSet.state != "open").group_by(ChangeSet.state).order_by(ChangeSet.state)
    closed = [f"{count} {state}" for state, count in (await scope.session.execute(query)).all()]
    return f"{message}; {', '.join(closed)}, which includeClosed lists" if closed else message


async def find_chosen_set(scope: Scope, ctx: LeafContext, set_id: str | None) -> ChangeSet:
    """The change set with an id, or else the open one of the conversation.

    Raises:
        NotFoundError: there is none.
    """
    if set_id is not None:
        return await find_set(scope, set_id)
    conversation = ctx.caller.conversation
    found = await find_open_set(scope, conversation) if conversation else None
    if found is None:
        scheduled = await find_scheduled(scope, conversation) if conversation else None
        told = "" if scheduled is None else await tell_action(scope, scheduled)
        rest = f" But {told}: cms_cancelScheduledAction, {scheduled.id}." if scheduled else ""
        raise NotFoundError(
            f"This conversation has no unpublished edits. cms_listChangeSets lists other change sets.{rest}"
        )
    return found


async def _find_published(scope: Scope, ctx: LeafContext, payload: RevertChangeSet) -> ChangeSet:
    """The published change set of a call, or else the one that its conversation published last."""
    if payload.change_set_id is not None:
        found = await find_set(scope, payload.change_set_id)
        check_state(found, "published")
    else:
        conversation = ctx.caller.conversation
        last = await find_last_published(scope, conversation) if conversation else None
        if last is None:
            raise NotFoundError(
                "This conversation has published no change set that could be reverted. cms_listChangeSets with "
                "includeClosed lists those of others."
            )
        found = last
    await _check_unchanged(scope, found, payload)
    return found


async def _find_unchanged_set(scope: Scope, ctx: LeafContext, payload: _GuardedSet) -> ChangeSet:
    """The chosen set, if nothing of it has changed since the token of a call was given."""
    change_set = await find_chosen_set(scope, ctx, payload.change_set_id)
    await _check_unchanged(scope, change_set, payload)
    return change_set


async def _check_unchanged(scope: Scope, change_set: ChangeSet, payload: _GuardedSet) -> None:
    if payload.if_unchanged is not None:
        state = await describe_state(scope, change_set)
        check_object_token(payload.if_unchanged, change_set.id, state, change_set.name)


async def _give_token(scope: Scope, change_set: ChangeSet, payload: Payload) -> str | None:
    if not asks_for_token(payload):
        return None
    return give_object_token(payload, change_set.id, await describe_state(scope, change_set))


async def _open_sets(scope: Scope) -> list[ChangeSet]:
    query = select(ChangeSet).where(scope.target.row_filter(ChangeSet), ChangeSet.state == "open")
    return [*await scope.session.scalars(query)]


async def _find_pending(scope: Scope, change_set: ChangeSet) -> list[Planned]:
    return await plan_set(scope, change_set) if change_set.state in PENDING else []


async def find_publishable(scope: Scope, change_set: ChangeSet, *, at: datetime | None = None) -> list[Planned]:
    """What publishing an open change set, now or at a time, makes of its pages.

    Raises:
        ConflictError: the set is closed, scheduled or empty, changes nothing, builds on edits of others, changes what
            is scheduled to change, or an address is taken.
    """
    await check_is_open(scope, change_set)
    pages = [each for each in await plan_set(scope, change_set, at=at) if not each.changes_nothing]
    if not pages:
        raise ConflictError(f"The change set '{change_set.name}' has nothing to publish.")
    if not any(each.differs for each in pages):
        raise ConflictError(
            f"The change set '{change_set.name}' changes nothing for visitors: what they see in its places is the "
            "same, or a later edit. cms_discardChangeSet closes it."
        )
    await check_plan(scope, pages, change_set, at=at)
    return pages


async def describe_publication(
    scope: Scope, change_set: ChangeSet, pages: Sequence[Planned], caller: Caller, *, at: datetime | None = None
) -> Preview:
    """The whole difference that visitors will see, now or at a time, for the approver of a change set."""
    ordered = sort_by_weight(pages)
    differences = [difference for each in ordered for difference in await compare_planned(scope, each, title_of(each))]
    count, titles = pluralize(len(differences), "difference"), name_some(_list_titles(ordered))
    remarks = await describe_overruled(scope, [each.move for each in pages])
    removals, links = await describe_removals(scope, pages, caller.principal.name)
    remarks += removals + await describe_claims(scope, pages, caller, change_set)
    return make_preview(
        f"the change set '{change_set.name}' with {_count(pages)} ({titles}), {count}{remarks}",
        change_set.id,
        *(f"{each.numbers[-1]} of {draft_state(each.page)}" for each in pages),
        links + await describe_types(scope, pages),
        changes=await show_changes(scope, differences),
        remarks=await remark_on(scope, pages, caller, at),
        shows=pin_plan("publish-set", change_set.id, pages, at),
        names={"changeSetId": name_set(change_set, [title_of(each) for each in ordered])},
    )


async def _adopt(edit: Edit, change_set: ChangeSet, payload: CreateChangeSet | AddToChangeSet) -> ChangeSetMoveReply:
    pages = [await edit.find_document(page_id) for page_id in payload.page_ids]
    claims = await find_claims(edit, [page.id for page in pages])
    for page in pages:
        own = [each for each in claims if each.page == page.id]
        waiting = [each for each in own if each.action is None]
        if not waiting:
            besides = f" but what is scheduled: {own[0]}" if own else ""
            raise ConflictError(f"Page '{page.title}' has no unpublished edits{besides}.")
        await take_over(edit, change_set, waiting)
    edit.add_change("change-set", change_set.id, 1, name=change_set.name)
    titles = ", ".join(f"'{page.title}'" for page in pages)
    message = f"The change set '{change_set.name}' has the unpublished edits of {titles}"
    return await _move_reply(edit, change_set, pages, payload, message)


def _page_changes(each: Planned, compared: Sequence[PathDifference]) -> PageChanges:
    return PageChanges(
        page_id=each.page.id,
        title=title_of(each),
        revision=each.page.revision if each.wanted is None else max(each.numbers),
        live_revision=each.page.live,
        differences=[describe_loss(each, title_of(each))]
        if each.wanted is None
        else [difference for _, difference, _ in compared],
        blocked=each.blocked or None,
    )


def brief(change_set: ChangeSet) -> ChangeSetBrief:
    """A change set as lists and replies show it."""
    return ChangeSetBrief(id=change_set.id, name=change_set.name, state=change_set.state, author=change_set.author)


async def _move_reply(
    edit: Edit, change_set: ChangeSet, pages: list[Page], payload: Payload, message: str
) -> ChangeSetMoveReply:
    return ChangeSetMoveReply(
        change_set=brief(change_set),
        pages=[page_state(page) for page in pages],
        token=await _give_token(edit, change_set, payload),
        message=message,
    )


def _list_titles(pages: Sequence[Planned]) -> list[str]:
    return [f"'{title_of(each)}'" for each in pages]


def _describe_done(pages: Sequence[Planned]) -> str:
    """The documents that a set published, and those that it took from visitors."""
    shown = [each for each in pages if each.wanted is not None]
    gone = [f"'{title_of(each)}' is {REMOVALS[each.numbers[0]]}" for each in pages if each.wanted is None]
    return "; ".join([*([", ".join(_list_titles(shown))] if shown else []), *gone])


def _count(pages: Sequence[Planned]) -> str:
    return pluralize(len(pages), "page" if all(each.page.kind == Kind.PAGE for each in pages) else "document")
