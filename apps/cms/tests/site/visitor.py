"""A visitor of the site: requests addresses of the ASGI application, as a server would."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from apps.cms.tests.world import HOME, World
from remit.secrets import Secret
from remit_cms.pages.payloads import PageView
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.site import Site
from remit_cms.storage.scope import Target

KEY = Secret("env:REMIT_CMS_PREVIEW_KEY", "signs-previews-in-tests-and-nowhere-else")


@dataclass
class Reply:
    """What a visitor gets."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


def make_site(world: World, target: Target = HOME, **options: Any) -> Site:
    """A site that looks at each request whether anything was published."""
    options = {"look_every": 0.0, "preview_key": KEY, "url": "https://bakery.example", **options}
    return Site(world.database, world.rendering, world.renditions, target, **options)


async def visit(site: Site, path: str, method: str = "GET", **headers: str) -> Reply:
    """Request an address."""
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    given = [(key.replace("_", "-").encode(), value.encode()) for key, value in headers.items()]
    path, _, query = path.partition("?")
    request = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": given}
    await site(request, receive, send)
    start, body = sent
    return Reply(start["status"], {k.decode(): v.decode() for k, v in start["headers"]}, body["body"])


async def publish(world: World, title: str, *sections: Any, tenant: str = "local-site") -> PageView:
    """A live page."""
    page = await world.page(title, *sections, tenant=tenant)
    await Publishing(world.database).publish_page(world.call(tenant=tenant), PublishPage(page_id=page.id))
    return page
