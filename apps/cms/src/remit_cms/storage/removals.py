"""Removals: documents that are to go with a change set, which visitors and editors see until it is published."""

from __future__ import annotations

from sqlalchemy import delete, select

from remit_cms.storage.claims import REMOVALS, add_claims, find_removal
from remit_cms.storage.revisions import draft_status
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, Claim, Page
from remit_cms.storage.transactions import Edit


async def claim_removal(edit: Edit, change_set: ChangeSet, page: Page, number: int | None) -> bool:
    """Let a change set want one of `REMOVALS` of a document, or with None that it stays. Return whether that is new."""
    found = await find_removal(edit, page.id, change_set)
    if number == (None if found is None else found[0]):
        return False
    former = (Claim.change_set == change_set.id, Claim.page == page.id, Claim.number.in_(REMOVALS))
    await edit.session.execute(delete(Claim).where(*former))
    await add_claims(edit, change_set, page.id, [] if number is None else [number])
    page.status = await draft_status(edit, page)
    edit.add_change(page.kind, page.id, page.revision, "status", name=page.title)
    edit.add_change("change-set", change_set.id, 1, name=change_set.name)
    await edit.session.flush()
    return True


async def withdraw_removals(edit: Edit, change_set: ChangeSet) -> list[Page]:
    """Let all stay that was to go with a change set. Returns those documents."""
    pages = await _find_leaving(edit, change_set)
    for page in pages:
        await claim_removal(edit, change_set, page, None)
    return pages


async def refresh_statuses(edit: Edit, change_set: ChangeSet) -> None:
    """Say of the documents that a change set was to remove whether they stay, once its state is another one."""
    await edit.session.flush()
    for page in await _find_leaving(edit, change_set):
        page.status = await draft_status(edit, page)


async def _find_leaving(scope: Scope, change_set: ChangeSet) -> list[Page]:
    """The documents that are to go with a change set, by slug."""
    leaving = select(Claim.page).where(Claim.change_set == change_set.id, Claim.number.in_(REMOVALS))
    query = select(Page).where(scope.target.row_filter(Page), Page.id.in_(leaving))
    return [*await scope.session.scalars(query.order_by(Page.slug, Page.id))]
