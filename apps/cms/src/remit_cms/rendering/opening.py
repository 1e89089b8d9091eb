"""The operation that lets a person see a page: it renders it to a file, and says where that is."""

from __future__ import annotations

from pydantic import Field

from remit import LeafContext
from remit_cms.models import Payload, Reply
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.storage.database import Database
from remit_cms.storage.transactions import open_view


class OpenPage(Payload):
    """Which page to open, and in which language."""

    page: str = Field(description="Id or slug of the page", min_length=1, max_length=66)
    locale_code: str | None = Field(default=None, description="Language, e.g. en", max_length=16)


class OpenedPage(Reply):
    """Where the page is."""

    path: str
    url: str


class Opening:
    """Opens pages in whatever shows files."""

    def __init__(self, database: Database, renderer: PageRenderer) -> None:
        self._database = database
        self._renderer = renderer

    async def open_page(self, ctx: LeafContext, payload: OpenPage) -> OpenedPage:
        """Write a page as an HTML file and say where it is, so that a person can open it in a browser."""
        async with open_view(self._database, ctx) as scope:
            target = scope.target
        path = await self._renderer.write(target, payload.page, payload.locale_code)
        return OpenedPage(path=str(path), url=path.as_uri(), message=f"Open {path.as_uri()} in a browser")
