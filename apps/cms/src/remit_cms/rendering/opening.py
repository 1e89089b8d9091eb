"""The operation that shows a page to a user: it renders the page to a file and returns the path."""

from __future__ import annotations

from pydantic import Field

from remit import LeafContext
from remit_cms.models import PageName, Payload, Reply
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.storage.database import Database
from remit_cms.storage.transactions import open_view


class OpenPage(Payload):
    """The page to open, and its language."""

    page: PageName = Field(description="Id, slug or exact title of the page or post")
    locale_code: str | None = Field(
        default=None, description="Code of a language of the site; the main one if omitted", max_length=16
    )


class OpenedPage(Reply):
    """The location of the rendered page."""

    path: str
    url: str


class Opening:
    """Opens rendered pages."""

    def __init__(self, database: Database, renderer: PageRenderer) -> None:
        self._database = database
        self._renderer = renderer

    async def open_page(self, ctx: LeafContext, payload: OpenPage) -> OpenedPage:
        """Write a page to an HTML file for the user's browser; return its path. As a link: cms_createPreviewLink."""
        async with open_view(self._database, ctx) as scope:
            target = scope.target
        path = await self._renderer.write(target, payload.page, payload.locale_code)
        return OpenedPage(path=str(path), url=path.as_uri(), message=f"Open {path.as_uri()} in a browser")
