"""How people see the objects of the CMS beside the editor. The code of a view is imported by its first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from remit.object_views import ObjectDetail, ObjectEvent, ObjectRow, ObjectView, Viewer
from remit_cms.site.preview_key import PreviewKey
from remit_cms.storage.database import Database
from remit_cms.storage.pins import PREVIEW
from remit_cms.storage.tables import Kind

if TYPE_CHECKING:
    from remit_cms.site.asgi import AsgiScope, Receive, Send
    from remit_cms.viewing.calendar import CalendarViews
    from remit_cms.viewing.change_sets import ChangeSetViews
    from remit_cms.viewing.documents import DocumentViews
    from remit_cms.viewing.sites import PreviewSites


def object_views(database: Database, home: Path, key: PreviewKey) -> list[ObjectView]:
    """The views of all kinds of objects that the tools change and that can be seen."""
    views = _Views(database, home, key)
    sets = ObjectView(
        kind="change-set",
        title="Change sets",
        open=views.open_set,
        list=views.list_sets,
        has_changes=True,
        site=views.serve,
    )
    calendar = ObjectView(
        kind="scheduled-action",
        title="Calendar",
        open=views.open_scheduled,
        list=views.list_scheduled,
        events=views.list_events,
        site=views.serve,
    )
    previews = ObjectView(kind=PREVIEW, title="Previews", open=views.open_preview, site=views.serve)
    documents = [views.of_documents(kind, title, is_listed=is_listed) for kind, title, is_listed in _DOCUMENTS]
    return [*documents, sets, calendar, previews]


_DOCUMENTS = (
    (Kind.PAGE, "Pages", True),
    (Kind.ENTRY, "Posts and entries", True),
    (Kind.SETTINGS, "Site settings", False),
    (Kind.NAVIGATION, "Navigation", False),
    (Kind.REDIRECTS, "Redirects", False),
)


class _Views:
    def __init__(self, database: Database, home: Path, key: PreviewKey) -> None:
        self._database, self._home, self._key = database, home, key

    def of_documents(self, kind: Kind, title: str, *, is_listed: bool) -> ObjectView:
        async def list_documents(viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
            return await self._documents(kind).list(viewer, search, limit)

        async def open_document(viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - as views name it
            return await self._documents(kind).open(viewer, id)

        listing = list_documents if is_listed else None
        return ObjectView(kind=kind.value, title=title, open=open_document, list=listing, site=self.serve)

    async def list_sets(self, viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
        return await self._sets.list(viewer, search, limit)

    async def open_set(self, viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - as views name it
        return await self._sets.open(viewer, id)

    async def list_scheduled(self, viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
        return await self._calendar.list(viewer, search, limit)

    async def list_events(self, viewer: Viewer, start: float, end: float, limit: int) -> Sequence[ObjectEvent]:
        return await self._calendar.events(viewer, start, end, limit)

    async def open_scheduled(self, viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - as views name it
        return await self._calendar.open(viewer, id)

    async def open_preview(self, viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - as views name it
        from remit_cms.viewing.previews import PreviewViews

        return await PreviewViews(self._database, self._sites).open(viewer, id)

    async def serve(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        await self._sites(scope, receive, send)

    @cached_property
    def _sites(self) -> PreviewSites:
        from remit_cms.viewing.sites import PreviewSites

        return PreviewSites(self._database, self._home, self._key)

    @cached_property
    def _sets(self) -> ChangeSetViews:
        from remit_cms.viewing.change_sets import ChangeSetViews

        return ChangeSetViews(self._database, self._sites)

    @cached_property
    def _calendar(self) -> CalendarViews:
        from remit_cms.viewing.calendar import CalendarViews

        return CalendarViews(self._database, self._sites)

    def _documents(self, kind: Kind) -> DocumentViews:
        from remit_cms.viewing.documents import DocumentViews

        return DocumentViews(self._database, self._sites, kind)
