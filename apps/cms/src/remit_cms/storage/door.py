"""The one door through which documents go live, are hidden or deleted: it asks the claims of others first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import delete

from remit.errors import ConflictError
from remit.tools import Caller
from remit_cms.models import pluralize
from remit_cms.storage.change_sets import find_free_name, open_set
from remit_cms.storage.claims import DELETED, HIDDEN, Claimed, add_claims, find_claims, take_over
from remit_cms.storage.images import find_uses_after
from remit_cms.storage.live import check_moves, move_live
from remit_cms.storage.parents import addresses_of, find_loose_addresses
from remit_cms.storage.planning import Planned, cancel_first, find_states, overlaps, plan_document
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, Claim, Kind, Page
from remit_cms.storage.transactions import Edit
from remit_cms.storage.trash import move_to_trash

_MAX_NAMED: Final = 5


async def plan_hiding(scope: Scope, page: Page, *, at: datetime | None = None, deletes: bool = False) -> Planned:
    """Plan to hide a document from visitors, now or at a time; with ``deletes``, from editors too.

    Raises:
        ConflictError: it is the home page, or a later change of it is scheduled.
    """
    claims = [each for each in await find_claims(scope, [page.id]) if each.action is not None]
    planned = await plan_document(scope, page, (DELETED if deletes else HIDDEN,), claims, at)
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
            is_own = claim in each.taken or (own is not None and claim.change_set is own)
            if claim.page == each.page.id and not is_own:
                _check_later_claim(each, claim, at)
    await check_moves(scope, [each.move for each in planned])
    await _check_parents(scope, planned, own, at=at)
    await check_unused(scope, planned)


async def _check_parents(
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
            raise ConflictError(f"{claim}. {cancel_first(claim)}")
        return
    if claim.is_hiding or (planned.replaced and at is not None and claim.action.at > at):  # that follows, and is shown
        return
    if overlaps(planned, claim):
        raise ConflictError(f"{claim}, with other texts in the same places. {cancel_first(claim)}")


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
        if claim.action is not None and (claim.page, claim) in taken:
            named.append(f"in place of what is scheduled: {claim.in_words}")
        elif claim.action is not None or claim.is_hiding:
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
