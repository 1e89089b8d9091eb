"""What links to previews name: a revision of a page, or a change set as it was when the link was made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256

from sqlalchemy import func, select, tuple_

from remit.errors import ConflictError
from remit_cms.site.links import PagePin, SetPin
from remit_cms.storage.change_sets import unpublished_pages
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, load_snapshot
from remit_cms.storage.tables import ChangeSet, ChangeSetRevision, Page, Revision


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
    edited = await unpublished_pages(scope, change_set) if change_set.state == "open" else []
    titles = [each.page.title for each in edited]
    if not titles:
        raise ConflictError(f"The change set '{change_set.name}' has no unpublished edits to show.")
    query = select(func.max(Revision.created_at)).join(ChangeSetRevision, _IS_MEMBER)
    time = (await scope.session.execute(query.where(ChangeSetRevision.change_set == change_set.id))).scalar_one()
    revisions = await _load_revisions(scope, change_set.id, time)
    return SetPin(change_set.id, time.isoformat(), _digest(revisions)), titles


async def load_pinned(scope: Scope, pin: PagePin | SetPin) -> list[Snapshot]:
    """The documents of a pin that are not deleted, none if a revision of it is gone.

    Those of a change set that were published since are shown in their live revision.
    """
    if isinstance(pin, PagePin):
        numbers = {pin.page: pin.number}
    else:
        numbers = await _load_revisions(scope, pin.change_set, datetime.fromisoformat(pin.time))
        if _digest(numbers) != pin.digest:
            return []
    query = select(Page.id, Page.live).where(scope.target.id_filter(Page, Page.id, numbers))
    live = {page: number or 0 for page, number in (await scope.session.execute(query)).all()}
    numbers = {page: number for page, number in numbers.items() if page in live}
    if isinstance(pin, SetPin):
        numbers = {page: max(number, live[page]) for page, number in numbers.items()}
    if not numbers:
        return []
    wanted = tuple_(Revision.page, Revision.number).in_([*numbers.items()])
    found = await scope.session.scalars(select(Revision.snapshot).where(scope.target.row_filter(Revision), wanted))
    return sorted(map(Snapshot.model_validate, found), key=lambda each: (each.slug, each.id))


_IS_MEMBER = (ChangeSetRevision.page == Revision.page) & (ChangeSetRevision.number == Revision.number)


async def _load_revisions(scope: Scope, set_id: str, time: datetime) -> dict[str, int]:
    """The newest revision of each page that a change set had at a time."""
    query = (
        select(Revision.page, func.max(Revision.number))
        .join(ChangeSetRevision, _IS_MEMBER)
        .where(scope.target.row_filter(Revision), ChangeSetRevision.change_set == set_id, Revision.created_at <= time)
        .group_by(Revision.page)
    )
    return {page: number for page, number in (await scope.session.execute(query)).all()}  # noqa: C416 - rows are no pairs


def _digest(revisions: Mapping[str, int]) -> str:
    return sha256(json.dumps(revisions, sort_keys=True).encode()).hexdigest()[:32]
