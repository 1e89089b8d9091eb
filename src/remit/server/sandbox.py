"""Shows the pages of an application's views in a sandbox: without scripts, cookies and forms."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.routing import Mount
from starlette.types import Message, Receive, Scope, Send

from remit.app import App
from remit.object_views import AsgiApp, ObjectView

_METHODS = ("GET", "HEAD")
_REPLACED = ("frame-ancestors", "sandbox", "script-src", "form-action")


def site_routes(app: App) -> list[Mount]:
    """The routes of the sites of an application's views."""
    return [Mount(_path(number), app=Sandbox(site)) for number, site in enumerate(_list_sites(app))]


def find_view(app: App, kind: str) -> ObjectView | None:
    """The view of a kind of objects, if the application has one."""
    return next((each for each in app.views if each.kind == kind), None)


def site_address(app: App, view: ObjectView) -> str:
    """The path under which the site of a view is served."""
    return _path(_list_sites(app).index(view.site)) if view.site is not None else ""


def _path(number: int) -> str:
    return f"/sites/{number}"


def _list_sites(app: App) -> Sequence[AsgiApp]:
    """The sites of the views, each once."""
    found = list[AsgiApp]()
    for view in app.views:
        if view.site is not None and view.site not in found:
            found.append(view.site)
    return found


class Sandbox:
    """An ASGI application whose pages this server's own pages may frame, and that can do nothing to them.

    A page in a sandbox has no origin, so its requests carry no cookies: an address alone shows its page.
    """

    def __init__(self, site: AsgiApp) -> None:
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of the site, without the cookies and tokens of the person."""
        if scope["type"] != "http" or scope["method"] not in _METHODS:
            if scope["type"] == "http":
                await send({"type": "http.response.start", "status": 405, "headers": [(b"allow", b"GET, HEAD")]})
                await send({"type": "http.response.body", "body": b""})
            return

        async def send_confined(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                confine(MutableHeaders(scope=message))
            await send(message)

        hidden = (b"cookie", b"authorization")
        headers = [(name, value) for name, value in scope["headers"] if name not in hidden]
        await self._site({**scope, "headers": headers}, receive, send_confined)


def confine(headers: MutableHeaders) -> None:
    """Let a response be framed by this server, and take scripts, forms and its origin from it."""
    policy = [part.strip() for part in headers.get("content-security-policy", "").split(";")]
    kept = [part for part in policy if part and part.split()[0].lower() not in _REPLACED]
    confined = ["script-src 'none'", "form-action 'none'", "frame-ancestors 'self'", "sandbox"]
    headers["content-security-policy"] = "; ".join([*kept, *confined])
    headers["x-frame-options"] = "SAMEORIGIN"
    # A page without an origin is foreign to everything, its own pictures included.
    headers["cross-origin-resource-policy"] = "cross-origin"
    headers["x-content-type-options"] = "nosniff"
    headers["referrer-policy"] = "no-referrer"
    del headers["set-cookie"]
