"""Scheduled actions as they are stored: what was approved, and how it is carried out at its time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, cast, overload

from pydantic import JsonValue
from sqlalchemy import ColumnElement, select

from remit import LeafContext
from remit.errors import ConflictError, NotFoundError
from remit.tools import Candidate
from remit_cms.storage.approved import VISIBLE, Approval, changed_parts, reads_otherwise
from remit_cms.storage.change_sets import find_open_set, find_set
from remit_cms.storage.claims import add_claims, find_claims
from remit_cms.storage.database import Database
from remit_cms.storage.differences import compare_paths
from remit_cms.storage.door import close_set, go_live
from remit_cms.storage.links import find_links
from remit_cms.storage.missing import SCHEDULED, not_found
from remit_cms.storage.parents import find_loose_addresses
from remit_cms.storage.parts import part_of
from remit_cms.storage.planning import Planned, plan_set
from remit_cms.storage.removals import refresh_statuses
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import load_structures_of
from remit_cms.storage.tables import ChangeSet, Claim, Page, ScheduledAction
from remit_cms.storage.transactions import Edit, open_view

PUBLISH: Final = "publish"
UNPUBLISH: Final = "unpublish"
CHANGE_SET: Final = "change-set"
LATE: Final = timedelta(minutes=15)
"""So long after its time, an action is overdue. Until then it may wait for an earlier one."""
_OVERDUE: Final = (
    "This is overdue: its call was cancelled, or the person who scheduled it, or their agent, may not do this any "
    "more, or no executor has run. cms_cancelScheduledAction gives its edits back"
)
_MAX_LISTED: Final = 500
_MAX_PLACES: Final = 10


@overload
def is_overdue(action: type[ScheduledAction], now: datetime) -> ColumnElement[bool]: ...
@overload
def is_overdue(action: ScheduledAction, now: datetime) -> bool: ...
def is_overdue(action: ScheduledAction | type[ScheduledAction], now: datetime) -> ColumnElement[bool] | bool:
    """Whether the call of an action has not come, or the condition: nothing says when it will come, or whether."""
    row = cast("type[ScheduledAction]", action)  # the operators mean the same for a row and for its columns
    return (row.state == "scheduled") & (row.at < now - LATE)


def describe_delay(row: ScheduledAction, now: datetime) -> str:
    """Why an action is not carried out though its time has passed, for a person; empty if it is not overdue."""
    return _OVERDUE if is_overdue(row, now) else ""


async def approve(scope: Scope, planned: list[Planned]) -> dict[str, JsonValue]:
    """What an approver has seen of documents, by id: `Approval`."""
    return {
        each.page.id: (await _approve(scope, each)).model_dump(mode="json", exclude_defaults=True) for each in planned
    }


async def _approve(scope: Scope, planned: Planned) -> Approval:
    if planned.wanted is None:
        links = {link.source.id for link in await find_links(scope, planned.page.id)}
        return Approval(links=sorted(links))
    types = await load_structures_of(scope, planned.wanted)
    return Approval(parts=changed_parts(planned.live, planned.wanted), edited=sorted(planned.edited), types=types)


async def find_action(scope: Scope, action_id: str) -> ScheduledAction:
    """The scheduled action with this id.

    Raises:
        NotFoundError: there is none.
    """
    query = select(ScheduledAction).where(scope.target.row_filter(ScheduledAction), ScheduledAction.id == action_id)
    found = (await scope.session.scalars(query)).first()
    if found is None:
        raise not_found(SCHEDULED, action_id)
    return found


async def find_earlier(scope: Scope, row: ScheduledAction) -> ScheduledAction | None:
    """An action that is due before another one and is not done: on the same documents, or on pages above them."""
    planned = await plan_set(scope, await find_set(scope, row.change_set))
    pages = [each.page.id for each in planned]
    loose = await find_loose_addresses(scope, [each.move for each in planned if each.numbers])
    above = {each.parent.id for each in loose if each.parent is not None} - {*pages}
    for claim in await find_claims(scope, [*pages, *above]):
        action = claim.action
        if action is None or action is row:
            continue
        if (action.at, action.id) < (row.at, row.id) or (claim.page in above and action.at <= row.at):
            return action
    return None


async def carry_out(edit: Edit, row: ScheduledAction) -> str:
    """Do what was approved, and return a sentence about it.

    Raises:
        ConflictError, NotFoundError: it would not be what was approved.
    """
    change_set = await find_set(edit, row.change_set)
    planned = await plan_set(edit, change_set)
    approved = {page: Approval.model_validate(each) for page, each in row.approved.items()}
    if {each.page.id for each in planned} != approved.keys():
        raise NotFoundError(f"'{row.title}' has been deleted since this was approved, or a page of it.")
    if row.action == UNPUBLISH:
        return await _hide(edit, change_set, planned[0], approved[planned[0].page.id])
    for each in planned:
        await _check_approved(edit, row, each, approved[each.page.id])
    await go_live(edit, change_set, planned)
    return f"Published '{row.title}' as it was approved"


async def _check_approved(edit: Edit, row: ScheduledAction, planned: Planned, approval: Approval) -> None:
    """Refuse to show visitors another difference than the approver saw.

    Raises:
        ConflictError: names the places.
    """
    if planned.blocked:
        raise ConflictError(planned.blocked)
    if planned.wanted is None:
        await _check_links(edit, planned.page, approval)
        return
    structures = await load_structures_of(edit, *planned.states)
    if reads_otherwise(edit, planned.wanted, approval.types, structures):
        raise ConflictError(
            f"Visitors would read something else of '{planned.page.title}' than when '{row.title}' was approved: its "
            f"type has changed since. {_tool_of(row)} asks for its approval again."
        )
    found = changed_parts(planned.live, planned.wanted)
    parts = {part for part in {**found, **approval.parts} if found.get(part) != approval.parts.get(part)}
    if not parts:
        return
    named = [
        difference.where
        for path, difference, _ in compare_paths(*planned.states, structures)
        if part_of(path, planned.wanted.locale) in parts
    ]
    rest = f" and {len(named) - _MAX_PLACES} more" if len(named) > _MAX_PLACES else ""
    places = f"{', '.join(named[:_MAX_PLACES])}{rest}" or "what was approved is not the same any more"
    if VISIBLE in parts:
        places = "whether they see it at all"
    raise ConflictError(
        f"Visitors see something else of '{planned.page.title}' than when '{row.title}' was approved: {places}. That "
        f"difference is not approved; {_tool_of(row)} asks for its approval."
    )


def _tool_of(row: ScheduledAction) -> str:
    return "cms_scheduleChangeSet" if row.kind == CHANGE_SET else "cms_schedulePage"


async def _hide(edit: Edit, change_set: ChangeSet, planned: Planned, approval: Approval) -> str:
    page = planned.page
    if page.live is None:
        close_set(edit, change_set, "discarded")
        return f"'{page.title}' was hidden from visitors already"
    await _check_links(edit, page, approval)
    await go_live(edit, change_set, [planned])
    return f"'{page.title}' is hidden from visitors"


async def _check_links(edit: Edit, page: Page, approval: Approval) -> None:
    """Refuse to take from visitors what has got links that the approver did not see."""
    links = [link for link in await find_links(edit, page.id) if link.source.id not in approval.links]
    if links:
        raise ConflictError(
            f"'{links[0].title}' links to '{page.title}' since this was approved, and would lead nowhere."
        )


async def check_not_built_upon(scope: Scope, row: ScheduledAction) -> None:
    """Refuse to cancel what another action, which is due later, was approved on top of.

    Raises:
        ConflictError: names that one.
    """
    for page, given in row.approved.items():
        own = Approval.model_validate(given).parts
        for claim in await find_claims(scope, [page]):
            if claim.action is None or claim.is_hiding or (claim.action.at, claim.action.id) <= (row.at, row.id):
                continue
            later = Approval.model_validate(claim.action.approved.get(page, {}))
            if not own or VISIBLE in own or own.keys() & {*later.parts, *later.edited}:
                raise ConflictError(
                    f"{claim}, which was approved as what follows this. Cancel that first, or schedule this again for "
                    "its time once it is corrected: that replaces it."
                )


async def release(edit: Edit, row: ScheduledAction) -> None:
    """Give the edits of an action that is not carried out back to their conversation, as drafts that wait."""
    change_set = await find_set(edit, row.change_set)
    if change_set.state != "scheduled":
        return
    if row.action == UNPUBLISH:
        close_set(edit, change_set, "discarded")
        return
    opened = await find_open_set(edit, change_set.conversation) if change_set.conversation else None
    if opened is None:
        close_set(edit, change_set, "open")
        await refresh_statuses(edit, change_set)
        return
    for claim in await edit.session.scalars(select(Claim).where(Claim.change_set == change_set.id)):
        await add_claims(edit, opened, claim.page, [claim.number])
        await edit.session.delete(claim)
    close_set(edit, change_set, "discarded")
    await refresh_statuses(edit, opened)


class ScheduledActionReferences:
    """Resolves references to scheduled actions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, _text: str) -> list[Candidate]:
        """The scheduled actions, by id or the title of what they are about, the last made first."""
        async with open_view(self._database, ctx) as scope:
            query = select(ScheduledAction).where(scope.target.row_filter(ScheduledAction))
            order = (ScheduledAction.state != "scheduled", ScheduledAction.created_at.desc(), ScheduledAction.id)
            rows = await scope.session.scalars(query.order_by(*order).limit(_MAX_LISTED))
            return [Candidate(row.id, row.title, row.state) for row in rows]
