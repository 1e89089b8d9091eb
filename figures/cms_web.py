"""The tools of the CMS that request other servers, in a pretended internet."""

from __future__ import annotations

from apps.cms.tests.world import World
from figures.ssrf import ListedHits
from figures.ssrf_world import Internet, Page
from remit_cms.settings.settings import SettingsInForce
from remit_cms.tools import AnyTool, web_operations
from remit_cms.web.requests import HttpRequests
from remit_cms.web.research import Research
from remit_cms.web.search_providers import SearchProvider

_RYE = b"""<html><head><title>Rye</title></head><body><article><h1>Rye</h1>
<p>Rye bread keeps for a week, and is best on its second day, when it can be cut into thin slices.</p>
<p>It is made with a sour dough, which takes a day to rise, and is baked for an hour in a falling heat.</p>
</article></body></html>"""


def open_internet() -> Internet:
    """An internet in which each server has one page."""
    return Internet(pages={"/rye": Page(_RYE, headers={"content-type": "text/html; charset=utf-8"})})


def web_tools(world: World, internet: Internet, engine: SearchProvider | None = None) -> tuple[AnyTool, ...]:
    """The tools, by default with a search engine that finds the page, and one host that may be posted to."""
    http = internet.http()
    research = Research(http, engine or ListedHits(["http://bread.example/rye"]))
    hosts = {"local-site": frozenset({"hooks.example"})}
    requests = HttpRequests(http, hosts, SettingsInForce(world.database).find_post_hosts)
    return web_operations(research, requests).callees
