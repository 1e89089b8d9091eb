"""Pages, entries and the documents around them, as people see them: before and after the edits of their drafts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import or_, select

from remit.object_views import ObjectAction, ObjectDetail, ObjectPage, ObjectRow, Viewer
from remit_cms.publishing.changes import compare_states, show_changes
from remit_cms.storage.database import Database
from remit_cms.storage.pins import PagePin
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshot, load_snapshot
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.transactions import open_view
from remit_cms.viewing.sites import PreviewSites

READ: Final = "cms:read"
_PUBLISH: Final = {Kind.ENTRY: ("cms_publishPost", "postSlug")}


class DocumentViews:
    """Shows the documents of one kind.

    Args:
        database: the database with the documents.
        sites: what serves their previews.
        kind: the kind of the documents.
    """

    def __init__(self, database: Database, sites: PreviewSites, kind: Kind) -> None:
        self._database, self._sites, self._kind = database, sites, kind

    async def list(self, viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
        """The documents that were changed last, or whose title or slug has a text."""
        if not viewer.principal.may(READ):
            return ()
        async with open_view(self._database, viewer) as scope:
            query = select(Page).where(scope.target.row_filter(Page), Page.kind == self._kind)
            if search:
                query = query.where(
                    or_(*(column.icontains(search, autoescape=True) for column in (Page.title, Page.slug)))
                )
            pages = await scope.session.scalars(query.order_by(Page.updated_at.desc(), Page.id).limit(limit))
            return [
                ObjectRow(id=page.id, name=page.title, note=_describe(page), at=page.updated_at.timestamp())
                for page in pages
            ]

    async def open(self, viewer: Viewer, page_id: str) -> ObjectDetail | None:
        """A document with what publishing its draft would change."""
        if not viewer.principal.may(READ):
            return None
        async with open_view(self._database, viewer) as scope:
            chosen = (scope.target.row_filter(Page), Page.id == page_id, Page.kind == self._kind)
            page = await scope.session.scalar(select(Page).where(*chosen))
            if page is None:
                return None
            live = None if page.live is None else await load_snapshot(scope, page.id, page.live)
            draft = await build_snapshot(scope, page)
            changes = await show_changes(scope, await compare_states(scope, live, draft))
            return ObjectDetail(
                name=page.title,
                note=_describe(page),
                pages=[await show_page(scope, self._sites, page, live, draft if changes or live is None else live)],
                changes=changes,
                actions=self._actions(page, has_changes=bool(changes) or live is None),
            )

    def _actions(self, page: Page, *, has_changes: bool) -> list[ObjectAction]:
        actions = list[ObjectAction]()
        if self._kind is Kind.PAGE:
            arguments = {"pageId": page.id, "confirmed": True}  # without it, the call changes nothing
            actions.append(
                ObjectAction(label="Move to trash…", tool="cms_deletePage", arguments=arguments, destructive=True)
            )
        if has_changes:
            tool, name = _PUBLISH.get(self._kind, ("cms_publishPage", "pageId"))
            actions.append(ObjectAction(label="Publish…", tool=tool, arguments={name: page.id}))
        return actions


async def show_page(
    scope: Scope, sites: PreviewSites, page: Page, live: Snapshot | None, draft: Snapshot | None
) -> ObjectPage:
    """A document as visitors see it, and as they would see a draft; None for a state in which they see nothing."""
    before = "" if live is None else await sites.link(scope, PagePin(page.id, page.live or 0), live)
    if draft is None or draft is live:
        return ObjectPage(title=page.title, before=before, after=before if draft is live else "")
    return ObjectPage(
        title=page.title, before=before, after=await sites.link(scope, PagePin(page.id, page.revision), draft)
    )


def _describe(page: Page) -> str:
    if page.live is None:
        return "draft, visitors do not see it"
    if page.live < page.revision:
        return f"/{page.live_path or ''}, with edits that visitors do not see"
    return f"/{page.live_path or ''}"
