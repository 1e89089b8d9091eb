"""What a question asks about, and the site at a time to come, as people see them: pages before and after."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select

from remit.object_views import ObjectDetail, ObjectPage, Viewer
from remit.tools import Change
from remit_cms.publishing.changes import compare_states, show_changes
from remit_cms.storage.database import Database
from remit_cms.storage.differences import Difference
from remit_cms.storage.outlook import Outlook, load_outlook
from remit_cms.storage.pins import DatePin, PagePin, Pin, PlanPin, find_pin
from remit_cms.storage.planning import find_states
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, States, load_snapshot
from remit_cms.storage.tables import Page
from remit_cms.storage.transactions import open_view
from remit_cms.storage.zones import describe_time, find_zone
from remit_cms.viewing.documents import READ
from remit_cms.viewing.sites import PreviewSites

MAX_PAGES: Final = 50
_MOMENT: Final = timedelta(seconds=1)


class PreviewViews:
    """Shows what pins show.

    Args:
        database: the database with the pages.
        sites: what serves the previews.
    """

    def __init__(self, database: Database, sites: PreviewSites) -> None:
        self._database, self._sites = database, sites

    async def open(self, viewer: Viewer, name: str) -> ObjectDetail | None:
        """What a question asks about, by the name of its pin."""
        pin = find_pin(name)
        if not isinstance(pin, PlanPin) or not viewer.principal.may(READ):
            return None
        async with open_view(self._database, viewer) as scope:
            outlook = await load_outlook(scope, pin)
            if outlook is None:
                blocked = "It is done, or what the question shows has changed since."
                return ObjectDetail(name="What the question asks about", blocked=blocked)
            pages, changes = await show_outlook(scope, self._sites, pin, outlook, self._database.clock())
            when = "at once" if outlook.at is None else f"at {describe_time(outlook.at, await find_zone(scope))}"
            note = "as visitors see it by now" if outlook.is_live else f"as visitors would see it {when}"
            name = pages[0].title if len(pages) == 1 else f"{len(pages)} pages"
            return ObjectDetail(name=name, note=note, pages=pages[:MAX_PAGES], changes=changes)


async def show_outlook(
    scope: Scope, sites: PreviewSites, pin: Pin, outlook: Outlook, now: datetime
) -> tuple[Sequence[ObjectPage], Sequence[Change]]:
    """The documents that a pin is about, before and after, and what is different."""
    earlier = None if outlook.at is None else DatePin(int((outlook.at - _MOMENT).timestamp()), int(now.timestamp()))
    query = select(Page).where(scope.target.id_filter(Page, Page.id, outlook.subjects)).order_by(Page.slug, Page.id)
    documents = [*await scope.session.scalars(query)]
    before = await _find_before(scope, documents, outlook.at)
    after = {each.id: each for each in outlook.shown}
    pages, differences = list[ObjectPage](), list[Difference]()
    for document in documents:
        old, new = before.get(document.id), after.get(document.id)
        if old is None and new is None:
            continue
        former = earlier or PagePin(document.id, document.live or 0)
        pages.append(
            ObjectPage(
                title=(new or old or document).title,
                before="" if old is None else await sites.link(scope, former, old),
                after="" if new is None else await sites.link(scope, pin, new),
                note=note_change(old, new),
            )
        )
        prefix = f"{pages[-1].title}: " if len(documents) > 1 else ""
        differences += await compare_states(scope, old, new, prefix)
    return pages, await show_changes(scope, differences)


def note_change(before: Snapshot | None, after: Snapshot | None) -> str:
    """What became of a document as a whole: ``hidden`` or ``new``; empty if it is neither."""
    return "hidden" if after is None else "new" if before is None else ""


async def _find_before(scope: Scope, documents: Sequence[Page], at: datetime | None) -> States:
    """What visitors see of documents until then."""
    if at is not None:
        return await find_states(scope, documents, at - _MOMENT)
    live = [document for document in documents if document.live is not None]
    return {each.id: await load_snapshot(scope, each.id, each.live or 0) for each in live}
