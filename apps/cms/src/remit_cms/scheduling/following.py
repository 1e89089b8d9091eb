"""What is scheduled for later than an action that is scheduled again: it follows the new one, as its approver sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remit.errors import ConflictError
from remit.tools import Change, Preview, find_approvers
from remit_cms.publishing.changes import compare_states, show_changes
from remit_cms.publishing.undoing import write_back
from remit_cms.scheduling.actions import approve
from remit_cms.storage.approved import Approval, changed_parts
from remit_cms.storage.change_sets import find_set
from remit_cms.storage.claims import Claimed, add_claims, find_claims, tell_action
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.door import close_set
from remit_cms.storage.layers import find_fields, lay_edits
from remit_cms.storage.merging import apply_changes
from remit_cms.storage.planning import Planned, cancel_first, plan_set
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshot
from remit_cms.storage.tables import Page, ScheduledAction
from remit_cms.storage.transactions import Edit
from remit_cms.storage.zones import describe_time, find_zone

_AGAIN = "schedule_again"
"""The action of revisions that lay what is scheduled for later over what is scheduled again."""


@dataclass(frozen=True, slots=True)
class Follower:
    """A scheduled publication of a document: what visitors see before and after it, once an earlier one is another.

    ``fields`` are those of its edits that the earlier one edits later than it did.
    """

    page: Page
    action: ScheduledAction
    before: Snapshot | None
    base: Snapshot
    after: Snapshot
    fields: frozenset[str]

    @property
    def differs(self) -> bool:
        """Whether that is another difference than the one that was approved."""
        approved = Approval.model_validate(self.action.approved.get(self.page.id, {}))
        return approved.parts != changed_parts(self.before, self.after)


async def find_followers(scope: Scope, planned: Sequence[Planned], at: datetime) -> list[Follower]:
    """What is scheduled for later of documents of which an action is scheduled again.

    Raises:
        ConflictError: it has no place without what is replaced, or is not the last that waits in its places.
    """
    found: list[Follower] = []
    for each in planned if any(each.replaced for each in planned) else ():
        if each.wanted is not None:
            claims = [claim for claim in await find_claims(scope, [each.page.id]) if claim not in each.taken]
            found += await _find_followers_of(scope, each, each.wanted, claims, at)
    return found


async def _find_followers_of(
    scope: Scope, planned: Planned, base: Snapshot, claims: Sequence[Claimed], at: datetime
) -> list[Follower]:
    page, found = planned.page, list[Follower]()
    replaced = [number for each in planned.taken if each.action for number in each.numbers]
    corrected = await find_fields(scope, page.id, sorted({*planned.numbers} - {*replaced}))
    earlier = [number for each in claims if each.at and each.at <= at and not each.is_hiding for number in each.numbers]
    in_base, is_visible = [*earlier, *replaced], True
    for claim in claims:
        if claim.action is None or claim.action.at <= at:
            continue
        if claim.is_hiding:
            is_visible = False
            continue
        layered = await lay_edits(scope, page.id, base, claim.numbers, in_base=in_base)
        if layered.snapshot is None or layered.misplaced:
            raise ConflictError(f"{claim}, in places that are gone then. {cancel_first(claim)}")
        edited = await find_fields(scope, page.id, claim.numbers)
        fields = {field for field, number in edited.items() if corrected.get(field, 0) > number}
        _check_last(claim, fields, corrected, await _find_waiting_fields(scope, page, claims))
        before = base if is_visible else None
        found.append(Follower(page, claim.action, before, base, layered.snapshot, frozenset(fields)))
        base, is_visible, in_base = layered.snapshot, True, [*in_base, *claim.numbers]
    return found


async def _find_waiting_fields(scope: Scope, page: Page, claims: Sequence[Claimed]) -> dict[str, tuple[int, Claimed]]:
    """The fields of a document with edits that are not scheduled: the last number of each, and the claim on it."""
    waiting = [each for each in claims if each.action is None and not each.is_hiding]
    return {
        field: (number, claim)
        for claim in waiting
        for field, number in (await find_fields(scope, page.id, claim.numbers)).items()
    }


def _check_last(
    claim: Claimed, fields: set[str], corrected: dict[str, int], waiting: dict[str, tuple[int, Claimed]]
) -> None:
    """Refuse to lay what is scheduled for later over newer edits of a draft that belong to nothing scheduled."""
    for field in sorted(fields & waiting.keys()):
        number, other = waiting[field]
        if number > corrected[field]:
            raise ConflictError(f"{claim}, and {other} are of the same places. Publish or discard these first.")


async def show_followers(scope: Scope, preview: Preview, followers: Sequence[Follower]) -> Preview:
    """A preview that shows besides what else will differ later from what was approved."""
    changes: list[Change] = []
    zone = await find_zone(scope)
    for each in followers:
        if each.differs:
            where = f"from {describe_time(each.action.at, zone)}: "
            changes += await show_changes(scope, await compare_states(scope, each.before, each.after, where))
    if not changes:
        return preview
    return replace(preview, changes=(*preview.changes, *changes), state=repr((preview.state, changes)))


async def replace_actions(edit: Edit, planned: Sequence[Planned], new: ScheduledAction) -> list[str]:
    """End the actions that another one replaces, which has their claims. Returns their ids."""
    replaced = {action.id: action for each in planned for action in each.replaced}
    told = await tell_action(edit, new) if replaced else ""
    for action in replaced.values():
        action.state, action.reason = "cancelled", f"{told} in its place"[:1000]
        edit.add_change("scheduled-action", action.id, 1, "state", name=action.title)
        close_set(edit, await find_set(edit, action.change_set), "discarded")
    await edit.session.flush()
    return [*replaced]


async def lay_again(edit: Edit, followers: Sequence[Follower]) -> None:
    """Let drafts, claims and approvals say what followers make of documents, as it was shown.

    Raises:
        ConflictError: they would make something else of them.
    """
    for each in followers:
        change_set = await find_set(edit, each.action.change_set)
        draft = await build_snapshot(edit, each.page)
        laid = apply_changes(draft, each.base, each.after, leave_out=lambda field, own=each.fields: field not in own)
        if await write_back(edit, each.page, laid.snapshot, _AGAIN, in_set=False):
            await add_claims(edit, change_set, each.page.id, [each.page.revision])
        planned = await plan_set(edit, change_set, at=each.action.at)
        (own,) = [other for other in planned if other.page is each.page]
        if own.blocked or compare_snapshots(own.wanted, each.after) or compare_snapshots(own.live, each.before):
            told = await tell_action(edit, each.action)
            raise ConflictError(f"{told}, and would be another then. Cancel it first.")
        if each.differs:
            each.action.approved = {**each.action.approved, **await approve(edit, [own])}
            each.action.approvers = [*dict.fromkeys([*each.action.approvers, *find_approvers()])]
    await edit.session.flush()
