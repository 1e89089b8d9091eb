"""The operations on scheduled actions. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final, Protocol

from sqlalchemy import func, select, update

from remit import LeafContext
from remit.errors import ConflictError, NotFoundError
from remit.tools import Changed, Preview
from remit_cms.models import pluralize
from remit_cms.publishing.change_sets import ChangeSets, find_chosen_set, find_publishable
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage
from remit_cms.publishing.publishing import Publishing, find_states
from remit_cms.scheduling.actions import (
    CHANGE_SET,
    PUBLISH,
    UNPUBLISH,
    Pin,
    carry_out,
    find_action,
    pin_page,
    will_be_live,
)
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
from remit_cms.scheduling.times import find_zone, format_time, read_time
from remit_cms.storage.database import Database
from remit_cms.storage.documents import describe_document, make_preview
from remit_cms.storage.links import describe_links, find_links, link_state
from remit_cms.storage.live import Move, check_moves
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, Page, ScheduledAction
from remit_cms.storage.transactions import Edit, edit_once, open_view

RUN_TOOL: Final = "cms_runScheduledAction"
"""The tool that a scheduled call calls."""


class Schedules(Protocol):
    """What schedules calls: `remit.engines.RunSchedules`."""

    def find_run(self, key: str) -> str:
        """The id of the run of a call that is scheduled under a key."""
        ...

    async def add(self, key: str, tool: str, arguments: Mapping[str, object], *, at: datetime) -> str:
        """Schedule a call, once for each key."""
        ...

    async def cancel(self, run: str) -> None:
        """Withdraw a scheduled call."""
        ...


class Scheduling:
    """Publishes and unpublishes at times to come.

    A scheduled action is a row that says what was approved, and a scheduled call of `RUN_TOOL` that carries it out.
    """

    def __init__(self, database: Database, schedules: Schedules) -> None:
        self._database = database
        self._schedules = schedules
        self._publishing, self._change_sets = Publishing(database), ChangeSets(database)

    async def schedule_page(self, ctx: LeafContext, payload: SchedulePage) -> ScheduledActionReply:
        """Publish a page, post or entry at a time to come, as it is now, after approval. At once: cms_publishPage."""

        async def make(edit: Edit, at: datetime) -> ScheduledAction:
            page = await edit.find_document(payload.page_id)
            await find_states(edit, page)
            await check_moves(edit, [Move(page, page.revision)])
            return self._new_row(edit, PUBLISH, page, at, await pin_page(edit, page, page.revision))

        return await self._schedule(ctx, payload, make)

    async def preview_page(self, ctx: LeafContext, payload: SchedulePage) -> Preview:
        """The difference that visitors will see, and when, for the approver."""
        preview = await self._publishing.preview_publication(ctx, PublishPage(page_id=payload.page_id))
        return await self._with_time(ctx, payload.at, preview)

    async def expire_page(self, ctx: LeafContext, payload: ExpirePage) -> ScheduledActionReply:
        """Hide a page, post or entry from visitors at a time to come, after approval. At once: cms_unpublishPage."""

        async def make(edit: Edit, at: datetime) -> ScheduledAction:
            page = await _find_expiring(edit, payload.page_id, at)
            return self._new_row(edit, UNPUBLISH, page, at, await pin_page(edit, page, page.revision))

        return await self._schedule(ctx, payload, make)

    async def preview_expiry(self, ctx: LeafContext, payload: ExpirePage) -> Preview:
        """The page that visitors will lose, and when, for the approver."""
        async with open_view(self._database, ctx) as scope:
            page = await _find_expiring(scope, payload.page_id, await self._read_time(scope, payload.at))
            links = await find_links(scope, page.id)
            summary = f"{describe_document(page, page.live_path, 'the ')}{describe_links(links)}"
            preview = make_preview(summary, f"{page.id} over {page.live}", link_state(links))
        return await self._with_time(ctx, payload.at, preview)

    async def schedule_change_set(self, ctx: LeafContext, payload: ScheduleChangeSet) -> ScheduledActionReply:
        """Publish a change set at a time to come, as it is now, after one approval. At once: cms_publishChangeSet."""

        async def make(edit: Edit, at: datetime) -> ScheduledAction:
            found = await find_chosen_set(edit, ctx, payload.change_set_id)
            pins = [await pin_page(edit, each.page, each.last) for each in await find_publishable(edit, found)]
            return self._new_row(edit, PUBLISH, found, at, *pins)

        return await self._schedule(ctx, payload, make)

    async def preview_change_set(self, ctx: LeafContext, payload: ScheduleChangeSet) -> Preview:
        """The whole difference that visitors will see, and when, for the approver."""
        chosen = PublishChangeSet(change_set_id=payload.change_set_id)
        return await self._with_time(ctx, payload.at, await self._change_sets.preview_publication(ctx, chosen))

    async def list_scheduled_actions(self, ctx: LeafContext, payload: ListScheduledActions) -> ScheduledActionsReply:
        """List what will be published or hidden from visitors at times to come, the next first."""
        async with open_view(self._database, ctx) as scope:
            chosen = [scope.target.row_filter(ScheduledAction)]
            chosen += [] if payload.include_ended else [ScheduledAction.state == "scheduled"]
            total = await scope.session.scalar(select(func.count()).select_from(ScheduledAction).where(*chosen)) or 0
            order = (ScheduledAction.state != "scheduled", ScheduledAction.at, ScheduledAction.id)
            query = select(ScheduledAction).where(*chosen).order_by(*order).limit(payload.limit)
            actions = [await _view(scope, row) for row in await scope.session.scalars(query)]
            return ScheduledActionsReply(actions=actions, total=total, message=pluralize(total, "scheduled action"))

    async def cancel_scheduled_action(self, ctx: LeafContext, payload: CancelScheduledAction) -> ScheduledActionReply:
        """Cancel what was to be published or hidden at a time to come. To hide what is live: cms_unpublishPage."""

        async def work(edit: Edit) -> ScheduledActionReply:
            row = await find_action(edit, payload.action_id)
            if row.state != "scheduled":
                raise ConflictError(f"The scheduled action {row.id} on '{row.title}' is {row.state} already.")
            return await _end(edit, row, "cancelled", f"Cancelled: {_describe(row, 'will not be')}")

        reply = await edit_once(self._database, ctx, payload, ScheduledActionReply, work)
        with suppress(NotFoundError):  # a run of another person: at its time it finds the action cancelled
            await self._schedules.cancel(self._schedules.find_run(reply.action.id))
        return reply

    async def run_scheduled_action(self, ctx: LeafContext, payload: RunScheduledAction) -> ScheduledActionReply:
        """Carry out a scheduled action when its time has come. Only Remit's executor can call this."""

        async def work(edit: Edit) -> ScheduledActionReply:
            row = await find_action(edit, payload.action_id)
            if row.call != ctx.run:
                raise ConflictError(f"The scheduled action {row.id} runs at its time, by itself.")
            if row.state != "scheduled":
                return ScheduledActionReply(action=await _view(edit, row), message=f"It was {row.state} before.")
            return await _end(edit, row, "done", await carry_out(edit, row))

        try:
            return await edit_once(self._database, ctx, payload, ScheduledActionReply, work)
        except (ConflictError, NotFoundError) as error:
            await self._note_refusal(ctx, payload.action_id, error.message)
            raise

    async def _note_refusal(self, ctx: LeafContext, action_id: str, reason: str) -> None:
        """Write down why an action was refused at its time: its transaction was rolled back."""
        async with self._database.write() as session:
            own = (ScheduledAction.id == action_id, ScheduledAction.call == ctx.run)
            query = update(ScheduledAction).where(*own, ScheduledAction.state == "scheduled")
            await session.execute(query.values(state="refused", reason=reason[:1000]))
            title = await session.scalar(select(ScheduledAction.title).where(*own))
        if title is not None:
            ctx.emit(Changed("scheduled-action", action_id, "1", ("state",), title))

    async def _schedule(
        self,
        ctx: LeafContext,
        payload: SchedulePage | ExpirePage | ScheduleChangeSet,
        make: Callable[[Edit, datetime], Awaitable[ScheduledAction]],
    ) -> ScheduledActionReply:
        async def work(edit: Edit) -> ScheduledActionReply:
            row = await make(edit, await read_time(edit, payload.at, edit.now))
            edit.session.add(row)
            await edit.session.flush()
            edit.add_change("scheduled-action", row.id, 1, name=row.title)
            view = await _view(edit, row)
            return ScheduledActionReply(action=view, message=f"{_describe(row)} at {view.at}")

        reply = await edit_once(self._database, ctx, payload, ScheduledActionReply, work)
        # After the commit, so that the call finds its row; a second attempt of this one schedules it if a crash came in
        # between.
        action, at = reply.action.id, datetime.fromisoformat(reply.action.at)
        await self._schedules.add(action, RUN_TOOL, {"actionId": action}, at=at)
        return reply

    def _new_row(self, edit: Edit, action: str, what: Page | ChangeSet, at: datetime, *pins: Pin) -> ScheduledAction:
        is_page = isinstance(what, Page)
        action_id = edit.new_id("action")
        return ScheduledAction(
            id=action_id,
            site=edit.target.site,
            environment=edit.target.environment,
            action=action,
            kind=what.kind if is_page else CHANGE_SET,
            object_id=what.id,
            title=what.title if is_page else what.name,
            pins=[pin.model_dump() for pin in pins],
            at=at,
            state="scheduled",
            call=self._schedules.find_run(action_id),
            author=edit.author,
            created_at=edit.now,
        )

    async def _read_time(self, scope: Scope, at: str) -> datetime:
        return await read_time(scope, at, self._database.clock())

    async def _with_time(self, ctx: LeafContext, at: str, preview: Preview) -> Preview:
        async with open_view(self._database, ctx) as scope:
            time = format_time(await self._read_time(scope, at), zone := await find_zone(scope))
        return make_preview(f"{preview.summary}, at {time} ({zone.key})", preview.state, changes=preview.changes)


async def _find_expiring(scope: Scope, name: str, at: datetime) -> Page:
    page = await scope.find_document(name)
    if not await will_be_live(scope, page, at):
        raise ConflictError(f"Page '{page.title}' is not live, and its publication before that time is not scheduled.")
    await check_moves(scope, [Move(page, None)])
    return page


async def _end(edit: Edit, row: ScheduledAction, state: str, message: str) -> ScheduledActionReply:
    row.state = state
    edit.add_change("scheduled-action", row.id, 1, "state", name=row.title)
    await edit.session.flush()
    return ScheduledActionReply(action=await _view(edit, row), message=message)


def _describe(row: ScheduledAction, verb: str = "is to be") -> str:
    return f"'{row.title}' {verb} {'published' if row.action == PUBLISH else 'hidden from visitors'}"


async def _view(scope: Scope, row: ScheduledAction) -> ScheduledActionView:
    pins: Sequence[Pin] = [Pin.model_validate(each) for each in row.pins]
    return ScheduledActionView(
        id=row.id,
        action=row.action,
        kind=row.kind,
        object_id=row.object_id,
        title=row.title,
        revision=pins[0].revision if row.action == PUBLISH and row.kind != CHANGE_SET else None,
        at=format_time(row.at, await find_zone(scope)),
        state=row.state,
        author=row.author,
        reason=row.reason,
    )
