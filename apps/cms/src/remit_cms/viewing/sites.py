"""The previews of all sites as one ASGI application, for a server that shows them beside the editor."""

from __future__ import annotations

import secrets
from collections.abc import MutableMapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from sqlalchemy import select

from remit.secrets import Secret
from remit_cms.images.renditions import Renditions
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.site.asgi import AsgiScope, Receive, Send, Site
from remit_cms.site.links import Preview, read_preview, sign_preview
from remit_cms.site.lookup import find_preview_path
from remit_cms.site.preview_key import PreviewKey
from remit_cms.storage.database import Database
from remit_cms.storage.pins import Pin
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Environment

PREVIEW_SECONDS: Final = 3600
_MAX_SITES: Final = 100
_EMPTY: Final = ("", "", "", "")


class PreviewSites:
    """Serves ``/SITE/ENVIRONMENT/preview/TOKEN/…`` and the images of these pages, and nothing else.

    A link shows its page without a sign-in until it expires. Without a key of the operator, links are valid in this
    process only.

    Args:
        database: the database with the pages.
        home: the folder with copies of images.
        key: the key that signs the links.
    """

    def __init__(self, database: Database, home: Path, key: PreviewKey) -> None:
        self._database = database
        self._renditions = Renditions(database)
        self._renderer = PageRenderer(database, home / "sites", self._renditions)
        self._key = key
        self._own_key = Secret("the key of previews of this process", secrets.token_urlsafe(32))
        self._sites: dict[tuple[str, Target], Site] = {}

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        root = str(scope.get("root_path", ""))
        site, environment, part, rest = (*str(scope["path"]).removeprefix(root).strip("/").split("/", 3), *_EMPTY)[:4]
        target = Target(site, environment)
        if not await self._is_served(target, part, rest):
            await _send_nothing(send)
            return
        inner: dict[str, Any] = {**scope, "path": f"/{part}/{rest}", "root_path": ""}
        sent = list[MutableMapping[str, Any]]()

        async def keep(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await (await self._find_site(root, target))(inner, receive, keep)
        if part == "images" and sent[0].get("status") == HTTPStatus.NOT_FOUND:
            await _send_nothing(send)  # an error page of the site would reveal that the site exists
            return
        for message in sent:
            await send(message)

    async def _is_served(self, target: Target, part: str, rest: str) -> bool:
        """Whether a path is a preview that has not expired, or an image. Visitors are served elsewhere."""
        if part == "images":
            return await self._exists(target)
        token, now = rest.partition("/")[0], self._database.clock().timestamp()
        return part == "preview" and read_preview(await self._find_key(), token, target, now) is not None

    async def _exists(self, target: Target) -> bool:
        where = (Environment.site == target.site, Environment.name == target.environment)
        async with self._database.read() as session:
            return await session.scalar(select(Environment.name).where(*where)) is not None

    async def link(self, scope: Scope, pin: Pin, shown: Snapshot | None) -> str:
        """The address of a document as a pin has it; that of the home page without one, or if it has no address."""
        path = "" if shown is None else await find_preview_path(scope, shown)
        expires = int(self._database.clock().timestamp()) + PREVIEW_SECONDS
        token = sign_preview(await self._find_key(), Preview(scope.target, pin, expires))
        return f"/{scope.target.site}/{scope.target.environment}/preview/{token}/{path}"

    async def _find_key(self) -> Secret:
        return await self._key.find() or self._own_key

    async def _find_site(self, root: str, target: Target) -> Site:
        found = self._sites.get((root, target))
        if found is None:
            key, clock = await self._find_key(), self._database.clock
            under = f"{root}/{target.site}/{target.environment}"
            found = Site(
                self._database,
                self._renderer,
                self._renditions,
                target,
                preview_key=key,
                clock=lambda: clock().timestamp(),
                root=under,
            )
            if len(self._sites) >= _MAX_SITES:
                self._sites.clear()
            self._sites[root, target] = found
        return found


async def _send_nothing(send: Send) -> None:
    """The same response for all that is not served, whether or not its site exists."""
    start = {"status": HTTPStatus.NOT_FOUND, "headers": [(b"content-type", b"text/plain")]}
    await send({"type": "http.response.start", **start})
    await send({"type": "http.response.body", "body": b"There is no such preview, or it has expired."})
