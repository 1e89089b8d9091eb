"""Writes the site as files, for servers that only serve files. It asks the site itself, so both show the same."""

from __future__ import annotations

import asyncio
import errno
import re
from collections.abc import AsyncGenerator
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile

from remit import LeafContext
from remit.errors import ConflictError
from remit_cms.images.renditions import Renditions
from remit_cms.models import pluralize
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.rendering.scratch import ScratchFolder, write_atomically
from remit_cms.site.lists import load_lists
from remit_cms.site.lookup import Address, list_pages, list_redirects, load_edition
from remit_cms.site.payloads import ExportReply, ExportSite
from remit_cms.site.preview_key import DEFAULT_URL
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope
from remit_cms.storage.transactions import open_view

if TYPE_CHECKING:
    from remit_cms.site.asgi import Site

_IMAGE: Final = re.compile(rb"/images/[0-9a-f]{64}/[0-9]+\.[a-z]+")
_MAX_ATTEMPTS: Final = 100


class Exports:
    """Copies of a site as files.

    Args:
        database: the database with the pages.
        renderer: what renders them.
        renditions: the copies of images.
        folder: files go to ``<folder>/<site>/<environment>``, a ZIP file beside it.
        url: the address of the site for visitors.
    """

    def __init__(
        self, database: Database, renderer: PageRenderer, renditions: Renditions, folder: Path, url: str = DEFAULT_URL
    ) -> None:
        self._database, self._renderer, self._renditions = database, renderer, renditions
        self._folder, self._url = folder, url

    async def export_site(self, ctx: LeafContext, payload: ExportSite) -> ExportReply:
        """Write all live pages and their images as files for any web server. To import elsewhere: cms_exportContent."""
        async with open_view(self._database, ctx) as scope:
            target = scope.target
        folder = self._folder / target.site / target.environment
        scratch = await asyncio.to_thread(ScratchFolder.beside, folder)
        fresh, images = scratch.path / "site", 0
        try:
            async with open_view(self._database, target) as scope:
                pages = len(await list_pages(scope))
                async for name, body in self._files(scope):
                    await asyncio.to_thread(write_atomically, fresh / name, body)
                    images += name.startswith("images/")
            path = await asyncio.to_thread(_put_in_place, fresh, folder.with_suffix(".zip") if payload.zip else folder)
        finally:
            await asyncio.to_thread(scratch.remove)
        message = f"Wrote {pluralize(pages, 'page')} and {pluralize(images, 'file')} of images to {path}"
        return ExportReply(path=str(path), pages=pages, images=images, message=message)

    async def _files(self, scope: Scope) -> AsyncGenerator[tuple[str, bytes]]:
        """The files of the site by their paths in the folder, all of one state of the database."""
        from remit_cms.site.asgi import Site  # noqa: PLC0415 - the whole site, which no other tool needs
        from remit_cms.site.feeds import list_feeds  # noqa: PLC0415 - likewise

        site = Site(self._database, self._renderer, self._renditions, scope.target, url=self._url)
        default = scope.default_locale
        edition = await load_edition(scope)
        homes = [Address(code, "") for code in scope.locales] if edition.home or edition.stand_in else []
        listed = [
            Address(code, path)
            for page, _ in await list_pages(scope)
            for code, path in page.addresses.items()
            if not edition.is_home(page.page)
        ]
        lists = [
            each
            for listed in await load_lists(scope, edition)
            for code in scope.locales
            for each in listed.addresses(code)
        ]
        moved = await list_redirects(scope, edition, self._url)
        if edition.home:
            moved += [
                (Address(*each).href(default), Address(each[0], "").href(default))
                for each in edition.home.addresses.items()
            ]
        wanted: dict[str, None] = {}
        for address in (*homes, *listed, *lists):
            href = address.href(default)
            body = (await site.render(scope, href)).body
            wanted.update(dict.fromkeys(each.decode() for each in _IMAGE.findall(body)))
            yield f"{href.strip('/')}/index.html".lstrip("/"), body
        for image in sorted(wanted):
            yield image.lstrip("/"), await self._load_image(site, image)
        feeds = [each.href(default).strip("/") for each in await list_feeds(scope)]
        for name in ("robots.txt", "sitemap.xml", *feeds):
            yield name, (await site.render(scope, f"/{name}")).body
        yield "404.html", (await site.render(scope, "/404.html")).body
        for old, new in moved:
            yield f"{old.strip('/')}/index.html", _redirect_page(new)

    async def _load_image(self, site: Site, path: str) -> bytes:
        """A picture, which is made outside of the transaction and may be gone."""
        response = await site.respond(path)
        if response.status != 200:
            raise ConflictError("A picture was deleted or replaced while the site was written. Write it again.")
        return response.body


def _redirect_page(href: str) -> bytes:
    """The page that leads to another address, for servers that know no redirects."""
    address = escape(href, quote=True)
    head = f'<meta http-equiv="refresh" content="0; url={address}"><link rel="canonical" href="{address}">'
    body = f'<title>{address}</title><a href="{address}">{address}</a>'
    return f'<!doctype html><meta charset="utf-8">{head}{body}\n'.encode()


def _put_in_place(fresh: Path, path: Path) -> Path:
    """Replace what an earlier export wrote, whole, also while others do. What was there goes beside ``fresh``."""
    if path.suffix == ".zip":
        partial = fresh.with_suffix(".zip")
        with ZipFile(partial, "w", ZIP_DEFLATED) as file:
            for each in sorted(fresh.rglob("*")):
                if each.is_file():
                    file.write(each, each.relative_to(fresh))
        return partial.replace(path)
    for attempt in range(_MAX_ATTEMPTS):
        with suppress(FileNotFoundError):
            path.rename(fresh.with_name(f"old-{attempt}"))
        try:
            return fresh.rename(path)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
    raise ConflictError("Others write the site to the same folder. Try again.")
