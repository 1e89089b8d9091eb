"""No tool of the CMS connects to an address that is not public, however it is named or reached."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from apps.cms.tests.world import Ctx
from figures.figure import Figure, no_violations
from figures.ssrf_world import PUBLIC, Internet, Page
from remit import LeafContext
from remit.errors import CallError
from remit.http import GuardedHttp
from remit.testing import superuser
from remit.tools import Caller
from remit_cms.storage.database import FIRST_SITE
from remit_cms.web.payloads import DeepResearch, FetchContent, HttpGet, HttpPost
from remit_cms.web.requests import HttpRequests
from remit_cms.web.research import Research
from remit_cms.web.search_providers import SearchHit, SearchQuery

INWARD: Final = (
    "127.0.0.1",
    "127.1",
    "127.0.0.1.",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "0x7f000001",
    "017700000001",
    "0",
    "0.0.0.0",  # noqa: S104 - an address to refuse
    "10.0.0.5",
    "172.16.0.1",
    "172.31.255.254",
    "192.168.1.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.64.0.1",
    "192.0.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[2001::7f00:1]",
    "[fe80::1%25eth0]",
    "\u2460\u2461\u2466.0.0.1",
    "\uff11\uff12\uff17.0.0.1",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "inside.example",
    "mixed.example",
    "six.example",
)
"""Hosts that are not public, in every form that some client reads as one."""

NAMES: Final = {
    "localhost": [["127.0.0.1", "::1"]],
    "localhost.": [["127.0.0.1"]],
    "inside.example": [["10.1.2.3"]],
    "mixed.example": [[PUBLIC, "127.0.0.1"]],
    "six.example": [["::ffff:10.0.0.1"]],
}

WRITTEN: Final = (
    "file:///etc/passwd",
    "gopher://127.0.0.1:70/_x",
    "ftp://127.0.0.1/x",
    "dict://127.0.0.1:11211/stats",
    "javascript:alert(1)",
    "data:text/html,hello",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
    "http://public.example@127.0.0.1/",
    "http://127.0.0.1#@public.example/",
    "http://127.0.0.1\\@public.example/",
    "http://public.example\\@127.0.0.1/",
    "http://127.0.0.1%2f@public.example/",
    "http:///127.0.0.1/",
    "http:127.0.0.1/",
    "//127.0.0.1/",
    "http://[::1]:80@public.example:99999/",
    "http://public.example:22/",
    "http://public.example:6379/",
    "http://127.0.0.1:80\t/",
    "http://127.0.0.1\r\nhost: public.example/",
    "http://%31%32%37.0.0.1/",
)
"""Other ways to write an address, and other schemes."""


class ListedHits:
    """A search engine that finds what it is told."""

    name = "listed"

    def __init__(self, urls: list[str]) -> None:
        self._urls = urls

    def build_fields(self, query: SearchQuery) -> Mapping[str, object]:
        """What it would be sent."""
        return {"words": query.words}

    async def search(self, query: SearchQuery) -> list[SearchHit]:
        """The hits."""
        return [SearchHit(url=url, title="a page") for url in self._urls][: query.count]


def figures(*, short: bool) -> Iterator[Figure]:
    """Connections to addresses that are not public."""
    yield from measure_connects(every=7 if short else 1)


def measure_connects(*, every: int) -> Iterator[Figure]:
    """The figure over every so many addresses."""
    connects, tried = asyncio.run(_count_connects(every))
    how = (
        f"{len(INWARD)} hosts, over http and https, and {len(WRITTEN)} other spellings, each requested, posted to, "
        "read, researched, and at the end of one and of two redirects; names whose address changes after the first "
        "lookup; with a resolver and a network of the figure's own, behind which is a real server"
    )
    yield no_violations("ssrf.connects", connects, tried, how)


async def _count_connects(every: int) -> tuple[int, int]:
    hostile = [f"{scheme}://{host}/secret" for host in INWARD for scheme in ("http", "https")] + list(WRITTEN)
    attempts = [(way, url) for url in hostile for way in _WAYS]
    attempts += [(way, "http://rebinding.example/secret") for way in _WAYS]
    async with Internet() as internet:
        http = internet.http()
        inward = [await _count_inward(internet, http, way, url) for way, url in attempts[::every]]
    return sum(inward), len(inward)


async def _count_inward(internet: Internet, http: GuardedHttp, way: str, url: str) -> int:
    """Make one attempt; how many connections did not go to a public address."""
    internet.connects.clear()
    internet.names = {name: [*lookups] for name, lookups in NAMES.items()}
    internet.names["rebinding.example"] = [[PUBLIC], ["127.0.0.1"]]
    location = "".join(url.encode("unicode_escape").decode("ascii").splitlines())
    internet.pages = {
        "/one": Page(status=302, headers={"location": location}),
        "/two": Page(status=307, headers={"location": "http://other.example/one"}),
        "/secret": Page(b"the secret", headers={"content-type": "text/plain"}),
    }
    ctx = Ctx("key", Caller("run", "", "call", 1, superuser(tenant=FIRST_SITE)), "run")
    with contextlib.suppress(CallError, ValidationError):
        await _WAYS[way](ctx, http, url)
    return len(internet.inward)


async def _find_no_hosts(_ctx: LeafContext) -> tuple[str, frozenset[str]]:
    return FIRST_SITE, frozenset()


async def _get(ctx: LeafContext, http: GuardedHttp, url: str) -> object:
    return await HttpRequests(http, {}, _find_no_hosts).http_get(ctx, HttpGet(url=url))


async def _post(ctx: LeafContext, http: GuardedHttp, url: str) -> object:
    hosts = frozenset(host.strip("[]") for host in (*INWARD, "rebinding.example", "public.example"))
    return await HttpRequests(http, {FIRST_SITE: hosts}, _find_no_hosts).http_post(ctx, HttpPost(url=url, body="{}"))


async def _fetch(ctx: LeafContext, http: GuardedHttp, url: str) -> object:
    return await Research(http, ListedHits([url])).fetch_content(ctx, FetchContent(urls=[url]))


async def _research(ctx: LeafContext, http: GuardedHttp, url: str) -> object:
    return await Research(http, ListedHits([url])).deep_research(ctx, DeepResearch(topic="secrets"))


async def _redirect(ctx: LeafContext, http: GuardedHttp, _: str) -> object:
    return await _get(ctx, http, "http://first.example/one")


async def _redirect_twice(ctx: LeafContext, http: GuardedHttp, _: str) -> object:
    return await _fetch(ctx, http, "http://first.example/two")


_WAYS: Final[dict[str, Callable[[LeafContext, GuardedHttp, str], Awaitable[object]]]] = {
    "get": _get,
    "post": _post,
    "fetch": _fetch,
    "research": _research,
    "redirect": _redirect,
    "redirect twice": _redirect_twice,
}
