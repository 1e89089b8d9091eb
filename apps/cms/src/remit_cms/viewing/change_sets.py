"""Change sets as people see them: every page before and after, and what publishing or undoing them changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sqlalchemy import or_, select

from remit.errors import ConflictError
from remit.object_views import ObjectAction, ObjectDetail, ObjectPage, ObjectRow, Viewer
from remit.tools import Change
from remit_cms.models import pluralize
from remit_cms.publishing.change_sets import load_states
from remit_cms.publishing.changes import compare_states, show_changes
from remit_cms.publishing.undoing import find_undo_steps
from remit_cms.site.links import PagePin
from remit_cms.site.pins import pin_change_set
from remit_cms.storage.change_sets import find_foreign_edits, has_unpublished_edits, unpublished_pages
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import ChangeSet, Page
from remit_cms.storage.transactions import open_view
from remit_cms.viewing.documents import READ
from remit_cms.viewing.sites import PreviewSites

_States: TypeAlias = tuple[Page, Snapshot | None, Snapshot]
"""A document, its state that visitors see, and its last one in a set."""

_GROUPS = {"open": "Open", "published": "Published", "reverted": "Taken back", "discarded": "Discarded"}


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
            of_target = [scope.target.row_filter(ChangeSet), or_(ChangeSet.state != "open", has_unpublished_edits())]
            if search:
                of_target.append(ChangeSet.name.icontains(search, autoescape=True))
            order = (ChangeSet.state != "open", ChangeSet.created_at.desc(), ChangeSet.id)
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
            return await self._open_unpublished(scope, found)

    async def _row(self, scope: Scope, row: ChangeSet) -> ObjectRow:
        pages = await unpublished_pages(scope, row) if row.state == "open" else []
        blocked = [each for each in pages if await find_foreign_edits(scope, row, each.page, each.last)]
        counted = [pluralize(len(pages), "document")] if row.state == "open" else []
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
        edited = await unpublished_pages(scope, found) if found.state == "open" else []
        states, changes, blocked = list[_States](), list[Change](), ""
        for each in edited:
            live, draft = await load_states(scope, each)
            states.append((each.page, live, draft))
            changes += await show_changes(scope, await compare_states(scope, live, draft, f"{draft.title}: "))
            foreign = await find_foreign_edits(scope, found, each.page, each.last)
            blocked = blocked or (f"'{each.page.title}' has {foreign}, which would go live too." if foreign else "")
        count = pluralize(len(edited), "document")
        actions = [
            _act("Discard…", "cms_discardChangeSet", found, destructive=True),
            *([] if blocked else [_act("Publish…", "cms_publishChangeSet", found)]),
        ]
        return ObjectDetail(
            name=found.name,
            note=f"{count}, {pluralize(len(changes), 'difference')} from what visitors see",
            pages=await self._pages(scope, found, states) if states else (),
            changes=changes,
            actions=actions if edited else (),
            blocked=blocked,
        )

    async def _pages(self, scope: Scope, found: ChangeSet, states: Sequence[_States]) -> list[ObjectPage]:
        """The pages of a set as visitors see them, and as they would see them with all edits of the set."""
        pin, _ = await pin_change_set(scope, found)
        pages = list[ObjectPage]()
        for page, live, draft in states:
            before = "" if live is None else await self._sites.link(scope, PagePin(page.id, page.live or 0), live)
            after = await self._sites.link(scope, pin, draft)
            pages.append(ObjectPage(title=draft.title, before=before, after=after, note="new" if live is None else ""))
        return pages

    async def _open_published(self, scope: Scope, found: ChangeSet) -> ObjectDetail:
        note = f"published, with edits by {found.author}"
        try:
            steps = await find_undo_steps(scope, found)
        except ConflictError as error:
            return ObjectDetail(name=found.name, note=note, blocked=error.message)
        pages, changes = list[ObjectPage](), list[Change]()
        for step in steps:
            page, before = step.page, ""
            if step.snapshot is not None:
                before = await self._sites.link(scope, PagePin(page.id, step.before or 0), step.snapshot)
            after = await self._sites.link(scope, PagePin(page.id, page.live or 0), step.live)
            pages.append(ObjectPage(title=page.title, before=before, after=after))
            compared = await compare_states(scope, step.snapshot, step.live, f"{page.title}: ")
            changes += await show_changes(scope, compared)
        actions = [_act("Take back…", "cms_revertChangeSet", found, destructive=True)] if steps else []
        return ObjectDetail(name=found.name, note=note, pages=pages, changes=changes, actions=actions)


def _act(label: str, tool: str, found: ChangeSet, *, destructive: bool = False) -> ObjectAction:
    return ObjectAction(label=label, tool=tool, arguments={"changeSetId": found.id}, destructive=destructive)
