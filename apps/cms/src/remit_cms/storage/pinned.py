"""What links to previews name: a revision of a page, or a change set as it was when the link was made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from sqlalchemy import func, select

from remit.errors import ConflictError
from remit_cms.storage.change_sets import find_pages_of
from remit_cms.storage.claims import IS_CLAIMED, PENDING
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.layers import lay_over, load_settled
from remit_cms.storage.pins import PagePin, SetPin
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, load_snapshot
from remit_cms.storage.tables import ChangeSet, Claim, Page, Revision


async def pin_page(scope: Scope, name: str, revision: int | None) -> tuple[PagePin, Snapshot]:
    """A revision of a page or another document, the newest if None.

    Raises:
        NotFoundError: there is no such document or revision.
    """
    page = await scope.find_document(name)
    number = revision or page.revision
    return PagePin(page.id, number), await load_snapshot(scope, page.id, number)


async def pin_change_set(scope: Scope, change_set: ChangeSet) -> tuple[SetPin, list[str]]:
    """A change set as it is, with the titles of its pages.

    Raises:
        ConflictError: it has no unpublished edits.
    """
    edited = await find_pages_of(scope, change_set.id) if change_set.state in PENDING else {}
    titles = [page.title for page in edited.values()]
    if not titles:
        raise ConflictError(f"The change set '{change_set.name}' has no unpublished edits to show.")
    query = select(func.max(Revision.created_at)).join(Claim, IS_CLAIMED)
    time = (await scope.session.execute(query.where(Claim.change_set == change_set.id))).scalar_one_or_none()
    if time is None:
        raise ConflictError(f"The change set '{change_set.name}' shows no page: it only hides some.")
    numbers = await _load_numbers(scope, change_set.id, time)
    return SetPin(change_set.id, time.isoformat(), _digest(numbers)), titles


async def load_pinned(scope: Scope, pin: PagePin | SetPin) -> list[Snapshot]:
    """The documents of a pin that are not deleted, none if a revision of it is gone.

    Those of a change set that was published since are shown as visitors see them.
    """
    if isinstance(pin, PagePin):
        return await _load_revision(scope, pin)
    numbers = await _load_numbers(scope, pin.change_set, datetime.fromisoformat(pin.time))
    if _digest(numbers) != pin.digest:
        return []
    change_set = await scope.session.get(ChangeSet, pin.change_set)
    is_pending = change_set is not None and change_set.state in PENDING
    pages = await scope.session.scalars(select(Page).where(scope.target.id_filter(Page, Page.id, numbers)))
    found = [await _lay(scope, page, numbers[page.id], is_pending=is_pending) for page in pages]
    return sorted((each for each in found if each is not None), key=lambda each: (each.slug, each.id))


async def are_live(scope: Scope, pinned: Sequence[Snapshot]) -> bool:
    """Whether visitors see these documents as they were pinned."""
    query = select(Page).where(scope.target.id_filter(Page, Page.id, {each.id for each in pinned}))
    numbers = {page.id: page.live for page in await scope.session.scalars(query)}
    for each in pinned:
        live = numbers.get(each.id)
        if live is None or compare_snapshots(await load_snapshot(scope, each.id, live), each):
            return False
    return True


async def _load_revision(scope: Scope, pin: PagePin) -> list[Snapshot]:
    query = (
        select(Revision.snapshot)
        .join(Page, Page.id == Revision.page)
        .where(scope.target.row_filter(Revision), Revision.page == pin.page, Revision.number == pin.number)
    )
    return [Snapshot.model_validate(each) for each in await scope.session.scalars(query)]


async def _lay(scope: Scope, page: Page, numbers: list[int], *, is_pending: bool) -> Snapshot | None:
    """A page with the edits of a set, or as visitors see it if these have been published or undone since."""
    base = await load_settled(scope, page)
    return base if base is not None and not is_pending else await lay_over(scope, page, base, numbers)


async def _load_numbers(scope: Scope, set_id: str, time: datetime) -> dict[str, list[int]]:
    """The revisions of each page that a change set had at a time."""
    query = (
        select(Revision.page, Revision.number)
        .join(Claim, IS_CLAIMED)
        .where(scope.target.row_filter(Revision), Claim.change_set == set_id, Revision.created_at <= time)
        .order_by(Revision.page, Revision.number)
    )
    found: dict[str, list[int]] = {}
    for page, number in (await scope.session.execute(query)).all():
        found.setdefault(page, []).append(number)
    return found


def _digest(numbers: Mapping[str, list[int]]) -> str:
    return sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:32]
