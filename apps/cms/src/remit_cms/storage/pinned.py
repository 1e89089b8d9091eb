"""What links to previews name: a revision of a page, or a change set as it was when the link was made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256

from sqlalchemy import func, select

from remit.errors import ConflictError
from remit_cms.storage.change_sets import find_pages_of
from remit_cms.storage.claims import IS_CLAIMED, PENDING, REMOVALS
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.layers import lay_over, load_settled
from remit_cms.storage.pins import PagePin, SetPin
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, States, load_snapshot
from remit_cms.storage.tables import ChangeSet, Claim, Page, Revision


async def pin_page(scope: Scope, name: str, revision: int | None) -> tuple[PagePin, Snapshot]:
    """A revision of a page or another document, the newest if None.

    Raises:
        NotFoundError: there is no such document or revision.
    """
    page = await scope.find_document(name)
    number = revision or page.revision
    return PagePin(page.id, number), await load_snapshot(scope, page.id, number)


async def pin_change_set(scope: Scope, change_set: ChangeSet) -> SetPin:
    """A change set as it is.

    Raises:
        ConflictError: it has no unpublished edits.
    """
    if change_set.state not in PENDING or not await find_pages_of(scope, change_set.id):
        raise ConflictError(f"The change set '{change_set.name}' has no unpublished edits to show.")
    query = select(func.max(Revision.created_at)).join(Claim, IS_CLAIMED).where(Claim.change_set == change_set.id)
    time = await scope.session.scalar(query) or change_set.created_at
    numbers = await _load_numbers(scope, change_set.id, time)
    return SetPin(change_set.id, time.isoformat(), _digest(numbers))


async def load_pinned(scope: Scope, pin: PagePin | SetPin) -> States:
    """The documents of a pin, none if a revision of it is gone.

    Those of a change set that was published since are shown as visitors see them.
    """
    if isinstance(pin, PagePin):
        return await _load_revision(scope, pin)
    numbers = await _load_numbers(scope, pin.change_set, datetime.fromisoformat(pin.time))
    if _digest(numbers) != pin.digest:
        return {}
    change_set = await scope.session.get(ChangeSet, pin.change_set)
    is_pending = change_set is not None and change_set.state in PENDING
    rows = await scope.session.scalars(select(Page).where(scope.target.id_filter(Page, Page.id, numbers)))
    pages = {page.id: page for page in rows}
    gone: States = {page: None for page, own in numbers.items() if page not in pages and own[0] in REMOVALS}
    return gone | {each.id: await _lay(scope, each, numbers[each.id], is_pending=is_pending) for each in pages.values()}


async def are_live(scope: Scope, pinned: States) -> bool:
    """Whether visitors see these documents as they were pinned."""
    query = select(Page).where(scope.target.id_filter(Page, Page.id, pinned))
    numbers = {page.id: page.live for page in await scope.session.scalars(query)}
    for page, state in pinned.items():
        number = numbers.get(page)
        if compare_snapshots(None if number is None else await load_snapshot(scope, page, number), state):
            return False
    return True


async def _load_revision(scope: Scope, pin: PagePin) -> States:
    query = (
        select(Revision.snapshot)
        .join(Page, Page.id == Revision.page)
        .where(scope.target.row_filter(Revision), Revision.page == pin.page, Revision.number == pin.number)
    )
    found = await scope.session.scalar(query)
    return {} if found is None else {pin.page: Snapshot.model_validate(found)}


async def _lay(scope: Scope, page: Page, numbers: list[int], *, is_pending: bool) -> Snapshot | None:
    """A page with the edits of a set, or as visitors see it if these have been published or undone since."""
    if numbers[0] in REMOVALS:
        return None if is_pending or page.live is None else await load_snapshot(scope, page.id, page.live)
    base = await load_settled(scope, page)
    return base if base is not None and not is_pending else await lay_over(scope, page, base, numbers)


async def _load_numbers(scope: Scope, set_id: str, time: datetime) -> dict[str, list[int]]:
    """The revisions of each page that a change set had at a time, or one of `REMOVALS` for those that go with it."""
    query = (
        select(Revision.page, Revision.number)
        .join(Claim, IS_CLAIMED)
        .where(scope.target.row_filter(Revision), Claim.change_set == set_id, Revision.created_at <= time)
        .order_by(Revision.page, Revision.number)
    )
    found: dict[str, list[int]] = {}
    for page, number in (await scope.session.execute(query)).all():
        found.setdefault(page, []).append(number)
    leaving = (
        select(Claim.page, func.min(Claim.number))
        .join(ChangeSet, ChangeSet.id == Claim.change_set)
        .where(scope.target.row_filter(ChangeSet), Claim.change_set == set_id, Claim.number.in_(REMOVALS))
        .group_by(Claim.page)
    )
    return found | {row[0]: [row[1]] for row in await scope.session.execute(leaving)}  # what goes has no edits


def _digest(numbers: Mapping[str, list[int]]) -> str:
    return sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:32]
