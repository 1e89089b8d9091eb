"""What editors schedule, and what carries it out, for tests of scheduled actions."""

from __future__ import annotations

from sqlalchemy import update

from apps.cms.tests.publishing.editing import Editor
from remit_cms.scheduling.payloads import (
    CancelScheduledAction,
    ExpirePage,
    ListScheduledActions,
    RunScheduledAction,
    ScheduledActionReply,
    ScheduledActionView,
    SchedulePage,
)
from remit_cms.storage.tables import ScheduledAction

NOON = "2026-06-01T12:00"


async def schedule(editor: Editor, page: str, at: str = NOON) -> str:
    payload = SchedulePage(page_id=page, at=at)
    return (await editor.world.scheduling.schedule_page(editor.call(), payload)).action.id


async def expire(editor: Editor, page: str, at: str = NOON) -> str:
    return (await editor.world.scheduling.expire_page(editor.call(), ExpirePage(page_id=page, at=at))).action.id


async def cancel(editor: Editor, action: str) -> None:
    payload = CancelScheduledAction(action_id=action)
    await editor.world.scheduling.cancel_scheduled_action(editor.call(), payload)


async def move_call(editor: Editor, action: str, run: str) -> None:
    """Let an action be carried out by another run."""
    async with editor.world.database.write() as session:
        await session.execute(update(ScheduledAction).where(ScheduledAction.id == action).values(call=run))


async def carry_out(editor: Editor, action: str, run: str = "") -> ScheduledActionReply:
    """What the scheduled call does at its time."""
    call = editor.world.call(run=run or editor.world.calls.run)
    return await editor.world.scheduling.run_scheduled_action(call, RunScheduledAction(action_id=action))


async def look(editor: Editor, action: str) -> ScheduledActionView:
    payload = ListScheduledActions(include_ended=True)
    reply = await editor.world.scheduling.list_scheduled_actions(editor.call(), payload)
    (found,) = [each for each in reply.actions if each.id == action]
    return found
