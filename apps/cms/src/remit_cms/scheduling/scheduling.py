"""The operations on scheduled actions. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, and_, func, or_, select

from remit import LeafContext
from remit.errors import ConflictError, DeniedError, NotFoundError
from remit.tools import Preview, find_approvers
from remit_cms.models import pluralize
from remit_cms.publishing.change_sets import describe_publication as describe_set
from remit_cms.publishing.change_sets import find_chosen_set, find_publishable
from remit_cms.publishing.changes import title_of
from remit_cms.publishing.publishing import describe_publication, find_publication
from remit_cms.scheduling.actions import (
    CHANGE_SET,
    PUBLISH,
    UNPUBLISH,
    approve,
    carry_out,
    check_not_built_upon,
    describe_delay,
    find_action,
    find_earlier,
    is_overdue,
    release,
)
from remit_cms.scheduling.following import Follower, find_followers, lay_again, replace_actions, show_followers
from remit_cms.scheduling.payloads import (
    CancelScheduledAction,
    ExpirePage,
    ListScheduledActions,
    RunScheduledAction,
    ScheduleChangeSet,
    ScheduledActionReply,
    ScheduledActionsReply,
    ScheduledActionView,
    SchedulePage,
)
from remit_cms.scheduling.times import format_time, read_time
from remit_cms.storage.change_sets import find_pages_of
from remit_cms.storage.claims import take_over
from remit_cms.storage.database import Database, Schedules
from remit_cms.storage.documents import describe_document, make_preview
from remit_cms.storage.door import close_set, describe_claims, keep_planned, make_set, plan_hiding
from remit_cms.storage.links import describe_links, find_links, link_state
from remit_cms.storage.lists import Order, list_rows
from remit_cms.storage.outlook import pin_plan
from remit_cms.storage.parents import describe_surroundings
from remit_cms.storage.planning import Planned
from remit_cms.storage.removals import refresh_statuses
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, Claim, Page, ScheduledAction
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.zones import describe_time, find_zone

RUN_TOOL: Final = "cms_runScheduledAction"
"""The tool that a scheduled call calls."""

_ATTEMPTS: Final = 10
_WAIT: Final = timedelta(minutes=1)
"""How often, and after how long, an action is tried that is due after another one on the same documents."""

_NEXT_FIRST: Final = Order((ScheduledAction.state != "scheduled", ScheduledAction.at, ScheduledAction.id))

_POSTPONED: Final = "An earlier scheduled action on the same documents is not done yet, so this one waits for it."


class _Made(NamedTuple):
    """A scheduled action, what it makes of documents, and what follows it where it replaces another one."""

    row: ScheduledAction
    planned: Sequence[Planned] = ()
    followers: Sequence[Follower] = ()


class Scheduling:
    """Publishes and unpublishes at times to come.

    A scheduled action is a row that says what was approved, and a scheduled call of `RUN_TOOL` that carries it out.
    """

    def __init__(self, database: Database, schedules: Schedules) -> None:
        self._database = database
        self._schedules = schedules

    async def schedule_page(self, ctx: LeafContext, payload: SchedulePage) -> ScheduledActionReply:
        """Publish a page, post or entry at a time to come, as it is now, after approval. At once: cms_publishPage."""

        async def make(edit: Edit, at: datetime) -> _Made:
            page = await edit.find_document(payload.page_id)
            planned = [await find_publication(edit, page, at=at)]
            followers = await find_followers(edit, planned, at)
            change_set = await make_set(edit, f"Publication of {page.title}", planned, state="scheduled")
            row = await self._new_row(edit, PUBLISH, page, at, change_set, planned)
            return _Made(row, planned, followers)

        return await self._schedule(ctx, payload, make)

    async def preview_page(self, ctx: LeafContext, payload: SchedulePage) -> Preview:
        """The difference that visitors will see, and when, for the approver."""
        _check_reach(ctx)
        async with open_view(self._database, ctx) as scope:
            page, at = await scope.find_document(payload.page_id), await self._read_time(scope, payload.at)
            planned = await find_publication(scope, page, at=at)
            preview = await describe_publication(scope, planned, ctx.caller, at=at)
            followers = await find_followers(scope, [planned], at)
            return await _with_time(scope, at, await show_followers(scope, preview, followers))

    async def expire_page(self, ctx: LeafContext, payload: ExpirePage) -> ScheduledActionReply:
        """Hide a page, post or entry from visitors at a time to come, after approval. At once: cms_unpublishPage."""

        async def make(edit: Edit, at: datetime) -> _Made:
            planned = await _find_expiring(edit, payload.page_id, at)
            name = f"Hiding of {planned.page.title}"
            change_set = await make_set(edit, name, [planned], state="scheduled")
            return _Made(await self._new_row(edit, UNPUBLISH, planned.page, at, change_set, [planned]))

        return await self._schedule(ctx, payload, make)

    async def preview_expiry(self, ctx: LeafContext, payload: ExpirePage) -> Preview:
        """The page that visitors will lose, and when, for the approver."""
        _check_reach(ctx)
        async with open_view(self._database, ctx) as scope:
            at = await self._read_time(scope, payload.at)
            planned = await _find_expiring(scope, payload.page_id, at)
            page, links = planned.page, await find_links(scope, planned.page.id)
            rest = await describe_surroundings(scope, page) + await describe_claims(scope, [planned], ctx.caller)
            named = describe_document(page, page.live_path, "the ", title_of(planned))
            summary = f"{named}{await describe_links(scope, links, ctx.caller.principal.name)}{rest}"
            shows = pin_plan("hide", page.id, [planned], at)
            preview = make_preview(summary, f"{page.id} over {page.live}", link_state(links), shows=shows)
            return await _with_time(scope, at, preview)

    async def schedule_change_set(self, ctx: LeafContext, payload: ScheduleChangeSet) -> ScheduledActionReply:
        """Publish a change set at a time to come, as it is now, after one approval. At once: cms_publishChangeSet."""

        async def make(edit: Edit, at: datetime) -> _Made:
            found = await find_chosen_set(edit, ctx, payload.change_set_id)
            planned = await find_publishable(edit, found, at=at)
            followers = await find_followers(edit, planned, at)
            for each in planned:
                await take_over(edit, found, each.taken)
            await keep_planned(edit, found, planned)
            close_set(edit, found, "scheduled")
            await refresh_statuses(edit, found)
            row = await self._new_row(edit, PUBLISH, found, at, found, planned)
            return _Made(row, planned, followers)

        return await self._schedule(ctx, payload, make)

    async def preview_change_set(self, ctx: LeafContext, payload: ScheduleChangeSet) -> Preview:
        """The whole difference that visitors will see, and when, for the approver."""
        _check_reach(ctx)
        async with open_view(self._database, ctx) as scope:
            found = await find_chosen_set(scope, ctx, payload.change_set_id)
            at = await self._read_time(scope, payload.at)
            planned = await find_publishable(scope, found, at=at)
            preview = await describe_set(scope, found, planned, ctx.caller, at=at)
            followers = await find_followers(scope, planned, at)
            return await _with_time(scope, at, await show_followers(scope, preview, followers))

    async def list_scheduled_actions(self, ctx: LeafContext, payload: ListScheduledActions) -> ScheduledActionsReply:
        """List what will be published or hidden at times to come, the next first, then what was refused at its time."""
        async with open_view(self._database, ctx) as scope:
            chosen = [scope.target.row_filter(ScheduledAction)]
            chosen += [] if payload.include_ended else [_needs_person()]
            query = select(ScheduledAction).where(*chosen)
            found = await list_rows(scope, payload, query, _NEXT_FIRST, "actions", payload.include_ended)
            zone, now = await find_zone(scope), self._database.clock()
            actions = [await _view(scope, row, zone, now) for row in found.rows]
            found = found.fit(actions)
            count = select(func.count()).select_from(ScheduledAction).where(*chosen)
            late_kinds = {"overdue": is_overdue(ScheduledAction, now), "refused": ScheduledAction.state == "refused"}
            numbers = {name: await scope.session.scalar(count.where(is_late)) for name, is_late in late_kinds.items()}
            late = "".join(f", {number} {name}" for name, number in numbers.items() if number)
            return ScheduledActionsReply(
                actions=actions[: len(found.rows)],
                **found.summarize(f"{pluralize(found.total, 'scheduled action')}{late}"),
            )

    async def cancel_scheduled_action(self, ctx: LeafContext, payload: CancelScheduledAction) -> ScheduledActionReply:
        """Cancel what was to be published or hidden at a time to come. To hide what is live: cms_unpublishPage."""

        async def work(edit: Edit) -> ScheduledActionReply:
            row = await find_action(edit, payload.action_id)
            if row.state != "scheduled":
                raise ConflictError(f"The scheduled action {row.id} on '{row.title}' is {row.state} already.")
            await check_not_built_upon(edit, row)
            await release(edit, row)
            return await _end(edit, row, "cancelled", f"Cancelled: {_describe(row, 'will not be')}")

        reply = await edit_once(self._database, ctx, payload, ScheduledActionReply, work)
        await self._cancel_call(reply.action.id)
        return reply

    async def run_scheduled_action(self, ctx: LeafContext, payload: RunScheduledAction) -> ScheduledActionReply:
        """Carry out a scheduled action when its time has come. Only Remit's executor can call this."""

        async def work(edit: Edit) -> ScheduledActionReply:
            row = await find_action(edit, payload.action_id)
            if row.call != ctx.run:
                raise ConflictError(f"The scheduled action {row.id} runs at its time, by itself.")
            if row.state != "scheduled":
                return ScheduledActionReply(action=await _view_one(edit, row), message=f"It was {row.state} before.")
            if await find_earlier(edit, row) is not None and (key := self._find_next_key(row)):
                row.call = self._schedules.find_run(key)
                await edit.session.flush()
                return ScheduledActionReply(action=await _view_one(edit, row), message=_POSTPONED)
            return await _end(edit, row, "done", await carry_out(edit, row))

        try:
            reply = await edit_once(self._database, ctx, payload, ScheduledActionReply, work)
        except (ConflictError, NotFoundError) as error:
            await self._note_refusal(ctx, payload, error.message)
            raise
        if reply.message == _POSTPONED:
            await self._schedule_again(ctx, payload)
        return reply

    def _find_next_key(self, row: ScheduledAction) -> str:
        """The key of the next attempt at an action that waits for an earlier one; empty after the last attempt."""
        keys = [_attempt_key(row.id, number) for number in range(_ATTEMPTS)]
        runs = [self._schedules.find_run(key) for key in keys]
        number = runs.index(row.call) + 1
        return keys[number] if number < _ATTEMPTS else ""

    async def _schedule_again(self, ctx: LeafContext, payload: RunScheduledAction) -> None:
        async with open_view(self._database, ctx) as scope:
            row = await find_action(scope, payload.action_id)
        keys = [_attempt_key(row.id, number) for number in range(_ATTEMPTS)]
        key = next(each for each in keys if self._schedules.find_run(each) == row.call)
        at = self._database.clock() + _WAIT
        await self._schedules.add(key, RUN_TOOL, {"actionId": row.id}, at=at)

    async def _note_refusal(self, ctx: LeafContext, payload: RunScheduledAction, reason: str) -> None:
        """Write down why an action was refused at its time, whose transaction was rolled back; its edits wait again."""

        async def work(edit: Edit) -> ScheduledActionReply:
            row = await find_action(edit, payload.action_id)
            if row.call != ctx.run or row.state != "scheduled":
                return ScheduledActionReply(action=await _view_one(edit, row), message="")
            await release(edit, row)
            row.reason = reason[:1000]
            return await _end(edit, row, "refused", reason)

        with suppress(NotFoundError):
            await edit_once(self._database, ctx, payload, ScheduledActionReply, work)

    async def _schedule(
        self,
        ctx: LeafContext,
        payload: SchedulePage | ExpirePage | ScheduleChangeSet,
        make: Callable[[Edit, datetime], Awaitable[_Made]],
    ) -> ScheduledActionReply:
        _check_reach(ctx)

        async def work(edit: Edit) -> ScheduledActionReply:
            row, planned, followers = await make(edit, await read_time(edit, payload.at, edit.now))
            edit.session.add(row)
            await edit.session.flush()
            edit.add_change("scheduled-action", row.id, 1, name=row.title)
            replaced = await replace_actions(edit, planned, row)
            await lay_again(edit, followers)
            view = await _view_one(edit, row)
            message = f"{_describe(row)} at {view.at}"
            return ScheduledActionReply(action=view, replaced=replaced or None, message=message)

        reply = await edit_once(self._database, ctx, payload, ScheduledActionReply, work)
        # After the commit, so that the call finds its row; a second attempt of this one schedules it if a crash came in
        # between.
        action, at = reply.action.id, datetime.fromisoformat(reply.action.at)
        await self._schedules.add(action, RUN_TOOL, {"actionId": action}, at=at)
        for each in reply.replaced or ():
            await self._cancel_call(each)
        return reply

    async def _cancel_call(self, action: str) -> None:
        """End the scheduled call of an action. That of another person finds at its time that the action has ended."""
        with suppress(NotFoundError):
            await self._schedules.cancel(self._schedules.find_run(action))

    async def _new_row(
        self,
        edit: Edit,
        action: str,
        what: Page | ChangeSet,
        at: datetime,
        change_set: ChangeSet,
        planned: list[Planned],
    ) -> ScheduledAction:
        is_page = isinstance(what, Page)
        action_id = edit.new_id("action")
        return ScheduledAction(
            **edit.target.row,
            id=action_id,
            action=action,
            kind=what.kind if is_page else CHANGE_SET,
            object_id=what.id,
            title=what.title if is_page else what.name,
            change_set=change_set.id,
            approved=await approve(edit, planned),
            at=at,
            state="scheduled",
            call=self._schedules.find_run(action_id),
            author=edit.author,
            approvers=[*find_approvers()],
            created_at=edit.now,
        )

    async def _read_time(self, scope: Scope, at: str) -> datetime:
        return await read_time(scope, at, self._database.clock())


def _check_reach(ctx: LeafContext) -> None:
    """Refuse to schedule what nothing would carry out: an agent whose calls do not reach `RUN_TOOL`.

    Raises:
        DeniedError: says what lets them.
    """
    reach = ctx.caller.tool_scope
    if reach is not None and RUN_TOOL not in reach:
        raise DeniedError(
            f"Nothing would be carried out at its time: the tool scope of the agent does not let its calls reach "
            f"{RUN_TOOL}. Add it to the tool_scope."
        )


async def _with_time(scope: Scope, at: datetime, preview: Preview) -> Preview:
    summary = f"{preview.summary}, on {describe_time(at, await find_zone(scope))}"
    return replace(preview, summary=summary, state=repr((summary, preview.state)))


async def _find_expiring(scope: Scope, name: str, at: datetime) -> Planned:
    page = await scope.find_document(name)
    planned = await plan_hiding(scope, page, at=at)
    if planned.live is None:
        raise ConflictError(f"Page '{page.title}' is not live, and its publication before that time is not scheduled.")
    return planned


def _attempt_key(action: str, number: int) -> str:
    """The key of the scheduled call of an action, which is made again while an earlier action is due."""
    return f"{action}/{number}" if number else action


def _needs_person() -> ColumnElement[bool]:
    """The condition that an action will be carried out, or was refused and its edits wait again."""
    waits = select(ChangeSet.id).where(ChangeSet.id == ScheduledAction.change_set, ChangeSet.state == "open")
    return or_(ScheduledAction.state == "scheduled", and_(ScheduledAction.state == "refused", waits.exists()))


async def _end(edit: Edit, row: ScheduledAction, state: str, message: str) -> ScheduledActionReply:
    row.state = state
    edit.add_change("scheduled-action", row.id, 1, "state", name=row.title)
    await edit.session.flush()
    return ScheduledActionReply(action=await _view_one(edit, row), message=message)


def _describe(row: ScheduledAction, verb: str = "is to be") -> str:
    return f"'{row.title}' {verb} {'published' if row.action == PUBLISH else 'hidden from visitors'}"


async def _view_one(edit: Edit, row: ScheduledAction) -> ScheduledActionView:
    return await _view(edit, row, await find_zone(edit), edit.now)


async def _view(scope: Scope, row: ScheduledAction, zone: ZoneInfo, now: datetime) -> ScheduledActionView:
    last = select(func.max(Claim.number)).where(Claim.change_set == row.change_set, Claim.page == row.object_id)
    revision = await scope.session.scalar(last) if row.action == PUBLISH and row.kind != CHANGE_SET else None
    pages = await find_pages_of(scope, row.change_set) if row.kind == CHANGE_SET else {}
    return ScheduledActionView(
        id=row.id,
        action=row.action,
        kind=row.kind,
        object_id=row.object_id,
        title=row.title,
        revision=revision,
        at=format_time(row.at, zone),
        state=row.state,
        author=row.author,
        approved_by=row.approvers or None,
        pages=[page.title for page in pages.values()] or None,
        reason=row.reason or describe_delay(row, now) or None,
    )
