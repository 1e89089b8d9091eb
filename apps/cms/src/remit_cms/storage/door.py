"""The one door through which documents go live, are hidden or deleted: it asks the claims of others first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sqlalchemy import delete

from remit.errors import ConflictError
from remit.tools import Caller
from remit_cms.models import pluralize
from remit_cms.storage.approved import Approval, changed_parts
from remit_cms.storage.change_sets import find_free_name, find_pages_of, open_set
from remit_cms.storage.claims import (
    DELETED,
    HIDDEN,
    Claimed,
    add_claims,
    find_claims,
    find_settled,
    take_over,
)
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.images import find_uses_after
from remit_cms.storage.layers import lay_edits, load_settled
from remit_cms.storage.live import Move, check_moves, move_live
from remit_cms.storage.parents import addresses_of, find_loose_addresses
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshot, load_snapshot
from remit_cms.storage.tables import ChangeSet, Claim, Kind, Page
from remit_cms.storage.transactions import Edit
from remit_cms.storage.trash import move_to_trash

_MAX_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Planned:
    """The planned change of a document for visitors: the states before and after; None means that they see nothing.

    ``numbers`` are the revisions with the edits, or one of `REMOVALS`, and ``edited`` their parts, also those that
    change nothing for visitors. ``revision`` is one that says the same as ``wanted``, if there is one. ``taken`` are
    the claims of others whose edits go live too. ``blocked`` says what the edits build on that would not.
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
    def move(self) -> Move:
        """The move of the live pointer."""
        return Move(self.page, self.wanted, self.revision)


async def plan_set(scope: Scope, change_set: ChangeSet, *, at: datetime | None = None) -> list[Planned]:
    """What a change set makes of its documents, now or at a time, by slug. Deleted ones are left out."""
    pages = await find_pages_of(scope, change_set.id)
    claims = await find_claims(scope, [*pages])
    own: dict[str, Claimed] = {}
    for each in claims:
        if each.change_set is change_set and (each.is_hiding or each.page not in own):  # what goes has no edits
            own[each.page] = each
    others = {
        page: [each for each in claims if each.page == page and each.change_set is not change_set] for page in pages
    }
    return [await _plan(scope, pages[page], own[page].numbers, others[page], at) for page in pages if page in own]


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
        page.id: (await _plan(scope, page, (), [each for each in claims if each.page == page.id], at)).live
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
        planned = await _plan(scope, page, (*numbers,), scheduled, at)
        if not numbers and planned.live is None and planned.wanted is not None:  # it comes back as it was
            shown = [max(each.numbers) for each in scheduled if not each.is_hiding]
            planned = replace(planned, numbers=(max([await find_settled(scope, page) or 0, *shown]),))
    else:
        live = None if page.live is None else await load_snapshot(scope, page.id, page.live)
        planned = Planned(page, (*numbers,) or (page.revision,), live, draft, page.revision)
    if not planned.numbers or (not planned.blocked and not compare_snapshots(planned.live, planned.wanted)):
        raise ConflictError(_describe_nothing(page, scheduled))
    return replace(planned, taken=(*taken,))


def _describe_nothing(page: Page, scheduled: Sequence[Claimed]) -> str:
    if not scheduled:
        return f"Page '{page.title}' is live as its draft is: there is nothing to publish."
    listed = "; ".join(map(str, scheduled))
    return f"Page '{page.title}' has nothing to publish but what is scheduled: {listed}. {_cancel_first(scheduled[0])}"


async def plan_hiding(scope: Scope, page: Page, *, at: datetime | None = None, deletes: bool = False) -> Planned:
    """Plan to hide a document from visitors, now or at a time; with ``deletes``, from editors too.

    Raises:
        ConflictError: it is the home page, or a later change of it is scheduled.
    """
    claims = [each for each in await find_claims(scope, [page.id]) if each.action is not None]
    planned = await _plan(scope, page, (DELETED if deletes else HIDDEN,), claims, at)
    await check_plan(scope, [planned], at=at)
    return planned


async def check_plan(
    scope: Scope, planned: Sequence[Planned], own: ChangeSet | None = None, *, at: datetime | None = None
) -> None:
    """Refuse what would show edits of others, or take from them what is scheduled.

    Raises:
        ConflictError: names the edits or the scheduled action, or an address is taken.
    """
    for each in planned:
        if each.blocked:
            raise ConflictError(each.blocked)
    claims = await find_claims(scope, [each.page.id for each in planned])
    for each in planned:
        for claim in claims:
            if claim.page == each.page.id and (own is None or claim.change_set is not own):
                _check_later_claim(each, claim, at)
    await check_moves(scope, [each.move for each in planned])
    await check_parents(scope, planned, own, at=at)
    await check_unused(scope, planned)


async def check_parents(
    scope: Scope, planned: Sequence[Planned], own: ChangeSet | None = None, *, at: datetime | None = None
) -> None:
    """Refuse an address below one that visitors will not have: it would show the unpublished address of a draft.

    What is undone comes back where it was.

    Raises:
        ConflictError: names the page that would have to go live first.
    """
    for page, locale, path, parent in await find_loose_addresses(
        scope, [each.move for each in planned if each.numbers]
    ):
        if parent is None:
            reason = "no page stands above it. cms_movePage puts it below another page, or at the top"
        else:
            due = None if at is None else (await find_states(scope, [parent], at))[parent.id]
            if due is not None and (locale, path.rpartition("/")[0]) in addresses_of(scope, due):
                continue
            claims = await find_claims(scope, [parent.id])
            if parent.live is None and all(own is not None and each.change_set is own for each in claims):
                continue
            builds = f", which builds on {claims[0]}" if claims else ""
            reason = f"for visitors, '{parent.title}' is not above it{builds}. Publish that first, or both in one set"
        raise ConflictError(f"'{page.title}' cannot go live at {scope.format_address(locale, path)}: {reason}.")


async def check_unused(scope: Scope, planned: Sequence[Planned]) -> None:
    """Refuse to delete an image that something shows once all that is planned is done.

    Raises:
        ConflictError: names the places.
    """
    after = {each.page.id: each.wanted for each in planned}
    for each in planned:
        if not (each.deletes and each.page.kind == Kind.IMAGE):
            continue
        uses = await find_uses_after(scope, each.page.id, after)
        if uses:
            rest = len(uses) - _MAX_NAMED
            named = ", ".join(map(str, uses[:_MAX_NAMED])) + (
                f", and {pluralize(rest, 'place')} more" if rest > 0 else ""
            )
            raise ConflictError(
                f"The image '{each.page.title}' is shown in {named}. It can be deleted once nothing shows it: no "
                "draft, live page, open change set or scheduled action. cms_replaceImage puts another in its place."
            )


def _check_later_claim(planned: Planned, claim: Claimed, at: datetime | None) -> None:
    """Refuse to change what a publication that is scheduled for later changes: its approver saw it otherwise."""
    if claim.action is None or (at is not None and claim.action.at < at and not claim.is_deletion):
        return
    is_expiry = claim.is_hiding and claim.action.action == "unpublish"
    if planned.wanted is None or (claim.is_deletion and at is not None and claim.action.at < at):
        if at is not None or not is_expiry:  # what is hidden now may be hidden again later, which changes nothing
            raise ConflictError(f"{claim}. {_cancel_first(claim)}")
        return
    if claim.is_hiding:
        return
    approved = Approval.model_validate(claim.action.approved.get(claim.page, {}))
    if approved.parts.keys() & (changed_parts(planned.live, planned.wanted).keys() | planned.edited):
        raise ConflictError(f"{claim}, with other texts in the same places. {_cancel_first(claim)}")


def _cancel_first(claim: Claimed) -> str:
    action = "" if claim.action is None else claim.action.id
    return f"Cancel that first: cms_cancelScheduledAction, {action}."


async def describe_claims(
    scope: Scope, planned: Sequence[Planned], caller: Caller, own: ChangeSet | None = None
) -> str:
    """Whose edits go live, stay drafts or are scheduled besides, for an approver; empty if there are none of others.

    Those that the caller made in this conversation, or without one, are not named.
    """
    taken = {(each.page.id, claim) for each in planned for claim in each.taken}
    deleted = {each.page.id for each in planned if each.deletes}
    claims = await find_claims(scope, [each.page.id for each in planned])
    named: list[str] = []
    for claim in claims:
        if (own is not None and claim.change_set is own) or _is_of_caller(claim, caller):
            continue
        if claim.action is not None or claim.is_hiding:
            named.append(claim.in_words)
        elif (claim.page, claim) in taken or claim.page in deleted:
            named.append(f"with {claim.in_words}")
        else:
            named.append(f"{claim.in_words} stay drafts")
    return "".join(f"; {each}" for each in dict.fromkeys(named))


def _is_of_caller(claim: Claimed, caller: Caller) -> bool:
    conversation = None if claim.change_set is None else claim.change_set.conversation
    is_here = conversation in (None, caller.conversation) and not claim.is_hiding
    return claim.action is None and is_here and claim.authors == (caller.principal.name,)


async def make_set(edit: Edit, name: str, planned: Iterable[Planned], *, state: str = "published") -> ChangeSet:
    """A change set of its own for what is done or scheduled at once. It takes over the edits that it publishes."""
    change_set = await open_set(edit, await find_free_name(edit, name[:190]), edit.conversation or None, state)
    for each in planned:
        await take_over(edit, change_set, each.taken)
        await add_claims(edit, change_set, each.page.id, each.numbers)
    return change_set


async def go_live(edit: Edit, change_set: ChangeSet, planned: Collection[Planned]) -> None:
    """Do what was planned, all at once, and close the change set."""
    await keep_planned(edit, change_set, planned)
    moves = [each.move for each in planned if each.wanted is not None or each.page.live is not None]
    if moves:
        await move_live(edit, moves, change_set=change_set.id)
    close_set(edit, change_set, "published")
    for each in planned:
        if each.deletes:
            await _end_hidings(edit, change_set, each.page)
            await move_to_trash(edit, each.page, "delete_page", change_set)
        elif each.wanted is None and each.page.kind == Kind.ENTRY:
            each.page.status = "archived"
    await edit.session.flush()


async def _end_hidings(edit: Edit, own: ChangeSet, page: Page) -> None:
    """Cancel what was to hide a page at a time, since it is deleted."""
    for claim in await find_claims(edit, [page.id]):
        if claim.action is not None and claim.change_set not in (None, own):
            claim.action.state, claim.action.reason = "cancelled", f"'{page.title}' was deleted by {edit.author}"
            edit.add_change("scheduled-action", claim.action.id, 1, "state", name=claim.action.title)
            close_set(edit, claim.change_set, "discarded")


async def delete_page(edit: Edit, page: Page) -> str:
    """Take a page from visitors and editors as a change set of its own, which can be undone. Returns its id.

    What was to hide it at a time is cancelled.

    Raises:
        ConflictError: it is the home page, or its publication is scheduled.
    """
    return (await publish_at_once(edit, "Deletion of", await plan_hiding(edit, page, deletes=True))).id


async def keep_planned(edit: Edit, change_set: ChangeSet, planned: Collection[Planned]) -> None:
    """Let a change set want what was planned alone. Edits of what goes, which may come back, are in none."""
    in_set, pages = Claim.change_set == change_set.id, [each.page.id for each in planned]
    await edit.session.execute(delete(Claim).where(in_set, Claim.page.not_in(pages)))
    gone = [each.page.id for each in planned if each.wanted is None]
    await edit.session.execute(delete(Claim).where(in_set, Claim.page.in_(gone), Claim.number > HIDDEN))


def close_set(edit: Edit, change_set: ChangeSet, state: str) -> None:
    """Say what became of a change set. One that is made for what is done at once is new: no field of it changes."""
    fields = () if change_set.state == state else ("state",)
    change_set.state = state
    edit.add_change("change-set", change_set.id, 1, *fields, name=change_set.name)


async def publish_at_once(edit: Edit, what: str, planned: Planned) -> ChangeSet:
    """Publish or hide one document as a change set of its own, so that it can be undone."""
    change_set = await make_set(edit, f"{what} {planned.page.title}", [planned])
    await go_live(edit, change_set, [planned])
    return change_set


async def _plan(
    scope: Scope, page: Page, numbers: tuple[int, ...], others: Sequence[Claimed], at: datetime | None
) -> Planned:
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
        return Planned(page, numbers, live, last, blocked=_describe_blocked(page, numbers, others))
    same = await _find_same(scope, page, layered.snapshot, {max(numbers, default=0), settled or 0})
    return Planned(page, numbers, live, layered.snapshot, same, edited=layered.edited)


def _describe_blocked(page: Page, numbers: Sequence[int], others: Sequence[Claimed]) -> str:
    below = [each for each in others if not each.is_hiding and min(each.numbers) < max(numbers)]
    if not below:
        return f"Edits of page '{page.title}' are of what is no longer there. cms_discardChangeSet undoes them."
    if below[0].action is not None:
        return (
            f"Edits of page '{page.title}' build on others, which are scheduled: {below[0]}. {_cancel_first(below[0])}"
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
