"""The ASGI application: addresses of a site to responses. It reads live revisions and changes nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, TypeAlias
from urllib.parse import quote
from zoneinfo import ZoneInfo

from remit.errors import InvalidArgumentsError, NotFoundError
from remit.secrets import Secret
from remit_cms.images.pictures import FORMATS
from remit_cms.images.renditions import Renditions
from remit_cms.rendering.documents import WORDS, load_page_document
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.settings.values import read_settings
from remit_cms.site.api.routes import MEDIA_TYPE, Request, answer_request, is_api, parse_request, write_error
from remit_cms.site.cors import Cors
from remit_cms.site.feeds import MEDIA_TYPES, link_feeds, render_feed
from remit_cms.site.http_caching import RequestHeaders, accepts_gzip, is_current, is_worth_packing, pack
from remit_cms.site.links import check_key, read_preview
from remit_cms.site.lists import ListPage, find_content, list_shown
from remit_cms.site.lookup import (
    Address,
    Edition,
    ShownPage,
    load_edition,
    load_version,
    parse_address,
)
from remit_cms.site.pictures import picture_sources
from remit_cms.site.structured_data import describe_page
from remit_cms.site.surroundings import link_pager, load_surroundings
from remit_cms.site.texts import empty_snapshot, preview_notice, robots_text, sitemap_text
from remit_cms.site.words import text_in
from remit_cms.storage.database import Database
from remit_cms.storage.outlook import load_outlook
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.transactions import open_view

AsgiScope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_MAX_PATH: Final = 2000
_MAX_KEPT: Final = 2000
_HOUR: Final = 3600
_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
_REVALIDATE: Final = "public, max-age=0, must-revalidate"
_URL_CHARACTERS: Final = "/-._~:?#[]@!$&'()*+,;=%"
_FOREVER: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Response:
    """A response: its status, its body, and the headers beside those that all have."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Site:
    """The live pages of one site and environment, as an ASGI application.

    Args:
        database: the database of the CMS.
        renderer: what renders its pages.
        renditions: the copies of its images.
        target: the site and environment.
        url: the address of the site for visitors, for sitemap and canonical links.
        preview_key: the key that signs links to previews; None shows none.
        look_every: seconds between looks whether anything was published; responses are kept until then. By default each
            request looks, so that it sees what was published before it.
        clock: seconds since the epoch, for links that expire.
        root: the path under which another application has the site; its previews and images have it before their
            addresses.
        cors: which scripts of other sites may read the API.

    Raises:
        SetupError: the key is too short.
    """

    def __init__(
        self,
        database: Database,
        renderer: PageRenderer,
        renditions: Renditions,
        target: Target,
        *,
        url: str = "http://127.0.0.1:8080",
        preview_key: Secret | None = None,
        look_every: float = 0.0,
        clock: Callable[[], float] = time.time,
        root: str = "",
        cors: Cors = Cors(),  # noqa: B008 - a frozen value
    ) -> None:
        if preview_key is not None:
            check_key(preview_key)
        self._database = database
        self._renderer = renderer
        self._renditions = renditions
        self.target: Final = target
        self._url = url.rstrip("/")
        self._root = root
        self._cors = cors
        self._preview_key = preview_key
        self._look_every = look_every
        self._looked: float | None = None
        self._state: tuple[int | None, int] | None = None
        self._looks = 0
        self._seen = 0
        self._look_lock = asyncio.Lock()
        self._clock = clock
        self._kept: dict[str, Response] = {}
        self._packed: dict[str, bytes] = {}

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            return
        method, path, headers = scope["method"], scope["path"], [*scope["headers"]]
        response = self._pack(await self._answer(method, path, scope.get("query_string", b""), headers), headers)
        etag = response.headers.get("etag")
        if response.status == 200 and etag and is_current(etag, headers):
            same = ("etag", "cache-control", "vary")
            response = Response(304, b"", {key: each for key, each in response.headers.items() if key in same})
        everything = {**_HEADERS, **response.headers}
        if is_api(path) and method != "OPTIONS":
            everything |= _join_vary(everything, self._cors.headers_for(headers))
        if response.status not in (204, 304):
            everything["content-length"] = str(len(response.body))
        encoded = [(key.encode(), value.encode("latin-1")) for key, value in everything.items()]
        await send({"type": "http.response.start", "status": response.status, "headers": encoded})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else response.body})

    async def _answer(self, method: str, path: str, query: bytes, headers: RequestHeaders) -> Response:
        if method == "OPTIONS" and is_api(path) and (allowed := self._cors.preflight_for(headers)):
            return Response(204, b"", allowed)
        if method not in ("GET", "HEAD"):
            return Response(405, b"Only GET and HEAD", {"allow": "GET, HEAD", "content-type": "text/plain"})
        return await (self.respond_with_data(path, query) if is_api(path) else self.respond(path))

    async def respond(self, path: str) -> Response:
        """The response to a request of a path."""
        if len(path) > _MAX_PATH or "\0" in path or not path.isprintable():
            return await self._missing("")
        if path.startswith("/preview/"):
            return await self._preview(path)
        if path.startswith("/images/"):
            return await self._image(path)
        return await self._keep(path, lambda: self._make(path))

    async def respond_with_data(self, path: str, query: bytes = b"") -> Response:
        """The response to a request of the API."""
        try:
            request = parse_request(path, query)
            return await self._keep(request.key, lambda: self._make_data(request))
        except (InvalidArgumentsError, NotFoundError) as error:
            status, body = write_error(error)
            return _data(status, body, {"cache-control": "no-store"})

    async def _make_data(self, request: Request) -> Response:
        async with open_view(self._database, self.target) as scope:
            body = await answer_request(scope, request, self._url)
        return _data(200, body, {"cache-control": _REVALIDATE, "etag": _etag(body)})

    async def _keep(self, key: str, make: Callable[[], Awaitable[Response]]) -> Response:
        """The response of a key, which is made once until something is published."""
        await self._forget_if_changed()
        # A publication replaces the dictionary: what was read before it and is ready after it goes into the old one.
        kept = self._kept
        if (response := kept.get(key)) is None:
            response = await make()
            if len(kept) >= _MAX_KEPT:
                kept.clear()
            kept[key] = response
        return response

    def _pack(self, response: Response, headers: RequestHeaders) -> Response:
        """The response, packed if that is worthwhile and the sender of a request can unpack it."""
        etag = response.headers.get("etag")
        if etag is None or not is_worth_packing(response.body, response.headers["content-type"]):
            return response
        response = replace(response, headers={**response.headers, "vary": "accept-encoding"})
        if not accepts_gzip(headers):
            return response
        if (packed := self._packed.get(etag)) is None:
            if len(self._packed) >= _MAX_KEPT:
                self._packed.clear()
            packed = self._packed[etag] = pack(response.body)
        return replace(
            response, body=packed, headers={**response.headers, "etag": f"W/{etag}", "content-encoding": "gzip"}
        )

    async def _forget_if_changed(self) -> None:
        """Forget the responses that are kept if anything that visitors see was changed since the last look.

        Requests that wait for a look share the next one: one that began before a request may have missed a change.
        """
        if self._looked is not None and time.monotonic() - self._looked < self._look_every:
            return
        begun = self._looks
        async with self._look_lock:
            if self._seen > begun:
                return
            self._looks += 1
            look, now = self._looks, time.monotonic()
            async with self._database.read() as session:
                version = await load_version(session, self.target)
            self._seen, self._looked = look, now
            # Days pass, and lists begin with what is next: an hour is the longest that one may be out of date.
            state = (version, int(self._clock() // _HOUR))
            if state != self._state:
                self._state = state
                self._kept, self._packed = {}, {}

    async def _make(self, path: str) -> Response:
        async with open_view(self._database, self.target) as scope:
            return await self.render(scope, path)

    async def render(self, scope: Scope, path: str) -> Response:
        """The response to a request of a path, from one state of the database. Images and previews have other ways."""
        if path == "/robots.txt":
            return _text(robots_text(self._url), "text/plain; charset=utf-8")
        edition = await load_edition(scope)
        if path == "/sitemap.xml":
            return _text(sitemap_text(self._url, scope, edition, await list_shown(scope, edition)), "application/xml")
        address = parse_address(scope, path)
        href = address.href(scope.default_locale)
        feed = MEDIA_TYPES.get(path.rpartition("/")[2])
        if feed is not None and (text := await render_feed(scope, address, self._url, edition)):
            return _moved(href) if href != path else _text(text, f"{feed}; charset=utf-8")
        found = await find_content(scope, address, edition, self._url)
        if isinstance(found, str):
            return _moved(found)
        if isinstance(found, ShownPage) and edition.is_home(found.page):
            href = edition.address(found.page, address.locale, address.path).href(scope.default_locale)
        return _moved(href) if found and href != path else await self._page(scope, found, address.locale, edition)

    async def _page(
        self, scope: Scope, found: ShownPage | ListPage | None, locale: str, edition: Edition, *, until: int = 0
    ) -> Response:
        """The document of a page in a language, or the one that says that there is none.

        ``until`` is when a preview ends, in seconds since the epoch.
        """
        default, prefix = scope.default_locale, edition.prefix
        shown = found.page if isinstance(found, ListPage) else found
        home = Address(locale, "").href(default, prefix)
        snapshot = empty_snapshot(locale, home) if shown is None else shown.snapshot
        settings, overlay = await read_settings(scope, edition.settings, locale), edition.overlay(scope.locales)
        now = edition.at or datetime.fromtimestamp(self._clock(), UTC)
        document = await load_page_document(
            scope, snapshot, locale, live=True, settings=settings, overlay=overlay, now=now
        )
        around = await load_surroundings(scope, shown, locale, edition)
        if isinstance(found, ListPage):
            around = replace(around, pager=link_pager(scope, found, locale, edition))
        if shown is not None and not prefix:
            written = document.text_locale
            href = edition.address(shown.page, written, shown.addresses[written]).href(default)
            around = replace(around, origin=self._url, address=f"{self._url}{href}")
        around = replace(around, words={key: text_in(locale, key) for key in WORDS})
        if not prefix:
            around = replace(around, feeds=await link_feeds(scope, locale))
        else:
            zone = ZoneInfo(settings.time_zone or "UTC")
            around = replace(around, notice=preview_notice(locale, zone, edition, until))
        document = document.hide() if prefix or shown is None else document
        pictures = picture_sources(document.images, self._root)
        if around.address:
            first = pictures.get(str((document.cover or {}).get("imageId")))
            around = replace(around, data=describe_page(document, around, first.src if first else ""))
        html = self._renderer.render_document(document, pictures, around)
        headers = {
            "content-type": "text/html; charset=utf-8",
            "content-language": locale,
            "content-security-policy": f"{self._renderer.policy_of(document)}; frame-ancestors 'none'",
            "cache-control": "private, no-store" if prefix else _REVALIDATE,
        }
        body = html.encode()
        if prefix or shown is None:
            headers["x-robots-tag"] = "noindex"
        if not prefix:
            headers["etag"] = _etag(body)
        return Response(404 if shown is None else 200, body, headers)

    async def _preview(self, path: str) -> Response:
        token, _, rest = path.removeprefix("/preview/").partition("/")
        key = self._preview_key
        preview = None if key is None else read_preview(key, token, self.target, self._clock())
        if preview is None:
            return await self._missing("")
        async with open_view(self._database, self.target) as scope:
            outlook = await load_outlook(scope, preview.pin)
            if outlook is not None:
                prefix = f"{self._root}/preview/{token}"
                edition = await load_edition(scope, outlook.shown, prefix, hidden=outlook.hidden)
                edition = replace(edition, is_live=outlook.is_live, at=outlook.at)
                address = parse_address(scope, rest)
                found = await find_content(scope, address, edition, self._url)
                if isinstance(found, str):
                    return _moved(found, "private, no-store")
                return await self._page(scope, found, address.locale, edition, until=preview.expires)
        return await self._missing("")

    async def _image(self, path: str) -> Response:
        digest, _, name = path.removeprefix("/images/").partition("/")
        width, _, kind = name.partition(".")
        if not width.isascii() or not width.isdigit() or len(width) > 5:
            return await self._missing("")
        try:
            content = await self._renditions.get(self.target, digest, int(width), kind)
        except NotFoundError:
            return await self._missing("")
        headers = {
            "content-type": FORMATS[kind],
            "cache-control": _FOREVER,
            "etag": f'"{digest[:32]}-{int(width)}-{kind}"',
            "content-security-policy": "default-src 'none'",
        }
        return Response(200, content, headers)

    async def _missing(self, locale: str) -> Response:
        async with open_view(self._database, self.target) as scope:
            return await self._page(scope, None, locale or scope.default_locale, await load_edition(scope))


def _etag(body: bytes) -> str:
    return f'"{sha256(body).hexdigest()[:32]}"'


def _text(text: str, media_type: str) -> Response:
    body = text.encode("utf-8", "replace")
    headers = {"content-type": media_type, "cache-control": _REVALIDATE, "etag": _etag(body)}
    return Response(200, body, {**headers, "content-security-policy": "default-src 'none'"})


def _data(status: int, body: bytes, headers: Mapping[str, str]) -> Response:
    safe = {"content-type": MEDIA_TYPE, "content-security-policy": "default-src 'none'", "x-robots-tag": "noindex"}
    return Response(status, body, {**safe, **headers})


def _join_vary(headers: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """The other headers, where ``vary`` names what both do."""
    names = [each["vary"] for each in (headers, others) if "vary" in each]
    return {**others, "vary": ", ".join(names)} if names else {**others}


def _moved(href: str, caching: str = _REVALIDATE) -> Response:
    """The response that leads to an address of the site, or to one of another server, which may have a query."""
    safe = _URL_CHARACTERS if href.startswith("https://") else "/-._~"
    return Response(301, b"", {"location": quote(href, safe=safe), "cache-control": caching})


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        kind = str(message["type"])
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return
