"""Scheduled actions as they are stored: what was approved, and how it is carried out at its time."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import BaseModel
from sqlalchemy import func, select

from remit import LeafContext
from remit.errors import ConflictError, NotFoundError
from remit.tools import Candidate
from remit_cms.publishing.change_sets import close_set, find_publishable
from remit_cms.storage.change_sets import find_set
from remit_cms.storage.database import Database
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.documents import describe_document
from remit_cms.storage.links import find_links
from remit_cms.storage.live import Move, move_live
from remit_cms.storage.missing import SCHEDULED, not_found
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import load_snapshot
from remit_cms.storage.tables import Kind, Page, Publication, Revision, ScheduledAction
from remit_cms.storage.transactions import Edit, open_view

PUBLISH: Final = "publish"
UNPUBLISH: Final = "unpublish"
CHANGE_SET: Final = "change-set"
_MAX_LISTED: Final = 500
_MAX_PLACES: Final = 10


class Pin(BaseModel):
    """A document in the state that was approved: its draft's revision, the live one, and what links to it.

    ``moves`` is the number of its last publication and ``last`` that of its last revision at that time, which tell what
    was undone since.
    """

    page: str
    revision: int
    live: int | None
    links: list[str]
    moves: int
    last: int


async def pin_page(scope: Scope, page: Page, revision: int) -> Pin:
    """The state of a document."""
    links = sorted({link.source.id for link in await find_links(scope, page.id)})
    moves = await scope.session.scalar(select(func.max(Publication.number)).where(Publication.page == page.id))
    return Pin(page=page.id, revision=revision, live=page.live, links=links, moves=moves or 0, last=page.revision)


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


async def will_be_live(scope: Scope, page: Page, at: datetime) -> bool:
    """Whether visitors see a document, or will by a time because its publication is scheduled."""
    if page.live is not None:
        return True
    rows = await scope.session.scalars(
        select(ScheduledAction.id).where(
            scope.target.row_filter(ScheduledAction),
            ScheduledAction.action == PUBLISH,
            ScheduledAction.object_id == page.id,
            ScheduledAction.state == "scheduled",
            ScheduledAction.at < at,
        )
    )
    return rows.first() is not None


async def carry_out(edit: Edit, row: ScheduledAction) -> str:
    """Do what was approved, and return a sentence about it.

    Raises:
        ConflictError, NotFoundError: it would not be what was approved.
    """
    pins = [Pin.model_validate(each) for each in row.pins]
    if row.kind == CHANGE_SET:
        return await _publish_set(edit, row, pins)
    (pin,) = pins
    page = await edit.session.get(Page, pin.page)
    if page is None:
        raise NotFoundError(f"'{row.title}' has been deleted since this was approved.")
    if row.action == UNPUBLISH:
        return await _unpublish(edit, page, pin)
    if page.live == pin.revision:
        return f"'{page.title}' was live already as it was approved"
    if page.live != pin.live:
        raise ConflictError(
            f"Visitors see another revision of '{page.title}' than when this was approved: "
            f"{await _describe_difference(edit, page.id, pin.live, page.live)}. "
            "That difference is not approved; cms_schedulePage asks for its approval."
        )
    await _check_was_not_hidden(edit, page, pin)
    await move_live(edit, [Move(page, pin.revision)])
    return f"Published {describe_document(page, page.live_path)} as it was approved"


async def _check_was_not_hidden(scope: Scope, page: Page, pin: Pin) -> None:
    """Refuse to publish a page that visitors see as when it was approved, if that was not so all the time.

    What other scheduled actions did since was approved too.

    Raises:
        ConflictError: a person has published or hidden the page since, or deleted and restored it.
    """
    calls = select(ScheduledAction.call).where(scope.target.row_filter(ScheduledAction))
    moved = (Publication.page == page.id, Publication.number > pin.moves, Publication.run.not_in(calls))
    restored = (Revision.page == page.id, Revision.number > pin.last, Revision.action == "restore_page")
    for what, query in (
        ("changed what visitors see of", select(Publication.author).where(*moved).order_by(Publication.number.desc())),
        ("restored", select(Revision.author).where(*restored).order_by(Revision.number.desc())),
    ):
        author = await scope.session.scalar(query.limit(1))
        if author is not None:
            raise ConflictError(f"{author} has {what} '{page.title}' since this was approved. Schedule it again.")


async def _unpublish(edit: Edit, page: Page, pin: Pin) -> str:
    if page.live is None:
        return f"'{page.title}' was hidden from visitors already"
    links = [link for link in await find_links(edit, page.id) if link.source.id not in pin.links]
    if links:
        raise ConflictError(
            f"'{links[0].title}' links to '{page.title}' since this was approved, and would lead nowhere."
        )
    await move_live(edit, [Move(page, None)])
    if page.kind == Kind.ENTRY:
        page.status = "archived"
        await edit.session.flush()
    return f"'{page.title}' is hidden from visitors"


async def _publish_set(edit: Edit, row: ScheduledAction, pins: list[Pin]) -> str:
    change_set = await find_set(edit, row.object_id)
    pages = await find_publishable(edit, change_set)
    approved, found = {pin.page: pin for pin in pins}, {each.page.id: each for each in pages}
    for page_id in {**approved, **found}:
        pin, each = approved.get(page_id), found.get(page_id)
        if pin is None or each is None:
            title = f"'{each.page.title}'" if each else f"a page ({page_id})"
            raise ConflictError(
                f"The change set '{row.title}' {'has' if each else 'no longer has'} edits of {title} since it was "
                "approved. That difference is not approved; cms_scheduleChangeSet asks for its approval."
            )
        if (pin.revision, pin.live) != (each.last, each.page.live):
            ends = (pin.revision, each.last) if pin.revision != each.last else (pin.live, each.page.live)
            raise ConflictError(
                f"'{each.page.title}' has changed since the change set '{row.title}' was approved: "
                f"{await _describe_difference(edit, page_id, *ends)}. cms_scheduleChangeSet asks for its approval."
            )
        await _check_was_not_hidden(edit, each.page, pin)
    await move_live(edit, [Move(each.page, each.last) for each in pages], change_set=change_set.id)
    close_set(edit, change_set, "published")
    return f"Published the change set '{change_set.name}' as it was approved"


async def _describe_difference(scope: Scope, page: str, before: int | None, after: int | None) -> str:
    ends = [None if number is None else await load_snapshot(scope, page, number) for number in (before, after)]
    places = [each.where for each in compare_snapshots(*ends)]
    rest = f" and {len(places) - _MAX_PLACES} more" if len(places) > _MAX_PLACES else ""
    return f"{', '.join(places[:_MAX_PLACES])}{rest}" or "nothing that visitors see"


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
