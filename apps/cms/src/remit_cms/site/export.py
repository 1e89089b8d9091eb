"""Writes the site as files, for servers that only serve files. It asks the site itself, so both show the same."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncGenerator
from html import escape
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

from remit import LeafContext
from remit_cms.images.renditions import Renditions
from remit_cms.models import pluralize
from remit_cms.rendering.renderer import PageRenderer, write_atomically
from remit_cms.site.asgi import Site
from remit_cms.site.feeds import list_feeds
from remit_cms.site.lookup import Address, list_pages, list_redirects
from remit_cms.site.payloads import ExportReply, ExportSite
from remit_cms.site.previewing import DEFAULT_URL
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Target
from remit_cms.storage.transactions import open_view

_IMAGE: Final = re.compile(rb"/images/[0-9a-f]{64}/[0-9]+\.[a-z]+")


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
        """Write all live pages and their images as files that any web server can serve. Drafts are not among them."""
        async with open_view(self._database, ctx) as scope:
            target = scope.target
        folder = self._folder / target.site / target.environment
        path = folder.with_suffix(".zip") if payload.zip else folder
        fresh = folder.with_name(f".{folder.name}-{ctx.run}-new")
        pages = images = 0
        try:
            async for name, body in self._files(target):
                await asyncio.to_thread(write_atomically, fresh / name, body)
                pages += name.endswith("index.html")
                images += name.startswith("images/")
            await asyncio.to_thread(_put_in_place, fresh, path)
        finally:
            await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)
        message = f"Wrote {pluralize(pages, 'page')} and {pluralize(images, 'file')} of images to {path}"
        return ExportReply(path=str(path), pages=pages, images=images, message=message)

    async def _files(self, target: Target) -> AsyncGenerator[tuple[str, bytes]]:
        """The files of the site, by their paths in the folder."""
        site = Site(self._database, self._renderer, self._renditions, target, url=self._url)
        async with open_view(self._database, target) as scope:
            default = scope.default_locale
            homes = [Address(code, "") for code in scope.locales]
            listed = [
                Address(code, path) for page, _ in await list_pages(scope) for code, path in page.addresses.items()
            ]
            moved, feeds = await list_redirects(scope), await list_feeds(scope)
        wanted: dict[str, None] = {}
        for address in (*homes, *listed) if listed else ():
            href = address.href(default)
            body = (await site.respond(href)).body
            wanted.update(dict.fromkeys(each.decode() for each in _IMAGE.findall(body)))
            yield f"{href.strip('/')}/index.html".lstrip("/"), body
        for image in sorted(wanted):
            yield image.lstrip("/"), (await site.respond(image)).body
        for name in ("robots.txt", "sitemap.xml", *(each.href(default).strip("/") for each in feeds)):
            yield name, (await site.respond(f"/{name}")).body
        yield "404.html", (await site.respond("/404.html")).body
        for old, new in moved:
            yield f"{old.href(default).strip('/')}/index.html", _redirect_page(new.href(default))


def _redirect_page(href: str) -> bytes:
    """The page that leads to another address, for servers that know no redirects."""
    address = escape(href, quote=True)
    head = f'<meta http-equiv="refresh" content="0; url={address}"><link rel="canonical" href="{address}">'
    body = f'<title>{address}</title><a href="{address}">{address}</a>'
    return f'<!doctype html><meta charset="utf-8">{head}{body}\n'.encode()


def _put_in_place(fresh: Path, path: Path) -> None:
    """Replace what an earlier export wrote, whole."""
    fresh.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".zip":
        shutil.rmtree(path, ignore_errors=True)
        fresh.rename(path)
        return
    partial = path.with_name(f".{path.name}-{fresh.name}")
    with ZipFile(partial, "w", ZIP_DEFLATED) as file:
        for each in sorted(fresh.rglob("*")):
            if each.is_file():
                file.write(each, each.relative_to(fresh))
    partial.replace(path)
