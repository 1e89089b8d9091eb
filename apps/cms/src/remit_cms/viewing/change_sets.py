"""Change sets as people see them: every page before and after, and what publishing or undoing them changes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_, select

from remit.errors import ConflictError
from remit.object_views import ObjectAction, ObjectDetail, ObjectPage, ObjectRow, Viewer
from remit.tools import Change
from remit_cms.models import pluralize
from remit_cms.publishing.changes import compare_planned, compare_states, show_changes, sort_by_weight, title_of
from remit_cms.publishing.undoing import find_undo_steps
from remit_cms.storage.change_sets import has_pending_edits
from remit_cms.storage.claims import PENDING
from remit_cms.storage.database import Database
from remit_cms.storage.pinned import pin_change_set
from remit_cms.storage.pins import PagePin
from remit_cms.storage.planning import Planned, plan_set
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, Publication
from remit_cms.storage.transactions import open_view
from remit_cms.storage.zones import describe_time, find_zone
from remit_cms.viewing.documents import READ
from remit_cms.viewing.previews import note_change
from remit_cms.viewing.sites import PreviewSites

_GROUPS = {
    "open": "Open",
    "scheduled": "Scheduled",
    "published": "Published",
    "reverted": "Taken back",
    "discarded": "Discarded",
}
_ENDS = {
    "reverted": "Taken back: visitors see again what they saw before",
    "discarded": "Discarded: its edits are gone from the drafts, and visitors never saw them",
}
"""What became of sets that were closed without a publication that lasts."""


class ChangeSetViews:
    """Shows change sets.

    Args:
        database: the database with the change sets.
        sites: what serves their previews.
    """

    def __init__(self, database: Database, sites: PreviewSites) -> None:
        self._database, self._sites = database, sites

    async def list(self, viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
        """The open sets with edits, and after them the closed ones, each the newest first."""
        if not viewer.principal.may(READ):
            return ()
        async with open_view(self._database, viewer) as scope:
            of_target = [scope.target.row_filter(ChangeSet), or_(ChangeSet.state.not_in(PENDING), has_pending_edits())]
            if search:
                of_target.append(ChangeSet.name.icontains(search, autoescape=True))
            order = (
                ChangeSet.state != "open",
                ChangeSet.state != "scheduled",
                ChangeSet.created_at.desc(),
                ChangeSet.id,
            )
            rows = await scope.session.scalars(select(ChangeSet).where(*of_target).order_by(*order).limit(limit))
            groups = list(_GROUPS.values())
            shown = [await self._row(scope, row) for row in rows]
            return sorted(shown, key=lambda row: groups.index(row.group))

    async def open(self, viewer: Viewer, set_id: str) -> ObjectDetail | None:
        """A set with what publishing it would change, or undoing its publication."""
        if not viewer.principal.may(READ):
            return None
        async with open_view(self._database, viewer) as scope:
            found = await scope.session.scalar(
                select(ChangeSet).where(scope.target.row_filter(ChangeSet), ChangeSet.id == set_id)
            )
            if found is None:
                return None
            if found.state == "published":
                return await self._open_published(scope, found)
            if end := _ENDS.get(found.state):
                return ObjectDetail(name=found.name, note=f"{end}. With edits by {found.author}.")
            return await self._open_unpublished(scope, found)

    async def _row(self, scope: Scope, row: ChangeSet) -> ObjectRow:
        pages = await plan_set(scope, row) if row.state in PENDING else []
        blocked = [each for each in pages if each.blocked]
        counted = [pluralize(len(pages), "document")] if row.state in PENDING else []
        note = [*counted, row.author, *(["edits of others are in the way"] if blocked else [])]
        return ObjectRow(
            id=row.id,
            name=row.name,
            note=" · ".join(note),
            group=_GROUPS[row.state],
            needs_person=bool(blocked),
            at=row.created_at.timestamp(),
        )

    async def _open_unpublished(self, scope: Scope, found: ChangeSet) -> ObjectDetail:
        edited = sort_by_weight(await plan_set(scope, found))
        changes, blocked = list[Change](), next((each.blocked for each in edited if each.blocked), "")
        for each in edited:
            changes += await show_changes(scope, await compare_planned(scope, each, title_of(each)))
        count = pluralize(len(edited), "document")
        actions = [
            _act("Discard…", "cms_discardChangeSet", found, destructive=True),
            *([] if blocked else [_act("Publish…", "cms_publishChangeSet", found)]),
        ]
        return ObjectDetail(
            name=found.name,
            note=f"{count}, {pluralize(len(changes), 'difference')} from what visitors see",
            pages=await self._pages(scope, found, edited) if edited else (),
            changes=changes,
            actions=actions if edited and found.state == "open" else (),
            blocked=blocked,
        )

    async def _pages(self, scope: Scope, found: ChangeSet, planned: Sequence[Planned]) -> list[ObjectPage]:
        """The pages of a set as visitors see them, and as they would see them with all edits of the set."""
        pin = await pin_change_set(scope, found)
        pages = list[ObjectPage]()
        for each in planned:
            page, live = each.page, each.live
            before = "" if live is None else await self._sites.link(scope, PagePin(page.id, page.live or 0), live)
            after = "" if each.wanted is None else await self._sites.link(scope, pin, each.wanted)
            note = "deleted" if each.deletes else note_change(live, each.wanted)
            pages.append(ObjectPage(title=title_of(each), before=before, after=after, note=note))
        return pages

    async def _open_published(self, scope: Scope, found: ChangeSet) -> ObjectDetail:
        note = await _tell_publication(scope, found)
        try:
            steps = sort_by_weight(await find_undo_steps(scope, found))
        except ConflictError as error:
            return ObjectDetail(name=found.name, note=note, blocked=error.message)
        pages, changes = list[ObjectPage](), list[Change]()
        for step in steps:
            before = after = ""
            if step.page is not None and step.snapshot is not None:
                before = await self._sites.link(scope, PagePin(step.page.id, step.before or 0), step.snapshot)
            if step.page is not None and step.live is not None:
                after = await self._sites.link(scope, PagePin(step.page.id, step.page.live or 0), step.live)
            changed = note_change(step.snapshot, step.live)
            pages.append(ObjectPage(title=step.title, before=before, after=after, note=changed))
            compared = await compare_states(scope, step.snapshot, step.live, f"{step.title}: ")
            changes += await show_changes(scope, compared)
        actions = [_act("Take back…", "cms_revertChangeSet", found, destructive=True)] if steps else []
        note += f"{pluralize(len(pages), 'document')}, {pluralize(len(changes), 'difference')}."
        return ObjectDetail(name=found.name, note=note, pages=pages, changes=changes, actions=actions, is_past=True)


async def _tell_publication(scope: Scope, found: ChangeSet) -> str:
    """Who published a set and when, and whose edits these were."""
    of_set = (scope.target.row_filter(Publication), Publication.change_set == found.id)
    query = select(Publication).where(*of_set).order_by(Publication.created_at.desc()).limit(1)
    last = (await scope.session.scalars(query)).first()
    if last is None:
        return f"Published, with edits by {found.author}. "
    edits = "" if last.author == found.author else f", with edits by {found.author}"
    return f"Published by {last.author} on {describe_time(last.created_at, await find_zone(scope))}{edits}. "


def _act(label: str, tool: str, found: ChangeSet, *, destructive: bool = False) -> ObjectAction:
    return ObjectAction(label=label, tool=tool, arguments={"changeSetId": found.id}, destructive=destructive)
