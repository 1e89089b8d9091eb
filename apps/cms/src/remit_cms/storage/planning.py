"""Plans: what visitors would see of documents by an act, over what is live and what is scheduled until then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remit.errors import ConflictError
from remit_cms.storage.approved import Approval, changed_parts
from remit_cms.storage.change_sets import find_pages_of
from remit_cms.storage.claims import DELETED, HIDDEN, Claimed, find_claims, find_settled
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.layers import lay_edits, load_settled
from remit_cms.storage.live import Move
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshot, load_snapshot
from remit_cms.storage.tables import ChangeSet, Page, ScheduledAction


@dataclass(frozen=True, slots=True)
class Planned:
    """The planned change of a document for visitors: the states before and after; None means that they see nothing.

    ``numbers`` are the revisions with the edits, or one of `REMOVALS`, and ``edited`` their parts, also those that
    change nothing for visitors. ``revision`` is one that says the same as ``wanted``, if there is one. ``taken`` are
    the claims of others that go live too, also those of scheduled actions that it replaces. ``blocked`` says what the
    edits build on that would not.
    """

    page: Page
    numbers: tuple[int, ...]
    live: Snapshot | None
    wanted: Snapshot | None
    revision: int | None = None
    taken: tuple[Claimed, ...] = ()
    blocked: str = ""
    edited: frozenset[str] = frozenset()

    @property
    def states(self) -> tuple[Snapshot | None, Snapshot | None]:
        """What visitors see before and after."""
        return self.live, self.wanted

    @property
    def deletes(self) -> bool:
        """Whether editors see nothing of the document either."""
        return self.numbers == (DELETED,)

    @property
    def changes_nothing(self) -> bool:
        """Whether it would hide a document that visitors do not see."""
        return self.numbers == (HIDDEN,) and self.live is None

    @property
    def differs(self) -> bool:
        """Whether visitors, or editors, would see anything else."""
        return self.deletes or bool(self.blocked) or bool(compare_snapshots(*self.states))

    @property
    def replaced(self) -> list[ScheduledAction]:
        """The scheduled actions for the same time that it replaces."""
        return [each.action for each in self.taken if each.action is not None]

    @property
    def move(self) -> Move:
        """The move of the live pointer."""
        return Move(self.page, self.wanted, self.revision)


async def plan_set(scope: Scope, change_set: ChangeSet, *, at: datetime | None = None) -> list[Planned]:
    """What a change set makes of its documents, now or at a time, by slug. Deleted ones are left out.

    What is scheduled for the same time and changes the same places goes live with it.
    """
    planned = await _plan_together(scope, [change_set], at)
    claims = await find_claims(scope, [each.page.id for each in planned]) if at is not None else []
    replaced = [
        claim.change_set
        for each in planned
        for claim in claims
        if claim.change_set is not None and claim.page == each.page.id and _replaces(each, claim, at)
    ]
    return await _plan_together(scope, [change_set, *replaced], at) if replaced else planned


async def _plan_together(scope: Scope, sets: Sequence[ChangeSet], at: datetime | None) -> list[Planned]:
    """What change sets make of their documents; the claims of all but the first one are taken over."""
    pages: dict[str, Page] = {}
    for each in sets:
        pages |= await find_pages_of(scope, each.id)
    claims = await find_claims(scope, [*pages])
    planned: list[Planned] = []
    for page in sorted(pages.values(), key=lambda each: (each.slug, each.id)):
        own = [each for each in claims if each.page == page.id and each.change_set in sets]
        others = [each for each in claims if each.page == page.id and each not in own]
        going = [each.numbers for each in own if each.is_hiding]  # what goes has no edits
        numbers = min(going) if going else sorted(number for each in own for number in each.numbers)
        if own:
            made = await plan_document(scope, page, (*numbers,), others, at)
            planned.append(replace(made, taken=tuple(each for each in own if each.change_set is not sets[0])))
    return planned


def _replaces(planned: Planned, claim: Claimed, at: datetime | None) -> bool:
    """Whether a plan changes what a publication that is scheduled for the same time changes, and so replaces it."""
    return at is not None and claim.at == at and not claim.is_hiding and overlaps(planned, claim)


def overlaps(planned: Planned, claim: Claimed) -> bool:
    """Whether a plan changes parts that a scheduled publication changes."""
    if claim.action is None or planned.wanted is None:
        return False
    approved = Approval.model_validate(claim.action.approved.get(claim.page, {}))
    return not approved.parts.keys().isdisjoint({*changed_parts(planned.live, planned.wanted), *planned.edited})


async def find_states(
    scope: Scope, pages: Sequence[Page], at: datetime, *, made: datetime | None = None
) -> dict[str, Snapshot | None]:
    """What visitors will see of documents at a time, by id; None for nothing.

    ``made`` leaves out what was scheduled after it.
    """
    claims = [
        each
        for each in await find_claims(scope, [page.id for page in pages])
        if each.action is not None and (made is None or each.action.created_at <= made)
    ]
    return {
        page.id: (await plan_document(scope, page, (), [each for each in claims if each.page == page.id], at)).live
        for page in pages
    }


async def plan_page(scope: Scope, page: Page, *, at: datetime | None = None) -> Planned:
    """What the publication of a page makes of it: all its edits that wait go live, but for those that are scheduled.

    Raises:
        ConflictError: there is nothing to publish.
    """
    claims = await find_claims(scope, [page.id])
    scheduled = [each for each in claims if each.action is not None]
    taken = [each for each in claims if each.action is None and not each.is_hiding]
    draft, numbers = await build_snapshot(scope, page), sorted(number for each in taken for number in each.numbers)
    if scheduled or at is not None:
        planned = await plan_document(scope, page, (*numbers,), scheduled, at)
        again = [each for each in scheduled if _is_about(each, page) and _replaces(planned, each, at)]
        if again:
            taken, rest = [*taken, *again], [each for each in scheduled if each not in again]
            numbers = sorted(number for each in taken for number in each.numbers)
            planned = await plan_document(scope, page, (*numbers,), rest, at)
        if not numbers and planned.live is None and planned.wanted is not None:  # it comes back as it was
            shown = [max(each.numbers) for each in scheduled if not each.is_hiding]
            planned = replace(planned, numbers=(max([await find_settled(scope, page) or 0, *shown]),))
    else:
        live = None if page.live is None else await load_snapshot(scope, page.id, page.live)
        planned = Planned(page, (*numbers,) or (page.revision,), live, draft, page.revision)
    if not planned.numbers or (not planned.blocked and not compare_snapshots(planned.live, planned.wanted)):
        raise ConflictError(_describe_nothing(page, scheduled))
    return replace(planned, taken=(*taken,))


def _is_about(claim: Claimed, page: Page) -> bool:
    """Whether a scheduled action is about this document alone."""
    return claim.action is not None and claim.action.object_id == page.id


def _describe_nothing(page: Page, scheduled: Sequence[Claimed]) -> str:
    if not scheduled:
        return f"Page '{page.title}' is live as its draft is: there is nothing to publish."
    listed = "; ".join(map(str, scheduled))
    return f"Page '{page.title}' has nothing to publish but what is scheduled: {listed}. {cancel_first(scheduled[0])}"


def cancel_first(claim: Claimed) -> str:
    """What a refusal says about a scheduled action that stands in the way."""
    action = "" if claim.action is None else claim.action.id
    return f"Cancel that first: cms_cancelScheduledAction, {action}."


async def plan_document(
    scope: Scope, page: Page, numbers: tuple[int, ...], others: Sequence[Claimed], at: datetime | None
) -> Planned:
    """What revisions make of a document, over what visitors see then by the claims of others.

    ``numbers`` may be one of `REMOVALS` alone.
    """
    settled = await find_settled(scope, page)
    base = await load_settled(scope, page)
    is_visible, in_base = page.live is not None, list[int]()
    for claim in others:
        if at is not None and claim.at is not None and claim.at <= at:
            is_visible = not claim.is_hiding
            if is_visible:
                base = (await lay_edits(scope, page.id, base, claim.numbers, in_base=in_base)).snapshot
                in_base += claim.numbers
    live = base if is_visible else None
    layered = await lay_edits(scope, page.id, base, numbers, in_base=in_base)
    if layered.missing:
        last = await load_snapshot(scope, page.id, max(numbers))
        return Planned(page, numbers, live, last, blocked=_describe_blocked(page, numbers, others, at))
    same = await _find_same(scope, page, layered.snapshot, {max(numbers, default=0), settled or 0})
    return Planned(page, numbers, live, layered.snapshot, same, edited=layered.edited)


def _describe_blocked(page: Page, numbers: Sequence[int], others: Sequence[Claimed], at: datetime | None) -> str:
    below = [each for each in others if not each.is_hiding and min(each.numbers) < max(numbers)]
    if not below:
        return f"Edits of page '{page.title}' are of what is no longer there. cms_discardChangeSet undoes them."
    later = [each for each in below if at is not None and each.at is not None and each.at > at]
    if later:
        return (
            f"Edits of page '{page.title}' keep words of what is scheduled for later: {later[0]}. Write what visitors "
            "are to read until then, without those words; what is scheduled stays."
        )
    if below[0].action is not None:
        return (
            f"Edits of page '{page.title}' build on others, which are scheduled: {below[0]}. {cancel_first(below[0])}"
        )
    return (
        f"Page '{page.title}' has edits that build on {below[0]}. cms_addToChangeSet adds them to this change set, so "
        "that the approver sees them."
    )


async def _find_same(scope: Scope, page: Page, state: Snapshot | None, numbers: set[int]) -> int | None:
    for number in sorted(numbers - {HIDDEN}, reverse=True) if state is not None else ():
        if not compare_snapshots(await load_snapshot(scope, page.id, number), state):
            return number
    return None
